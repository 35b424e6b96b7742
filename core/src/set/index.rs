//! Which index is built beside the files of a set: over the source where Data.db is copied, else over the new Data.db.

use super::SetPlan;
use crate::big::SampleRule;
use crate::source::Source;
use crate::table::{IndexKind, Product, Table};
use crate::twin::{BlockSize, TwinOptions};

impl SetPlan {
    /// Whether the source has to be gone through once to learn the size of its row blocks: their positions change, and they
    /// are to be formed again as they were. The report of a twin that nobody keeps tells it.
    pub fn learns_blocks<S: Source>(&self, table: &Table<S>, asked: Option<u64>) -> bool {
        self.moves_positions()
            && asked.is_none()
            && match table.readable_index() {
                Some(IndexKind::Trie) => table.facts.has_row_index,
                // Only the whole of Index.db tells whether some partition has a promoted index.
                Some(IndexKind::Legacy) => true,
                None => false,
            }
    }

    /// How the index is built. `asked` is the block size that a person has chosen, `learnt` that of the source, if there is
    /// one. Where positions change, `table` is still the source, and the index is to be built over the new files.
    pub fn index<S: Source>(
        &self,
        table: &Table<S>,
        asked: Option<u64>,
        learnt: Option<BlockSize>,
    ) -> TwinOptions {
        let mut options = TwinOptions { block_bytes: asked, ..TwinOptions::new(self.target) };
        if self.moves_positions() {
            let learnt = learnt.map(BlockSize::likely);
            let default = self.target.default_block_bytes();
            options.block_bytes = Some(asked.or(learnt).unwrap_or(default));
            // The new files do not tell how the source samples its keys.
            let interval = table.summary.as_ref().map(|it| it.header.min_index_interval.max(1));
            let by_scylla = self.target.version().product() == Product::ScyllaDb;
            options.samples = interval.filter(|_| !by_scylla).map(SampleRule::Every);
        }
        options
    }
}
