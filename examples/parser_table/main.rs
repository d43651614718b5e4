//! Writes `docs/parser-table.md`: what monban says of every family behind every parser, asked of the simulated endpoint.
//!
//! `cargo run --example parser_table [FILE]`

use std::io::Write as _;

mod table;

use table::document::{self, ENGINES};
use table::{expected, thinking, thought};

fn main() -> std::io::Result<()> {
    let tables: Vec<_> = ENGINES.iter().map(|(engine, version)| document::table(engine, version)).collect();
    let thinking: Vec<_> = thinking::ENGINES.iter().map(|(engine, version)| thinking::table(engine, version)).collect();
    let cells = tables.iter().flat_map(|table| &table.rows).flat_map(|row| row.cells.iter().flatten());
    let asked = thinking.iter().flat_map(|table| &table.rows).flat_map(|row| row.cells.iter().flatten());
    let complaints: Vec<Vec<String>> = cells.map(expected::wrong).chain(asked.map(thought::wrong)).collect();
    let mut told = std::io::stderr().lock();
    for complaint in complaints.iter().flatten() {
        writeln!(told, "{complaint}")?;
    }
    let red = complaints.iter().filter(|complaints| !complaints.is_empty()).count();
    writeln!(told, "{} cells, {red} wrong", complaints.len())?;
    let path = std::env::args().nth(1).unwrap_or_else(|| "docs/parser-table.md".to_owned());
    std::fs::write(path, document::document(&tables, &thinking))
}
