//! Cases about names, versions, types and metadata.
