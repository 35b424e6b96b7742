//! Draws both lanes of a race on files of `testdata` to an HTML page, to be looked at:
//! `cargo run -p triescope-web --example lookup -- wide_int 1 4999 cassandra 1008 > target/lookup.html`

#[path = "../../core/tests/common/mod.rs"]
mod common;

use triescope_core::big::{Progress, SampleRule, Sampler};
use triescope_core::lookup::FilterMode;
use triescope_core::race::{CacheModel, Contest, LegacyReader, RaceRequest, run};
use triescope_core::table::Part;
use triescope_web::layout::lookup::{Files, legacy, phone_strips, trie};
use triescope_web::layout::svg;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [table, key, row, reader, width] = args.as_slice() else {
        eprintln!("usage: lookup TABLE KEY ROW|- scylla|cassandra WIDTH");
        std::process::exit(2);
    };
    let (trie_files, legacy_files) =
        (common::cassandra(table, "da", 1).files, common::cassandra(table, "oa", 1).files);
    let (t, l) = (trie_files.table(), legacy_files.table());
    let mut sampler = Sampler::new(SampleRule::Scylla, triescope_core::table::IndexFormat::Vints);
    let index = l.source(Part::Index).unwrap();
    while sampler.step(index, 1000).unwrap() != Progress::Finished {}
    let samples = sampler.into_sampled();
    let contest = Contest {
        trie: Some(&t),
        legacy: Some(&l),
        scylla_samples: Some(&samples),
        cassandra_samples: None,
    };
    let request = RaceRequest {
        key: key.clone(),
        row: (row != "-").then(|| row.clone()),
        reader: if reader == "scylla" { LegacyReader::Scylla } else { LegacyReader::Cassandra },
        cache: CacheModel::Cold,
        filter: FilterMode::Off,
        sample_large: false,
    };
    let race = run(&contest, &request).unwrap();
    let width: f64 = width.parse().unwrap();
    let files = Files::of(&race, Some(&t.facts), Some(&l.facts), width);
    let styles = concat!(env!("CARGO_MANIFEST_DIR"), "/../static/css/");
    println!("<!doctype html><meta charset=utf-8>");
    for name in ["tokens", "base", "marks", "lookup"] {
        println!("<link rel=stylesheet href=\"{styles}{name}.css\">");
    }
    println!("<body style=\"padding:16px;height:auto\">");
    for scene in [
        trie(&race, &files, width),
        legacy(&race, &files, width),
        phone_strips(&race, &files, width),
    ] {
        println!("{}<hr>", svg(&scene, None));
    }
}
