//! What holds for every built-in scorer: it is registered, its manual is whole, its example plans.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::collections::BTreeSet;
use std::path::Path;

use monban_scorers::scorers::BUILTIN;
use monban_scorers::{Expectation, Registry};
use serde_json::Value;

const SECTIONS: [&str; 5] = ["## What it checks", "## Passes when", "## Fails when", "## Arguments", "## Example"];

/// The manual's example: an inline table in a fenced block.
fn example(manual: &str) -> Value {
    let (_, after) = manual.split_once("## Example\n```toml\n").expect("a fenced block follows the heading");
    let (table, rest) = after.split_once("\n```").expect("the fence is closed");
    assert_eq!(rest.trim(), "", "the example comes last");
    let file: toml::Table = toml::from_str(&format!("it = {table}")).expect("the example is TOML");
    serde_json::to_value(&file["it"]).unwrap()
}

#[test]
fn every_file_is_registered() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scorers");
    let files: BTreeSet<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|stem| stem != "mod" && stem != "testing")
        .collect();
    let names: BTreeSet<String> = BUILTIN.iter().map(|def| def.name.to_owned()).collect();
    assert_eq!(files, names);
    assert_eq!(names.len(), BUILTIN.len(), "names are unique");
}

#[test]
fn every_manual_has_its_sections_in_order() {
    for def in BUILTIN {
        let headings: Vec<&str> = def.manual.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings, SECTIONS, "{}", def.name);
        for part in def.manual.split("## ").skip(1) {
            let (heading, text) = part.split_once('\n').unwrap();
            assert!(text.trim().len() > 20, "{}: {heading} is empty", def.name);
        }
        assert!(def.summary.ends_with('.') && def.summary.len() < 80, "{}", def.name);
    }
}

#[test]
fn every_example_plans_as_its_own_scorer() {
    for def in BUILTIN {
        let example = example(def.manual);
        assert_eq!(example["scorer"], def.name);
        let parsed = Expectation::parse(example.as_object().unwrap(), &Registry::builtin());
        assert!(parsed.is_ok(), "{}: {parsed:?}", def.name);
    }
}

#[test]
fn every_argument_is_declared_and_explained() {
    for def in BUILTIN {
        let names: BTreeSet<&str> = def.arguments.iter().map(|argument| argument.name).collect();
        assert_eq!(names.len(), def.arguments.len(), "{}: argument names are unique", def.name);
        let (_, arguments) = def.manual.split_once("## Arguments").unwrap();
        for argument in def.arguments {
            let schema: Value = serde_json::from_str(argument.schema).expect(argument.name);
            assert!(monban_scorers::schema::Schema::compile(&schema).is_ok(), "{}.{}", def.name, argument.name);
            assert!(argument.help.ends_with('.'), "{}.{}", def.name, argument.name);
            assert!(
                arguments.contains(&format!("`{}`", argument.name)),
                "{}.{} in the manual",
                def.name,
                argument.name
            );
        }
        for key in example(def.manual).as_object().unwrap().keys().filter(|key| *key != "scorer") {
            assert!(names.contains(key.as_str()), "{}.{key}", def.name);
        }
    }
}

/// What the declared schema forbids by its type, the parser refuses: an object with one unlikely key is of no argument's
/// type but `schema`'s, `arguments`' and what takes any value.
#[test]
fn every_argument_checks_its_type() {
    for def in BUILTIN {
        for argument in def.arguments {
            let schema: Value = serde_json::from_str(argument.schema).unwrap();
            let wrong = serde_json::json!({"zzz": 1});
            let allowed = monban_scorers::schema::Schema::compile(&schema).unwrap().check(&wrong);
            if allowed == monban_scorers::schema::Checked::Valid {
                continue;
            }
            let mut table = example(def.manual);
            table[argument.name] = wrong;
            let errors = Expectation::parse(table.as_object().unwrap(), &Registry::builtin()).expect_err(argument.name);
            let at = format!("/{}", argument.name);
            assert!(errors.iter().any(|error| error.pointer.starts_with(&at)), "{}: {errors:?}", def.name);
        }
    }
}
