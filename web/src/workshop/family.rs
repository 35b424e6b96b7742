//! How node families and other bytes of a trie look: class, sign and word, the same on every board.

use triescope_core::bti::Family;

/// Families in the order of their legends.
pub const FAMILIES: [Family; 5] =
    [Family::Leaf, Family::Single, Family::Sparse, Family::Dense, Family::Long];

/// The class that fills in its colour.
pub const fn class(family: Family) -> &'static str {
    match family {
        Family::Leaf => "f-leaf",
        Family::Single => "f-single",
        Family::Sparse => "f-sparse",
        Family::Dense => "f-dense",
        Family::Long => "f-long",
    }
}

/// Its word.
pub const fn words(family: Family) -> &'static str {
    match family {
        Family::Leaf => "payload only",
        Family::Single => "single",
        Family::Sparse => "sparse",
        Family::Dense => "dense",
        Family::Long => "long dense",
    }
}

/// Its sign, 12 px square, beside its word: the more children, the more ink.
pub fn sign(family: Family) -> String {
    let inner = match family {
        Family::Leaf => "<circle cx=\"6\" cy=\"6\" r=\"4\"/>",
        Family::Single => "<path d=\"M4.5 1h3v10h-3z\"/>",
        Family::Sparse => "<path d=\"M1 1h2.5v10H1zM4.75 1h2.5v10h-2.5zM8.5 1H11v10H8.5z\"/>",
        Family::Dense => "<path d=\"M1 1h10v10H1z\"/>",
        Family::Long => "<path d=\"M1 1h10v3.5H1zM1 7.5h10V11H1zM1 4h6v4H1z\"/>",
    };
    format!(
        "<svg class=\"fam {}\" width=\"12\" height=\"12\" viewBox=\"0 0 12 12\" aria-hidden=\"true\">{inner}</svg>",
        class(family)
    )
}
