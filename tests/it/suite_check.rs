//! `monban suite`: null models, exit codes, the built-in suites, datasets, digests, import and the schema.

use std::fs;

use monban::exit;
use monban::suite;
use monban_scorers::Registry;
use proptest::prelude::*;
use serde_json::Value;

use crate::cli::{monban, monban_with};

const HEAD: &str = "[suite]\nname = \"s\"\nversion = \"1.0.0\"\n";
const TOOL: &str = "[[tool]]\nname = \"get_time\"\n[[tool]]\nname = \"get_date\"\n";

fn passed_by(expect: &str) -> Vec<String> {
    let text = format!(
        "{HEAD}{TOOL}[[task]]\nid = \"t\"\nprompt = \"Say Paris, please\"\ntools = [\"get_time\", \"get_date\"]\nexpect = [{expect}]\n"
    );
    let loaded = suite::check_text("s.toml", &text, &Registry::builtin());
    let suite = loaded.parsed.suite.as_ref().unwrap_or_else(|| panic!("{:?}", loaded.parsed.diagnostics));
    suite::null_models::check(suite, &loaded.source).into_iter().map(|found| found.message).collect()
}

#[test]
fn a_task_that_a_refusal_passes_is_named() {
    for (expect, model) in [
        ("{ scorer = \"tool_call\", none = true }", "refuses"),
        ("{ scorer = \"contains\", text = \"Paris\" }", "echoes the prompt"),
        ("{ scorer = \"contains\", text = \"sorry\" }", "refuses"),
        ("{ scorer = \"contains\", text = \"London\", not = true }", "I don't know"),
        ("{ scorer = \"regex\", pattern = \"(?i)error\" }", "an error text"),
        ("{ scorer = \"length\", max = 100 }", "calls the first tool"),
        ("{ scorer = \"tool_call\", name = \"get_time\", arguments = {} }", "calls the first tool"),
    ] {
        let by = passed_by(expect);
        assert!(by.len() == 1 && by[0].contains(model), "{expect}: {by:?}");
    }
}

#[test]
fn a_task_that_asks_for_content_is_not_named() {
    for expect in [
        "{ scorer = \"tool_call\", none = true }, { scorer = \"contains\", text = \"London\" }",
        "{ scorer = \"equals\", text = \"Paris\" }",
        "{ scorer = \"tool_call\", name = \"get_date\", arguments = {} }",
    ] {
        assert_eq!(passed_by(expect), Vec::<String>::new(), "{expect}");
    }
}

#[test]
fn the_built_in_suites_are_clean_and_large_enough() {
    for (name, least) in [("smoke", 12), ("tool-calling", 20), ("coding-agent", 8), ("reasoning", 5)] {
        let done = monban(&["suite", "check", name]);
        assert_eq!(done.code, exit::PASS, "{}", done.out);
        let suite = suite::load(name, &Registry::builtin()).into_suite(false).unwrap();
        assert!(suite.tasks.len() >= least, "{name} has {} tasks", suite.tasks.len());
        assert_eq!(suite.name, name);
        assert!(!suite.description.is_empty());
    }
}

#[test]
fn built_in_and_by_path_are_one() {
    let registry = Registry::builtin();
    let by_name = suite::load("smoke", &registry).into_suite(false).unwrap();
    let by_path =
        suite::load(concat!(env!("CARGO_MANIFEST_DIR"), "/suites/smoke.toml"), &registry).into_suite(false).unwrap();
    assert_eq!(by_name.digest, by_path.digest);
    assert_eq!(by_name.source, "builtin:smoke");
}

#[test]
fn check_exits_0_1_2() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let wrong = file("wrong.toml", &format!("{HEAD}[[task]]\nid = \"a\"\nprompt = \"x\"\n"));
    let no_toml = file("no.toml", "[suite\n");
    let binary = dir.path().join("binary.toml");
    fs::write(&binary, [0xff, 0xfe, 0]).unwrap();
    for (suite, code) in [
        (wrong.as_str(), exit::FAIL),
        (no_toml.as_str(), exit::USAGE),
        (binary.to_str().unwrap(), exit::USAGE),
        ("smok", exit::USAGE),
    ] {
        let done = monban(&["suite", "check", suite, "--format", "json"]);
        assert_eq!(done.code, code, "{suite}: {}", done.out);
        let json: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(json["file"], suite);
        assert!(json["findings"][0]["rule"].is_string() && json["findings"][0]["severity"] == "error");
    }
    let done = monban(&["suite", "check", "smok"]);
    assert!(done.out.contains("did you mean `smoke`?"), "{}", done.out);
}

