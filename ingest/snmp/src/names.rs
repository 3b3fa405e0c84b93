//! Names of OIDs: a table with one object a line, shipped (`mibs.tsv`) or compiled from MIB modules by `tocsin mibs compile`.
//!
//! ```text
//! 1.3.6.1.2.1.2.2.1.8 <TAB> IF-MIB::ifOperStatus <TAB> INTEGER <TAB> enum up=1,down=2
//! ```
//! The third column is the type, `notification`, or `node` for what has no value; the fourth, where there is one, `enum` with words and
//! numbers, or `hint` with a DISPLAY-HINT of RFC 2579 (or `ip` for an address of 4 or 16 bytes).

use std::collections::HashMap;
use std::sync::Arc;

use super::oid::{Oid, write_dotted};

/// The shipped table.
pub const SHIPPED: &str = include_str!("mibs.tsv");

/// What the table says about one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// MODULE::object.
    pub name: String,
    /// Type as the MIB writes it, `notification` or `node`.
    pub syntax: String,
    detail: Detail,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Detail {
    None,
    Words(Vec<(i64, String)>),
    Hint(String),
}

impl Object {
    /// The word of a number of its enumeration.
    pub(crate) fn word(&self, number: i64) -> Option<&str> {
        let Detail::Words(words) = &self.detail else { return None };
        words.iter().find(|(known, _)| *known == number).map(|(_, word)| word.as_str())
    }

    pub(crate) fn hint(&self) -> Option<&str> {
        if let Detail::Hint(hint) = &self.detail { Some(hint) } else { None }
    }

    pub(crate) fn is_bits(&self) -> bool {
        self.syntax == "BITS"
    }

    fn has_value(&self) -> bool {
        self.syntax != "node"
    }
}

/// A tree of objects by the numbers of their OIDs.
#[derive(Clone, Debug, Default)]
pub struct Names {
    nodes: Vec<Node>,
    by_name: HashMap<String, Oid>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    object: Option<Arc<Object>>,
    /// Sorted by their number.
    children: Vec<(u32, u32)>,
}

/// A line of a table that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}; write the table with `tocsin mibs compile`")]
pub struct TableError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl Names {
    /// The shipped table; further ones are added to it.
    pub fn shipped() -> Result<Self, TableError> {
        let mut names = Self::default();
        names.add(SHIPPED)?;
        Ok(names)
    }

    /// Adds a table; what it says replaces what was known.
    pub fn add(&mut self, table: &str) -> Result<(), TableError> {
        for (index, line) in table.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (oid, object) = read_line(line).map_err(|problem| TableError { line: index + 1, problem })?;
            self.insert(oid, object);
        }
        Ok(())
    }

    /// Number of named objects.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether nothing has a name.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    fn insert(&mut self, oid: Oid, object: Object) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut at = 0;
        for arc in oid.arcs() {
            let next = self.nodes.len() as u32;
            at = match self.nodes[at].children.binary_search_by_key(arc, |(number, _)| *number) {
                Ok(found) => self.nodes[at].children[found].1 as usize,
                Err(place) => {
                    self.nodes[at].children.insert(place, (*arc, next));
                    self.nodes.push(Node::default());
                    next as usize
                }
            };
        }
        let bare = object.name.rsplit("::").next().unwrap_or_default().to_owned();
        self.by_name.entry(bare).or_insert_with(|| oid.clone());
        self.by_name.insert(object.name.clone(), oid);
        self.nodes[at].object = Some(Arc::new(object));
    }

    /// The deepest known object that an OID is below of or equal to, and how many numbers lead to it.
    fn deepest(&self, arcs: &[u32]) -> Option<(&Arc<Object>, usize)> {
        let mut node = self.nodes.first()?;
        let mut found = None;
        for (depth, arc) in arcs.iter().enumerate() {
            let Ok(child) = node.children.binary_search_by_key(arc, |(number, _)| *number) else { break };
            node = &self.nodes[node.children[child].1 as usize];
            if let Some(object) = &node.object {
                found = Some((object, depth + 1));
            }
        }
        found
    }

    /// MODULE::object with the rest of the numbers behind it, or only numbers where nothing is known; and the object, where the OID is an
    /// instance of one that has a value.
    pub fn name(&self, arcs: &[u32]) -> (String, Option<&Object>) {
        match self.deepest(arcs) {
            Some((object, depth)) => {
                let mut text = String::with_capacity(object.name.len() + 12);
                text.push_str(&object.name);
                write_dotted(&mut text, &arcs[depth..]);
                (text, object.has_value().then_some(object.as_ref()))
            }
            None => (Oid::new(arcs).to_string(), None),
        }
    }

    /// The OID of `MODULE::object.instance`, `object.instance` or dotted numbers.
    pub fn oid(&self, text: &str) -> Result<Oid, String> {
        if text.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit()) {
            return text.parse();
        }
        let (name, instance) = text.split_once('.').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let object = self.by_name.get(name).ok_or_else(|| {
            format!("{name:?} is not in the tables of names; write dotted numbers, or compile its MIB with `tocsin mibs compile`")
        })?;
        let instance: Result<Vec<u32>, _> = instance.map_or(Ok(Vec::new()), |rest| rest.split('.').map(str::parse).collect());
        instance.map(|instance| object.with(&instance)).map_err(|_| format!("{text:?} has an instance that is not dotted numbers"))
    }
}

