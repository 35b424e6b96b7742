//! Which index each lane reads: the one in the files, or a twin that the workshop builds.

use super::{State, TwinCall};
use crate::model::{TableId, Twin};
use crate::shared::Shared;
use crate::state::address::View;
use crate::state::intent::Side;
use triescope_core::table::{Part, TableFacts};

/// What a lane reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Lane {
    /// The index in the files.
    Own(TableId, Shared<TableFacts>),
    /// A twin that is being built.
    Building,
    /// A twin, or why there is none.
    Twin(Twin),
}

impl Lane {
    /// What is open: number and facts.
    pub fn table(&self) -> Option<(TableId, &Shared<TableFacts>)> {
        match self {
            Self::Own(id, facts) | Self::Twin(Twin::Made { id, facts, .. }) => Some((*id, facts)),
            Self::Building | Self::Twin(Twin::Not { .. }) => None,
        }
    }
}

impl State {
    /// What a lane reads; `None` while nothing is open.
    pub fn lane(&self, side: Side) -> Option<Lane> {
        let tables = self.open()?;
        let own = match side {
            Side::Trie => &tables.trie,
            Side::Legacy => &tables.legacy,
        };
        Some(match (own, self.twin_call(side)) {
            (Some((id, facts)), None) => Lane::Own(*id, facts.clone()),
            (_, Some(call)) => match self.twins.iter().find(|(known, _)| *known == call) {
                Some((_, twin)) => Lane::Twin(twin.clone()),
                None => Lane::Building,
            },
            (None, None) => Lane::Building,
        })
    }

    /// The facts of what a lane reads.
    pub fn lane_facts(&self, side: Side) -> Option<Shared<TableFacts>> {
        self.lane(side)?.table().map(|(_, facts)| facts.clone())
    }

    /// The numbers of what the lanes read: trie, legacy.
    pub fn lane_ids(&self) -> (Option<TableId>, Option<TableId>) {
        let id = |side| self.lane(side)?.table().map(|(id, _)| id);
        (id(Side::Trie), id(Side::Legacy))
    }

    /// Twins that have to be built.
    pub fn wanted_twins(&self) -> Vec<TwinCall> {
        let calls = [Side::Trie, Side::Legacy].into_iter().filter_map(|side| self.twin_call(side));
        calls.filter(|call| !self.twins.iter().any(|(known, _)| known == call)).collect()
    }

    /// Whether a lane waits for its twin.
    pub fn is_building(&self) -> bool {
        !self.wanted_twins().is_empty()
    }

    /// The size of row blocks that was chosen, where blocks can be formed anew. The overview speaks of the files.
    pub fn block(&self) -> Option<u64> {
        let size = self.address.ask.block.filter(|_| self.address.view == View::Lookup)?;
        self.has_blocks().then_some(size)
    }

    /// Whether row blocks of another size can be built: there are clustering columns, and rows to read.
    pub fn has_blocks(&self) -> bool {
        let rows = |facts: &TableFacts| {
            let has_data = |it: &triescope_core::table::Component| {
                it.part == Some(Part::Data) && it.bytes.is_some_and(|bytes| bytes > 0)
            };
            facts.clustering.as_ref().is_some_and(|columns| !columns.is_empty())
                && facts.components.iter().any(has_data)
        };
        let here = self.open().map(|tables| [&tables.trie, &tables.legacy]);
        here.is_some_and(|here| here.into_iter().flatten().any(|(_, facts)| rows(facts)))
    }

    /// The twin that a lane reads instead of the files.
    fn twin_call(&self, side: Side) -> Option<TwinCall> {
        let tables = self.open()?;
        let (own, other) = match side {
            Side::Trie => (&tables.trie, &tables.legacy),
            Side::Legacy => (&tables.legacy, &tables.trie),
        };
        let block = self.block();
        let (of, _) = match (own, block) {
            (Some(_), None) => return None,
            (Some(own), Some(_)) => own,
            (None, _) => other.as_ref()?,
        };
        Some(TwinCall { of: *of, side, block, large: self.twin_large })
    }
}
