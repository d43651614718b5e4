//! `tool_call` from the outside: requests and answers as on the wire, expectations as in a suite.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use monban_scorers::completion::Arguments;
use monban_scorers::{ArgError, Completion, Expectation, Registry, Request, Subject, ToolCall, Verdict};
use serde_json::{Value, json};

fn parse(expectation: &Value) -> Result<Expectation, Vec<ArgError>> {
    Expectation::parse(expectation.as_object().unwrap(), &Registry::builtin())
}

fn request() -> Request {
    let tool = |name: &str, parameters: Value| json!({"type": "function", "function": {"name": name, "parameters": parameters}});
    Request::read(&json!({
        "model": "m",
        "messages": [{"role": "user", "content": "…"}],
        "tools": [
            tool("get_weather", json!({
                "type": "object",
                "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}, "days": {"type": "number"}},
                "required": ["city"],
            })),
            tool("get_time", json!({"type": "object", "properties": {}})),
            tool("book", json!({
                "type": "object",
                "properties": {"guests": {"type": "array", "items": {"type": "object"}}, "room": {"type": "object"}},
            })),
            tool("no_schema", Value::Null),
        ],
    }))
}

/// A conforming call.
fn call(id: &str, name: &str, arguments: &Value) -> ToolCall {
    ToolCall {
        id: Some(id.to_owned()),
        kind: Some("function".to_owned()),
        index: None,
        name: name.to_owned(),
        arguments: Arguments::Text(arguments.to_string()),
    }
}

fn calling(tool_calls: Vec<ToolCall>) -> Completion {
    Completion { tool_calls, finish_reason: Some("tool_calls".to_owned()), ..Completion::default() }
}

fn weather(arguments: &Value) -> Completion {
    calling(vec![call("a", "get_weather", arguments)])
}

fn text(text: &str) -> Completion {
    Completion { text: Some(text.to_owned()), finish_reason: Some("stop".to_owned()), ..Completion::default() }
}

fn verdict_for(request: &Request, expectation: &Value, completion: &Completion) -> Verdict {
    let mut expectation = expectation.clone();
    expectation["scorer"] = json!("tool_call");
    parse(&expectation).unwrap().evaluate(&Subject { request, completion, other: None })
}

fn verdict(expectation: &Value, completion: &Completion) -> Verdict {
    verdict_for(&request(), expectation, completion)
}

#[track_caller]
fn passes(expectation: Value, completion: &Completion) {
    assert_eq!(verdict(&expectation, completion), Verdict::Pass, "{expectation}");
}

#[track_caller]
fn fails(expectation: Value, completion: &Completion, reason: &str) {
    match verdict(&expectation, completion) {
        Verdict::Fail(got) => assert_eq!(got, reason, "{expectation}"),
        other => panic!("{expectation}: {other:?}"),
    }
}

#[track_caller]
fn refused(expectation: Value, pointer: &str, message: &str) {
    let mut expectation = expectation;
    expectation["scorer"] = json!("tool_call");
    let errors = parse(&expectation).unwrap_err();
    assert!(
        errors.iter().any(|error| error.pointer == pointer && error.message.contains(message)),
        "{expectation}: {errors:?}"
    );
}

#[test]
fn arguments_compare_by_value() {
    passes(
        json!({"name": "get_weather", "arguments": {"city": "Tokyo", "days": 3}}),
        &weather(&json!({"days": 3.0, "city": "Tokyo"})),
    );
    passes(json!({"name": "get_weather", "arguments": {"city": "São"}}), &weather(&json!({"city": "Sa\u{303}o"})));
    fails(
        json!({"name": "get_weather", "arguments": {"city": "Tokyo", "days": 3}}),
        &weather(&json!({"city": "Osaka", "days": 4, "unit": "celsius"})),
        "`get_weather`: argument `city`: expected \"Tokyo\", got \"Osaka\"; \
         `get_weather`: argument `days`: expected 3, got 4; \
         `get_weather`: unexpected argument `unit` = \"celsius\"",
    );
    fails(
        json!({"name": "get_weather", "arguments": {"city": "Tokyo", "days": 3}}),
        &weather(&json!({"city": "Tokyo"})),
        "`get_weather`: argument `days` is missing, expected 3",
    );
}

#[test]
fn a_number_is_not_its_text() {
    fails(
        json!({"name": "no_schema", "arguments": {"n": 3}}),
        &calling(vec![call("a", "no_schema", &json!({"n": "3"}))]),
        "`no_schema`: argument `n`: expected 3, got \"3\" (a string, not a number)",
    );
}

