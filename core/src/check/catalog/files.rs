//! Checks of the set of files: names, TOC.txt, checksums of whole files.

super::checks! {
    MISSING = Broken "files/missing",
        "Data.db, Statistics.db and, where data is compressed, CompressionInfo.db are here, and Scylla.db if it is listed.",
        "Nothing else holds what the component holds: it cannot be rebuilt.",
        "files.md#components";
    INDEX_MISSING = Broken "files/index-missing",
        "The index of the version is here: Partitions.db and Rows.db, or Index.db.",
        "Every lookup is a scan of Data.db until the index is rebuilt from it.",
        "files.md#components";
    DERIVABLE = Suspicious "files/derivable",
        "Every other component that TOC.txt lists or the version needs is here.",
        "It can be rebuilt from the other components; until then some servers rebuild it at each start, and some refuse to open the table.",
        "files.md#components";
    UNLISTED = Suspicious "files/unlisted",
        "TOC.txt lists every component that is here.",
        "Databases that go by TOC.txt do not read the file, and leave it behind when they delete the table.",
        "files.md#components";
    UNKNOWN_LISTED = Suspicious "files/unknown-listed",
        "A name in TOC.txt that is no known component is the name of a file here.",
        "TOC.txt is cut off or damaged, or a component of a newer version is gone.",
        "files.md#components";
    TWICE = Suspicious "files/twice",
        "Each component is one file.",
        "It depends on the reader which of the two files is used.",
        "files.md#names";
    SPLIT = Broken "files/split-names",
        "The components of an SSTable share version, generation and format.",
        "Readers take the files for two tables, neither of which is whole.",
        "files.md#names";
    FORMAT_WORD = Broken "files/format-word",
        "The format word in the names is the one of the version: bti for da and bb, else big.",
        "Readers that choose the format by this word look for the wrong components.",
        "files.md#names";
    VERSION = Suspicious "files/version",
        "The version is one that this program reads.",
        "Nothing in the components was checked.",
        "files.md#versions";
    UNFINISHED = Broken "files/unfinished",
        "Writing was finished: there is a TOC.txt.",
        "Databases take the files for what a crash left behind, and delete them at their next start.",
        "files.md#components";
    LEFTOVER = Suspicious "files/leftover",
        "No temporary file lies beside a finished table.",
        "A component was about to be replaced when the writer stopped; the old one is used.",
        "files.md#components";
    DAMAGED = Broken "files/unreadable",
        "Every metadata component can be read.",
        "What the component says is unknown to every reader.",
        "files.md#components";
    DIGEST = Broken "files/digest",
        "Data.db as a whole has the checksum in its digest file.",
        "Tools that verify tables before they copy or load them refuse this one.",
        "data.md#crcdb-and-digest";
    COMPONENT_DIGEST = Broken "files/component-digest",
        "Components that never change have the checksum that Scylla.db has of them.",
        "The component was damaged or exchanged after it was written.",
        "scylla.md#scylladb";
    REWRITTEN = Suspicious "files/rewritten",
        "Statistics.db, Summary.db and TOC.txt have the checksum that Scylla.db has of them.",
        "The component was written anew without Scylla.db, or it is damaged.",
        "scylla.md#scylladb";
}
