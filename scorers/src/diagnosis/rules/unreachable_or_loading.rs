//! `unreachable_or_loading`: nothing answered: the endpoint is not there, not ready, or a hop before it gave up.

use serde_json::Value;

use crate::completion::{Exchange, Fault, FaultKind, Mode};
use crate::diagnosis::facts::Facts;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "unreachable_or_loading",
    kind: "unreachable_or_loading",
    summary: "Nothing answered: the endpoint is not there, not ready, or a hop before it gave up.",
    manual: "Looks at transport failures, at 502–504 and statuses that no engine sends, at HTML where JSON is due, and \
             at the texts engines and gateways send while they load or have no backend. What was not answered is not \
             scored: it counts neither for nor against the model.",
    explains: &[],
    hides_intent: true,
    check,
};

/// How the words of the transport begin where the answer is no HTTP.
const NO_HTTP: &str = "no HTTP";

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if let Some(mut finding) = signs.error_finding(&RULE) {
        // Of a page the words are kept; that it was one is noted.
        let page = |fault: &Fault| fault.deviations.iter().any(|deviation| deviation.kind == "html_body");
        let html = facts.faults.iter().any(|(_, fault)| page(fault));
        if html {
            finding.message.push_str(", HTML body: a proxy wrote this, not the engine");
        }
        return Some(finding);
    }
    if signs.error.is_some() {
        return None;
    }
    let (exchange, fault) = facts.faults.first()?;
    if fault.kind == FaultKind::Status {
        return Some(unknown_status(facts, fault));
    }
    let foreign = matches!(fault.kind, FaultKind::NoChoice | FaultKind::NotJson).then(|| foreign(exchange)).flatten();
    let (says, fix) = foreign.or_else(|| says_and_fix(fault))?;
    let message = match facts.sides.first() {
        None => format!("{says}: nothing was answered, so it is not scored"),
        Some(side) => {
            let (whole, lost) = if side.mode == Mode::Plain { ("plain", "streamed") } else { ("streamed", "plain") };
            format!("{says}: asked {lost}; the {whole} answer to the same request arrived, and half is not scored")
        }
    };
    Some(
        Draft::new(&RULE, Blame::Endpoint, Confidence::High, message)
            .evidence(facts, "transport", &fault.message)
            .fix(fix)
            .done(),
    )
}

/// What a fault of the transport means, and what to do about it; `None` where it says nothing of the endpoint.
fn says_and_fix(fault: &Fault) -> Option<(&'static str, &'static str)> {
    Some(match fault.kind {
        FaultKind::Unreachable if speaks_no_tls(&fault.message) => {
            ("TLS was asked of what does not speak it", "write http:// in the base URL")
        }
        FaultKind::Unreachable => (
            "nothing listens at this address (while vLLM loads a model, connections are refused)",
            "start the server, or wait until it has loaded the model",
        ),
        FaultKind::Timeout => (
            "no answer arrived in time",
            "look whether the engine is stuck (its log, its GPU); else raise --timeout, or stream the answer",
        ),
        FaultKind::Cut => {
            ("the connection broke before the answer was whole", "read the server's log; raise the proxy's timeouts")
        }
        FaultKind::NotJson if fault.message.starts_with("the body is compressed") => (
            "the answer is compressed, and the request asks for no compression",
            "turn compression off where it is added (the server's middleware, the proxy), or heed Accept-Encoding there",
        ),
        FaultKind::NotJson if fault.message.starts_with(NO_HTTP) => (
            "what listens at this address does not speak HTTP",
            "look at the port: another service listens there; where the endpoint wants TLS, write https:// in the base URL",
        ),
        FaultKind::NotJson => (
            "the answer is not JSON: something else than the engine wrote it",
            "look at what stands at this address; the base URL usually ends in /v1",
        ),
        FaultKind::EmptyBody => ("the answer has no body", "read the server's log"),
        FaultKind::TooLarge if fault.status.is_none() => (
            "the answer's headers are larger than is read",
            "look at what sets headers on the way: a gateway that repeats them, a cookie that grows",
        ),
        FaultKind::TooLarge => (
            "the answer is larger than is read",
            "look for a loop in the answer: a model that does not stop, a proxy that sends something else",
        ),
        FaultKind::NoChoice => ("the answer holds no choice to read", "look at what stands at this address"),
        _ => return None,
    })
}

/// An answer of another API: told by its keys, in one body or in the first line of a stream.
fn foreign(exchange: &Exchange) -> Option<(&'static str, &'static str)> {
    let bytes = exchange.body.bytes();
    let text = std::str::from_utf8(&bytes).ok()?;
    let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
    let mut objects = lines.filter(|line| line.starts_with('{'));
    let whole: Option<Value> = serde_json::from_str(text).ok();
    let answer = whole.or_else(|| serde_json::from_str(objects.next()?).ok())?;
    let is = |key: &str, value: &str| answer.get(key).and_then(Value::as_str) == Some(value);
    if answer.get("done").is_some_and(Value::is_boolean) {
        return Some(("this is an answer of Ollama's own API (/api/chat)", "the base URL ends in /v1"));
    }
    if is("type", "message") || is("type", "message_start") {
        return Some((
            "this is an answer of the Anthropic API (/v1/messages)",
            "ask the OpenAI route (/v1/chat/completions) of this gateway, or have it translate",
        ));
    }
    if is("object", "response") {
        return Some(("this is an answer of the Responses API", "ask /v1/chat/completions, not /v1/responses"));
    }
    ["data", "result", "response", "body"]
        .iter()
        .any(|key| answer.pointer(&format!("/{key}/choices")).is_some())
        .then_some((
            "what stands in front wraps the answer in an object of its own, which no OpenAI client reads",
            "have the gateway hand the answer on as it is, or call the engine directly",
        ))
}

/// A status that no engine sends, as guards against robots do (999), with words that say nothing.
fn unknown_status(facts: &Facts<'_>, fault: &Fault) -> Finding {
    let status = fault.status.unwrap_or_default();
    let what = if (100..600).contains(&status) { "is none that an engine sends" } else { "is no status of HTTP" };
    let message = format!("HTTP {status} {what}: something before the engine wrote it, so nothing is scored");
    Draft::new(&RULE, Blame::Endpoint, Confidence::Medium, message)
        .evidence(facts, "status", &format!("HTTP {status}: {}", fault.message))
        .fix("look at what stands at this address: a proxy, a firewall, a guard against robots")
        .done()
}

/// rustls (0.23) and OpenSSL, handed a plain HTTP answer where a TLS record is due.
fn speaks_no_tls(message: &str) -> bool {
    ["InvalidContentType", "wrong version number", "packet length too long"].iter().any(|words| message.contains(words))
}
