//! `stream_only`: the streamed answer is wrong where the plain one is right (or the other way round).

use crate::completion::{Body, Mode, ToolCall};
use crate::diagnosis::causes::{ReasoningKind, ToolKind};
use crate::diagnosis::facts::{Facts, Known, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};
use crate::dialects::Strength;

mod arguments;
mod modes;
mod pieces;

use arguments::{cut_arguments, lost_arguments, lost_empty_object, repeated_arguments};
use modes::{cut_short, fewer_calls, text_lost_beside_calls, texts_differ, thoughts_in_one_mode, types_differ};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "stream_only",
    kind: "stream_only",
    summary: "One mode delivers what the other loses: a bug of the server's streaming (or plain) path.",
    manual: "Looks at calls that only one mode carries (all or the later ones), at pieces of one call under \
             different ids, several calls under one index or under indices that are not their places, at arguments \
             that stop before their closing brace although finish_reason says tool_calls and the budget is not \
             spent, at an error on a line that is no data line, at tokens without a single delta, and at a piece of \
             markup or of the thoughts that one mode loses or moves. Where only a stream was stored, the plain \
             answer is what to compare with.",
    explains: &[
        "finish_reason",
        "bad_args",
        "arguments_misread",
        "server_dropped_output",
        "wrong_tool_parser",
        "model_fault",
        "structured_output_ignored",
        "context_overflow",
    ],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    error_line(signs)
        .or_else(|| arguments::id_in_pieces(signs))
        .or_else(|| index_reused(signs))
        .or_else(|| index_off(signs))
        .or_else(|| repeated_arguments(signs))
        .or_else(|| cut_arguments(signs))
        .or_else(|| lost_arguments(signs))
        .or_else(|| lost_empty_object(signs))
        .or_else(|| pieces::goes_on_behind_answer(signs))
        .or_else(|| from_causes(signs))
        .or_else(|| types_differ(signs))
        .or_else(|| fewer_calls(signs))
        .or_else(|| cut_short(signs))
        .or_else(|| texts_differ(signs))
        .or_else(|| text_lost_beside_calls(signs))
        .or_else(|| thoughts_in_one_mode(signs))
        .or_else(|| pieces::pieces(signs))
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
    let noted = |side: &&Side<'_>| side.completion.deviates("sse_error_line");
    let exchanges = facts
        .faults
        .iter()
        .map(|(exchange, _)| *exchange)
        .chain(facts.sides.iter().filter(noted).map(|side| side.exchange));
    let line =
        exchanges.filter(|exchange| exchange.mode == Mode::Stream).find_map(|exchange| match &exchange.body {
            Body::None => None,
            Body::Plain(raw) => error_in(&raw.0),
            // Each piece begins at the beginning of a line.
            Body::Pieces(pieces) => pieces.iter().find_map(|piece| error_in(&piece.raw.0)),
        })?;
    let also = signs.error.as_ref().map(|error| format!(" It says: {}", error.explained.says)).unwrap_or_default();
    let message = format!(
        "error inside the stream, on a line that is no data line: a client sees an empty message instead.{also}"
    );
    let fixes = signs
        .error
        .as_ref()
        .map(|error| error.explained.fix.iter().flat_map(|fix| advice::fill(fix, signs)).collect::<Vec<_>>());
    Some(
        draft(signs, Confidence::High, message)
            .evidence(facts, "stream", &line)
            .fixes(fixes.unwrap_or_default())
            .fix(advice::upgrade(facts))
            .done(),
    )
}

fn error_in(bytes: &[u8]) -> Option<String> {
    memchr::memmem::find(bytes, b"error:")?;
    let line = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).find(|line| line.starts_with(b"error:"))?;
    Some(String::from_utf8_lossy(line).into_owned())
}

fn index_reused(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = streams(facts).find(|side| side.completion.deviates("tool_index_reused"))?;
    let calls = side.completion.tool_calls.len();
    let message = format!(
        "index reused: {calls} calls were streamed under one index, and clients that merge by index glue them into one"
    );
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
        !calls.iter().any(ToolCall::is_hollow)
            && places.is_some_and(|places| places.iter().any(|(at, index)| at != index))
    };
    let side = streams(facts).find(off).filter(|_| signs.tool.is_none())?;
    let indices: Vec<String> =
        side.completion.tool_calls.iter().filter_map(|call| call.index).map(|index| index.to_string()).collect();
    let blame = if facts.server().gateway.is_some() { Blame::Gateway } else { Blame::ServerBug };
    let message = format!(
        "warning: the streamed calls carry the index {} where their places in \
         the list begin at 0: clients that take it for the place lose them",
        indices.join(", ")
    );
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
    side.completion.tool_calls.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
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
        // A gateway that asks for calls in JSON of its own reads them in plain answers alone (litellm#35711).
        let bare = side.leak().is_some_and(|(found, _)| found.strength == Strength::Weak);
        let gateway = facts.server().gateway.as_deref().filter(|_| bare);
        let blame = if gateway.is_some() { Blame::Gateway } else { Blame::ServerBug };
        let direct = "use the gateway's chat route for this engine (LiteLLM: ollama_chat/ instead of ollama/)";
        return Some(
            Draft::new(&RULE, blame, trouble.confidence, format!("{}{note}", trouble.seen))
                .fixes(gateway.map(|_| direct.to_owned()))
                .families(trouble.family, facts.launch.tool_parser.value())
                .evidence(facts, if side.mode == Mode::Stream { "stream" } else { "content" }, side.completion.text())
                .evidence(facts, "finish_reason", side.finish())
                .fix("use stream: false with this parser (compare both modes)")
                .fix(advice::upgrade(facts))
                .fixes(another_parser(facts, trouble.family))
                .done(),
        );
    }
    split_in_one_mode(signs)
}

/// The parser splits the thoughts off in one mode alone.
fn split_in_one_mode(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.reasoning.as_ref()?;
    let why = match trouble.kind {
        ReasoningKind::StreamStart => {
            "thinking is switched off, and the streaming path starts in the reasoning state all the same"
        }
        ReasoningKind::OneMode if trouble.side.mode == Mode::Stream => {
            "the plain answer carries them apart, with the same parser"
        }
        ReasoningKind::OneMode => "the streamed answer carries them apart, with the same parser",
        _ => return None,
    };
    let gateway = facts.server().gateway.as_deref();
    let between = gateway.map(|gateway| format!("; {gateway} stands between")).unwrap_or_default();
    let message = format!("{}: {why}{between}", trouble.seen);
    let blame = if gateway.is_some() { Blame::Gateway } else { Blame::ServerBug };
    Some(
        Draft::new(&RULE, blame, trouble.confidence, message)
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
