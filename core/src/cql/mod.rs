//! CQL types and values: marshal class names, text to bytes and back.
