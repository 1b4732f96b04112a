//! Markdown tables that are also readable in a terminal.

use std::fmt;

/// Rows of cells under a header; every row has as many cells as the header.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(|&cell| cell.to_owned()).collect()] }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.first().map_or(0, Vec::len);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        for (number, row) in self.rows.iter().enumerate() {
            for (cell, width) in row.iter().zip(&widths) {
                write!(f, "| {cell:<width$} ")?;
            }
            writeln!(f, "|")?;
            if number == 0 {
                for width in &widths {
                    write!(f, "|{}", "-".repeat(width + 2))?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// `number` with a comma between thousands.
pub(crate) fn grouped(number: impl ToString + Copy) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["skills", "ratio"]);
        table.row([grouped(10_000), "≤ 2 ×".to_owned()]);
        assert_eq!(
            table.to_string(),
            "| skills | ratio |\n|--------|-------|\n| 10,000 | ≤ 2 × |\n"
        );
    }

    #[test]
    fn thousands_are_grouped() {
        let grouped: Vec<_> = [0, 999, 1_000, 65_536, 1_234_567].map(grouped).into();
        assert_eq!(grouped, ["0", "999", "1,000", "65,536", "1,234,567"]);
    }
}
