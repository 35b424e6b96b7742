//! The keyboard: one table makes the commands and the help.

use super::address::View;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Open the one box.
    Box,
    /// Open a view.
    View(View),
    /// The help.
    Help,
    /// The next theme.
    Theme,
    /// Copy the address.
    CopyLink,
    /// Back to the previous place.
    Back,
    /// To the first step.
    First,
    /// One step back.
    StepBack,
    /// Play or pause.
    Play,
    /// One step on.
    Step,
    /// To the last step.
    Last,
    /// To the fetch before, or to the page boundary before.
    PreviousFetch,
    /// To the next fetch, or to the next page boundary.
    NextFetch,
    /// Slower.
    Slower,
    /// Faster.
    Faster,
    /// Go to the box that leads to a page, a position or a step.
    Go,
    /// Leave what is open or focused.
    Leave,
}

/// Where a key acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Wherever a table is open or not.
    Everywhere,
    /// Once something is open.
    Open,
    /// In a view with steps: the lookup, the packing.
    Race,
    /// In the packing.
    Pack,
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// `KeyboardEvent.key`.
    pub key: &'static str,
    /// Modifier.
    pub with: Modifier,
    /// As it stands in the help.
    pub shown: &'static str,
    /// What it does.
    pub command: Command,
    /// In words.
    pub words: &'static str,
    /// Where it acts.
    pub scope: Scope,
}

/// A key held down beside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// None, or the Shift that the character needs.
    Plain,
    /// Ctrl, or Command on a Mac.
    Ctrl,
    /// Alt, or Option on a Mac.
    Alt,
}

/// All keys.
pub const BINDINGS: &[Binding] = {
    use Command as C;
    use Modifier::{Alt, Ctrl, Plain};
    use Scope::{Everywhere, Open, Pack, Race};
    const fn line(
        (key, with, shown): (&'static str, Modifier, &'static str),
        command: Command,
        words: &'static str,
        scope: Scope,
    ) -> Binding {
        Binding { key, with, shown, command, words, scope }
    }
    &[
        line(("/", Plain, "/"), C::Box, "the box for keys, pages, positions, commands", Open),
        line(("k", Ctrl, "Ctrl K"), C::Box, "the same box", Open),
        line(("1", Plain, "1"), C::View(View::Overview), "overview", Open),
        line(("2", Plain, "2"), C::View(View::Lookup), "lookup", Open),
        line(("3", Plain, "3"), C::View(View::Pages), "pages", Open),
        line(("4", Plain, "4"), C::View(View::Trie), "trie", Open),
        line(("5", Plain, "5"), C::View(View::Packing), "packing", Open),
        line(("7", Plain, "7"), C::View(View::Findings), "findings", Open),
        line(("Home", Plain, "Home"), C::First, "first step", Race),
        line(("ArrowLeft", Plain, "←"), C::StepBack, "one step back", Race),
        line((" ", Plain, "Space"), C::Play, "play or pause", Race),
        line(("ArrowRight", Plain, "→"), C::Step, "one step on", Race),
        line(("End", Plain, "End"), C::Last, "last step", Race),
        line((",", Plain, ","), C::PreviousFetch, "previous fetch or page boundary", Race),
        line((".", Plain, "."), C::NextFetch, "next fetch or page boundary", Race),
        line(("[", Plain, "["), C::PreviousFetch, "previous page", Pack),
        line(("]", Plain, "]"), C::NextFetch, "next page", Pack),
        line(("g", Plain, "g"), C::Go, "go to a page, position or step", Pack),
        line(("<", Plain, "<"), C::Slower, "slower", Race),
        line((">", Plain, ">"), C::Faster, "faster", Race),
        line(("t", Plain, "t"), C::Theme, "theme: system, light, dark", Everywhere),
        line(("C", Plain, "Shift C"), C::CopyLink, "copy a link to this view", Open),
        line(("ArrowLeft", Alt, "Alt ←"), C::Back, "back to the previous place", Everywhere),
        line(("?", Plain, "?"), C::Help, "this help", Everywhere),
        line(("Escape", Plain, "Esc"), C::Leave, "leave a box, close this help", Everywhere),
    ]
};

/// What has the focus when a key is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Focus {
    /// Nothing that wants keys.
    Page,
    /// A box to type in, a list to choose from.
    Text,
    /// A button or link: Space and Enter are its own.
    Button,
    /// A slider: arrows, Home and End are its own.
    Slider,
}

/// A key press.
#[derive(Clone, Copy, Debug)]
pub struct Press<'a> {
    /// `KeyboardEvent.key`.
    pub key: &'a str,
    /// Ctrl or Command is down.
    pub ctrl: bool,
    /// Alt or Option is down.
    pub alt: bool,
    /// What has the focus.
    pub focus: Focus,
    /// Whether keys of a single character are switched on.
    pub letters: bool,
    /// The scopes that hold now.
    pub open: bool,
    /// Whether a view with steps is shown.
    pub race: bool,
    /// Whether it is the packing.
    pub pack: bool,
}

