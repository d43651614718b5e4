//! A scorer of your own, registered from Rust and used like a built-in one.
//!
//! `cargo run -p monban-scorers --example custom_scorer`
//!
//! A scorer is a declaration (`ScorerDef`), its arguments read once, and one pure function over an answer.

use monban_scorers::args::ArgReader;
use monban_scorers::scorer::{ArgDef, Scorer};
use monban_scorers::{ArgError, Args, Completion, Expectation, Registry, Request, ScorerDef, Subject, Verdict};
use serde_json::json;

/// The declaration: what `monban scorers` lists and `monban explain` prints.
static SCRIPT: ScorerDef = ScorerDef {
    name: "script",
    summary: "The text is written in a given script.",
    manual: r#"## What it checks
Whether most letters of the text belong to a script: a model asked in Japanese should answer in Japanese.

## Passes when
- at least `share` of the letters do.

## Fails when
- fewer do, or there are no letters.

## Arguments
- `is`: `"latin"` or `"japanese"`.
- `share`: the least share of letters, 0 to 1; default 0.5 (names and code stay Latin).

## Example
```toml
{ scorer = "script", is = "japanese" }
```
"#,
    arguments: &[
        ArgDef { name: "is", schema: r#"{"enum":["latin","japanese"]}"#, help: "The script." },
        ArgDef { name: "share", schema: r#"{"type":"number"}"#, help: "The least share of letters. Default 0.5." },
    ],
    parse,
};

#[derive(Debug)]
struct Script {
    is: &'static str,
    share: f64,
}

/// Runs once, before the first request: everything that is wrong is reported, each with its place.
fn parse(args: &mut Args) -> Result<Box<dyn Scorer>, Vec<ArgError>> {
    let mut reader = ArgReader::new(args, SCRIPT.arguments);
    reader.require("is");
    let is = reader.word("is", &["latin", "japanese"]);
    let share = reader.number("share").unwrap_or(0.5);
    if !(0.0..=1.0).contains(&share) {
        reader.fail("share", "a share lies between 0 and 1");
    }
    reader.finish(|| Box::new(Script { is, share }) as Box<dyn Scorer>)
}

impl Scorer for Script {
    fn score(&self, subject: &Subject<'_>) -> Verdict {
        let belongs = |c: &char| match self.is {
            "japanese" => matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'),
            _ => c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}'),
        };
        let letters: Vec<char> = subject.completion.text().chars().filter(|c| c.is_alphabetic()).collect();
        let share = letters.iter().filter(|c| belongs(c)).count() as f64 / letters.len().max(1) as f64;
        if share >= self.share && !letters.is_empty() {
            return Verdict::Pass;
        }
        Verdict::Fail(format!(
            "{:.0} % of the letters are {}, expected {:.0} %",
            share * 100.0,
            self.is,
            self.share * 100.0
        ))
    }

    fn claim(&self) -> String {
        format!("the text is written in {}", self.is)
    }
}

#[expect(clippy::print_stdout, reason = "an example shows something")]
fn main() {
    let registry = Registry::builtin().with(&SCRIPT);
    let request = Request::read(&json!({"messages": [{"role": "user", "content": "日本の首都はどこですか。"}]}));
    let tables = [
        json!({"scorer": "script", "is": "japanese"}),
        json!({"any": [{"scorer": "contains", "text": "東京"}, {"scorer": "script", "is": "latin"}]}),
        json!({"scorer": "script", "is": "japanese", "not": true}),
        json!({"scorer": "skript", "is": "japanese"}),
        json!({"scorer": "script", "is": "japanes", "share": 2}),
    ];
    for answer in ["日本の首都は東京です。", "The capital of Japan is Tokyo."] {
        println!("\n{answer}");
        let completion = Completion { text: Some(answer.to_owned()), ..Completion::default() };
        let subject = Subject { request: &request, completion: &completion, other: None };
        for table in tables.iter().filter_map(|table| table.as_object()) {
            match Expectation::parse(table, &registry) {
                Ok(expectation) => {
                    let verdict = expectation.evaluate(&subject);
                    println!("  {:<24} {:<5} {}", expectation.label(), verdict.word(), verdict.reason());
                }
                Err(errors) => {
                    for error in errors {
                        println!(
                            "  refused at {:?}: {} {}",
                            error.pointer,
                            error.message,
                            error.help.unwrap_or_default()
                        );
                    }
                }
            }
        }
    }
}
