//! Reads the class strings of Statistics.db: `FrozenType(ListType(Int32Type))`. `docs/format/statistics.md`.
//!
//! Reading never fails. A class that is not known, or known but with arguments that make no sense, becomes
//! [`CqlType::Custom`] with the text as it stands.

use super::types::{ColumnType, CqlType, UserType};
use crate::limits;

const PACKAGE: &str = "org.apache.cassandra.db.marshal.";

/// The column type of a class string.
pub(super) fn column(class: &str) -> ColumnType {
    let (class, descending) = match arguments_of(class, "ReversedType") {
        Some(inner) => (inner, true),
        None => (class, false),
    };
    ColumnType { cql: read(class), descending }
}

/// The column types of a partition key: those inside `CompositeType(…)`, else the one type.
pub(crate) fn key_columns(class: &str) -> Vec<CqlType> {
    if let Some(inner) = arguments_of(class, "CompositeType") {
        let mut reader = Reader { rest: inner };
        if let Some(types) = reader.types(0)
            && reader.is_done()
        {
            return types;
        }
    }
    vec![read(class)]
}

/// What stands in the brackets of `NAME(…)`, when the whole text has that form.
fn arguments_of<'a>(class: &'a str, name: &str) -> Option<&'a str> {
    let class = class.trim();
    let class = class.strip_prefix(PACKAGE).unwrap_or(class);
    class.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')')
}

fn read(class: &str) -> CqlType {
    let mut reader = Reader { rest: class };
    match reader.one(0) {
        Some(cql) if reader.is_done() => cql,
        _ => custom(class),
    }
}

