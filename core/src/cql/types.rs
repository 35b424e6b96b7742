//! The types of CQL, as far as an SSTable tells them. `docs/format/statistics.md`.

use super::marshal;
use crate::table::Product;
use std::fmt;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CqlType {
    /// Seven-bit text.
    Ascii,
    /// UTF-8 text.
    Text,
    /// Bytes.
    Blob,
    /// One byte.
    Boolean,
    /// Signed, 1 byte.
    Tinyint,
    /// Signed, 2 bytes.
    Smallint,
    /// Signed, 4 bytes.
    Int,
    /// Signed, 8 bytes.
    Bigint,
    /// IEEE, 4 bytes.
    Float,
    /// IEEE, 8 bytes.
    Double,
    /// Signed, of any length.
    Varint,
    /// A `varint` and a power of ten.
    Decimal,
    /// Milliseconds since 1970, signed.
    Timestamp,
    /// The `timestamp` of old tables (`DateType`): same values, unsigned order.
    OldTimestamp,
    /// Days, 2^31 is 1970-01-01.
    Date,
    /// Nanoseconds since midnight.
    Time,
    /// 16 bytes, ordered by version, then time or bytes.
    Uuid,
    /// 16 bytes of version 1, ordered by time.
    Timeuuid,
    /// 16 bytes, ordered as two signed halves (`LexicalUUIDType`, custom).
    LexicalUuid,
    /// 4 or 16 bytes.
    Inet,
    /// Months, days, nanoseconds.
    Duration,
    /// Shards of a counter; never a key.
    Counter,
    /// No value at all (`EmptyType`, in compact tables).
    Empty,
    /// A list.
    List(Box<CqlType>),
    /// A set.
    Set(Box<CqlType>),
    /// A map: key, value.
    Map(Box<(CqlType, CqlType)>),
    /// A tuple, always frozen.
    Tuple(Vec<CqlType>),
    /// A user-defined type.
    User(Box<UserType>),
    /// A vector with this many elements.
    Vector(Box<CqlType>, u32),
    /// `frozen<…>`: one value instead of many cells.
    Frozen(Box<CqlType>),
    /// A class that is not understood, by its name: values are bytes.
    Custom(String),
}

/// A user-defined type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserType {
    /// The keyspace it belongs to.
    pub keyspace: String,
    /// Its name.
    pub name: String,
    /// Its fields in order: name and type.
    pub fields: Vec<(String, CqlType)>,
}

/// The type of a clustering column, or of any other, with its direction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnType {
    /// The type of its values.
    pub cql: CqlType,
    /// `CLUSTERING ORDER BY … DESC`.
    pub descending: bool,
}

impl ColumnType {
    /// The column with this marshal class; `ReversedType(…)` means descending.
    pub fn from_class(class: &str) -> Self {
        marshal::column(class)
    }
}

impl CqlType {
    /// The type with this marshal class, as Statistics.db stores it. A `ReversedType` around it is dropped; what is not
    /// understood becomes [`Self::Custom`]; an empty name is `blob`.
    pub fn from_class(class: &str) -> Self {
        marshal::column(class).cql
    }

    /// The type without `frozen<…>` around it.
    pub fn unfrozen(&self) -> &Self {
        let mut inner = self;
        while let Self::Frozen(next) = inner {
            inner = next;
        }
        inner
    }

    /// Whether its values lie in Data.db as many cells: a collection or user type that is not frozen.
    pub fn is_multi_cell(&self) -> bool {
        matches!(self, Self::List(_) | Self::Set(_) | Self::Map(_) | Self::User(_))
    }

    /// Bytes of a value where it is stored without a length (Data.db, elements of vectors); `None` for values with a
    /// length before them. The format decides, not arithmetic: `tinyint`, `smallint`, `date` and `time` have a length.
    pub fn fixed_len(&self) -> Option<u32> {
        match self {
            Self::Boolean => Some(1),
            Self::Int | Self::Float => Some(4),
            Self::Bigint | Self::Double | Self::Timestamp | Self::OldTimestamp => Some(8),
            Self::Uuid | Self::Timeuuid | Self::LexicalUuid => Some(16),
            Self::Empty => Some(0),
            Self::Vector(element, n) => element.fixed_len()?.checked_mul(*n),
            Self::Frozen(inner) => inner.fixed_len(),
            _ => None,
        }
    }

    /// Whether a value of zero bytes is an ordinary value (`''`, `0x`), not the special *empty* of old clients.
    pub fn has_ordinary_empty(&self) -> bool {
        matches!(
            self.unfrozen(),
            Self::Ascii | Self::Text | Self::Blob | Self::Inet | Self::Duration | Self::Custom(_)
        )
    }