#[test]
fn nested_values_are_named_by_pointer() {
    let expectation = json!({"name": "book", "arguments": {"guests": [{"name": "Ada", "age": 36}, {"name": "Bo"}], "room": {"floor": 2, "view": "sea"}}});
    let booked =
        |guests: Value, room: Value| calling(vec![call("a", "book", &json!({"room": room, "guests": guests}))]);
    passes(
        expectation.clone(),
        &booked(json!([{"age": 36.0, "name": "Ada"}, {"name": "Bo"}]), json!({"view": "sea", "floor": 2})),
    );
    fails(
        expectation.clone(),
        &booked(json!([{"age": 35, "name": "Ada"}, {"name": "Bo"}]), json!({"floor": 2})),
        "`book`: argument `/guests/0/age`: expected 36, got 35; `book`: argument `/room/view` is missing, expected \"sea\"",
    );
    // A list in another order is another list.
    assert_eq!(
        verdict(
            &expectation,
            &booked(json!([{"name": "Bo"}, {"age": 36, "name": "Ada"}]), json!({"view": "sea", "floor": 2}))
        )
        .word(),
        "fail"
    );
}

#[test]
fn accept_and_optional_widen() {
    let expectation = json!({"name": "get_weather", "arguments": {"city": "Tokyo"}, "accept": {"city": ["東京", "Tōkyō"]}, "optional": ["unit"]});
    passes(expectation.clone(), &weather(&json!({"city": "東京"})));
    passes(expectation.clone(), &weather(&json!({"city": "Tokyo", "unit": "celsius"})));
    fails(
        expectation,
        &weather(&json!({"city": "Kyoto"})),
        "`get_weather`: argument `city`: expected \"Tokyo\" or \"東京\" or \"Tōkyō\", got \"Kyoto\"",
    );
    // Only `accept` says what is right.
    let only = json!({"name": "get_weather", "accept": {"city": ["Tokyo", "東京"]}});
    passes(only.clone(), &weather(&json!({"city": "東京"})));
    fails(
        only.clone(),
        &weather(&json!({"city": "Kyoto"})),
        "`get_weather`: argument `city`: expected \"Tokyo\" or \"東京\", got \"Kyoto\"",
    );
    assert_eq!(verdict(&only, &weather(&json!({"city": "Tokyo", "days": 1}))).word(), "fail");
    // Listed and optional: may be left out, must be right when it is there.
    let listed =
        json!({"name": "get_weather", "arguments": {"city": "Tokyo", "unit": "celsius"}, "optional": ["unit"]});
    passes(listed.clone(), &weather(&json!({"city": "Tokyo"})));
    assert_eq!(verdict(&listed, &weather(&json!({"city": "Tokyo", "unit": "fahrenheit"}))).word(), "fail");
    // By pointer, below the top.
    let nested = json!({"name": "book", "arguments": {"room": {"view": "sea"}}, "accept": {"/room/view": ["ocean"]}, "optional": ["/room/floor"]});
    passes(nested.clone(), &calling(vec![call("a", "book", &json!({"room": {"view": "ocean", "floor": 3}}))]));
    assert_eq!(
        verdict(&nested, &calling(vec![call("a", "book", &json!({"room": {"view": "ocean", "wing": 3}}))])).word(),
        "fail"
    );
}

#[test]
fn match_says_how_much_is_compared() {
    let more = weather(&json!({"city": "Tokyo", "days": 2}));
    passes(json!({"name": "get_weather", "arguments": {"city": "Tokyo"}, "match": "subset"}), &more);
    fails(
        json!({"name": "get_weather", "arguments": {"city": "Tokyo"}}),
        &more,
        "`get_weather`: unexpected argument `days` = 2",
    );
    passes(json!({"name": "get_weather", "match": "schema"}), &more);
    passes(json!({"name": "get_weather"}), &more);
    fails(
        json!({"name": "get_weather"}),
        &weather(&json!({"city": "Tokyo", "mood": "sunny"})),
        "`get_weather`: unexpected argument `mood` = \"sunny\"",
    );
    passes(json!({"name": "get_time"}), &calling(vec![call("a", "get_time", &json!({}))]));
    passes(json!({"name": "get_time", "arguments": {}}), &calling(vec![call("a", "get_time", &json!({}))]));
    fails(
        json!({"name": "get_weather", "match": "exact"}),
        &more,
        "`get_weather`: unexpected argument `city` = \"Tokyo\"; `get_weather`: unexpected argument `days` = 2",
    );
    passes(
        json!({"name": "book", "arguments": {"room": {"view": "sea"}}, "match": "subset"}),
        &calling(vec![call("a", "book", &json!({"room": {"view": "sea", "floor": 3}, "guests": []}))]),
    );
}

