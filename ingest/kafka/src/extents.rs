//! How far the partitions of one topic are read, and how far they shall be.

use std::collections::HashMap;
use std::ops::Range;

/// Offsets that are still to be read, by partition.
#[derive(Debug, Default)]
pub(crate) struct Extents {
    partitions: HashMap<i32, Range<i64>>,
    left: u64,
}

impl Extents {
    /// Adds a partition; `offsets` without anything in it are done.
    pub(crate) fn add(&mut self, partition: i32, offsets: Range<i64>) {
        if !offsets.is_empty() {
            self.left += offsets.start.abs_diff(offsets.end);
            self.partitions.insert(partition, offsets);
        }
    }

    /// The record at this offset was read; offsets are read in ascending order, and not every offset has a record.
    pub(crate) fn read(&mut self, partition: i32, offset: i64) {
        let Some(offsets) = self.partitions.get_mut(&partition) else { return };
        let next = (offset + 1).clamp(offsets.start, offsets.end);
        self.left -= offsets.start.abs_diff(next);
        offsets.start = next;
        if offsets.is_empty() {
            self.partitions.remove(&partition);
        }
    }

    /// The partition has nothing more, whatever was expected.
    pub(crate) fn end(&mut self, partition: i32) {
        if let Some(offsets) = self.partitions.remove(&partition) {
            self.left -= offsets.start.abs_diff(offsets.end);
        }
    }

    /// Offsets that are still to be read.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_read_when_every_partition_reached_its_end_also_over_gaps() {
        let mut extents = Extents::default();
        extents.add(0, 5..8);
        extents.add(1, 0..2);
        extents.add(2, 4..4);
        assert_eq!(extents.left(), 5);
        extents.read(0, 5);
        extents.read(0, 7);
        assert_eq!((extents.left(), extents.partitions.get(&1)), (2, Some(&(0..2))));
        extents.read(1, 9);
        assert_eq!(extents.left(), 0);
    }

    #[test]
    fn what_comes_after_the_end_or_from_elsewhere_changes_nothing() {
        let mut extents = Extents::default();
        extents.add(0, 5..8);
        extents.read(7, 1);
        extents.read(0, 3);
        assert_eq!(extents.left(), 3);
        extents.end(0);
        extents.end(0);
        extents.read(0, 9);
        assert_eq!(extents.left(), 0);
    }
}