#[test]
fn the_digest_is_of_the_meaning() {
    let digest = |text: &str| {
        let loaded = suite::check_text("s.toml", text, &Registry::builtin());
        loaded.into_suite(false).unwrap_or_else(|why| panic!("{why}")).digest
    };
    let task = |middle: &str| {
        format!("[[task]]\nid = \"a\"\nprompt = \"x\"\n{middle}expect = [{{ scorer = \"number\", is = 3 }}]\n")
    };
    let plain = digest(&format!("{HEAD}{}", task("temperature = 0\n")));
    assert_eq!(
        plain, "sha256:33473fa06f38b0363fc739fb6e2cd01b4e53c98313c85e6a863336ff7228dd66",
        "the digest of one meaning never changes: runs are compared across versions by it"
    );
    let same = [
        format!("# a comment\n{HEAD}description = \"other\"\n\n\n{}", task("temperature = 0.0\n")),
        format!("{HEAD}[defaults]\ntemperature = 0.0\n{}", task("tags = [\"x\"]\n")),
        format!(
            "{HEAD}[[task]]\nexpect = [{{ is = 3.0, scorer = 'number' }}]\ntemperature = 0\nprompt = 'x'\nid = 'a'\n"
        ),
    ];
    same.iter().for_each(|text| assert_eq!(digest(text), plain, "{text}"));
    let other = [
        format!("{HEAD}{}", task("temperature = 1\n")),
        format!("{HEAD}{}", task("temperature = 0\nrepeat = 2\n")),
        format!("{HEAD}stream = \"on\"\n{}", task("temperature = 0\n")),
    ];
    other.iter().for_each(|text| assert_ne!(digest(text), plain, "{text}"));
}

#[test]
fn datasets_make_tasks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.toml");
    fs::write(dir.path().join("rows.jsonl"), "\u{feff}{\"key\":\"fr\",\"q\":\"France\",\"a\":\"Paris\",\"n\":3}\n\n{\"key\":\"jp\",\"q\":\"日本\",\"a\":\"東京\",\"n\":4}\n")
        .unwrap();
    fs::write(dir.path().join("rows.csv"), "key,q,a\nit,Italy,\"Rome, Roma\"\n").unwrap();
    let template = "prompt = \"Capital of {{q}}?\"\n";
    let text = format!(
        "{HEAD}[[dataset]]\nfile = \"rows.jsonl\"\nid = \"capital-{{{{key}}}}\"\n{template}max_tokens = \"{{{{n}}}}\"\n\
         expect = [{{ scorer = \"contains\", text = \"{{{{a}}}}\" }}, {{ scorer = \"number\", is = \"{{{{n}}}}\" }}]\n\
         [[dataset]]\nfile = \"rows.csv\"\nid = \"{{{{key}}}}\"\n{template}expect = [{{ scorer = \"contains\", text = \"{{{{ a }}}}\" }}]\n"
    );
    fs::write(&path, text).unwrap();
    let suite = suite::load(path.to_str().unwrap(), &Registry::builtin())
        .into_suite(false)
        .unwrap_or_else(|why| panic!("{why}"));
    let ids: Vec<_> = suite.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["capital-fr", "capital-jp", "it"]);
    assert_eq!(suite.tasks[1].request["messages"][0]["content"], "Capital of 日本?");
    assert_eq!(suite.tasks[1].request["max_tokens"], 4, "a field alone keeps its type");
    assert_eq!(suite.tasks[2].expect[0]["text"], "Rome, Roma");
}

#[test]
fn dataset_errors_name_the_row() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.toml");
    fs::write(dir.path().join("rows.jsonl"), "{\"q\": \"x\"}\nnot json\n{\"question\": 1}\n").unwrap();
    let body = "id = \"{{q}}\"\nprompt = \"p\"\nexpect = [{ scorer = \"contains\", text = \"a\" }]\n";
    for (file, wants) in [
        ("rows.jsonl", vec!["rows.jsonl:2", "rows.jsonl:3", "the row is not JSON", "no field `q`"]),
        ("../rows.jsonl", vec!["suite's directory"]),
        ("/etc/passwd", vec!["suite's directory"]),
        ("missing.jsonl", vec!["cannot be used"]),
        ("s.toml", vec!["neither .jsonl nor .csv"]),
    ] {
        fs::write(&path, format!("{HEAD}[[dataset]]\nfile = \"{file}\"\n{body}")).unwrap();
        let done = monban(&["suite", "check", path.to_str().unwrap()]);
        assert_eq!(done.code, exit::FAIL, "{}", done.out);
        wants.iter().for_each(|want| assert!(done.out.contains(want), "{file}: {want}\n{}", done.out));
    }
}

