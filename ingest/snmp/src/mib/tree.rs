//! Definitions of modules -> a table with OIDs.

use std::collections::{BTreeMap, HashMap};

use super::module::{Module, Syntax, Value, ValueKind};
use super::{Compiled, Problem};
use crate::Oid;
use crate::names::Names;

/// Types may be made of types, but not endlessly.
const MAX_TYPE_DEPTH: usize = 16;

/// What SNMPv2-SMI and its forerunners define; modules import it without shipping it.
const ROOTS: [(&str, &[u32]); 18] = [
    ("ccitt", &[0]),
    ("iso", &[1]),
    ("joint-iso-ccitt", &[2]),
    ("zeroDotZero", &[0, 0]),
    ("org", &[1, 3]),
    ("dod", &[1, 3, 6]),
    ("internet", &[1, 3, 6, 1]),
    ("directory", &[1, 3, 6, 1, 1]),
    ("mgmt", &[1, 3, 6, 1, 2]),
    ("mib-2", &[1, 3, 6, 1, 2, 1]),
    ("transmission", &[1, 3, 6, 1, 2, 1, 10]),
    ("experimental", &[1, 3, 6, 1, 3]),
    ("private", &[1, 3, 6, 1, 4]),
    ("enterprises", &[1, 3, 6, 1, 4, 1]),
    ("security", &[1, 3, 6, 1, 5]),
    ("snmpV2", &[1, 3, 6, 1, 6]),
    ("snmpModules", &[1, 3, 6, 1, 6, 3]),
    ("snmpTraps", &[1, 3, 6, 1, 6, 3, 1, 1, 5]),
];

/// Textual conventions that everybody imports: base, words, hint. Facts of RFC 2579 and RFC 4001.
const CONVENTIONS: [(&str, &str, &str, &str); 16] = [
    ("DisplayString", "OCTET STRING", "", "255a"),
    ("SnmpAdminString", "OCTET STRING", "", "255t"),
    ("PhysAddress", "OCTET STRING", "", "1x:"),
    ("MacAddress", "OCTET STRING", "", "1x:"),
    ("DateAndTime", "OCTET STRING", "", "2d-1d-1d,1d:1d:1d.1d,1a1d:1d"),
    ("InetAddress", "OCTET STRING", "", "ip"),
    ("InetAddressIPv4", "OCTET STRING", "", "ip"),
    ("InetAddressIPv6", "OCTET STRING", "", "ip"),
    ("InetAddressType", "INTEGER", "unknown=0,ipv4=1,ipv6=2,ipv4z=3,ipv6z=4,dns=16", ""),
    ("TruthValue", "INTEGER", "true=1,false=2", ""),
    ("RowStatus", "INTEGER", "active=1,notInService=2,notReady=3,createAndGo=4,createAndWait=5,destroy=6", ""),
    ("StorageType", "INTEGER", "other=1,volatile=2,nonVolatile=3,permanent=4,readOnly=5", ""),
    ("TimeStamp", "TimeTicks", "", ""),
    ("RowPointer", "OBJECT IDENTIFIER", "", ""),
    ("VariablePointer", "OBJECT IDENTIFIER", "", ""),
    ("AutonomousType", "OBJECT IDENTIFIER", "", ""),
];

/// Types of ASN.1 and SMI; old names as they are called today.
const BASES: [(&str, &str); 16] = [
    ("INTEGER", "INTEGER"),
    ("Integer32", "INTEGER"),
    ("OCTET STRING", "OCTET STRING"),
    ("OBJECT IDENTIFIER", "OBJECT IDENTIFIER"),
    ("BITS", "BITS"),
    ("IpAddress", "IpAddress"),
    ("NetworkAddress", "IpAddress"),
    ("Counter", "Counter32"),
    ("Counter32", "Counter32"),
    ("Counter64", "Counter64"),
    ("Gauge", "Gauge32"),
    ("Gauge32", "Gauge32"),
    ("Unsigned32", "Gauge32"),
    ("UInteger32", "Gauge32"),
    ("TimeTicks", "TimeTicks"),
    ("Opaque", "Opaque"),
];

