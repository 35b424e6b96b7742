//! What holds for each partition key, wherever it is read: the filter does not deny it, and it has the form of its types.

use super::catalog::filter::DENIES_KEY;
use super::catalog::statistics::KEY_TYPES;
use super::{Finding, Findings};
use crate::cql::CqlType;
use crate::error::{Error, Miss};
use crate::keys::{KeySchema, murmur3};
use crate::pos::{FilePos, len64};
use crate::source::Source;
use crate::table::{Part, Table};

/// Looks at keys one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyRules {
    /// One finding tells that the types are those of another table; it is not told again for each key.
    told_types: bool,
    /// The filter cannot be read further; that is told where it is read through.
    filter_ended: bool,
}

impl KeyRules {
    /// Looks at a key that was read at a position. After a miss the same key is to be given again: nothing was told.
    pub(crate) fn look<S: Source>(
        &mut self,
        table: &Table<S>,
        key: &[u8],
        (part, at): (Part, FilePos),
        findings: &mut Findings,
    ) -> Result<(), Miss> {
        let filter = table.filter.zip(table.source(Part::Filter)).filter(|_| !self.filter_ended);
        let clear = match filter.map(|(filter, source)| filter.denying(source, murmur3(key))) {
            None | Some(Ok(None)) => None,
            Some(Ok(Some(bit))) => Some(bit),
            Some(Err(Error::Miss(miss))) => return Err(miss),
            Some(Err(Error::Damage(_))) => {
                self.filter_ended = true;
                None
            }
        };
        if let Some(bit) = clear
            && findings.count(DENIES_KEY)
        {
            let (field, found) = (format!("bit {} of a key", bit.bit), "not set");
            let finding = Finding::new(DENIES_KEY, field, "set", found);
            findings.keep(finding.at(Part::Filter, bit.at).len(8).key(key));
        }
        if !self.told_types
            && let Some((expected, found)) = misfit(table.key_schema(), key)
        {
            self.told_types = true;
            let finding = Finding::new(KEY_TYPES, "partition key", expected, found);
            findings.add(finding.at(part, at).key(key));
        }
        Ok(())
    }
}

/// What the types ask of a key and what it is instead; `None` when it fits, or the types are not known.
fn misfit(schema: &KeySchema, key: &[u8]) -> Option<(String, String)> {
    if !schema.is_known() {
        return None;
    }
    let types = schema.columns();
    let Some(values) = schema.unpack(key) else {
        let names: Vec<String> = types.iter().map(CqlType::name).collect();
        return Some((
            format!("the columns ({}), as Statistics.db says", names.join(", ")),
            format!("{} bytes without their form", key.len()),
        ));
    };
    types.iter().zip(values).find_map(|(cql, value)| {
        let (least, most) = lengths(cql)?;
        let found = len64(value.len());
        // An empty value is one of any type in a key of several columns, and of old clients in others.
        (found != 0 && found != least && found != most).then(|| {
            let lengths =
                if least == most { least.to_string() } else { format!("{least} or {most}") };
            (
                format!("{lengths} bytes of {}, as Statistics.db says", cql.name()),
                format!("{found} bytes"),
            )
        })
    })
}

/// Least and greatest length of values of a type with no other lengths than these two; `None` for all other types.
fn lengths(cql: &CqlType) -> Option<(u64, u64)> {
    let cql = cql.unfrozen();
    let one = match cql {
        CqlType::Tinyint => 1,
        CqlType::Smallint => 2,
        CqlType::Date => 4,
        CqlType::Time => 8,
        CqlType::Inet => return Some((4, 16)),
        // A custom class may be read as empty while it is not.
        CqlType::Empty => return None,
        other => u64::from(other.fixed_len()?),
    };
    Some((one, one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(class: &str, key: &[u8]) -> Option<String> {
        let package = "org.apache.cassandra.db.marshal.";
        let schema = KeySchema::from_class(&format!("{package}{class}"));
        misfit(&schema, key).map(|(expected, found)| format!("{expected}; {found}"))
    }

    #[test]
    fn only_lengths_that_a_type_cannot_have_are_a_misfit() {
        assert_eq!(said("Int32Type", &[0; 4]), None);
        assert_eq!(said("Int32Type", &[]), None);
        assert_eq!(
            said("Int32Type", &[0; 5]).unwrap(),
            "4 bytes of int, as Statistics.db says; 5 bytes"
        );
        assert_eq!(said("UTF8Type", &[0; 5]), None);
        assert_eq!(said("InetAddressType", &[0; 16]), None);
        assert!(said("InetAddressType", &[0; 6]).unwrap().starts_with("4 or 16 bytes of inet"));
        assert!(said("ShortType", &[0; 3]).unwrap().starts_with("2 bytes of smallint"));
    }

    #[test]
    fn a_key_without_the_form_of_its_columns_is_a_misfit() {
        let package = "org.apache.cassandra.db.marshal.";
        let class = format!("CompositeType({package}Int32Type,{package}UTF8Type)");
        assert_eq!(said(&class, &[0, 4, 0, 0, 0, 1, 0, 0, 1, b'a', 0]), None);
        assert_eq!(said(&class, &[0, 0, 0, 0, 1, b'a', 0]), None);
        assert_eq!(
            said(&class, &[0, 0, 0, 1]).unwrap(),
            "the columns (int, text), as Statistics.db says; 4 bytes without their form"
        );
        assert!(said(&class, &[0, 1, 7, 0, 0, 1, b'a', 0]).unwrap().starts_with("4 bytes of int"));
    }
}
