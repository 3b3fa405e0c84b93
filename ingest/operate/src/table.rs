//! Aligned columns, for people.

use std::fmt::Write;

/// Names and cells below each other; those of the first columns to the left, numbers to the right.
pub(crate) fn aligned(columns: &[(&str, Vec<String>)], left_columns: usize) -> String {
    laid_out(columns, |index| index < left_columns)
}

/// The same, where any column may be to the left.
pub(crate) fn laid_out(columns: &[(&str, Vec<String>)], is_left: impl Fn(usize) -> bool) -> String {
    let rows = columns.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    let width = |(name, cells): &(&str, Vec<String>)| cells.iter().map(|cell| cell.chars().count()).chain([name.len()]).max().unwrap_or(0);
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let mut table = String::new();
    for row in 0..=rows {
        let mut text = String::new();
        for (index, column) in columns.iter().enumerate() {
            let cell = if row == 0 { column.0 } else { &column.1[row - 1] };
            let width = widths[index];
            let written = if is_left(index) { write!(text, "{cell:<width$}  ") } else { write!(text, "{cell:>width$}  ") };
            written.expect("writing to memory does not fail");
        }
        table.push_str(text.trim_end());
        table.push('\n');
    }
    table
}

/// Devices have said parts of it: nothing in it moves a terminal's cursor.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '.' } else { letter }).collect()
}