pub(super) fn compile(modules: &[Module], known: &Names, mut problems: Vec<Problem>) -> Compiled {
    let scope = Scope::new(modules, known);
    let oids = scope.place_all(&mut problems);
    let mut rows = BTreeMap::new();
    for (module_index, module) in modules.iter().enumerate() {
        for (value_index, value) in module.values.iter().enumerate() {
            let Some(oid) = oids.get(&(module_index, value_index)) else { continue };
            if value.kind == ValueKind::Conformance {
                continue;
            }
            if !oid.is_possible() {
                let message =
                    format!("{} has the OID {oid}, which cannot be: it begins with 0, 1 or 2, and below 0 and 1 are 0 to 39", value.name);
                problems.push(Problem { file: module.file.clone(), line: value.line, message });
                continue;
            }
            let line = format!("{oid}\t{}::{}\t{}", module.name, value.name, scope.columns(module_index, value));
            // Of two names for one OID the object beats a bare node, else the first module stands.
            let is_better = value.kind != ValueKind::Node;
            rows.entry(oid.clone())
                .and_modify(|row: &mut (bool, String)| {
                    if is_better && !row.0 {
                        *row = (true, line.clone());
                    }
                })
                .or_insert((is_better, line.clone()));
        }
    }
    let mut table = String::from("# OID\tname\ttype\tenumeration or hint\n");
    rows.values().for_each(|(_, line)| {
        table.push_str(line);
        table.push('\n');
    });
    problems.sort();
    let mut names: Vec<_> = modules.iter().map(|module| module.name.clone()).collect();
    names.sort();
    names.dedup();
    Compiled { table, names: rows.len(), modules: names, problems }
}

/// All modules together, to look names up in.
struct Scope<'a> {
    modules: &'a [Module],
    known: &'a Names,
    by_module: HashMap<&'a str, usize>,
    /// Values by module and name, and by name alone: the first that has it.
    values: HashMap<(usize, &'a str), usize>,
    anywhere: HashMap<&'a str, (usize, usize)>,
    types_anywhere: HashMap<&'a str, usize>,
}

type Placed = HashMap<(usize, usize), Oid>;

/// What an OID's parent is.
enum Parent {
    Known(Oid),
    /// A value that has no place yet.
    Waits,
    Missing,
}

impl<'a> Scope<'a> {
    fn new(modules: &'a [Module], known: &'a Names) -> Self {
        let mut scope = Self {
            modules,
            known,
            by_module: HashMap::new(),
            values: HashMap::new(),
            anywhere: HashMap::new(),
            types_anywhere: HashMap::new(),
        };
        for (module_index, module) in modules.iter().enumerate() {
            scope.by_module.entry(&module.name).or_insert(module_index);
            for (value_index, value) in module.values.iter().enumerate() {
                scope.values.entry((module_index, &value.name)).or_insert(value_index);
                scope.anywhere.entry(&value.name).or_insert((module_index, value_index));
            }
            for name in module.types.keys() {
                scope.types_anywhere.entry(name).or_insert(module_index);
            }
        }
        scope
    }

    /// Goes over all values until none can be placed any more: parents may stand anywhere.
    fn place_all(&self, problems: &mut Vec<Problem>) -> Placed {
        let mut oids = Placed::new();
        let mut waiting: Vec<_> = self
            .modules
            .iter()
            .enumerate()
            .flat_map(|(module_index, module)| (0..module.values.len()).map(move |value_index| (module_index, value_index)))
            .collect();
        loop {
            let before = waiting.len();
            waiting.retain(|&(module_index, value_index)| {
                let place = &self.modules[module_index].values[value_index].oid;
                let Parent::Known(parent) = self.parent(module_index, value_index, &oids) else { return true };
                // RFC 2578 3.5; more is a circle.
                if parent.arcs().len() + place.numbers.len() > 128 {
                    return true;
                }
                oids.insert((module_index, value_index), parent.with(&place.numbers));
                false
            });
            if waiting.len() == before {
                break;
            }
        }
        for (module_index, value_index) in waiting {
            let module = &self.modules[module_index];
            let value = &module.values[value_index];
            let message = match self.parent(module_index, value_index, &oids) {
                Parent::Missing => format!(
                    "{} stands below {:?}, which is {}; put its MIB into the folder",
                    value.name,
                    value.oid.parent,
                    module
                        .imports
                        .get(&value.oid.parent)
                        .map_or("defined nowhere".to_owned(), |from| format!("imported from {from}, which is not there"))
                ),
                _ => format!("{} stands below {:?}, which has no place itself", value.name, value.oid.parent),
            };
            problems.push(Problem { file: module.file.clone(), line: value.line, message });
        }
        oids
    }