#[test]
fn what_is_imported_checks_clean() {
    let rows = concat!(
        "\u{feff}",
        r#"{"id": "a b", "prompt": "Capital of \"France\"?\nOne word.", "expected": "Paris", "tags": ["geo"]}"#,
        "\n",
        r#"{"question": "6 x 7?", "answer": 42}"#,
        "\n",
        r#"{"prompt": "Weather in 東京", "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}], "calls": [{"name": "get_weather", "arguments": {"city": "東京"}}]}"#,
        "\n",
    );
    let done = monban_with(&["suite", "import", "-", "--name", "mine"], rows);
    assert_eq!(done.code, exit::PASS, "{}", done.err);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.toml");
    fs::write(&path, &done.out).unwrap();
    let checked = monban(&["suite", "check", path.to_str().unwrap()]);
    assert_eq!(checked.code, exit::PASS, "{}\n{}", done.out, checked.out);
    let suite = suite::load(path.to_str().unwrap(), &Registry::builtin()).into_suite(false).unwrap();
    assert_eq!(suite.tasks[0].request["messages"][0]["content"], "Capital of \"France\"?\nOne word.");
    assert_eq!(suite.tasks[0].id, "a-b");

    let refused = monban_with(&["suite", "import", "-"], "{\"prompt\": \"x\"}\nnonsense\n");
    assert_eq!(refused.code, exit::USAGE);
    assert!(refused.err.contains("could not fail") && refused.err.contains("-:2"), "{}", refused.err);
}

#[test]
fn the_schema_takes_every_built_in_suite_and_refuses_what_the_reader_refuses() {
    let done = monban(&["suite", "schema"]);
    let schema: Value = serde_json::from_str(&done.out).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    for builtin in suite::BUILTIN {
        let value: Value = serde_json::to_value(toml::from_str::<toml::Value>(builtin.text).unwrap()).unwrap();
        let errors: Vec<_> =
            validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", builtin.name);
        let mut wrong = value;
        wrong["task"][0]["expect"][0]["txt"] = Value::from(1);
        assert!(!validator.is_valid(&wrong), "an unknown argument");
        wrong["task"][0]["expect"][0] = serde_json::json!({"scorer": "contans"});
        assert!(!validator.is_valid(&wrong), "an unknown scorer");
    }
}

#[test]
fn scorers_are_listed_and_explained() {
    let done = monban(&["scorers"]);
    assert!(done.out.contains("tool_call") && done.out.contains("contains"), "{}", done.out);
    assert!(monban(&["scorers", "tool_call"]).out.contains("## Passes when"));
    let json: Value = serde_json::from_str(&monban(&["scorers", "--format", "json"]).out).unwrap();
    assert!(json.as_array().unwrap().iter().all(|def| def["arguments"].is_array()));
    let unknown = monban(&["scorers", "tool_cal"]);
    assert_eq!(unknown.code, exit::USAGE);
    assert!(unknown.err.contains("did you mean `tool_call`?"), "{}", unknown.err);
}

/// Pieces of suite files, right and wrong, in any order.
fn garbage() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[\\[\\]{}=\"'\\n,.a-z0-9_# -]{0,20}",
        prop::sample::select(vec![
            "[suite]\n", "name = \"s\"\n", "version = \"1.0.0\"\n", "[[task]]\n", "id = \"a\"\n", "prompt = \"x\"\n", "[[tool]]\n",
            "tools = [\"s\"]\n", "parameters = { type = \"object\", properties = 3 }\n", "repeat = -1\n", "messages = [[]]\n",
            "expect = [{ scorer = \"contains\", text = \"a\" }, { any = [] }]\n", "tool_choice = { name = 3 }\n", "[defaults]\n",
            "extra_body = { a = nan }\n", "stop = [\"\"]\n", "[[dataset]]\nfile = \"x\"\n", "expect = [[[1]]]\n", "task = 3\n",
            "response_format = { type = \"json_schema\", json_schema = { name = \"\", schema = { \"$ref\" = \"#/x\" } } }\n",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused_with_a_place(text in garbage()) {
        let loaded = suite::check_text("s.toml", &text, &Registry::builtin());
        let drawn = monban::diagnostic::render(&loaded.parsed.diagnostics, &[&loaded.source], false);
        prop_assert!(loaded.parsed.suite.is_some() || drawn.contains("error["));
        prop_assert!(!drawn.chars().any(|c| c.is_control() && c != '\n'), "{:?}", drawn);
        for found in &loaded.parsed.diagnostics {
            prop_assert!(found.line.is_none_or(|line| line as usize <= text.matches('\n').count() + 1));
        }
    }
}
