//! Wrong suite files: each error at its place, with what was expected and the nearest name.

use monban::diagnostic;
use monban::suite;
use monban_scorers::Registry;

/// A sound head, for cases about what follows.
const HEAD: &str = "[suite]\nname = \"s\"\nversion = \"1.0.0\"\n\n";

fn check(text: &str) -> String {
    let loaded = suite::check_text("s.toml", text, &Registry::builtin());
    diagnostic::render(&loaded.parsed.diagnostics, &[&loaded.source], false)
}

macro_rules! cases {
    ($($name:ident: $text:expr;)*) => {$(
        #[test]
        fn $name() {
            let text: String = $text.into();
            insta::assert_snapshot!(check(&text));
        }
    )*};
}

#[test]
fn a_small_file_cannot_say_a_large_thing() {
    let tool = format!("[[tool]]\nname = \"t\"\ndescription = \"{}\"\n", "x".repeat(1 << 20));
    let tasks: String =
        (0..600).map(|n| format!("[[task]]\nid = \"t{n}\"\nprompt = \"x\"\ntools = [\"t\"]\n{EXPECT}\n")).collect();
    let drawn = check(&with_head(&(tool + &tasks)));
    assert!(drawn.contains("too large"), "{drawn}");
}

#[test]
fn a_file_of_faults_is_cut_short() {
    let keys: String = (0..100_000).map(|n| format!("temperatur{n} = 0\n")).collect();
    let drawn = check(&with_head(&format!("[defaults]\n{keys}")));
    assert!(drawn.matches("error[").count() < 70);
    let tasks: String = (0..20_000).map(|n| format!("[[task]]\nid = \"t{n}\"\npromt = \"x\"\n")).collect();
    let drawn = check(&with_head(&tasks));
    assert!(drawn.matches("error[").count() < 70 && drawn.contains("mend these first"), "{drawn}");
}

fn with_head(text: &str) -> String {
    format!("{HEAD}{text}")
}

/// A task that is sound but for the lines added.
fn task(lines: &str) -> String {
    with_head(&format!(
        "[[tool]]\nname = \"get_weather\"\nparameters = {{ type = \"object\", properties = {{ city = {{ type = \"string\" }} }} }}\n\n\
         [[task]]\nid = \"t\"\nprompt = \"Hello\"\ntools = [\"get_weather\"]\n{lines}\n"
    ))
}

const EXPECT: &str = "expect = [{ scorer = \"contains\", text = \"Paris\" }]";

cases! {
    not_toml: "[suite]\nname = \"s\nversion = 1.0.0\n[[task]\n";
    empty_file: "";
    no_tasks: HEAD;
    head_is_wrong: "[suite]\nname = \"My Suite\"\nversion = \"1.0\"\nstream = \"bth\"\ndescripton = \"x\"\n[[task]]\nid = \"a\"\nprompt = \"x\"\nexpect = [{ scorer = \"contains\", text = \"y\" }]\n";
    unknown_top_key: with_head(&format!("[[tasks]]\nid = \"a\"\n[[task]]\nid = \"a\"\nprompt = \"x\"\n{EXPECT}\n"));
    unknown_task_key: task(&format!("max_token = 5\n{EXPECT}"));
    unknown_default: with_head(&format!("[defaults]\ntemprature = 0\n[[task]]\nid = \"a\"\nprompt = \"x\"\n{EXPECT}\n"));
    wrong_types: task("repeat = \"3\"\ntags = \"smoke\"\ntemperature = \"hot\"\nexpect = { scorer = \"contains\" }");
    wrong_values: task(&format!("repeat = 0\ntemperature = 9\ntop_p = 0\nmax_tokens = 0\nstop = []\n{EXPECT}"));
    no_expectations: task("");
    empty_expectations: task("expect = []");
    prompt_and_messages: task(&format!("messages = [{{ role = \"user\", content = \"x\" }}]\n{EXPECT}"));
    no_prompt: with_head(&format!("[[task]]\nid = \"a\"\n{EXPECT}\n"));
    bad_messages: with_head(&format!("[[task]]\nid = \"a\"\nmessages = [{{ role = \"usr\", content = 3 }}, {{ role = \"tool\", content = \"x\" }}, {{ role = \"user\" }}, 7]\nsystem = \"x\"\n{EXPECT}\n"));
    duplicate_ids: with_head(&format!("[[task]]\nid = \"東京\" # 一つ目\nprompt = \"x\"\n{EXPECT}\n\n[[task]]\nid = \"東京\"\nprompt = \"y\"\n{EXPECT}\n"));
    bad_id: with_head(&format!("[[task]]\nid = \"a b\\u001b[31m\"\nprompt = \"x\"\ntags = [\"a\", \"a\", \"\"]\n{EXPECT}\n"));
    missing_tool: with_head(&format!("[[tool]]\nname = \"get_weather\"\n[[task]]\nid = \"a\"\nprompt = \"x\"\ntools = [\"get_wether\"]\n{EXPECT}\n"));
    undeclared_tool: with_head(&format!("[[task]]\nid = \"a\"\nprompt = \"x\"\ntools = [\"get_weather\"]\n{EXPECT}\n"));
    duplicate_tool: with_head(&format!("[[tool]]\nname = \"a\"\n[[tool]]\nname = \"a\"\n[[tool]]\nname = \"a b\"\n[[task]]\nid = \"a\"\nprompt = \"x\"\ntools = [\"a\", \"a\"]\n{EXPECT}\n"));
    bad_parameters: with_head(&format!("[[tool]]\nname = \"a\"\nparameters = {{ type = \"object\", properties = {{ city = {{ type = \"strng\" }} }}, required = [\"town\"] }}\n[[task]]\nid = \"a\"\nprompt = \"x\"\ntools = [\"a\"]\n{EXPECT}\n"));
    bad_tool_choice: task(&format!("tool_choice = \"requird\"\n{EXPECT}"));
    tool_choice_names_a_tool: task(&format!("tool_choice = \"get_weather\"\n{EXPECT}"));
    tool_choice_without_tools: with_head(&format!("[[task]]\nid = \"a\"\nprompt = \"x\"\ntool_choice = {{ name = \"f\" }}\n{EXPECT}\n"));
    unknown_scorer: task("expect = [{ scorer = \"contans\", text = \"x\" }]");
    unknown_scorer_argument: task("expect = [{ scorer = \"contains\", txt = \"x\" }, { any = [{ scorer = \"contains\", text = 3 }] }]");
    bad_response_format: task(&format!("response_format = {{ type = \"json_schema\", json_schema = {{ name = \"x\", schema = {{ type = \"objct\" }} }} }}\n{EXPECT}"));
    remote_reference: task(&format!("response_format = {{ type = \"json_schema\", json_schema = {{ name = \"x\", schema = {{ \"$ref\" = \"http://127.0.0.1:9/s.json\" }} }} }}\n{EXPECT}"));
    extra_body_is_no_back_door: task(&format!("extra_body = {{ model = \"x\", temperature = 1 }}\n{EXPECT}"));
    no_json_form: task(&format!("seed = 99999999999999999999\ntemperature = nan\nextra_body = {{ when = 2024-01-01 }}\n{EXPECT}"));
    two_budgets: task(&format!("max_tokens = 5\nmax_completion_tokens = 5\n{EXPECT}"));
    a_call_that_cannot_be: task("expect = [{ scorer = \"tool_call\", name = \"get_wether\", arguments = {} }, { scorer = \"tool_call\", name = \"get_weather\", arguments = { city = 3, cty = \"x\" } }]");
    a_dataset_needs_a_file: with_head("[[dataset]]\nid = \"a\"\n");
}
