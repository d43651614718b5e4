//! How expectations are read and composed, with scorers of our own whose verdict is known.
#![expect(clippy::unwrap_used, reason = "tests")]

use monban_scorers::args::ArgReader;
use monban_scorers::scorer::{ArgDef, Scorer};
use monban_scorers::{ArgError, Args, Completion, Expectation, Registry, Request, ScorerDef, Subject, Verdict};
use serde_json::{Value, json};

static SAYS: ScorerDef = ScorerDef {
    name: "says",
    summary: "Says what it is told.",
    manual: "",
    arguments: &[ArgDef { name: "word", schema: r#"{"enum":["pass","fail","not_scored"]}"#, help: "What to say." }],
    parse: |args: &mut Args| {
        let mut reader = ArgReader::new(args, SAYS.arguments);
        let word = reader.word("word", &["pass", "fail", "not_scored"]);
        reader.finish(|| Box::new(Says(word)) as Box<dyn Scorer>)
    },
};

#[derive(Debug)]
struct Says(&'static str);

impl Scorer for Says {
    fn score(&self, _: &Subject<'_>) -> Verdict {
        match self.0 {
            "pass" => Verdict::Pass,
            "fail" => Verdict::Fail("no".to_owned()),
            _ => Verdict::NotScored("who knows".to_owned()),
        }
    }
}

fn parse(table: &Value) -> Result<Expectation, Vec<ArgError>> {
    Expectation::parse(table.as_object().unwrap(), &Registry::builtin().with(&SAYS))
}

fn judge(table: &Value, text: &str) -> Verdict {
    let completion = Completion { text: Some(text.to_owned()), ..Completion::default() };
    parse(table).unwrap().evaluate(&Subject { request: &Request::default(), completion: &completion, other: None })
}

fn says(words: &[&str]) -> Vec<Value> {
    words.iter().map(|word| json!({"scorer": "says", "word": word})).collect()
}

#[test]
fn the_unknown_stays_unknown_as_in_kleenes_tables() {
    let words = ["pass", "not_scored", "fail"];
    for (i, a) in words.iter().enumerate() {
        for (j, b) in words.iter().enumerate() {
            // Ordered by truth, `any` is the greater and `all` the lesser of the two.
            assert_eq!(judge(&json!({"any": says(&[a, b])}), "hi").word(), words[i.min(j)], "any({a}, {b})");
            assert_eq!(judge(&json!({"all": says(&[a, b])}), "hi").word(), words[i.max(j)], "all({a}, {b})");
        }
        assert_eq!(judge(&json!({"scorer": "says", "word": a, "not": true}), "hi").word(), words[2 - i], "not {a}");
        assert_eq!(judge(&json!({"all": says(&[a]), "not": true}), "hi").word(), words[2 - i], "not all({a})");
    }
}

#[test]
fn reasons_are_composed() {
    let any = json!({"any": [{"scorer": "contains", "text": "a"}, {"scorer": "contains", "text": "b", "not": true}]});
    assert_eq!(
        judge(&any, "b").reason(),
        "none of 2 holds: contains: \"a\" not in the text: \"b\"; not contains: the text contains \"b\", and must not"
    );
    let all = json!({"all": [{"scorer": "says", "word": "fail"}, {"scorer": "says", "word": "not_scored"}]});
    assert_eq!(judge(&all, "x").reason(), "says: no");
    let many = json!({"all": says(&["fail"; 500])});
    assert!(judge(&many, "x").reason().chars().count() <= 601);
}

#[test]
fn nothing_passes_on_an_answer_that_is_not_there() {
    for table in [
        json!({"scorer": "contains", "text": "a", "not": true}),
        json!({"scorer": "says", "word": "fail", "not": true}),
        json!({"any": says(&["fail"]), "not": true}),
        json!({"scorer": "tool_call", "none": true}),
        json!({"scorer": "tool_call", "none": true, "not": true}),
        json!({"scorer": "length", "max": 5}),
        json!({"scorer": "length", "max": 5, "not": true}),
        json!({"scorer": "reasoning_split", "required": false}),
    ] {
        assert_eq!(judge(&table, " ").word(), "fail", "{table}");
    }
}

#[test]
fn negative_is_what_absence_would_meet() {
    for (table, negative) in [
        (json!({"scorer": "contains", "text": "a"}), false),
        (json!({"scorer": "contains", "text": "a", "not": true}), true),
        (json!({"scorer": "tool_call", "none": true}), true),
        (json!({"scorer": "tool_call", "name": "f"}), false),
        (json!({"scorer": "length", "max": 3}), true),
        (json!({"scorer": "length", "min": 1, "max": 3}), false),
        (json!({"any": [{"scorer": "contains", "text": "a"}, {"scorer": "length", "max": 3}]}), true),
        (json!({"all": [{"scorer": "contains", "text": "a"}, {"scorer": "length", "max": 3}]}), false),
    ] {
        assert_eq!(parse(&table).unwrap().is_negative(), negative, "{table}");
    }
}

#[test]
fn labels_say_how_it_is_composed() {
    let table = json!({"any": [{"scorer": "regex", "pattern": "a"}, {"all": says(&["pass", "fail"]), "not": true}]});
    assert_eq!(parse(&table).unwrap().label(), "any(regex, not all(says, says))");
}

#[track_caller]
fn refused(table: Value, pointer: &str, message: &str, help: &str) {
    let errors = parse(&table).unwrap_err();
    let error = &errors[0];
    assert_eq!((error.pointer.as_str(), error.message.as_str()), (pointer, message));
    assert!(error.help.as_deref().unwrap_or_default().contains(help), "{error:?}");
}

#[test]
fn wrong_tables_are_refused_with_their_place() {
    refused(json!({"scorer": "regx", "pattern": "a"}), "/scorer", "unknown scorer `regx`", "did you mean `regex`?");
    refused(json!({"scorer": "zzz"}), "/scorer", "unknown scorer `zzz`", "known: contains, equals");
    refused(json!({"scorer": 3}), "/scorer", "expected a scorer's name, found a number", "");
    refused(json!({"scorer": "says", "not": "yes"}), "/not", "expected true or false, found a string", "negates");
    refused(json!({}), "", "`scorer` is missing", "any");
    refused(json!({"scorr": "contains"}), "/scorr", "unknown key `scorr`", "did you mean `scorer`?");
    refused(json!({"any": []}), "/any", "the list is empty, so nothing would be judged", "");
    refused(json!({"any": {"scorer": "says"}}), "/any", "expected a list of expectations, found an object", "");
    refused(json!({"any": [3]}), "/any/0", "expected an expectation, found a number", "");
    refused(
        json!({"any": says(&["pass"]), "all": says(&["pass"])}),
        "/all",
        "`any` and `all` stand in one table",
        "nest",
    );
    let errors =
        parse(&json!({"any": [{"all": [{"scorer": "regex", "pattern": "("}]}, {"scorer": "contians"}], "nt": 1}))
            .unwrap_err();
    let pointers: Vec<_> = errors.iter().map(|error| error.pointer.as_str()).collect();
    assert_eq!(pointers, ["/nt", "/any/0/all/0/pattern", "/any/1/scorer"]);
}

#[test]
fn nesting_is_bounded() {
    let mut table = json!({"scorer": "says"});
    for _ in 0..100 {
        table = json!({"any": [table]});
    }
    let errors = parse(&table).unwrap_err();
    assert!(errors[0].message.contains("deeper"), "{errors:?}");
}