fn custom(class: &str) -> CqlType {
    CqlType::Custom(class.trim().replace(PACKAGE, ""))
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn is_done(&self) -> bool {
        self.rest.trim().is_empty()
    }

    fn eat(&mut self, token: char) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &'a str {
        let text = self.rest.trim_start();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-._&".contains(c);
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        word
    }

    /// One type. `None` where the text breaks off or has no such form.
    fn one(&mut self, depth: u32) -> Option<CqlType> {
        if depth > limits::TYPE_DEPTH {
            return None;
        }
        let start = self.rest;
        let word = self.word();
        let name = word.strip_prefix(PACKAGE).unwrap_or(word);
        let arguments = self.eat('(');
        let cql = match (name, arguments) {
            ("", false) => CqlType::Blob,
            (name, false) => match plain(name) {
                Some(cql) => return Some(cql),
                None => return Some(custom(word)),
            },
            ("FrozenType", true) => {
                let inner = self.one(depth + 1)?;
                // A tuple is frozen anyway, and frozen twice is frozen.
                match inner {
                    CqlType::Frozen(_) => inner,
                    inner => CqlType::Frozen(Box::new(inner)),
                }
            }
            ("ListType", true) => CqlType::List(Box::new(self.one(depth + 1)?)),
            ("SetType", true) => CqlType::Set(Box::new(self.one(depth + 1)?)),
            ("MapType", true) => {
                let key = self.one(depth + 1)?;
                if !self.eat(',') {
                    return None;
                }
                CqlType::Map(Box::new((key, self.one(depth + 1)?)))
            }
            ("TupleType", true) => CqlType::Tuple(self.types(depth + 1)?),
            ("VectorType", true) => {
                let element = self.one(depth + 1)?;
                if !self.eat(',') {
                    return None;
                }
                CqlType::Vector(Box::new(element), self.word().parse().ok()?)
            }
            ("UserType", true) => CqlType::User(Box::new(self.user(depth + 1)?)),
            (_, true) => {
                self.skip_arguments()?;
                let used = start.len().checked_sub(self.rest.len())?;
                return Some(custom(start.get(..used)?));
            }
        };
        if arguments && !self.eat(')') {
            return None;
        }
        Some(cql)
    }

    fn types(&mut self, depth: u32) -> Option<Vec<CqlType>> {
        let mut types = vec![self.one(depth)?];
        while self.eat(',') {
            types.push(self.one(depth)?);
        }
        Some(types)
    }

    fn user(&mut self, depth: u32) -> Option<UserType> {
        let keyspace = self.word().to_owned();
        if !self.eat(',') {
            return None;
        }
        let name = hex_name(self.word())?;
        let mut fields = Vec::new();
        while self.eat(',') {
            let field = hex_name(self.word())?;
            if !self.eat(':') {
                return None;
            }
            fields.push((field, self.one(depth)?));
        }
        Some(UserType { keyspace, name, fields })
    }

    /// Passes over `…)` of a class whose arguments are not understood.
    fn skip_arguments(&mut self) -> Option<()> {
        let mut depth = 1u32;
        let end = self.rest.find(|c| {
            match c {
                '(' => depth = depth.saturating_add(1),
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        self.rest = self.rest.get(end + 1..)?;
        Some(())
    }
}

fn hex_name(hex: &str) -> Option<String> {
    String::from_utf8(super::scan::hex(hex)?).ok()
}

fn plain(name: &str) -> Option<CqlType> {
    Some(match name {
        "AsciiType" => CqlType::Ascii,
        "UTF8Type" => CqlType::Text,
        "BytesType" => CqlType::Blob,
        "BooleanType" => CqlType::Boolean,
        "ByteType" => CqlType::Tinyint,
        "ShortType" => CqlType::Smallint,
        "Int32Type" => CqlType::Int,
        "LongType" => CqlType::Bigint,
        "FloatType" => CqlType::Float,
        "DoubleType" => CqlType::Double,
        "IntegerType" => CqlType::Varint,
        "DecimalType" => CqlType::Decimal,
        "TimestampType" => CqlType::Timestamp,
        "DateType" => CqlType::OldTimestamp,
        "SimpleDateType" => CqlType::Date,
        "TimeType" => CqlType::Time,
        "UUIDType" => CqlType::Uuid,
        "TimeUUIDType" => CqlType::Timeuuid,
        "LexicalUUIDType" => CqlType::LexicalUuid,
        "InetAddressType" => CqlType::Inet,
        "DurationType" => CqlType::Duration,
        "CounterColumnType" => CqlType::Counter,
        "EmptyType" => CqlType::Empty,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(class: &str, name: &str) {
        let column = column(class);
        let order = if column.descending { " DESC" } else { "" };
        assert_eq!(format!("{}{order}", column.cql), name, "{class}");
    }

    #[test]
    fn classes_of_real_tables_have_their_cql_names() {
        check("org.apache.cassandra.db.marshal.Int32Type", "int");
        check("Int32Type", "int");
        check("", "blob");
        check("ReversedType(org.apache.cassandra.db.marshal.UTF8Type)", "text DESC");
        check(
            "org.apache.cassandra.db.marshal.FrozenType(org.apache.cassandra.db.marshal.ListType(\
             org.apache.cassandra.db.marshal.ListType(org.apache.cassandra.db.marshal.Int32Type)))",
            "frozen<list<list<int>>>",
        );
        check("VectorType(FloatType , 3)", "vector<float, 3>");
        check("\tTupleType( Int32Type,\n UTF8Type )", "tuple<int, text>");
        check("MapType(Int32Type,FrozenType(SetType(UUIDType)))", "map<int, frozen<set<uuid>>>");
        check("FrozenType(UserType(fx,7074,78:Int32Type,79:UTF8Type))", "frozen<pt>");
        check("UserType(fx,5074)", "\"Pt\"");
        check("ListType(UserType(fx,7074,78:Int32Type))", "list<frozen<pt>>");
        check("MapType(Int32Type,SetType(UUIDType))", "map<int, frozen<set<uuid>>>");
        check("FrozenType(ListType(SetType(ListType(Int32Type))))", "frozen<list<set<list<int>>>>");
        check("FrozenType(ListType(UserType(fx,7074,78:Int32Type)))", "frozen<list<pt>>");
    }

    #[test]
    fn user_types_keep_keyspace_and_fields() {
        let CqlType::User(user) = CqlType::from_class("UserType(fx,7074,78:Int32Type,79:UTF8Type)")
        else {
            panic!("no user type");
        };
        assert_eq!(user.keyspace, "fx");
        assert_eq!(user.fields, [("x".to_owned(), CqlType::Int), ("y".to_owned(), CqlType::Text)]);
    }

    #[test]
    fn what_is_not_understood_is_kept_by_name() {
        check("com.example.Strange", "'com.example.Strange'");
        check(
            "org.apache.cassandra.db.marshal.DynamicCompositeType(\
             s=>org.apache.cassandra.db.marshal.UTF8Type,b=>org.apache.cassandra.db.marshal.BytesType)",
            "'DynamicCompositeType(s=>UTF8Type,b=>BytesType)'",
        );
        check(
            "ListType(org.apache.cassandra.db.marshal.CompositeType(\
             org.apache.cassandra.db.marshal.UTF8Type,org.apache.cassandra.db.marshal.LongType))",
            "list<'CompositeType(UTF8Type,LongType)'>",
        );
        check("ReversedType(PartitionerDefinedOrder)", "'PartitionerDefinedOrder' DESC");
        check("com.example.Strange(a=>b(c))", "'com.example.Strange(a=>b(c))'");
        check("ListType(Int32Type", "'ListType(Int32Type'");
        check("ListType(Int32Type))", "'ListType(Int32Type))'");
        check("VectorType(FloatType, many)", "'VectorType(FloatType, many)'");
        check("UserType(fx,zz)", "'UserType(fx,zz)'");
        check("ListType(com.example.Strange(x))", "list<'com.example.Strange(x)'>");
        check("FrozenType(FrozenType(SetType(Int32Type)))", "frozen<set<int>>");
    }

    #[test]
    fn a_type_nested_without_end_is_a_name() {
        let class = format!("{}Int32Type{}", "ListType(".repeat(5000), ")".repeat(5000));
        assert!(matches!(CqlType::from_class(&class), CqlType::Custom(_)));
    }

    #[test]
    fn composite_keys_have_a_type_a_column() {
        let key = "org.apache.cassandra.db.marshal.CompositeType(Int32Type, UTF8Type)";
        assert_eq!(key_columns(key), [CqlType::Int, CqlType::Text]);
        assert_eq!(key_columns("UUIDType"), [CqlType::Uuid]);
    }
}