/// What a key press means here.
pub fn command(press: Press<'_>) -> Option<Command> {
    let with = match (press.ctrl, press.alt) {
        (false, false) => Modifier::Plain,
        (true, false) => Modifier::Ctrl,
        (false, true) => Modifier::Alt,
        (true, true) => return None,
    };
    let is = |binding: &&Binding| {
        binding.with == with
            && binding.key == press.key
            && match binding.scope {
                Scope::Everywhere => true,
                Scope::Open => press.open,
                Scope::Race => press.race,
                Scope::Pack => press.pack,
            }
    };
    let binding = BINDINGS.iter().find(is)?;
    let printed = binding.is_letter() || binding.key == " ";
    let own = match press.focus {
        Focus::Page => false,
        Focus::Text => with == Modifier::Plain && binding.command != Command::Leave,
        Focus::Button => matches!(binding.key, " "),
        Focus::Slider => {
            with == Modifier::Plain
                && matches!(binding.key, "ArrowLeft" | "ArrowRight" | "Home" | "End")
        }
    };
    let off = printed && binding.is_letter() && !press.letters;
    (!own && !off).then_some(binding.command)
}

impl Press<'_> {
    /// Whether a board may have a meaning for it.
    pub fn is_for_board(self) -> bool {
        let own = match self.focus {
            Focus::Page => false,
            Focus::Button => matches!(self.key, " " | "Enter"),
            Focus::Text | Focus::Slider => true,
        };
        let letter = self.key.chars().count() == 1 && self.key != " ";
        self.open && !self.race && !self.ctrl && !self.alt && !own && (self.letters || !letter)
    }
}

impl Binding {
    /// Whether it is a single character without a modifier: what the switch in the help turns off.
    pub fn is_letter(&self) -> bool {
        self.with == Modifier::Plain && self.key.chars().count() == 1 && self.key != " "
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Press<'static> = Press {
        key: "",
        ctrl: false,
        alt: false,
        focus: Focus::Page,
        letters: true,
        open: true,
        race: true,
        pack: true,
    };

    #[test]
    fn keys_mean_what_the_help_says() {
        for binding in BINDINGS {
            let press = Press {
                key: binding.key,
                ctrl: binding.with == Modifier::Ctrl,
                alt: binding.with == Modifier::Alt,
                ..PAGE
            };
            assert_eq!(command(press), Some(binding.command), "{}", binding.shown);
        }
    }

    #[test]
    fn digits_of_views_that_are_not_built_do_nothing() {
        for key in ["6", "8", "9", "0"] {
            assert_eq!(command(Press { key, ..PAGE }), None);
        }
    }

    #[test]
    fn characters_belong_to_the_box_while_typing_and_ctrl_k_does_not() {
        for key in ["/", "t", "1", " ", "Home", "ArrowLeft", "?"] {
            assert_eq!(command(Press { key, focus: Focus::Text, ..PAGE }), None, "{key}");
        }
        let ctrl_k = Press { key: "k", ctrl: true, focus: Focus::Text, ..PAGE };
        assert_eq!(command(ctrl_k), Some(Command::Box));
        let escape = Press { key: "Escape", focus: Focus::Text, ..PAGE };
        assert_eq!(command(escape), Some(Command::Leave));
    }

    #[test]
    fn space_presses_the_focused_button_and_arrows_move_the_slider() {
        assert_eq!(command(Press { key: " ", focus: Focus::Button, ..PAGE }), None);
        assert_eq!(
            command(Press { key: "ArrowRight", focus: Focus::Button, ..PAGE }),
            Some(Command::Step)
        );
        assert_eq!(command(Press { key: "End", focus: Focus::Slider, ..PAGE }), None);
        assert_eq!(command(Press { key: " ", focus: Focus::Slider, ..PAGE }), Some(Command::Play));
    }

    #[test]
    fn the_switch_turns_single_characters_off_and_nothing_else() {
        let off = Press { letters: false, ..PAGE };
        for key in ["/", "t", "1", "?", ",", "C"] {
            assert_eq!(command(Press { key, ..off }), None, "{key}");
        }
        assert_eq!(command(Press { key: "Home", ..off }), Some(Command::First));
        assert_eq!(command(Press { key: " ", ..off }), Some(Command::Play));
        assert_eq!(command(Press { key: "k", ctrl: true, ..off }), Some(Command::Box));
    }

    #[test]
    fn a_board_gets_keys_that_nothing_else_wants() {
        let board = Press { key: "p", race: false, pack: false, ..PAGE };
        assert!(board.is_for_board());
        assert!(!Press { letters: false, ..board }.is_for_board());
        assert!(Press { key: "ArrowUp", letters: false, ..board }.is_for_board());
        assert!(!Press { focus: Focus::Text, ..board }.is_for_board());
        assert!(!Press { key: "Enter", focus: Focus::Button, ..board }.is_for_board());
        assert!(!Press { race: true, ..board }.is_for_board());
        assert!(!Press { ctrl: true, ..board }.is_for_board());
    }

    #[test]
    fn keys_act_only_where_they_mean_something() {
        let start = Press { open: false, race: false, pack: false, ..PAGE };
        assert_eq!(command(Press { key: "2", ..start }), None);
        assert_eq!(command(Press { key: " ", ..start }), None);
        assert_eq!(command(Press { key: "t", ..start }), Some(Command::Theme));
        assert_eq!(command(Press { key: "]", pack: false, ..PAGE }), None);
    }
}