fn read_line(line: &str) -> Result<(Oid, Object), String> {
    let mut columns = line.split('\t');
    let mut column = |what: &str| columns.next().filter(|column| !column.is_empty()).ok_or(format!("the {what} is missing"));
    let oid: Oid = match column("OID")? {
        // The three roots of all OIDs.
        root @ ("0" | "1" | "2") => Oid::new(&[root.parse().unwrap_or_default()]),
        oid => oid.parse()?,
    };
    let name = column("name")?.to_owned();
    let syntax = column("type")?.to_owned();
    let detail = match columns.next().and_then(|detail| detail.split_once(' ')) {
        Some(("enum", words)) => Detail::Words(words.split(',').map(read_word).collect::<Result<_, _>>()?),
        Some(("hint", hint)) => Detail::Hint(hint.to_owned()),
        Some((other, _)) => return Err(format!("{other:?} is neither enum nor hint")),
        None => Detail::None,
    };
    Ok((oid, Object { name, syntax, detail }))
}

fn read_word(text: &str) -> Result<(i64, String), String> {
    let (word, number) = text.split_once('=').ok_or(format!("{text:?} is not word=number"))?;
    Ok((number.parse().map_err(|_| format!("{text:?} is not word=number"))?, word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "1.3.6.1.4.1\tSNMPv2-SMI::enterprises\tnode\n\
                         1.3.6.1.2.1.2.2.1.8\tIF-MIB::ifOperStatus\tINTEGER\tenum up=1,down=2\n";

    fn names() -> Names {
        let mut names = Names::default();
        names.add(TABLE).unwrap();
        names
    }

    #[test]
    fn the_longest_known_prefix_names_an_oid_and_the_rest_stays_numbers() {
        let names = names();
        let (name, object) = names.name(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 8, 3]);
        assert_eq!((name.as_str(), object.unwrap().word(2)), ("IF-MIB::ifOperStatus.3", Some("down")));
        assert_eq!(names.name(&[1, 3, 6, 1, 4, 1, 9999, 7]), ("SNMPv2-SMI::enterprises.9999.7".to_owned(), None));
        assert_eq!(names.name(&[1, 2, 840]), ("1.2.840".to_owned(), None));
    }

    #[test]
    fn a_name_leads_back_to_its_oid() {
        let names = names();
        for text in ["IF-MIB::ifOperStatus.3", "ifOperStatus.3", "1.3.6.1.2.1.2.2.1.8.3", ".1.3.6.1.2.1.2.2.1.8.3"] {
            assert_eq!(names.oid(text).unwrap().to_string(), "1.3.6.1.2.1.2.2.1.8.3");
        }
        assert!(names.oid("ifNothing.1").unwrap_err().contains("mibs compile"));
        assert!(names.oid("ifOperStatus.x").is_err());
    }

    #[test]
    fn a_wrong_line_is_told_with_its_number() {
        for line in ["1.3.6", "x\ty\tnode", "1.3\tA::b\tINTEGER\tenum up", "1.3\tA::b\tINTEGER\tother up"] {
            let error = Names::default().add(&format!("# comment\n{line}\n")).unwrap_err();
            assert_eq!(error.line, 2, "{error}");
        }
    }
}
