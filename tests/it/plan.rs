//! Plans: filters, overrides, attempts, bodies, needs.

use std::collections::BTreeSet;

use monban::plan::{AttemptId, Options, Plan};
use monban::suite::{self, StreamMode, Suite};
use monban_scorers::{Mode, Registry};

const TEXT: &str = r#"
[suite]
name = "s"
version = "1.0.0"
stream = "both"
[defaults]
max_tokens = 5
extra_body = { chat_template_kwargs = { enable_thinking = true } }
[[tool]]
name = "f"
[[task]]
id = "one"
tags = ["a"]
prompt = "12345"
repeat = 2
expect = [{ scorer = "contains", text = "x" }]
[[task]]
id = "two"
tags = ["b", "c"]
system = "123"
prompt = "日本語"
tools = ["f"]
tool_choice = { name = "f" }
max_completion_tokens = 9
expect = [{ scorer = "contains", text = "x" }]
[[task]]
id = "three"
tags = ["c"]
tools = ["f"]
messages = [{ role = "user", content = [{ type = "text", text = "1" }, { type = "image_url", image_url = { url = "data:," } }] }]
response_format = { type = "json_object" }
expect = [{ scorer = "contains", text = "x" }]
"#;

fn read() -> Suite {
    suite::check_text("s.toml", TEXT, &Registry::builtin()).into_suite(false).unwrap_or_else(|why| panic!("{why}"))
}

fn ids(options: &Options) -> Vec<String> {
    Plan::new(vec![read()], options).unwrap().tasks.into_iter().map(|task| task.id).collect()
}

#[test]
fn filters() {
    let tags = |tags: &[&str]| Options { tags: tags.iter().map(ToString::to_string).collect(), ..Options::default() };
    let globs =
        |globs: &[&str]| Options { tasks: globs.iter().map(ToString::to_string).collect(), ..Options::default() };
    assert_eq!(ids(&Options::default()), ["one", "two", "three"]);
    assert_eq!(ids(&tags(&["c"])), ["two", "three"]);
    assert_eq!(ids(&tags(&["a", "b"])), ["one", "two"]);
    assert_eq!(ids(&globs(&["t*"])), ["two", "three"]);
    assert_eq!(ids(&globs(&["one", "*ree"])), ["one", "three"]);
    assert_eq!(ids(&Options { tags: vec!["c".into()], ..globs(&["*wo"]) }), ["two"]);
}

#[test]
fn nothing_left_says_what_could_have_been_meant() {
    let why = |options: Options| Plan::new(vec![read()], &options).unwrap_err().to_string();
    assert!(why(Options { tasks: vec!["thre".into()], ..Options::default() }).contains("did you mean `three`?"));
    assert!(why(Options { tags: vec!["zzzz".into()], ..Options::default() }).contains("tags are: a, b, c"));
    assert!(why(Options { tasks: vec!["[".into()], ..Options::default() }).contains("no glob"));
    let twice = Plan::new(vec![read(), read()], &Options::default()).unwrap_err().to_string();
    assert!(twice.contains("two suites are called `s`"));
}

#[test]
fn attempts_are_each_enumerated_once_and_broad_first() {
    let plan = Plan::new(vec![read()], &Options::default()).unwrap();
    let attempts: Vec<AttemptId> = plan.attempts().collect();
    assert_eq!(attempts.iter().map(|id| (id.task, id.attempt)).collect::<Vec<_>>(), [(0, 0), (1, 0), (2, 0), (0, 1)]);
    assert_eq!(plan.attempt_count(), 4);

    let plan = Plan::new(vec![read()], &Options { repeat: Some(1000), ..Options::default() }).unwrap();
    let all: BTreeSet<AttemptId> = plan.attempts().collect();
    assert_eq!((all.len() as u64, plan.attempt_count()), (3000, 3000));
}

#[test]
fn bodies_carry_defaults_and_overrides() {
    let options = Options { model: "m".into(), ..Options::default() };
    let plan = Plan::new(vec![read()], &options).unwrap();
    let body = plan.tasks[0].body(Mode::Plain).value();
    assert_eq!(body["model"], "m");
    assert_eq!(body["max_tokens"], 5);
    assert_eq!(body["chat_template_kwargs"]["enable_thinking"], true, "extra_body is opened up");
    assert!(body.get("stream").is_none() && body.get("tools").is_none() && body.get("extra_body").is_none());
    let body = plan.tasks[1].body(Mode::Stream).value();
    assert_eq!((&body["stream"], &body["stream_options"]["include_usage"]), (&true.into(), &true.into()));
    assert_eq!(body["max_completion_tokens"], 9);
    assert!(body.get("max_tokens").is_none(), "one budget");
    assert_eq!(body["tool_choice"]["function"]["name"], "f");
    assert_eq!(body["tools"][0]["function"]["parameters"]["type"], "object");
    assert_eq!(body["messages"][0]["role"], "system");

    let options = Options { max_tokens: Some(77), stream: Some(StreamMode::Off), ..options };
    let plan = Plan::new(vec![read()], &options).unwrap();
    assert_eq!(plan.tasks[0].body(Mode::Plain).value()["max_tokens"], 77);
    assert_eq!(plan.tasks[1].body(Mode::Plain).value()["max_completion_tokens"], 77);
    assert!(plan.tasks.iter().all(|task| task.stream == StreamMode::Off));
}

#[test]
fn needs() {
    let plan = Plan::new(vec![read()], &Options::default()).unwrap();
    let needs = plan.needs();
    assert_eq!((needs.tools, needs.auto_tools, needs.forced_tools), (2, 1, 1));
    assert_eq!((needs.reasoning, needs.structured_output, needs.images, needs.streamed), (3, 1, 1, 3));
    assert_eq!((needs.longest_prompt_chars, needs.max_tokens), (6, 9));
}
