//! `stream_only`: the streamed answer is wrong where the plain one is right (or the other way round).

use serde_json::Value;

use crate::completion::{Body, Mode, ToolCall};
use crate::diagnosis::causes::{self, Departure, ReasoningKind, Spoilt, ToolKind};
use crate::diagnosis::facts::{Facts, Known, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "stream_only",
    kind: "stream_only",
    summary: "One mode delivers what the other loses: a bug of the server's streaming (or plain) path.",
    manual: "Looks at calls that only one mode carries (all or the later ones), at several calls under one index or under indices that are not their places, at arguments that stop before their \
             closing brace although finish_reason says tool_calls and the budget is not spent, at an error on a line that is \
             no data line, and at tokens without a single delta. Where only a stream was stored, the plain answer is what to \
             compare with.",
    explains: &["finish_reason", "bad_args", "arguments_misread", "server_dropped_output", "wrong_tool_parser", "model_fault", "structured_output_ignored", "context_overflow"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    error_line(signs)
        .or_else(|| index_reused(signs))
        .or_else(|| index_off(signs))
        .or_else(|| repeated_arguments(signs))
        .or_else(|| cut_arguments(signs))
        .or_else(|| lost_arguments(signs))
        .or_else(|| lost_empty_object(signs))
        .or_else(|| from_causes(signs))
        .or_else(|| types_differ(signs))
        .or_else(|| fewer_calls(signs))
        .or_else(|| cut_short(signs)).or_else(|| texts_differ(signs)).or_else(|| thoughts_in_one_mode(signs))
}

/// The same text in both modes, thoughts beside it in one of them only, and tokens for them in both.
fn thoughts_in_one_mode(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    let (with, without) = match (first.has_reasoning(), second.has_reasoning()) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        _ => return None,
    };
    let apart = signs.reasoning.is_none() && signs.tool.is_none() && !without.is_silent() && !without.at_cap();
    let lost = without.billed().is_some_and(|tokens| tokens > without.visible_tokens() + 8);
    if !apart || !lost || facts.server().gateway.is_some() {
        return None;
    }
    Some(
        draft(signs, Confidence::Medium, format!("the {} answer carries the reasoning, and the {} one loses it, though its tokens are billed", mode_of(with), mode_of(without)))
            .evidence(facts, "reasoning", with.completion.reasoning())
            .evidence(facts, "usage", &format!("completion_tokens {}", without.billed().unwrap_or_default()))
            .ruled_out("the model: it thought in both modes")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

fn draft(signs: &Signs<'_>, confidence: Confidence, message: impl Into<String>) -> Draft {
    let parser = signs.facts.launch.tool_parser.value();
    Draft::new(&RULE, Blame::ServerBug, confidence, message).families(None, parser)
}

fn streams<'a, 's>(facts: &'s Facts<'a>) -> impl Iterator<Item = &'s Side<'a>> {
    facts.sides.iter().filter(|side| side.mode == Mode::Stream)
}

/// An error on a line `error: …`, which clients of event streams do not read.
fn error_line(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    // Reading has noted such a line of every stream that it could read.
    let noted = |side: &&Side<'_>| side.completion.deviations.iter().any(|deviation| deviation.kind == "sse_error_line");
    let exchanges =
        facts.faults.iter().map(|(exchange, _)| *exchange).chain(facts.sides.iter().filter(noted).map(|side| side.exchange));
    let line = exchanges.filter(|exchange| exchange.mode == Mode::Stream).find_map(|exchange| match &exchange.body {
        Body::None => None,
        Body::Plain(raw) => error_in(&raw.0),
        // Each piece begins at the beginning of a line.
        Body::Pieces(pieces) => pieces.iter().find_map(|piece| error_in(&piece.raw.0)),
    })?;
    let also = signs.error.as_ref().map(|error| format!(" It says: {}", error.explained.says)).unwrap_or_default();
    let message = format!("error inside the stream, on a line that is no data line: a client sees an empty message instead.{also}");
    let fixes = signs.error.as_ref().map(|error| error.explained.entry.fix.iter().flat_map(|fix| advice::fill(fix, signs)).collect::<Vec<_>>());
    Some(draft(signs, Confidence::High, message).evidence(facts, "stream", &line).fixes(fixes.unwrap_or_default()).fix(advice::upgrade(facts)).done())
}

fn error_in(bytes: &[u8]) -> Option<String> {
    memchr::memmem::find(bytes, b"error:")?;
    let line = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).find(|line| line.starts_with(b"error:"))?;
    Some(String::from_utf8_lossy(line).into_owned())
}

fn index_reused(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = streams(facts).find(|side| side.completion.deviations.iter().any(|deviation| deviation.kind == "tool_index_reused"))?;
    let calls = side.completion.tool_calls.len();
    let message = format!("index reused: {calls} calls were streamed under one index, and clients that merge by index glue them into one");
    Some(
        draft(signs, Confidence::High, message)
            .evidence(facts, "stream", &names(side))
            .fix("merge on a change of id; send parallel_tool_calls: false until the server is mended")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The calls' indices are not their places in the list: clients that use them so write past its end.
fn index_off(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let off = |side: &&Side<'_>| {
        let calls = &side.completion.tool_calls;
        let places = calls.iter().enumerate().map(|(at, call)| Some((at, usize::try_from(call.index?).ok()?)));
        let places: Option<Vec<_>> = places.collect();
        !calls.iter().any(ToolCall::is_hollow) && places.is_some_and(|places| places.iter().any(|(at, index)| at != index))
    };
    let side = streams(facts).find(off).filter(|_| signs.tool.is_none())?;
    let indices: Vec<String> = side.completion.tool_calls.iter().filter_map(|call| call.index).map(|index| index.to_string()).collect();
    let blame = if facts.server().gateway.is_some() { Blame::Gateway } else { Blame::ServerBug };
    let message = format!("warning: the streamed calls carry the index {} where their places in the list begin at 0: clients that take it for the place lose them", indices.join(", "));
    Some(
        Draft::new(&RULE, blame, Confidence::High, message)
            .severity(Severity::Warning)
            .evidence(facts, "stream", &names(side))
            .ruled_out("the model: it writes no index")
            .fix("compare with stream: false")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// How the answer was asked for.
fn mode_of(side: &Side<'_>) -> &'static str {
    if side.mode == Mode::Stream { "streamed" } else { "plain" }
}

fn names(side: &Side<'_>) -> String {
    side.completion.tool_calls.iter().map(|call| format!("{}({})", call.name, call.arguments.as_text())).collect::<Vec<_>>().join(" ")
}

/// Arguments that stop in the middle although nothing cut the answer.
fn cut_arguments(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if signs.tool.as_ref().is_some_and(|found| found.kind != ToolKind::OneMode) {
        return None;
    }
    let side = streams(facts).find(|side| !side.at_cap() && side.broken_call().is_some())?;
    let call = side.broken_call()?;
    // Pieces of markup in the arguments tell of the parser, not of the stream.
    if facts.sides.len() == 1 && matches!(causes::spoilt(side, call), Some(Spoilt::Residue(_))) {
        return None;
    }
    let plain_is_right = facts.sides.iter().any(|other| {
        other.mode == Mode::Plain && !other.completion.tool_calls.is_empty() && other.broken_call().is_none()
    });
    let finish = side.finish();
    let message = format!(
        "the streamed arguments of {} are no JSON although finish_reason is {finish} and the budget is not spent{}",
        call.name,
        if plain_is_right { ": the plain answer carries them whole" } else { "" },
    );
    let confidence = if plain_is_right { Confidence::High } else { Confidence::Medium };
    Some(
        draft(signs, confidence, message)
            .evidence(facts, "arguments", &call.arguments.as_text())
            .ruled_out("the budget: far fewer tokens than max_tokens")
            .fix("compare with stream: false")
            .fix("switch speculative decoding (MTP) off")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The whole arguments, and then more of the like: sent again at the end, or over and over until the budget is spent.
fn repeated_arguments(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = streams(facts).find(|side| side.broken_call().is_some())?;
    let call = side.broken_call()?;
    let text = call.arguments.as_text();
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
    let first = values.next()?.ok().filter(serde_json::Value::is_object)?;
    let rest = text.get(values.byte_offset()..)?.trim_start();
    let again = values.next().is_some_and(|second| second.as_ref().is_ok_and(|second| *second == first)) || text.starts_with(rest);
    if rest.is_empty() || !again {
        return None;
    }
    let message = format!("the arguments of {} were streamed more than once: clients that put the pieces together get no JSON", call.name);
    Some(
        draft(signs, Confidence::High, message)
            .evidence(facts, "arguments", &text)
            .ruled_out("the model: the first object is whole")
            .fix("use stream: false, or take the first whole object")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// A call whose arguments were never streamed, or of which the other mode carries more.
fn lost_arguments(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if signs.tool.as_ref().is_some_and(|found| found.kind != ToolKind::OneMode) {
        return None;
    }
    let (call, key, side) = streams(facts).filter(|side| !side.at_cap()).find_map(|side| {
        side.completion.tool_calls.iter().enumerate().find_map(|(at, call)| {
            let whole = facts.sides.iter().any(|other| other.mode == Mode::Plain && has_arguments(other, at, &call.name));
            match causes::spoilt(side, call)? {
                Spoilt::Nothing(key) => Some((call, key, side)),
                Spoilt::Empty(key) if whole => Some((call, key, side)),
                _ => None,
            }
        })
    })?;
    let message = format!("{} was streamed without its arguments, and it needs `{key}`: even a model that gives none writes an empty object", call.name);
    Some(
        draft(signs, Confidence::Medium, message)
            .evidence(facts, "stream", &names(side))
            .ruled_out("the budget: the answer is complete")
            .fix("compare with stream: false")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// A call of a tool that needs no arguments, streamed without even the empty object (vLLM 0.32.0, llama3_json).
fn lost_empty_object(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if signs.tool.as_ref().is_some_and(|found| found.kind != ToolKind::OneMode) {
        return None;
    }
    let (at, call, side) = streams(facts).filter(|side| !side.at_cap()).find_map(|side| {
        let mut calls = side.completion.tool_calls.iter().enumerate();
        calls.find(|(_, call)| causes::is_nothing(&call.arguments) && !call.is_hollow()).map(|(at, call)| (at, call, side))
    })?;
    let whole = facts.sides.iter().filter(|other| other.mode == Mode::Plain).any(|other| {
        let same = other.completion.tool_calls.get(at).filter(|other| other.name == call.name);
        same.and_then(Side::object_of).is_some()
    });
    let message = format!(
        "{} was streamed without its arguments, be it an empty object{}: clients that parse them fail",
        call.name,
        if whole { ", which the plain answer carries" } else { "" },
    );
    Some(
        draft(signs, if whole { Confidence::High } else { Confidence::Medium }, message)
            .evidence(facts, "stream", &names(side))
            .ruled_out("the budget: the answer is complete")
            .fix("use stream: false, or read missing arguments as an empty object")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The call at this place carries arguments.
fn has_arguments(side: &Side<'_>, at: usize, name: &str) -> bool {
    let call = side.completion.tool_calls.get(at).filter(|call| call.name == name);
    call.and_then(Side::object_of).and_then(|value| value.as_object().map(|map| !map.is_empty())).unwrap_or_default()
}

fn from_causes(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if let Some(trouble) = signs.tool.as_ref().filter(|found| found.kind == ToolKind::OneMode) {
        let side = trouble.side;
        let nothing = side.is_silent() && side.mode == Mode::Stream;
        let note = match (nothing, facts.sides.len()) {
            (true, 1) => "; tokens were generated but nothing was streamed",
            (true, _) => "; non-stream works",
            _ => "",
        };
        return Some(
            draft(signs, trouble.confidence, format!("{}{note}", trouble.seen))
                .families(trouble.family, facts.launch.tool_parser.value())
                .evidence(facts, if side.mode == Mode::Stream { "stream" } else { "content" }, side.completion.text())
                .evidence(facts, "finish_reason", side.finish())
                .fix("use stream: false with this parser (compare both modes)")
                .fix(advice::upgrade(facts))
                .fixes(another_parser(facts, trouble.family))
                .done(),
        );
    }
    let trouble = signs.reasoning.as_ref()?;
    let why = match trouble.kind {
        ReasoningKind::StreamStart => "thinking is switched off, and the streaming path starts in the reasoning state all the same",
        ReasoningKind::OneMode if trouble.side.mode == Mode::Stream => "the plain answer carries them apart, with the same parser",
        ReasoningKind::OneMode => "the streamed answer carries them apart, with the same parser",
        _ => return None,
    };
    let message = format!("{}: {why}", trouble.seen);
    Some(
        draft(signs, trouble.confidence, message)
            .families(trouble.side.thoughts().map(|split| split.family), facts.launch.reasoning_parser.value())
            .evidence(facts, "reasoning", trouble.side.completion.reasoning())
            .evidence(facts, "content", trouble.side.completion.text())
            .fix("compare with stream: false: if it is wrong there too, the reasoning flag is")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// Another family's parser may read one mode by chance: which to use, where it is not known which runs.
fn another_parser(facts: &Facts<'_>, family: Option<&str>) -> Option<String> {
    let flag = family.and((facts.launch.tool_parser == Known::Unknown).then(|| advice::flag_values(facts, family)))?;
    flag.first().map(|name| format!("where the server runs another tool parser: --tool-call-parser {name}"))
}

/// The same calls, and one mode gives a value its declared type, or carries a required one, where the other does not.
fn types_differ(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    let pairs = first.completion.tool_calls.iter().zip(&second.completion.tool_calls);
    let (right, wrong, departure, name) = pairs.filter(|(one, other)| one.name == other.name).find_map(|(one, other)| {
        let tool = facts.view.request.tool(&one.name)?;
        let (one, other) = (one.arguments.value().ok()?, other.arguments.value().ok()?);
        match (causes::departure(tool, &one), causes::departure(tool, &other)) {
            (None, Some(departure @ Departure::Type { .. })) if reads_alike(&one, &other) => Some((first, second, departure, &tool.name)),
            (Some(departure @ Departure::Type { .. }), None) if reads_alike(&one, &other) => Some((second, first, departure, &tool.name)),
            (None, Some(departure @ Departure::Missing(_))) if !facts.is_sampled() && is_part_of(&other, &one) => Some((first, second, departure, &tool.name)),
            (Some(departure @ Departure::Missing(_)), None) if !facts.is_sampled() && is_part_of(&one, &other) => Some((second, first, departure, &tool.name)),
            _ => None,
        }
    })?;
    let message = format!("{}; the {} answer carries it as declared, the {} one does not", departure.in_words(name), mode_of(right), mode_of(wrong));
    Some(
        draft(signs, Confidence::High, message)
            .evidence(facts, mode_of(wrong), &names(wrong))
            .evidence(facts, mode_of(right), &names(right))
            .ruled_out("the model: in the other mode what it wrote arrives rightly")
            .fix("use stream: false with this parser (compare both modes)")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// All that one object holds the other holds as well, with the same values.
fn is_part_of(part: &Value, whole: &Value) -> bool {
    let (Some(part), Some(whole)) = (part.as_object(), whole.as_object()) else { return false };
    !part.is_empty() && part.iter().all(|(key, value)| whole.get(key) == Some(value))
}

/// The same keys, and values whose texts are the same: `3` and `"3"`.
fn reads_alike(one: &Value, other: &Value) -> bool {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
    match (one.as_object(), other.as_object()) {
        (Some(one), Some(other)) => one.len() == other.len() && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| text(value) == text(other))),
        _ => false,
    }
}

/// Of the calls that one mode carries, the other carries the first ones only, and they were wanted.
fn fewer_calls(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    let count = |side: &Side<'_>| side.completion.tool_calls.len();
    let (more, fewer) = if count(first) > count(second) { (first, second) } else { (second, first) };
    if count(fewer) == 0 || count(fewer) == count(more) || fewer.at_cap() || signs.tool.is_some() || !facts.call_was_missed() {
        return None;
    }
    let same = |(one, other): (&ToolCall, &ToolCall)| one.name == other.name && one.arguments.value().ok() == other.arguments.value().ok();
    if !fewer.completion.tool_calls.iter().zip(&more.completion.tool_calls).all(same) {
        return None;
    }
    // Nothing was billed beyond what arrived: the model made fewer calls this time.
    let lost = fewer.lost_tokens();
    if fewer.billed().is_some() && !lost {
        return None;
    }
    let confidence = if lost || facts.is_greedy() { Confidence::High } else { Confidence::Low };
    let message = format!("the {} answer carries {} calls, and the {} one only the first {} of them", mode_of(more), count(more), mode_of(fewer), count(fewer));
    Some(
        draft(signs, confidence, message)
            .evidence(facts, "tool_calls", &names(more))
            .evidence(facts, if fewer.mode == Mode::Stream { "stream" } else { "tool_calls" }, &names(fewer))
            .fix("compare both modes at temperature 0; send parallel_tool_calls: false until the server is mended")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// One mode's text stops within a word of the other's.
fn cut_short(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    let (short, whole) = [(first, second), (second, first)].into_iter().find(|(short, whole)| short.completion.is_cut_short_of(whole.completion))?;
    if signs.tool.is_some() || signs.reasoning.is_some() {
        return None;
    }
    Some(
        draft(signs, Confidence::High, format!("the {} text stops in the middle of a word, with finish_reason {}, and the {} one goes on", mode_of(short), short.finish(), mode_of(whole)))
            .evidence(facts, mode_of(short), short.completion.text())
            .evidence(facts, mode_of(whole), whole.completion.text())
            .ruled_out("the budget: finish_reason is not length")
            .fix("compare both modes; switch speculative decoding off")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// The same greedy request, two different answers, and nothing else explains it.
fn texts_differ(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let [first, second] = facts.sides.as_slice() else { return None };
    if !facts.is_greedy() || signs.tool.is_some() || signs.reasoning.is_some() {
        return None;
    }
    let calls = |side: &Side<'_>| side.completion.tool_calls.iter().map(|call| (call.name.clone(), call.arguments.value().ok())).collect::<Vec<_>>();
    if calls(first) == calls(second) || first.at_cap() || second.at_cap() {
        return None;
    }
    Some(
        draft(signs, Confidence::Medium, "the plain and the streamed answer to the same greedy request carry different calls")
            .evidence(facts, "content", &names(first))
            .evidence(facts, "stream", &names(second))
            .fix("compare with stream: false, and read the streaming path's known bugs of this version")
            .fix(advice::upgrade(facts))
            .done(),
    )
}
