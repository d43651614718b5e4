//! `parameter_ignored`: the server answers as if one of the request's parameters were not there.

use serde_json::Value;

use crate::completion::Mode;
use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "parameter_ignored",
    kind: "other",
    summary: "The server answers as if one of the request's parameters were not there.",
    manual: "Looks at what can be told from an answer: fewer choices than n, no logprobs although they were asked \
             for, a stop sequence that stands in the text, a budget that was passed, a stream without the usage it \
             was to carry, a stream where none was asked (or the other way round), thoughts although thinking was \
             switched off, and fields of the body that only a client library knows (extra_body). A remark, not a \
             verdict: the answer is scored as it arrived.",
    explains: &[],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| side.completion.stream_error.is_none())?;
    thoughts(signs)
        .or_else(|| plain(facts, side))
        .or_else(|| stop(facts, side))
        .or_else(|| budget(facts, side))
        .or_else(|| usage(facts))
        .or_else(|| framing(facts))
        .or_else(|| wrapped(facts, side))
}

/// Arguments of the OpenAI client for Python, sent as if they were fields: it unpacks them, and no engine does
/// (vllm#37397).
const CLIENT_ONLY: &[&str] = &["extra_body", "extra_headers", "extra_query"];

fn wrapped(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let request = facts.view.request;
    let (name, inner) = CLIENT_ONLY.iter().find_map(|name| Some((*name, request.field(name)?.as_object()?)))?;
    let keys: Vec<&str> = inner.keys().map(String::as_str).take(3).collect();
    // LiteLLM unpacks it on the way.
    if keys.is_empty() || facts.server().gateway.is_some() {
        return None;
    }
    let message = format!(
        "the request holds {name}, which is the client library's word and no field: what stands in it ({}) is ignored",
        keys.join(", ")
    );
    let mut finding = draft(facts, message, "request", name)
        .evidence(facts, "content", side.completion.text())
        .fix(format!("put what stands in {name} at the top of the body: {}", keys.join(", ")))
        .done();
    finding.blame = Blame::Request;
    Some(finding)
}

fn draft(facts: &Facts<'_>, message: String, place: &str, seen: &str) -> Draft {
    Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
        .severity(Severity::Warning)
        .evidence(facts, place, seen)
        .ruled_out("the model: it does not see this parameter")
}

/// `n` and `logprobs`: told from the plain body.
fn plain(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let request = facts.view.request;
    let n = request.field("n").and_then(Value::as_u64).filter(|n| *n > 1);
    let logprobs = request.field("logprobs").and_then(Value::as_bool) == Some(true);
    if side.mode != Mode::Plain || n.is_none() && !logprobs {
        return None;
    }
    if let Some(n) = n.filter(|n| (side.completion.choices as u64) < *n) {
        let message = format!("n is {n}, and {} choice(s) came: the server ignores n", side.completion.choices);
        return Some(
            draft(facts, message, "choices", side.completion.text())
                .fix(format!("send the request {n} times"))
                .fix(advice::upgrade(facts))
                .done(),
        );
    }
    let answer: Value =
        serde_json::from_slice(&side.exchange.body.bytes()).ok().filter(|_| logprobs && !side.is_silent())?;
    let given = answer.pointer("/choices/0/logprobs").unwrap_or(&Value::Null);
    let holds = |key: &str| given.get(key).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    if holds("content")
        || holds("tokens")
        || holds("token_logprobs")
        || holds("refusal")
        || !side.completion.tool_calls.is_empty()
    {
        return None;
    }
    let null = request.field("top_logprobs").is_some_and(Value::is_null);
    let fix = if null {
        "leave top_logprobs out instead of sending null, or name a number"
    } else {
        "name top_logprobs as well; compare with /v1/completions"
    };
    let message = "logprobs were asked for, and none came: the server ignores the parameter".to_owned();
    Some(draft(facts, message, "logprobs", &given.to_string()).fix(fix).fix(advice::upgrade(facts)).done())
}

