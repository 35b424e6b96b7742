//! All checks of the program, the deep ones included, find nothing wrong with a twin over the data that it was built from.

use crate::build::{build, target};
use crate::common::{InMemory, all_cassandra};
use triescope_core::check::{CheckJob, CheckOptions, Severity};
use triescope_core::twin::TwinOptions;

fn wrong(files: &InMemory, options: TwinOptions) -> Vec<String> {
    let table = files.table();
    let twin = build(&table, options);
    let index = twin.files.each_ref().map(|(part, bytes)| (*part, bytes.as_slice()));
    let twin = table.with_index(options.target.version(), index).unwrap();
    let findings = |table| {
        let mut job = CheckJob::new(table, CheckOptions { deep: true });
        while !job.step(table, 1 << 20).unwrap().done {}
        let findings = job.into_report().findings.into_iter();
        let wrong = findings.filter(|finding| {
            // What is valid but dear is as dear in the real files.
            let is_dear = finding.check.id.starts_with("layout/");
            finding.check.severity != Severity::Note && !is_dear
        });
        wrong.map(|finding| finding.to_string()).collect::<Vec<_>>()
    };
    let known = findings(&table);
    findings(&twin).into_iter().filter(|finding| !known.contains(finding)).collect()
}

#[test]
fn nothing_is_wrong_with_a_twin() {
    let (mut twins, mut found) = (0, Vec::new());
    for version in ["da", "oa", "nb"] {
        for expected in all_cassandra(version) {
            if expected.is_index_only() {
                continue;
            }
            for to in ["da", "oa", "nb", "mt", "me"] {
                let options = TwinOptions::new(target(to));
                for finding in wrong(&expected.files, options) {
                    found.push(format!("{} as {to}: {finding}", expected.name));
                }
                twins += 1;
            }
        }
    }
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
    assert_eq!(twins, 5 * (59 + 59 + 57));
}
