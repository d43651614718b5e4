//! Writes `docs/parser-table.md`: what monban says of every family behind every parser, asked of the simulated endpoint.
//!
//! `cargo run --example parser_table [FILE]`

use std::io::Write as _;

mod table;

fn main() -> std::io::Result<()> {
    let tables: Vec<_> =
        table::document::ENGINES.iter().map(|(engine, version)| table::document::table(engine, version)).collect();
    let cells: Vec<_> =
        tables.iter().flat_map(|table| &table.rows).flat_map(|row| row.cells.iter().flatten()).collect();
    let wrong: Vec<String> = cells.iter().flat_map(|cell| table::expected::wrong(cell)).collect();
    let mut told = std::io::stderr().lock();
    for complaint in &wrong {
        writeln!(told, "{complaint}")?;
    }
    let red = cells.iter().filter(|cell| !table::expected::wrong(cell).is_empty()).count();
    writeln!(told, "{} cells, {red} wrong", cells.len())?;
    let path = std::env::args().nth(1).unwrap_or_else(|| "docs/parser-table.md".to_owned());
    std::fs::write(path, table::document::document(&tables))
}
