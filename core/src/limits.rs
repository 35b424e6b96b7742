//! Every size and count that this program refuses to exceed, whatever a file claims. The formats set none of these.

/// Greatest Statistics.db read whole. Real ones are 4 to 12 KB; histograms and bounds cannot make more of it.
pub const STATISTICS_BYTES: u64 = 16 << 20;
/// Most columns of one kind in Statistics.db. In the file a column may have two bytes, in memory it has fifty.
pub const COLUMNS: u64 = 1 << 16;
/// Greatest TOC.txt.
pub const TOC_BYTES: u64 = 64 << 10;
/// Greatest Digest file: a decimal CRC32 or 40 hex digits.
pub const DIGEST_BYTES: u64 = 1 << 10;
/// Greatest chunk of Data.db after decompression. Cassandra and ScyllaDB default to 4 to 64 KiB.
pub const CHUNK_BYTES: u64 = 16 << 20;
/// Greatest window of a Zstandard frame: the least that its specification asks decoders to support.
pub const ZSTD_WINDOW_BYTES: u64 = 8 << 20;
/// Greatest head of a partition, a row or a marker in Data.db: all its clustering values. Each has at most 64 KiB.
pub const ROW_HEAD_BYTES: u64 = 4 << 20;
/// Greatest part of a value that is kept; the rest of a longer one is passed over. Databases warn of values above 1 MiB.
pub const VALUE_BYTES: u64 = 1 << 20;
/// Greatest path of a cell: a map's key or a set's element.
pub const PATH_BYTES: u64 = 2 << 20;
/// Greatest size of the cells of one row that are kept; the cells of a larger row are counted from there on.
pub const ROW_KEPT_BYTES: u64 = 8 << 20;
/// Greatest number of rows and markers passed in search of one row. Blocks have tens; a partition without a row index has
/// at most as many as fit its greatest block, unless the file is damaged or was written without one.
pub const ROWS_PASSED: u64 = 1_000_000;
/// Greatest stretch of Data.db passed in search of one row.
pub const ROW_SEARCH_BYTES: u64 = 256 << 20;
/// Greatest header of CompressionInfo.db before the chunk offsets (dictionaries are stored among the options).
pub const COMPRESSION_HEADER_BYTES: u64 = 4 << 20;
/// Most options of a compressor in CompressionInfo.db. A dictionary takes the most: a piece for each 32 KB.
pub const COMPRESSION_OPTIONS: u64 = 4096;
/// Greatest number of nodes on one path of a trie: a partition key of 64 KiB escaped, twice over.
pub const PATH_NODES: u64 = 300_000;
/// Greatest number of steps kept of one lookup.
pub const RECORD_STEPS: usize = 200_000;
/// Greatest Index.db that is sampled in memory without asking.
pub const SAMPLE_WITHOUT_ASKING_BYTES: u64 = 64 << 20;
/// Greatest nesting of a type: `list<list<…>>`. Real ones have 3.
pub const TYPE_DEPTH: u32 = 32;
/// Greatest number (`varint`, `decimal`) written in decimal digits; a longer one is shown as bytes.
pub const NUMBER_BYTES: usize = 4096;
/// Greatest serialized partition key: its length is a `u16`.
pub const KEY_BYTES: usize = 65_535;
/// Greatest text of a key: a key of 64 KiB in hexadecimal, with room.
pub const LITERAL_BYTES: usize = 1 << 18;
/// Greatest entry head or block of Index.db. A block holds two clusterings, each value of at most 64 KiB; each probe of a
/// lookup keeps one in its record.
pub const INDEX_RECORD_BYTES: u64 = 1 << 20;
/// Most entries of Index.db read in one lookup. ScyllaDB's windows have at most 10,000, Cassandra's at most 2,048.
pub const WINDOW_ENTRIES: u64 = 1 << 20;
/// Most bytes of entry heads kept in one lookup.
pub const WINDOW_BYTES: u64 = 64 << 20;
/// Most bytes of a summary made in memory: a sample stands for 2,000 times its bytes, so this is half a terabyte of data.
pub const SAMPLED_BYTES: u64 = 256 << 20;
/// Greatest number of records of Scylla.db. There are 13 kinds.
pub const SCYLLA_RECORDS: u32 = 64;
/// Greatest Scylla.db read whole. The token ranges of a shard make the greatest known one 57 KB.
pub const SCYLLA_BYTES: u64 = 4 << 20;
/// Most pages of a trie that a check has begun and not completed. Real tries have up to 256 for each level of their pages;
/// a bitmap of each is kept.
pub const BEGUN_PAGES: usize = 8192;
/// Most nodes of a trie that are followed to find those in one damaged page.
pub const REACHED_NODES: u64 = 4_000_000;
/// Most failed chunks whose bits are searched; what is wrong in more of them is no flipped bit.
pub const FLIP_CHUNKS: usize = 16;
/// Most candidates of one chunk. CRC32 has one; Adler-32 may have one each 64 KiB.
pub const FLIP_CANDIDATES: usize = 32;
/// Most changed bytes that are listed of one candidate.
pub const FLIP_BYTES: usize = 16;
/// Most blocks of a promoted index without a table of offsets that one lookup reads: of 64 KiB each, 64 GiB of rows.
pub const BLOCKS_PASSED: u64 = 1 << 20;
/// Greatest promoted index read whole with its entry: only versions before `ma` do so with large ones.
pub const PROMOTED_WHOLE_BYTES: u64 = 64 << 20;
/// Most bytes read behind the last key of Summary.db: a piece of 2 GiB of Data.db has 8 of them.
pub const SEGMENT_BOUNDS_BYTES: u64 = 1 << 20;
/// Bytes of memory of a twin that is built, beside its files and the samples of Summary.db: the subtrees that a trie
/// writer holds back (about 1 MiB a level), one chunk of Data.db, one path, and the blocks of one partition that wait.
pub const TWIN_BYTES: u64 = 16 << 20;
/// Most bytes of one promoted index that are kept while its length is not known yet; a longer one is measured first and
/// then read once more.
pub const PROMOTED_WAITING_BYTES: usize = 1 << 20;
/// Most chunks of a compressed Data.db that is written: their offsets follow it, so 4 bytes of each are kept. Half a
/// terabyte of data in chunks of 16 KiB.
pub const CHUNKS_WRITTEN: u64 = 32 << 20;
/// Most memory that the entries of a replayed trie take: some 6 million partition keys, with room for both writers beside
/// them in a browser's tab.
pub const REPLAY_ENTRY_BYTES: u64 = 64 << 20;
/// Most memory that the checkpoints of one replay take. When there are more, every other one is left out.
pub const REPLAY_CHECKPOINT_BYTES: u64 = 32 << 20;
/// Most keys that are typed or generated.
pub const TYPED_KEYS: u64 = 100_000;
/// Most bytes of keys that are typed or generated.
pub const TYPED_BYTES: u64 = 4 << 20;
/// Longest key that is typed or generated, in bytes: as long as the databases take one.
pub const TYPED_KEY_BYTES: u64 = 65_535;
/// Most bytes of a twin, its files and its memory, that the page builds at all: they stay in the browser's memory.
pub const TWIN_ROOM_BYTES: u64 = 512 << 20;
/// Most bytes that are read for a twin without asking: half a minute of a browser's reading.
pub const TWIN_WITHOUT_ASKING_BYTES: u64 = 1 << 30;
/// Most bytes of an index whose bits are tried one by one, each with all checks of the table.
pub const TRIED_BYTES: u64 = 2 << 10;
/// Most bits that are kept of those that explain a finding.
pub const TRIED_FOUND: usize = 32;
