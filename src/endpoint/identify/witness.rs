//! What answers to real requests give away: headers of a gateway, `system_fingerprint`, fields and words that one
//! engine has.
//!
//! Sources: vLLM 0.33 (`vllm-<version>-<hash>` as fingerprint), SGLang 0.5.23 (`matched_stop`), llama.cpp 0c1e57098
//! (`timings`, `b<build>-<hash>`), LiteLLM 1.110.2 (headers; error messages begin `litellm.`).

use monban_scorers::diagnosis::Confidence::{High, Medium};
use monban_scorers::{Body, Exchange};
use serde_json::Value;

use super::facts::Identity;
use super::reading::{gateway_headers, settle};

/// Adds to an identity what these answers give away.
pub fn witness<'a>(identity: &mut Identity, exchanges: impl Iterator<Item = &'a Exchange>) {
    for exchange in exchanges {
        gateway_headers(exchange, identity);
        let Some(body) = first_object(exchange) else { continue };
        fingerprint(&body, identity);
        fields(&body, identity);
        error_words(&body, identity);
    }
    settle(identity);
}

/// The body, or the first event of a stream.
fn first_object(exchange: &Exchange) -> Option<Value> {
    match &exchange.body {
        Body::None => None,
        Body::Plain(raw) => serde_json::from_slice(&raw.0).ok(),
        Body::Pieces(pieces) => {
            let text = String::from_utf8_lossy(&pieces.first()?.raw.0).into_owned();
            serde_json::from_str(text.lines().find_map(|line| line.strip_prefix("data:"))?.trim()).ok()
        }
    }
}

fn fingerprint(body: &Value, identity: &mut Identity) {
    let Some(print) = body.get("system_fingerprint").and_then(Value::as_str) else { return };
    let source = "system_fingerprint";
    if let Some(rest) = print.strip_prefix("vllm-") {
        engine(identity, "vllm", source);
        let version = rest.split('-').next().unwrap_or_default();
        if identity.fact("engine_version").is_none() && version.starts_with(|first: char| first.is_ascii_digit()) {
            identity.book("engine_version", version, source, High);
        }
    } else if is_build(print) {
        engine(identity, "llama_cpp", source);
    }
}

/// `b6123-0c1e5709`, as llama.cpp numbers its builds.
fn is_build(print: &str) -> bool {
    let number = print.strip_prefix('b').and_then(|rest| rest.split_once('-')).map(|(number, _)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn fields(body: &Value, identity: &mut Identity) {
    let choice = body.pointer("/choices/0");
    if choice.is_some_and(|choice| choice.get("matched_stop").is_some()) {
        engine(identity, "sglang", "field matched_stop");
    }
    if body.pointer("/timings/predicted_per_second").is_some() {
        engine(identity, "llama_cpp", "field timings");
    }
    if choice.is_some_and(|choice| choice.get("stop_reason").is_some() && choice.get("token_ids").is_some()) {
        engine(identity, "vllm", "fields stop_reason and token_ids");
    }
}

fn error_words(body: &Value, identity: &mut Identity) {
    let message = body.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
    if message.starts_with("litellm.") && identity.fact("gateway").is_none() {
        identity.book("gateway", "litellm", "error wording", Medium);
    }
    // LiteLLM names the provider it was set up for: hosted_vllm is what its manual tells vLLM users to write.
    if message.contains("Hosted_vllmException") {
        engine(identity, "vllm", "error wording");
    }
}

/// Books the engine where nothing surer is known; what a gateway passes on is the engine behind it.
fn engine(identity: &mut Identity, name: &str, source: &str) {
    if identity.fact("engine").is_none() {
        identity.book("engine", name, source, Medium);
    }
}

#[cfg(test)]
mod tests {
    use monban_scorers::RawJson;
    use serde_json::json;

    use super::*;

    fn seen(body: &Value) -> Identity {
        let mut identity = Identity::default();
        let exchange = Exchange::plain(RawJson::of(&Value::Null), 200, body.to_string());
        witness(&mut identity, std::iter::once(&exchange));
        identity
    }

    #[test]
    fn answers_give_their_engine_away() {
        let vllm = seen(&json!({ "system_fingerprint": "vllm-0.32.0-bd50f2d5" }));
        assert_eq!(vllm.context.engine.as_deref(), Some("vllm"));
        assert_eq!(vllm.context.engine_version.as_deref(), Some("0.32.0"));
        assert_eq!(seen(&json!({ "choices": [{ "matched_stop": null }] })).context.engine.as_deref(), Some("sglang"));
        assert_eq!(seen(&json!({ "system_fingerprint": "b0-unknown" })).context.engine.as_deref(), Some("llama_cpp"));
        assert_eq!(seen(&json!({ "system_fingerprint": "fp_44709d6fcb" })).context.engine, None);
        let error = json!({ "error": { "message": "litellm.BadRequestError: Hosted_vllmException - x" } });
        let behind = seen(&error);
        assert_eq!((behind.fact("gateway"), behind.fact("engine")), (Some("litellm"), Some("vllm")));
    }
}
