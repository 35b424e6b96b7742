//! The table of results, for people and as JSON.

use serde::Serialize;
use std::fmt;

/// All results of a run.
#[derive(Default, Serialize)]
pub struct Report {
    /// Comparisons.
    pub rows: Vec<Row>,
    /// Speeds of work over whole files.
    pub speeds: Vec<Speed>,
    /// Peak memory of commands over a large table.
    pub memory: Vec<Memory>,
    /// Peers that could not be measured, and why.
    pub skipped: Vec<String>,
}

/// A comparison.
#[derive(Serialize)]
pub struct Row {
    /// What is measured.
    pub question: &'static str,
    /// In which index.
    pub corpus: &'static str,
    /// Our time, nanoseconds a lookup or a key.
    pub ours_ns: f64,
    /// With whom it is compared.
    pub peer: &'static str,
    /// Its time, nanoseconds a lookup or a key.
    pub peer_ns: f64,
    /// How many times as fast as the peer we are.
    pub ratio: f64,
    /// The least ratio that we want.
    pub goal: Option<f64>,
    /// Whether the goal is met.
    pub met: Option<bool>,
}

/// How fast a whole file is gone through.
#[derive(Serialize)]
pub struct Speed {
    /// What is measured.
    pub question: &'static str,
    /// Which file.
    pub corpus: &'static str,
    /// Millions of bytes a second.
    pub mb_per_s: f64,
    /// The least that we want; 0 for nothing.
    pub mb_goal: f64,
    /// What is counted beside bytes: nodes, rows.
    pub items: &'static str,
    /// Nodes, or what else is counted, a second.
    pub nodes_per_s: f64,
    /// The least that we want; 0 for nothing.
    pub nodes_goal: f64,
    /// The time that copying the same bytes takes, as a share of ours.
    pub memcpy_share: f64,
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mb_goal, nodes_goal) = (goal(self.mb_goal), goal(self.nodes_goal / 1e6));
        let met = match self.mb_per_s >= self.mb_goal && self.nodes_per_s >= self.nodes_goal {
            _ if self.mb_goal == 0.0 && self.nodes_goal == 0.0 => "-",
            true => "met",
            false => "not met",
        };
        write!(
            f,
            "{}  {}  {:.0} MB/s{mb_goal}  {:.1} M {}/s{nodes_goal}  memcpy of the same bytes takes {:.2} % of it  {met}",
            self.question,
            self.corpus,
            self.mb_per_s,
            self.nodes_per_s / 1e6,
            self.items,
            100.0 * self.memcpy_share,
        )
    }
}

/// What is wanted, if anything is.
fn goal(goal: f64) -> String {
    if goal == 0.0 { String::new() } else { format!(" (goal {goal:.0})") }
}

/// The most memory that a command took.
#[derive(Serialize)]
pub struct Memory {
    /// What was run: `check`, or a build.
    pub command: String,
    /// Over which table.
    pub corpus: &'static str,
    /// Bytes of its Data.db.
    pub data_bytes: u64,
    /// Bytes of its index.
    pub index_bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// Greatest resident memory in bytes.
    pub peak_bytes: u64,
    /// The most that we want.
    pub limit_bytes: u64,
    /// Whether it is no more.
    pub met: bool,
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        write!(
            f,
            "memory of {:<13} {:<23} {:.0} MiB of data, {:.0} MiB of index: {:.1} MiB (limit {:.0})  {:.0} s  {}",
            self.command,
            self.corpus,
            mib(self.data_bytes),
            mib(self.index_bytes),
            mib(self.peak_bytes),
            mib(self.limit_bytes),
            self.seconds,
            if self.met { "met" } else { "not met" },
        )
    }
}

impl Report {
    /// Adds a comparison.
    pub fn compare(
        &mut self,
        (question, corpus): (&'static str, &'static str),
        ours_ns: f64,
        (peer, peer_ns): (&'static str, f64),
        goal: Option<f64>,
    ) {
        let ratio = peer_ns / ours_ns;
        let met = goal.map(|goal| ratio >= goal);
        self.rows.push(Row { question, corpus, ours_ns, peer, peer_ns, ratio, goal, met });
    }
}

fn duration(ns: f64) -> String {
    if ns < 1000.0 { format!("{ns:.1} ns") } else { format!("{:.1} µs", ns / 1000.0) }
}

/// A goal: whole, or with two digits behind the point.
fn rounded(goal: f64) -> String {
    if goal.fract() == 0.0 { format!("{goal:.0}") } else { format!("{goal:.2}") }
}

/// At least two digits that are not 0.
fn ratio(ratio: f64) -> String {
    if ratio < 0.1 { format!("{ratio:.4}") } else { format!("{ratio:.2}") }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = vec![
            ["question", "corpus", "ours", "peer", "", "ratio", "goal", "met"].map(String::from),
        ];
        for row in &self.rows {
            table.push([
                row.question.to_owned(),
                row.corpus.to_owned(),
                duration(row.ours_ns),
                row.peer.to_owned(),
                duration(row.peer_ns),
                ratio(row.ratio),
                row.goal.map_or_else(|| "-".to_owned(), |goal| format!(">= {}", rounded(goal))),
                row.met.map_or("-", |met| if met { "met" } else { "not met" }).to_owned(),
            ]);
        }
        let width =
            |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..8).map(width).collect();
        for row in &table {
            let mut line = String::new();
            for (i, (text, width)) in row.iter().zip(&widths).enumerate() {
                // Numbers end below each other.
                match i {
                    2 | 4 | 5 => line += &format!("{text:>width$}  "),
                    _ => line += &format!("{text:<width$}  "),
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        for speed in &self.speeds {
            writeln!(f, "{speed}")?;
        }
        for memory in &self.memory {
            writeln!(f, "{memory}")?;
        }
        for why in &self.skipped {
            writeln!(f, "skipped: {why}")?;
        }
        Ok(())
    }
}