/// A stop sequence of the request stands in the text, and generation went on.
fn stop(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let request = facts.view.request;
    let kept = request.field("include_stop_str_in_output").and_then(Value::as_bool) == Some(true);
    let stops: Vec<&str> = match request.field("stop") {
        Some(Value::String(text)) => vec![text.as_str()],
        Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let text = side.completion.text();
    let passed = |stop: &&str| text.find(stop).is_some_and(|at| !text[at + stop.len()..].trim().is_empty());
    let found = stops.into_iter().filter(|stop| !stop.trim().is_empty() && !kept).find(passed)?;
    let message = format!("the text runs on past the stop sequence {found:?}: the server ignores stop");
    Some(draft(facts, message, "content", text).fix("cut the text at the client").fix(advice::upgrade(facts)).done())
}

/// More tokens than asked for. Servers count a template token or two differently.
fn budget(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let (max, tokens) = (facts.view.request.max_tokens.filter(|max| *max > 0)?, side.billed()?);
    if tokens <= max + max / 10 + 8 || side.completion.is_truncated() {
        return None;
    }
    let message = format!(
        "{tokens} tokens came, and max_tokens is {max}: the server ignores the budget, or counts without the thoughts"
    );
    Some(
        draft(facts, message, "usage", &format!("completion_tokens {tokens}"))
            .fix("send both max_tokens and max_completion_tokens")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// A stream where one body was asked, or the other way round: most clients cannot read it.
fn framing(facts: &Facts<'_>) -> Option<Finding> {
    let noted = |side: &Side<'_>, kind: &str| side.completion.deviates(kind);
    let (side, said) = facts.sides.iter().find_map(|side| {
        let streamed = noted(side, "stream_instead_of_json").then_some("a stream came although none was asked");
        let whole = || noted(side, "json_instead_of_stream").then_some("a stream was asked, and one JSON body came");
        Some((side, streamed.or_else(whole)?))
    })?;
    let gateway = facts.server().gateway.as_deref();
    let between = gateway.map(|gateway| format!("; {gateway} stands between")).unwrap_or_default();
    let message = format!(
        "{said}: the server or a gateway ignores `stream`, and most clients cannot read \
                           this{between}"
    );
    let blame = if gateway.is_some() { Blame::Gateway } else { Blame::ServerBug };
    let mut finding = draft(facts, message, "content", side.completion.text())
        .fix("compare with a direct call to the engine; look for what sets stream on the way")
        .fix(advice::upgrade(facts))
        .done();
    finding.blame = blame;
    Some(finding)
}

fn usage(facts: &Facts<'_>) -> Option<Finding> {
    let side = facts.sides.iter().find(|side| side.mode == Mode::Stream && side.completion.usage.is_none())?;
    let options = facts.view.request.field("stream_options");
    let asked = options.and_then(|options| options.get("include_usage")).and_then(Value::as_bool);
    if asked != Some(true) {
        return None;
    }
    let message =
        "stream_options.include_usage is true, and the stream carries no usage: the server or a gateway ignores it"
            .to_owned();
    Some(
        draft(facts, message, "stream", side.finish())
            .fix("compare with a direct call to the engine")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// Models without a switch: they think whatever the request says. Source: their chat templates and model cards.
const ALWAYS_THINK: &[&str] = &["deepseekr1", "qwq", "thinking", "magistral", "minimaxm2"];

fn always_thinks(id: &str) -> bool {
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase()).collect();
    ALWAYS_THINK.iter().any(|name| id.contains(name))
}

/// Thoughts and an answer, although the request switches thinking off.
fn thoughts(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| side.has_reasoning() && !side.is_silent())?;
    let said = facts.thinking_switched_off()?;
    if signs.reasoning.is_some()
        || [&facts.model().id, &facts.view.request.model].into_iter().any(|id| always_thinks(id))
    {
        return None;
    }
    let elsewhere = !said.starts_with("chat_template_kwargs")
        && ["vllm", "sglang", "llama_cpp"].iter().any(|engine| facts.server().is(engine));
    let (blame, fix) = match elsewhere {
        true => (
            Blame::Request,
            "send chat_template_kwargs {\"enable_thinking\": false}: this engine hands only those to the template",
        ),
        false => (
            Blame::ServerConfig,
            "use the switch this model's template knows (enable_thinking, \
             thinking, reasoning_effort), or a server that hands it on",
        ),
    };
    let message = format!(
        "thinking was switched off ({said}), and the model thought \
         all the same: the switch does not reach its template"
    );
    let draft = Draft::new(&RULE, blame, Confidence::Medium, message).severity(Severity::Warning);
    Some(
        draft
            .evidence(facts, "reasoning", side.completion.reasoning())
            .fix(fix)
            .fix("compare the prompts (llama.cpp /apply-template, vLLM /tokenize)")
            .done(),
    )
}
