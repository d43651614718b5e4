//! Single habits of dialects: damage, types, misread calls, shared bytes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use monban_scorers::completion::{Arguments, Completion};
use monban_scorers::dialects::{Hints, Strength, recognise, reread, split_reasoning, tool_dialect};
use monban_scorers::{Mode, Request, ToolCall};
use serde_json::{Value, json};

fn request(parameters: Value) -> Request {
    Request::read(&json!({"model": "local", "messages": [], "tools": [
        {"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]}))
}

fn weather() -> Request {
    request(json!({"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}))
}

fn stopped(text: &str) -> Completion {
    Completion { text: Some(text.to_owned()), finish_reason: Some("stop".to_owned()), ..Completion::default() }
}

fn delivered(name: &str, arguments: Arguments) -> Completion {
    let call = ToolCall {
        id: Some("call_1".to_owned()),
        kind: Some("function".to_owned()),
        name: name.to_owned(),
        arguments,
        ..ToolCall::default()
    };
    Completion { tool_calls: vec![call], finish_reason: Some("tool_calls".to_owned()), ..Completion::default() }
}

#[track_caller]
fn mended(name: &str, arguments: &str, kind: &str) {
    let completion = delivered(name, Arguments::Text(arguments.to_owned()));
    let read = reread(&completion, &weather(), &Hints::default()).expect("it is mended");
    let call = &read.completion.tool_calls[0];
    assert_eq!((call.name.as_str(), call.arguments.value()), ("get_weather", Ok(json!({"city": "Oslo"}))));
    assert_eq!(call.id.as_deref(), Some("call_1"));
    assert!(read.repairs.iter().any(|repair| repair.kind == kind), "{:?}", read.repairs);
}

#[test]
fn calls_that_a_wrong_parser_mangled_are_mended() {
    mended("get_weather", r#""{\"city\": \"Oslo\"}""#, "double_encoded_arguments");
    mended("get_weather", r#"{"city": "<|\"|>Oslo<|\"|>"}"#, "markup_in_arguments");
    mended("get_weather", r#"{"city": "Oslo</parameter>\n</function>"}"#, "markup_in_arguments");
    mended("get_weather", "{\"city\": \"\\nOslo\\n\"}", "padded_arguments");
    mended("get_weather", "{\"city\": \"\\\"Oslo\\\"\"}", "quoted_arguments");
    mended("get_weather", "{\"\\\"city\\\"\": \"Oslo\"}", "quoted_arguments");
    mended("get_weather<|channel|>commentary", r#"{"city": "Oslo"}"#, "markup_in_name");
    mended("functions.get_weather:0", r#"{"city": "Oslo"}"#, "markup_in_name");
    mended(r#"{"name": "get_weather", "arguments": {"city": "Oslo"}}"#, "{}", "call_misread");
    mended("<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>", "{}", "call_misread");
    mended("get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>", "{}", "call_misread");
    mended("function", "get_weather\n```json\n{\"city\": \"Oslo\"}\n```", "call_misread");
    let object = delivered("get_weather", Arguments::Json(json!({"city": "Oslo"})));
    let read = reread(&object, &weather(), &Hints::default()).unwrap();
    assert_eq!(read.repairs[0].kind, "arguments_object");
    assert!(matches!(read.completion.tool_calls[0].arguments, Arguments::Text(_)));
}

#[test]
fn calls_that_the_model_got_wrong_stay_wrong() {
    for (name, arguments) in [
        ("get_the_weather", r#"{"city": "Oslo"}"#),
        ("get_weather", r#"{"city": "Os"#),
        ("get_weather", r#"{"days": "3"}"#),
        ("get_weather", r#"["Oslo"]"#),
        ("get_weather", r#"{"city": "a </parameter> b"}"#),
    ] {
        let completion = delivered(name, Arguments::Text(arguments.to_owned()));
        assert_eq!(reread(&completion, &weather(), &Hints::default()), None, "{name} {arguments}");
    }
}

#[test]
fn closing_brackets_are_given_back_to_a_stream_only() {
    let cut = delivered("get_weather", Arguments::Text(r#"{"city": "Oslo""#.to_owned()));
    assert_eq!(reread(&cut, &weather(), &Hints::default()), None);
    let stream = Completion { mode: Some(Mode::Stream), ..cut };
    let read = reread(&stream, &weather(), &Hints::default()).unwrap();
    assert_eq!(read.completion.tool_calls[0].arguments.value(), Ok(json!({"city": "Oslo"})));
    let truncated = Completion { finish_reason: Some("length".to_owned()), ..stream };
    assert_eq!(reread(&truncated, &weather(), &Hints::default()), None);
}

#[test]
fn damage_is_named_and_not_repaired() {
    let request = weather();
    let hints = Hints { request: Some(&request), ..Hints::default() };
    for (text, family) in [
        ("<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}\n</tool_call>", "hermes_json"),
        ("<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"ci", "hermes_json"),
        ("Sure.TOOL_CALLSget_weather{\"city\": {\"a\"}, {\"b\"}}", "mistral_args"),
        ("<function=get_weather>\n<parameter=city>\nOs", "qwen3_coder_xml"),
        ("<|tool_call>call:get_weather{city:<|\"|>Os", "gemma4"),
        ("<tool_call>\n{\"name\": \"launch\", \"arguments\": {}}\n</tool_call>", "hermes_json"),
    ] {
        let found = recognise(text, &hints).unwrap_or_else(|| panic!("nothing seen in {text:?}"));
        assert_eq!(found.family, family, "{text:?}");
        assert!(found.damage.is_some(), "{text:?}");
        assert_eq!(reread(&stopped(text), &request, &Hints::default()), None, "{text:?}");
    }
}

#[track_caller]
fn typed(schema: Value, text: &str, wanted: Value) {
    let request = request(json!({"$defs": {"n": {"type": "integer"}}, "properties": {"v": schema}}));
    let markup = format!("<function=get_weather>\n<parameter=v>\n{text}\n</parameter>\n</function>");
    let hints = Hints { request: Some(&request), ..Hints::default() };
    let read = tool_dialect("qwen3_coder_xml").unwrap().parse(&markup, &hints).unwrap();
    assert_eq!(read.calls[0].arguments["v"], wanted, "{text} as {schema}", schema = request.tools[0].parameters);
}

#[test]
fn text_takes_the_declared_type() {
    typed(json!({"type": "string"}), "5", json!("5"));
    typed(json!({"type": "string"}), " true ", json!(" true "));
    typed(json!({"type": "integer"}), "5", json!(5));
    typed(json!({"type": "integer"}), "5.0", json!(5));
    typed(json!({"type": "number"}), "5.5", json!(5.5));
    typed(json!({"type": "integer"}), "five", json!("five"));
    typed(json!({"type": "boolean"}), "True", json!(true));
    typed(json!({"type": ["integer", "null"]}), "null", json!(null));
    typed(json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), "7", json!(7));
    typed(json!({"$ref": "#/$defs/n"}), "7", json!(7));
    typed(json!({"$ref": "https://example.org/n"}), "x", json!("x"));
    typed(json!({"enum": ["1", "2"]}), "1", json!("1"));
    typed(json!({"enum": [1, 2]}), "1", json!(1));
    typed(json!({"type": "array"}), "['a', True, None]", json!(["a", true, null]));
    typed(json!({"type": "object"}), "{\"a\": [1]}", json!({"a": [1]}));
    typed(json!({"oneOf": [{"type": "string"}, {"type": "array"}]}), "[1, 2]", json!([1, 2]));
    typed(json!({}), "{\"a\": 1}", json!({"a": 1}));
    typed(json!({}), "plain words", json!("plain words"));
}

#[track_caller]
fn found(text: &str, model: Option<&str>, family: &str) {
    let request = weather();
    let found = recognise(text, &Hints { request: Some(&request), model, ..Hints::default() })
        .unwrap_or_else(|| panic!("nothing: {text:?}"));
    assert_eq!(found.family, family, "{text:?}");
    let read = tool_dialect(family)
        .unwrap()
        .parse(text, &Hints { request: Some(&request), model, ..Hints::default() })
        .unwrap();
    assert_eq!(read.calls[0].name, "get_weather", "{text:?}");
    assert_eq!(read.calls[0].arguments["city"], "Oslo", "{text:?}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn variants_seen_in_the_wild_are_read() {
    found("[TOOL_CALLS]get_weather{\"city\": \"Oslo\"}", None, "mistral_args");
    found(
        "<|python_start|>{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}<|python_end|>",
        None,
        "llama4_pythonic",
    );
    found(
        "{\"type\": \"function\", \"name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}",
        None,
        "llama3_json",
    );
    found("{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>", None, "hermes_json");
    found(
        "<tool_call>{\"name\": \"get_weather\", \"arguments\": \"{\\\"city\\\": \\\"Oslo\\\"}\"}</tool_call>",
        None,
        "hermes_json",
    );
    found(
        "<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
        None,
        "qwen3_coder_xml",
    );
    found("<function=get_weather>\n<parameter=city>\nOslo\n</function>", None, "qwen3_coder_xml");
    found(
        "<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>",
        None,
        "deepseek_v32_dsml",
    );
    found(
        "<tool_calls:6124c78e>\n<tool_call:6124c78e>get_weather\n<arg_key:6124c78e>city</arg_key:6124c78e>\n<arg_value:6124c78e>Oslo</arg_value:6124c78e>\n</tool_call:6124c78e>\n</tool_calls:6124c78e>",
        None,
        "hy_v3_opensource",
    );
    found(
        " to=functions.get_weather<|channel|>commentary json<|message|>{\"city\": \"Oslo\"}<|call|>",
        None,
        "gptoss_harmony",
    );
    found("thinking.assistantcommentary to=functions.get_weather json{\"city\": \"Oslo\"}", None, "gptoss_harmony");
    found("```tool_code\nget_weather(city=\"Oslo\")\n```", None, "pythonic");
    found("```json\n{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}\n```", None, "llama3_json");
    found("call:get_weather{city:Oslo,days:3}", None, "gemma4");
    found("Right.call:get_weather{city:Oslo}", Some("google/functiongemma-270m"), "functiongemma");
    found(
        "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}</tool_call>",
        Some("ibm-granite/granite-4.0-h"),
        "granite4_json",
    );
    found("[get_weather(city='Oslo')]", Some("LiquidAI/LFM2-1.2B"), "lfm2_pythonic");
    found("<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value>", None, "glm47_argkey");
}

#[test]
fn commas_within_stripped_values_are_kept() {
    let request = weather();
    let hints = Hints { request: Some(&request), ..Hints::default() };
    let found = recognise("call:get_weather{city:Paris, France,days:3}", &hints).unwrap();
    assert_eq!((found.strength, found.stripped), (Strength::Partial, true));
    let read = tool_dialect("gemma4").unwrap().parse("call:get_weather{city:Paris, France,days:3}", &hints).unwrap();
    assert_eq!(Value::Object(read.calls[0].arguments.clone()), json!({"city": "Paris, France", "days": 3}));
}

#[test]
fn thoughts_are_split_in_every_state() {
    let split = |text: &str| split_reasoning(text).map(|split| (split.reasoning, split.answer, split.unclosed));
    let is = |reasoning: &str, answer: &str, unclosed| Some((reasoning.to_owned(), answer.to_owned(), unclosed));
    assert_eq!(split("<think>a</think>b"), is("a", "b", false));
    assert_eq!(split("<think></think>\n\nb"), is("", "b", false));
    assert_eq!(split("a</think>b"), is("a", "b", false));
    assert_eq!(split("<think>\nstill thinking"), is("still thinking", "", true));
    assert_eq!(split("thought\nThink here.It is."), is("Think here.", "It is.", true));
    assert_eq!(split("thought\n{\"a\": 1}"), is("", "{\"a\": 1}", true));
    assert_eq!(split("analysisThink.assistantfinalIt is."), is("Think.", "It is.", false));
    assert_eq!(split("<|channel|>final<|message|>It is."), is("", "It is.", false));
    assert_eq!(split("It is."), None);
}

#[test]
fn a_call_inside_a_thought_is_found() {
    let call = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>";
    let reasoning = Completion {
        reasoning: Some(format!("I should look.\n{call}")),
        finish_reason: Some("stop".to_owned()),
        ..Completion::default()
    };
    for completion in [reasoning, stopped(&format!("<think>\nI should look.\n{call}"))] {
        let read = reread(&completion, &weather(), &Hints::default()).unwrap();
        assert_eq!(read.completion.tool_calls.len(), 1);
        assert_eq!(read.completion.reasoning(), "I should look.");
        assert_eq!(read.completion.finish_reason.as_deref(), Some("tool_calls"));
        assert!(read.repairs.iter().any(|repair| repair.kind == "finish_reason"));
    }
}
