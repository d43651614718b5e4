//! Exchanges written after what engines are known to do, for models and refusals that the other fixtures lack: each
//! line of `fixtures/lore.jsonl` (and of `lore_calls.jsonl` and `lore_tools.jsonl`, on tool calls, `lore_wire.jsonl`, on
//! reasoning, streams, errors and parameters, and `lore_words.jsonl`, on the words of engines, gateways and logs) names the
//! first rule it should meet, or `none`, and where it is clear whom that blames, what its remedies name, and what was
//! delivered and meant.

#![expect(clippy::unwrap_used, reason = "tests")]

use monban_scorers::diagnosis::diagnose;
use serde_json::Value;

fn lines() -> Vec<Value> {
    let texts = [
        include_str!("fixtures/lore.jsonl"),
        include_str!("fixtures/lore_calls.jsonl"),
        include_str!("fixtures/lore_wire.jsonl"),
        include_str!("fixtures/lore_words.jsonl"),
        include_str!("fixtures/lore_tools.jsonl"),
    ];
    texts.into_iter().flat_map(str::lines).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What the first finding of a line says: its rule, whom it blames, and its remedies.
fn first(line: &Value) -> (String, String, String) {
    let mut bare = line.clone();
    bare.as_object_mut().unwrap().remove("expect");
    let verdict = diagnose(&bare).unwrap();
    let first = verdict.findings.first().map(|filed| serde_json::to_value(&filed.finding).unwrap());
    let field = |name: &str| {
        let value = first.as_ref().and_then(|first| first[name].as_str());
        value.unwrap_or("none").to_owned()
    };
    let fixes = first.as_ref().map(|first| first["fix"].to_string()).unwrap_or_default();
    (field("rule"), field("blame"), fixes)
}

/// The first expectation's two verdicts, where they are not as they should be.
fn unlike(line: &Value) -> Option<String> {
    let mut bare = line.clone();
    bare.as_object_mut().unwrap().remove("expect");
    let got = serde_json::to_value(diagnose(&bare).unwrap()).unwrap();
    ["delivered", "intent"].into_iter().find_map(|which| {
        let (wanted, got) = (&line["expect"][which], &got["expectations"][0][which]);
        (!wanted.is_null() && wanted != got).then(|| format!("{which} {wanted} but got {got}"))
    })
}

#[test]
fn each_line_has_its_verdicts() {
    let misses = lines().into_iter().filter_map(|line| Some(format!("{}: {}", line["id"], unlike(&line)?)));
    let misses: Vec<String> = misses.collect();
    assert!(misses.is_empty(), "{} missed:\n{}", misses.len(), misses.join("\n"));
}

#[test]
fn each_line_meets_its_rule() {
    let mut misses = Vec::new();
    for line in lines() {
        let (rule, blame, fixes) = first(&line);
        let blamed = line["expect"]["blame"].as_str().is_none_or(|expected| expected == blame);
        let mended = line["expect"]["fix"].as_str().is_none_or(|expected| fixes.contains(expected));
        if line["expect"]["rule"] != rule.as_str() || !blamed || !mended {
            misses.push(format!("{}: {} but got {rule}, {blame}, {fixes}", line["id"], line["expect"]));
        }
    }
    println!("{}", misses.join("\n"));
    assert!(misses.is_empty(), "{} missed:\n{}", misses.len(), misses.join("\n"));
}
