//! Partition keys of other people's tables, of all partitioners and dialects: the trie has them where they are looked
//! up. Skipped where `../shared` is absent.

use crate::common::{InMemory, folders, upstream};
use std::collections::BTreeMap;
use triescope_core::bti::{Exact, PartitionIndex};
use triescope_core::keys::{
    Dialect, KeySchema, Partitioner, decode_partition_key, murmur3, partition_key,
};
use triescope_core::source::Pages;
use triescope_core::table::Part;

#[test]
fn the_first_and_the_last_key_of_every_trie_are_found() {
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    for owner in ["datastax", "kopens-lsb", "scylladb"] {
        let Some(owner) = upstream(owner) else { return };
        for files in folders(&owner).iter().flat_map(|folder| InMemory::folder(folder)) {
            let table = files.table();
            let Some(footer) = &table.footer else { continue };
            let statistics = table.statistics.as_ref().unwrap();
            let class = &statistics.validation.as_ref().unwrap().partitioner;
            let partitioner = Partitioner::from_class(class);
            let schema = match &statistics.header {
                Some(header) => KeySchema::from_class(&header.key_type),
                None => KeySchema::default(),
            };
            let dialect = Dialect::of(table.version());
            for key in [&footer.first, &footer.last] {
                let comparable = partition_key(&partitioner, dialect.key_style, &schema, key);
                let file = files.part(Part::Partitions);
                let mut nobody = ();
                let mut pages = Pages::new(Part::Partitions, &file, &mut nobody);
                let index = PartitionIndex::new(footer);
                let exact = index.exact(&mut pages, &comparable.bytes, murmur3(key).byte());
                let name = files.folder.display();
                assert!(matches!(exact, Ok(Exact::Candidate(_))), "{name} {exact:?}");
                let style = dialect.key_style;
                let decoded = decode_partition_key(&partitioner, style, &schema, &comparable.bytes);
                assert_eq!(decoded.key.as_ref(), Some(key), "{name}");
                assert_eq!(decoded.token, Some(partitioner.token(key)), "{name}");
                *found.entry(format!("{} {partitioner:?}", table.version())).or_default() += 1;
            }
        }
    }
    for kind in ["bb Murmur3", "da ByteOrdered", "ms Murmur3", "mt Murmur3"] {
        assert!(found.get(kind).is_some_and(|n| *n >= 2), "{kind}: {found:?}");
    }
}
