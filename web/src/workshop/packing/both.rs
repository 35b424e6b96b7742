//! Both writers side by side: what each comes to, and where they part.

use super::board::{About, Layed, Put, counted};
use super::feed::n;
use super::text::plain;
use crate::board::{BoardAsk, with};
use crate::words::count;
use crate::workshop::html::{Block, Table};
use crate::workshop::links::Links;
use triescope_core::replay::{Frame, Parting, Replay, Totals, Writer, words};

/// What both come to in a table, what makes the difference, and where they part. `shown` is the writer whose steps are
/// shown.
pub fn differences(
    cassandra: &Replay,
    scylla: &Replay,
    parting: &Parting,
    shown: Writer,
    ask: &BoardAsk,
) -> Vec<Block> {
    let (c, s) = (cassandra.totals(), scylla.totals());
    let row = |what: &str, of: fn(&Totals) -> String| vec![what.to_owned(), of(c), of(s)];
    let rows = vec![
        row("Bytes", |t| n(t.file_bytes - t.start.0)),
        row("Pages", |t| n(t.pages)),
        row("Padding, B", |t| n(t.padding)),
        row("Nodes", |t| n(t.tally.nodes)),
        row("Nodes with one child only", |t| n(t.tally.single_nodes)),
        row("their bytes", |t| n(t.tally.single_bytes)),
        row("Nodes in chains", |t| n(t.tally.chain_nodes)),
        row("their bytes", |t| n(t.tally.chain_bytes)),
        row("Sparse though dense is smaller", |t| n(t.tally.larger_nodes)),
        row("bytes more", |t| n(t.tally.larger_bytes)),
        row("Runs cut by a page end", |t| n(t.tally.parted_runs)),
    ];
    let head = ["Both writers", "Cassandra", "ScyllaDB"].map(str::to_owned).to_vec();
    let caption = "Both writers on the same keys".to_owned();
    let mut blocks = vec![Block::Table(Table { caption, head, rows })];
    blocks.push(Block::Words(plain(words::parting(parting))));
    if let Parting::At { cassandra: c, scylla: s } = parting {
        let parted = match shown {
            Writer::Cassandra => c,
            Writer::Scylla => s,
        };
        // It may be a step that decides nothing.
        let step = (parted.step + 1).to_string();
        let query = with(&with(&ask.query, "steps", Some("all")), "step", Some(&step));
        let words = format!("Go there: step {} of all", n(parted.step + 1));
        blocks.push(Block::Lead(plain(words), Links(ask).to(&query)));
    }
    blocks
}

/// The board of both: the same step of each.
pub fn board(
    own: &Frame,
    other: &Frame,
    every: bool,
    ask: &BoardAsk,
    about: &About,
    totals: (&Totals, &Totals),
) -> Layed {
    let put = Put::of(ask);
    let column = |frame: &Frame, totals: &Totals| {
        let (at, of) = counted(frame, every);
        let caption =
            format!("step {} of {}, {}", n(at), n(of), count(totals.pages, "page", "pages"));
        let mut blocks = vec![
            Block::Heading(frame.writer.name().to_owned(), caption),
            Block::Words(frame.sentence()),
        ];
        blocks.extend(put.small(frame, every, about, totals.end.0));
        blocks
    };
    let columns = vec![column(own, totals.0), column(other, totals.1)];
    put.beside(columns, own, every, about)
}