    fn parent(&self, module_index: usize, value_index: usize, oids: &Placed) -> Parent {
        let module = &self.modules[module_index];
        let name = module.values[value_index].oid.parent.as_str();
        if name.is_empty() {
            return Parent::Known(Oid::default());
        }
        let is_itself = |index: usize| (module_index, index) == (module_index, value_index);
        let at = |place: (usize, usize)| oids.get(&place).map_or(Parent::Waits, |oid| Parent::Known(oid.clone()));
        if let Some(index) = self.values.get(&(module_index, name)).filter(|index| !is_itself(**index)) {
            return at((module_index, *index));
        }
        let imported = module.imports.get(name);
        if let Some(index) = imported.and_then(|from| self.by_module.get(from.as_str()))
            && let Some(value) = self.values.get(&(*index, name))
        {
            return at((*index, *value));
        }
        if let Some((_, arcs)) = ROOTS.iter().find(|(root, _)| *root == name) {
            return Parent::Known(Oid::new(arcs));
        }
        let full = imported.and_then(|from| self.known.oid(&format!("{from}::{name}")).ok());
        if let Some(oid) = full.or_else(|| self.known.oid(name).ok()) {
            return Parent::Known(oid);
        }
        self.anywhere.get(name).filter(|place| **place != (module_index, value_index)).map_or(Parent::Missing, |place| at(*place))
    }

    /// Type, and the enumeration or hint where there is one.
    fn columns(&self, module_index: usize, value: &Value) -> String {
        let syntax = match (value.kind, &value.oid.syntax) {
            (ValueKind::Notification, _) => return "notification".to_owned(),
            (ValueKind::Object, Some(syntax)) => self.resolved(module_index, syntax),
            _ => return "node".to_owned(),
        };
        if syntax.base == "SEQUENCE" {
            return "node".to_owned();
        }
        if !syntax.words.is_empty() {
            let words: Vec<_> = syntax.words.iter().map(|(word, number)| format!("{word}={number}")).collect();
            return format!("{}\tenum {}", syntax.base, words.join(","));
        }
        match syntax.hint.filter(|hint| !hint.is_empty() && !hint.contains(['\t', '\n', '\r'])) {
            // Text needs no hint, and a decimal number neither.
            Some(hint) if hint != "d" && !hint.trim_start_matches(|c: char| c.is_ascii_digit()).chars().all(|c| matches!(c, 'a' | 't')) => {
                format!("{}\thint {hint}", syntax.base)
            }
            _ => syntax.base,
        }
    }

    /// A type down to its base, with the first enumeration and hint on the way.
    fn resolved(&self, module_index: usize, syntax: &Syntax) -> Syntax {
        let mut found = syntax.clone();
        let mut at = module_index;
        for _ in 0..MAX_TYPE_DEPTH {
            if let Some((_, base)) = BASES.iter().find(|(name, _)| *name == found.base) {
                found.base = (*base).to_owned();
                return found;
            }
            let Some((place, next)) = self.type_of(at, &found.base) else { break };
            at = place;
            found = Syntax {
                base: next.base,
                words: if found.words.is_empty() { next.words } else { found.words },
                hint: found.hint.or(next.hint),
            };
        }
        found
    }

    fn type_of(&self, module_index: usize, name: &str) -> Option<(usize, Syntax)> {
        if name == "InetAddress" {
            return convention(name).map(|syntax| (module_index, syntax));
        }
        let module = &self.modules[module_index];
        if let Some(syntax) = module.types.get(name).filter(|syntax| syntax.base != name) {
            return Some((module_index, syntax.clone()));
        }
        let imported = module.imports.get(name).and_then(|from| self.by_module.get(from.as_str()));
        let place = imported.or_else(|| self.types_anywhere.get(name)).filter(|place| **place != module_index);
        let syntax = place.and_then(|place| self.modules[*place].types.get(name).map(|syntax| (*place, syntax.clone())));
        syntax.or_else(|| convention(name).map(|syntax| (module_index, syntax)))
    }
}

fn convention(name: &str) -> Option<Syntax> {
    let (_, base, words, hint) = CONVENTIONS.iter().find(|(known, ..)| *known == name)?;
    let words =
        words.split(',').filter_map(|word| word.split_once('=')).filter_map(|(word, number)| Some((word.to_owned(), number.parse().ok()?)));
    Some(Syntax { base: (*base).to_owned(), words: words.collect(), hint: (!hint.is_empty()).then(|| (*hint).to_owned()) })
}
