//! Walking columns of a table (RFC 3416 4.2.3): which objects to ask for next, and what an answer gives.

use super::oid::Oid;
use super::pdu::{Value, Varbind};

/// Rows of one column at most; a device that never ends must not keep its poller.
const MAX_ROWS: usize = 100_000;

/// A value that outlives its message.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number of any type, with the bits that its counter has: 64, or 32.
    Number {
        /// The number.
        value: i128,
        /// Where a counter of this type begins again.
        bits: u32,
    },
    /// Octets.
    Octets(Vec<u8>),
}

impl Cell {
    /// The value as a cell; `None` for what is no value.
    pub fn of(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Octets(octets) | Value::IpAddress(octets) => Some(Self::Octets(octets.to_vec())),
            Value::Oid(oid) => Some(Self::Octets(oid.to_string().into_bytes())),
            Value::Opaque([0x9f, 0x78, 4, float @ ..]) => {
                let float = f32::from_be_bytes(float.try_into().ok()?);
                float.is_finite().then(|| Self::Octets(float.to_string().into_bytes()))
            }
            Value::Counter64(_) => value.number().map(|value| Self::Number { value, bits: 64 }),
            _ => value.number().map(|value| Self::Number { value, bits: 32 }),
        }
    }

    /// The number, also where a device writes it as text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number { value, .. } => Some(*value as f64),
            Self::Octets(text) => std::str::from_utf8(text).ok()?.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        }
    }

    /// The number without sign; `None` for text.
    pub fn unsigned(&self) -> Option<u64> {
        if let Self::Number { value, .. } = self { u64::try_from(*value).ok() } else { None }
    }

    /// As text that can be shown.
    pub fn text(&self) -> String {
        match self {
            Self::Number { value, .. } => value.to_string(),
            Self::Octets(octets) => String::from_utf8_lossy(octets).trim_matches(|c: char| c.is_control() || c == ' ').to_owned(),
        }
    }
}

/// One value of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Place of the column among those that are walked.
    pub column: usize,
    /// What stands behind the column's OID: the index.
    pub instance: Vec<u32>,
    /// The value.
    pub cell: Cell,
}

/// Several columns, walked together.
#[derive(Clone, Debug)]
pub struct Walk {
    columns: Vec<Oid>,
    /// The last OID of each column that has not ended.
    cursors: Vec<Option<Oid>>,
    rows: usize,
}

impl Walk {
    /// A walk over these columns.
    pub fn new(columns: &[Oid]) -> Self {
        Self { columns: columns.to_vec(), cursors: columns.iter().cloned().map(Some).collect(), rows: 0 }
    }

    /// What to ask for the successors of; nothing when the walk has ended.
    pub fn next_request(&self) -> Vec<Oid> {
        self.cursors.iter().flatten().cloned().collect()
    }

    /// Takes the answer to the last request, of GetNext or GetBulk. A column ends where an answer leaves it, or does not go forward, as
    /// some devices do for ever.
    pub fn take(&mut self, varbinds: &[Varbind<'_>]) -> Vec<Row> {
        let asked: Vec<usize> = (0..self.columns.len()).filter(|column| self.cursors[*column].is_some()).collect();
        let mut rows = Vec::with_capacity(varbinds.len());
        if asked.is_empty() || varbinds.is_empty() {
            self.end();
            return rows;
        }
        for (index, varbind) in varbinds.iter().enumerate() {
            let column = asked[index % asked.len()];
            let Some(cursor) = &self.cursors[column] else { continue };
            let instance = varbind.oid.arcs().strip_prefix(self.columns[column].arcs());
            match (instance, &varbind.value) {
                (Some(instance), value) if varbind.oid > *cursor && !matches!(value, Value::EndOfMibView) && self.rows < MAX_ROWS => {
                    self.rows += 1;
                    rows.extend(Cell::of(value).map(|cell| Row { column, instance: instance.to_vec(), cell }));
                    self.cursors[column] = Some(varbind.oid.clone());
                }
                _ => self.cursors[column] = None,
            }
        }
        // A device may answer with fewer columns than were asked for; what it left out is asked again, unless it left out all.
        if rows.is_empty() && varbinds.len() < asked.len() {
            self.end();
        }
        rows
    }

    /// Ends one column, by its place in the last request, counted from 1; 0 or more than there are end all.
    pub fn end_column(&mut self, place: usize) {
        match place.checked_sub(1).and_then(|place| self.cursors.iter_mut().filter(|cursor| cursor.is_some()).nth(place)) {
            Some(cursor) => *cursor = None,
            None => self.end(),
        }
    }

    /// Ends the walk, as an error of the device does.
    pub fn end(&mut self) {
        self.cursors.iter_mut().for_each(|cursor| *cursor = None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oid(text: &str) -> Oid {
        text.parse().unwrap()
    }

    fn counter(name: &str, value: u64) -> Varbind<'static> {
        Varbind { oid: oid(name), value: Value::Counter64(value) }
    }

    #[test]
    fn columns_are_walked_together_until_each_has_ended() {
        let mut walk = Walk::new(&[oid("1.3.1"), oid("1.3.2")]);
        assert_eq!(walk.next_request(), [oid("1.3.1"), oid("1.3.2")]);
        let rows = walk.take(&[counter("1.3.1.7", 1), counter("1.3.2.7", 2), counter("1.3.1.9", 3), counter("1.3.3.1", 4)]);
        let seen: Vec<_> = rows.iter().map(|row| (row.column, row.instance.clone(), row.cell.unsigned().unwrap())).collect();
        assert_eq!(seen, [(0, vec![7], 1), (1, vec![7], 2), (0, vec![9], 3)]);
        assert_eq!(walk.next_request(), [oid("1.3.1.9")]);
        assert!(walk.take(&[Varbind { oid: oid("1.3.1.9"), value: Value::EndOfMibView }]).is_empty());
        assert!(walk.next_request().is_empty());
    }

    #[test]
    fn a_device_that_goes_in_circles_ends_the_walk() {
        let mut walk = Walk::new(&[oid("1.3.1")]);
        walk.take(&[counter("1.3.1.5", 1)]);
        assert!(walk.take(&[counter("1.3.1.5", 1), counter("1.3.1.6", 1)]).is_empty());
        assert!(walk.next_request().is_empty());
    }

    #[test]
    fn a_number_may_be_written_as_text() {
        assert_eq!(Cell::of(&Value::Octets(b" 21.5 ")).unwrap().number(), Some(21.5));
        assert_eq!(Cell::of(&Value::Opaque(&[0x9f, 0x78, 4, 0x41, 0xac, 0, 0])).unwrap().number(), Some(21.5));
        assert_eq!(Cell::of(&Value::Octets(b"warm")).unwrap().number(), None);
        assert_eq!(Cell::of(&Value::NoSuchInstance), None);
    }
}