fn cities(names: &[&str]) -> Completion {
    calling(
        names
            .iter()
            .enumerate()
            .map(|(id, city)| call(&id.to_string(), "get_weather", &json!({"city": city})))
            .collect(),
    )
}

#[test]
fn parallel_calls_come_in_any_order() {
    let both = json!({"calls": [
        {"name": "get_weather", "arguments": {"city": "Tokyo"}},
        {"name": "get_weather", "arguments": {"city": "Osaka"}},
    ]});
    passes(both.clone(), &cities(&["Tokyo", "Osaka"]));
    passes(both.clone(), &cities(&["Osaka", "Tokyo"]));
    fails(both.clone(), &cities(&["Tokyo"]), "missing: `get_weather`({\"city\":\"Osaka\"})");
    fails(both.clone(), &cities(&["Tokyo", "Osaka", "Kyoto"]), "unexpected: `get_weather`({\"city\":\"Kyoto\"})");
    fails(
        both.clone(),
        &cities(&["Kyoto", "Tokyo"]),
        "call 1 `get_weather`: argument `city`: expected \"Osaka\", got \"Kyoto\"",
    );
    // A call made twice is no second right call.
    fails(
        both.clone(),
        &cities(&["Tokyo", "Tokyo"]),
        "call 2 `get_weather`: argument `city`: expected \"Osaka\", got \"Tokyo\"",
    );
    let mut strict = both;
    strict["order"] = json!("strict");
    passes(strict.clone(), &cities(&["Tokyo", "Osaka"]));
    assert_eq!(verdict(&strict, &cities(&["Osaka", "Tokyo"])).word(), "fail");
}

#[test]
fn calls_are_paired_optimally_where_greed_fails() {
    // The first wanted call fits both delivered ones; taken first, it would leave the second without.
    let expectation = json!({"calls": [
        {"name": "get_weather"},
        {"name": "get_weather", "arguments": {"city": "Tokyo"}},
    ]});
    passes(expectation.clone(), &cities(&["Tokyo", "Osaka"]));
    passes(expectation, &cities(&["Osaka", "Tokyo"]));
    let chain = json!({"calls": [
        {"name": "get_weather", "arguments": {"city": "a"}, "accept": {"city": ["b"]}},
        {"name": "get_weather", "arguments": {"city": "b"}, "accept": {"city": ["c"]}},
        {"name": "get_weather", "arguments": {"city": "c"}, "accept": {"city": ["d"]}},
        {"name": "get_weather", "arguments": {"city": "a"}},
    ]});
    passes(chain, &cities(&["d", "c", "b", "a"]));
}

#[test]
fn another_function_is_missing_and_unexpected() {
    fails(
        json!({"name": "get_weather", "arguments": {"city": "Tokyo"}}),
        &calling(vec![call("a", "get_time", &json!({}))]),
        "missing: `get_weather`({\"city\":\"Tokyo\"}); unexpected: `get_time`({})",
    );
    fails(
        json!({"name": "get_weather"}),
        &text("It is sunny."),
        "no call arrived, expected `get_weather`; the text is \"It is sunny.\"",
    );
}

#[test]
fn no_call_is_right_only_in_an_answer() {
    passes(json!({"none": true}), &text("Hello!"));
    fails(json!({"none": true}), &text("  "), "no call was made, but nothing was answered either");
    fails(
        json!({"none": true}),
        &weather(&json!({"city": "Tokyo"})),
        "expected no call, got `get_weather`({\"city\":\"Tokyo\"})",
    );
    let announced = Completion { finish_reason: Some("tool_calls".to_owned()), ..text("Hello!") };
    fails(json!({"none": true}), &announced, "shape: finish_reason is \"tool_calls\", but no call arrived");
}

#[test]
fn a_call_left_in_the_text_is_no_abstaining() {
    let leaked = text("<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Tokyo\"}}\n</tool_call>");
    let reason = verdict(&json!({"none": true}), &leaked).reason().to_owned();
    assert!(reason.starts_with("expected no call, but the text holds one as markup ("), "{reason}");
    // An answer that only speaks of calls is one.
    passes(json!({"none": true}), &text("I would call get_weather, but you asked me not to."));
    passes(json!({"none": true}), &text("{\"city\": \"Tokyo\", \"temperature\": 21}"));
}