    /// Whether it is written in quotes.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Ascii | Self::Text)
    }

    /// What is unusual in how the class was written, as a sentence; `None` for a class as today's versions of the
    /// database write it. Cassandra says `FrozenType` only around the outermost of several, ScyllaDB around each; a table
    /// is ScyllaDB's where it has a Scylla.db, whatever its version.
    pub fn remark(&self, product: Product) -> Option<&'static str> {
        let has = self.has_bare_user_type(false, false, product == Product::ScyllaDb);
        has.then_some(
            "user type inside a collection without FrozenType: written by an older Scylla or \
             Cassandra; values are decoded as frozen",
        )
    }

    /// Whether a user type inside a collection has no `FrozenType` (`strict`: right around it; else: anywhere around it).
    fn has_bare_user_type(&self, nested: bool, frozen: bool, strict: bool) -> bool {
        let frozen_too = frozen && !strict;
        let inside = |inner: &Self| inner.has_bare_user_type(true, frozen_too, strict);
        match self {
            Self::User(user) => {
                let field = |cql: &Self| cql.has_bare_user_type(false, frozen_too, strict);
                nested && !frozen || user.fields.iter().any(|(_, cql)| field(cql))
            }
            Self::List(element) | Self::Set(element) | Self::Vector(element, _) => inside(element),
            Self::Map(both) => inside(&both.0) || inside(&both.1),
            // Tuples are frozen by themselves.
            Self::Tuple(types) => {
                types.iter().any(|inner| inner.has_bare_user_type(false, !strict, strict))
            }
            Self::Frozen(inner) => inner.has_bare_user_type(nested, true, strict),
            _ => false,
        }
    }

    /// The type as CQL text: `frozen<list<int>>`, `vector<float, 3>`, a custom class in quotes.
    pub fn name(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for CqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

impl CqlType {
    /// Writes the type. What lies in a collection is frozen, whether or not the class says so; inside `frozen<…>` that
    /// need not be said again.
    fn write(&self, f: &mut fmt::Formatter<'_>, frozen: bool) -> fmt::Result {
        let word = match self {
            Self::Ascii => "ascii",
            Self::Text => "text",
            Self::Blob => "blob",
            Self::Boolean => "boolean",
            Self::Tinyint => "tinyint",
            Self::Smallint => "smallint",
            Self::Int => "int",
            Self::Bigint => "bigint",
            Self::Float => "float",
            Self::Double => "double",
            Self::Varint => "varint",
            Self::Decimal => "decimal",
            Self::Timestamp | Self::OldTimestamp => "timestamp",
            Self::Date => "date",
            Self::Time => "time",
            Self::Uuid => "uuid",
            Self::Timeuuid => "timeuuid",
            Self::LexicalUuid => "'LexicalUUIDType'",
            Self::Inet => "inet",
            Self::Duration => "duration",
            Self::Counter => "counter",
            Self::Empty => "empty",
            Self::Custom(class) => return write!(f, "'{class}'"),
            Self::User(user) => return write_name(f, &user.name),
            Self::List(element) => return write_all(f, "list", &[element], frozen),
            Self::Set(element) => return write_all(f, "set", &[element], frozen),
            Self::Map(both) => return write_all(f, "map", &[&both.0, &both.1], frozen),
            Self::Tuple(types) => {
                let types: Vec<_> = types.iter().collect();
                return write_all(f, "tuple", &types, true);
            }
            Self::Vector(element, n) => {
                f.write_str("vector<")?;
                element.write(f, true)?;
                return write!(f, ", {n}>");
            }
            Self::Frozen(inner) => {
                f.write_str("frozen<")?;
                inner.write(f, true)?;
                return f.write_str(">");
            }
        };
        f.write_str(word)
    }
}

fn write_all(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    types: &[&CqlType],
    frozen: bool,
) -> fmt::Result {
    f.write_str(name)?;
    for (i, element) in types.iter().enumerate() {
        f.write_str(if i == 0 { "<" } else { ", " })?;
        if element.is_multi_cell() && !frozen {
            f.write_str("frozen<")?;
            element.write(f, true)?;
            f.write_str(">")?;
        } else {
            element.write(f, frozen)?;
        }
    }
    f.write_str(">")
}

/// Writes a name as CQL does: in double quotes unless it is a plain lower-case word.
pub(super) fn write_name(f: &mut impl fmt::Write, name: &str) -> fmt::Result {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain) {
        f.write_str(name)
    } else {
        write!(f, "\"{}\"", name.replace('"', "\"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_type_without_its_frozen_wrapper_is_remarked() {
        let check = |class: &str, scylla: bool, cassandra: bool| {
            let class = class.replace("UT", "UserType(ks,7574,61:Int32Type,62:Int32Type)");
            let cql = CqlType::from_class(&class);
            let has = |product| cql.remark(product).is_some();
            assert_eq!(
                (has(Product::ScyllaDb), has(Product::Cassandra)),
                (scylla, cassandra),
                "{class}"
            );
        };
        check("UT", false, false);
        check("FrozenType(UT)", false, false);
        check("ListType(FrozenType(UT))", false, false);
        check("ListType(UT)", true, true);
        check("FrozenType(ListType(UT))", true, false);
        check("FrozenType(ListType(FrozenType(UT)))", false, false);
        check("MapType(Int32Type,FrozenType(SetType(UT)))", true, false);
        check("TupleType(Int32Type,ListType(UT))", true, false);
        check("UserType(ks,70,61:ListType(UT))", true, true);
        check("TupleType(Int32Type,UT)", false, false);
        check("ListType(Int32Type)", false, false);
    }

    #[test]
    fn fixed_lengths_are_those_of_the_format_not_of_arithmetic() {
        let vector = |element, n| CqlType::Vector(Box::new(element), n).fixed_len();
        assert_eq!(vector(CqlType::Float, 3), Some(12));
        assert_eq!(vector(CqlType::Text, 2), None);
        assert_eq!(vector(CqlType::Smallint, 2), None);
        assert_eq!(vector(CqlType::Bigint, u32::MAX), None);
        assert_eq!(CqlType::Tinyint.fixed_len(), None);
        assert_eq!(CqlType::Frozen(Box::new(CqlType::Uuid)).fixed_len(), Some(16));
    }
}
