//! A source whose pages come one miss at a time gives the same partitions.

use super::common::cassandra;
use super::{all, some};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use triescope_core::error::{Error, Miss};
use triescope_core::pos::PageNo;
use triescope_core::scan::{Next, Order, Place, Scan};
use triescope_core::source::Source;
use triescope_core::table::{Part, Table};

/// Hands out each page at the second question, and then forgets it.
struct Shy<'a> {
    part: Part,
    bytes: &'a [u8],
    asked: RefCell<BTreeSet<u64>>,
    /// While the table is opened, every page is there.
    eager: Rc<Cell<bool>>,
}

impl<'a> Source for Shy<'a> {
    type Page = &'a [u8];

    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn page(&self, no: PageNo) -> Result<&'a [u8], Error> {
        if self.eager.get() || self.asked.borrow().contains(&no.0) {
            return Source::page(&self.bytes, no);
        }
        self.asked.borrow_mut().insert(no.0);
        let (from, to) = (no.start(), PageNo(no.0 + 1).start());
        Err(Miss { part: self.part, from, to }.into())
    }
}

#[test]
fn in_pieces_equals_whole() {
    for (name, version) in
        [("p1000", "da"), ("p1000", "oa"), ("wide_many", "da"), ("wide_many", "nb")]
    {
        let files = cassandra(name, version, 1).files;
        let whole = files.table();
        for order in [Order::Forward, Order::Reverse] {
            for from in [None, Some(Place::parse(&whole, "token:0").unwrap())] {
                let found = missing(&opened(&files), from.clone(), order);
                assert_eq!(found, all(&whole, from, order), "{name}/{version}");
            }
        }
        assert_eq!(some(&whole, None, Order::Forward, 0).unwrap(), []);
    }
}

fn opened(files: &super::common::InMemory) -> Table<Shy<'_>> {
    let eager = Rc::new(Cell::new(true));
    let source = |part: Part, bytes| {
        (part, Shy { part, bytes, asked: RefCell::default(), eager: Rc::clone(&eager) })
    };
    let sources = files.bytes.iter().map(|(part, bytes)| source(*part, bytes.as_slice()));
    let table = Table::open(files.set.clone(), sources).unwrap();
    eager.set(false);
    table
}

fn missing(
    table: &Table<Shy<'_>>,
    from: Option<Place>,
    order: Order,
) -> Vec<triescope_core::scan::Partition> {
    let mut scan = Scan::new(table, from, order).unwrap();
    let mut found = Vec::new();
    loop {
        match scan.step() {
            Ok(Next::Partition(partition)) => found.push(partition),
            Ok(Next::Working { .. }) => {}
            Ok(Next::End) => return found,
            // The page is there at the next question.
            Err(Error::Miss(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}