/// What the shape of one call shows, the wanted call being the one made.
#[track_caller]
fn shape(change: impl FnOnce(&mut Completion), reason: &str) {
    let mut completion = weather(&json!({"city": "Tokyo"}));
    change(&mut completion);
    fails(json!({"name": "get_weather", "arguments": {"city": "Tokyo"}}), &completion, reason);
}

#[test]
fn the_shape_is_checked_always() {
    let with = |arguments: Arguments| move |completion: &mut Completion| completion.tool_calls[0].arguments = arguments;
    shape(
        with(Arguments::Json(json!({"city": "Tokyo"}))),
        "shape: `get_weather`: `arguments` is an object, expected a JSON string holding one",
    );
    shape(
        with(Arguments::Text(json!("{\"city\": \"Tokyo\"}").to_string())),
        "shape: `get_weather`: `arguments` is encoded twice: \"\"{\\\"city\\\": \\\"Tokyo\\\"}\"\"",
    );
    shape(|it| it.tool_calls[0].id = None, "shape: `get_weather`: `id` is missing");
    shape(|it| it.tool_calls[0].id = Some(String::new()), "shape: `get_weather`: `id` is missing");
    shape(|it| it.tool_calls[0].kind = None, "shape: `get_weather`: `type` is missing, expected \"function\"");
    shape(
        |it| it.tool_calls[0].kind = Some("tool".to_owned()),
        "shape: `get_weather`: `type` is \"tool\", expected \"function\"",
    );
    shape(|it| it.finish_reason = Some("stop".to_owned()), "shape: finish_reason is \"stop\", expected \"tool_calls\"");
    shape(|it| it.finish_reason = None, "shape: finish_reason is missing, expected \"tool_calls\"");
}

#[test]
fn arguments_that_hold_no_object_are_a_wrong_shape() {
    for (arguments, word) in [
        (Arguments::Missing, "`arguments` is missing"),
        (Arguments::Text("{\"city\": \"Tok".to_owned()), "`arguments` is not JSON"),
        (Arguments::Text("[1]".to_owned()), "`arguments` holds a list"),
        (Arguments::Text("null".to_owned()), "`arguments` holds null"),
        (Arguments::Text("{\"city\":\"Tokyo\"}{\"city\":\"Tokyo\"}".to_owned()), "holds more than one JSON value"),
        (Arguments::Text("[".repeat(500)), "`arguments` is not JSON"),
    ] {
        let mut completion = weather(&json!({}));
        completion.tool_calls[0].arguments = arguments;
        let reason = verdict(&json!({"name": "get_weather"}), &completion).reason().to_owned();
        assert!(reason.starts_with("shape: ") && reason.contains(word), "{reason}");
    }
}

#[test]
fn arguments_must_be_valid_against_what_was_declared() {
    let reason =
        verdict(&json!({"name": "get_weather"}), &weather(&json!({"city": 1, "unit": "kelvin"}))).reason().to_owned();
    assert!(
        reason.starts_with("shape: `get_weather`: the arguments are not valid against the declared parameters: "),
        "{reason}"
    );
    assert!(reason.contains("/city: ") && reason.contains("/unit: "), "{reason}");
    let missing = verdict(&json!({"name": "get_weather"}), &weather(&json!({}))).reason().to_owned();
    assert!(missing.contains("\"city\" is a required property"), "{missing}");
}

#[test]
fn ids_are_unique_and_tools_declared() {
    let twice = calling(vec![call("a", "get_time", &json!({})), call("a", "get_weather", &json!({"city": "Tokyo"}))]);
    fails(
        json!({"calls": [{"name": "get_time"}, {"name": "get_weather"}]}),
        &twice,
        "shape: call 2 `get_weather`: `id` \"a\" is used twice",
    );
    fails(
        json!({"name": "delete_all"}),
        &calling(vec![call("a", "delete_all", &json!({}))]),
        "shape: `delete_all`: the tool was not declared (declared: `get_weather`, `get_time`, `book`, `no_schema`)",
    );
    let nameless = calling(vec![call("a", "", &json!({}))]);
    assert!(verdict(&json!({"name": "get_time"}), &nameless).reason().contains("the function's name is missing"));
}

