//! The table of `docs/parser-table.md`: made anew, compared with the file, and every cell held against the catalogue.

use table::document::{self, ENGINES};
use table::{expected, thinking, thought};

#[path = "../../examples/parser_table/table/mod.rs"]
mod table;

#[test]
fn every_cell_is_right_and_the_document_is_the_one_committed() {
    let tables: Vec<_> = ENGINES.iter().map(|(engine, version)| document::table(engine, version)).collect();
    let reasoning: Vec<_> =
        thinking::ENGINES.iter().map(|(engine, version)| thinking::table(engine, version)).collect();
    let tools = tables.iter().flat_map(|table| &table.rows).flat_map(|row| row.cells.iter().flatten());
    let asked = reasoning.iter().flat_map(|table| &table.rows).flat_map(|row| row.cells.iter().flatten());
    let complaints: Vec<Vec<String>> = tools.map(expected::wrong).chain(asked.map(thought::wrong)).collect();
    let wrong: Vec<&String> = complaints.iter().flatten().collect();
    assert!(complaints.len() > 1_500, "{} cells", complaints.len());
    assert!(wrong.is_empty(), "{} tasks wrong: {wrong:#?}", wrong.len());
    let made = document::document(&tables, &reasoning);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/parser-table.md");
    assert!(std::fs::read_to_string(path).unwrap() == made, "{path}: make it anew: cargo run --example parser_table");
}

#[test]
fn the_table_holds_every_family_and_the_models_write_them() {
    for (family, model) in table::models::MODELS {
        let rule = monban_scorers::catalogue::model_rule(model).unwrap_or_else(|| panic!("{model} is not known"));
        let written = [family, "internlm_plugin"].iter().any(|family| rule.tool_family() == Some(family));
        assert!(written || rule.tool_families.iter().any(|own| own == family), "{model} {family}");
    }
    for family in &monban_scorers::catalogue::catalogue().tools {
        assert!(table::models::MODELS.iter().any(|(own, _)| *own == family.name), "{}", family.name);
    }
}