#[test]
fn a_forced_call_may_end_in_stop() {
    let mut completion = weather(&json!({"city": "Tokyo"}));
    completion.finish_reason = Some("stop".to_owned());
    for choice in [json!("required"), json!({"type": "function", "function": {"name": "get_weather"}})] {
        let mut body = request().body().clone();
        body["tool_choice"] = choice;
        assert_eq!(verdict_for(&Request::read(&body), &json!({"name": "get_weather"}), &completion), Verdict::Pass);
    }
}

#[test]
fn what_cannot_be_checked_is_not_scored() {
    let mut body = request().body().clone();
    body["tools"][1]["function"]["parameters"] = json!({"type": "strin"});
    let request = Request::read(&body);
    let verdict =
        verdict_for(&request, &json!({"name": "get_time"}), &calling(vec![call("a", "get_time", &json!({}))]));
    assert_eq!(verdict.word(), "not_scored", "{verdict:?}");
    // Without its request, an answer is judged as far as that goes.
    let bare = verdict_for(&Request::default(), &json!({"name": "x"}), &calling(vec![call("a", "x", &json!({}))]));
    assert_eq!(bare, Verdict::Pass);
}

#[test]
fn negation_asks_whether_the_call_is_among_those_made() {
    let never = json!({"name": "book", "not": true});
    passes(never.clone(), &weather(&json!({"city": "Tokyo"})));
    passes(never.clone(), &text("Done."));
    let booked = calling(vec![call("a", "get_time", &json!({})), call("b", "book", &json!({}))]);
    fails(never.clone(), &booked, "`book`(…) was called, and must not");
    // A wrong shape does not make a call unmade.
    let mut shapeless = booked;
    shapeless.tool_calls[1].arguments = Arguments::Json(json!({}));
    fails(never.clone(), &shapeless, "`book`(…) was called, and must not");
    fails(never, &text(""), "the answer is empty: that something is absent from it shows nothing");
    fails(json!({"none": true, "not": true}), &text("Hello!"), "no call was made");
    passes(json!({"none": true, "not": true}), &weather(&json!({"city": "Tokyo"})));
}

#[test]
fn wrong_arguments_are_all_refused_at_plan_time() {
    refused(json!({}), "", "`name` is missing");
    refused(json!({"nmae": "x"}), "/nmae", "unknown key");
    refused(json!({"name": "x", "none": true}), "/none", "say two things");
    refused(json!({"none": false}), "/none", "can only be true");
    refused(json!({"none": true, "match": "exact"}), "/match", "says nothing");
    refused(json!({"calls": []}), "/calls", "empty");
    refused(json!({"calls": {"name": "x"}}), "/calls", "expected a list of calls, found an object");
    refused(json!({"calls": [{"name": "x"}, {"arguments": {}}]}), "/calls/1", "`name` is missing");
    refused(
        json!({"calls": [{"name": "x", "arguments": 3}]}),
        "/calls/0/arguments",
        "expected a table, found a number",
    );
    refused(json!({"calls": [{"name": "x", "argumnets": {}}]}), "/calls/0/argumnets", "unknown key");
    refused(json!({"name": "x", "match": "fuzzy"}), "/match", "unknown word");
    refused(json!({"name": "x", "order": "sorted"}), "/order", "unknown word");
    refused(json!({"name": "x", "accept": {"a": "b"}}), "/accept/a", "expected a list of right values, found a string");
    refused(json!({"name": "x", "accept": {"a": []}}), "/accept/a", "empty list");
    refused(json!({"name": "x", "optional": [1]}), "/optional/0", "expected a string, found a number");
    refused(json!({"name": "x", "match": "schema", "arguments": {"a": 1}}), "/arguments", "not compared");
    let errors =
        parse(&json!({"scorer": "tool_call", "calls": [{"name": 1}, {"name": "x", "match": 2}], "order": "up"}))
            .unwrap_err();
    assert_eq!(errors.len(), 3, "{errors:?}");
}

#[test]
fn many_calls_are_bounded() {
    let many: Vec<ToolCall> = (0..5000).map(|id| call(&id.to_string(), "get_time", &json!({}))).collect();
    assert!(verdict(&json!({"name": "get_time"}), &calling(many)).reason().contains("5000 calls"));
    let wanted: Vec<Value> =
        (0..64).map(|id| json!({"name": "get_weather", "arguments": {"city": format!("c{id}")}})).collect();
    let names: Vec<String> = (0..64).rev().map(|id| format!("c{id}")).collect();
    passes(json!({"calls": wanted}), &cities(&names.iter().map(String::as_str).collect::<Vec<_>>()));
}
