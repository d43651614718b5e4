//! Reads what an endpoint says of itself. Pure: the answers come from anywhere.
//!
//! Order of trust (symptoms of vLLM 0.33, SGLang 0.5.23, llama.cpp 0c1e57098, LiteLLM 1.110.2): gateway headers,
//! `owned_by`, the endpoints that only one engine has, `system_fingerprint`.

use std::collections::BTreeMap;

use monban_scorers::Exchange;
use monban_scorers::catalogue;
use monban_scorers::diagnosis::Confidence::{self, High, Medium};
use serde_json::Value;

use super::facts::Identity;

/// What was asked (by path) and answered.
pub type Answers = BTreeMap<String, Exchange>;

/// Reads the answers to [`identify`](super::identify)'s questions.
#[must_use]
pub fn read(answers: &Answers) -> Identity {
    let mut identity = Identity { asked: answers.len(), ..Identity::default() };
    reachable(answers, &mut identity);
    gateway(answers, &mut identity);
    models(answers, &mut identity);
    metrics(answers, &mut identity);
    vllm(answers, &mut identity);
    sglang(answers, &mut identity);
    llama_cpp(answers, &mut identity);
    settle(&mut identity);
    identity
}

fn json(answers: &Answers, path: &str) -> Option<Value> {
    let exchange = answers.get(path).filter(|exchange| exchange.status.is_some_and(|status| status < 300))?;
    serde_json::from_slice(&exchange.body.bytes()).ok()
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn reachable(answers: &Answers, identity: &mut Identity) {
    identity.reached = answers.values().any(|exchange| exchange.status.is_some());
    if !identity.reached {
        identity.unreached =
            answers.values().find_map(|exchange| exchange.error.as_ref()).map(|error| error.message.clone());
    }
    if let Some(exchange) = answers.get("/v1/models").filter(|exchange| matches!(exchange.status, Some(401 | 403))) {
        identity.book(
            "refused",
            exchange.status.map(|status| status.to_string()).unwrap_or_default(),
            "GET /v1/models",
            High,
        );
    }
    if answers.get("/health").is_some_and(|exchange| exchange.status == Some(503)) {
        identity.book("loading", "503", "GET /health", Medium);
    }
}

fn gateway(answers: &Answers, identity: &mut Identity) {
    answers.values().for_each(|exchange| gateway_headers(exchange, identity));
    if answers.get("/v1/models").is_some_and(is_litellm) && identity.fact("gateway").is_none() {
        identity.book("gateway", "litellm", "GET /v1/models", Medium);
    }
}

/// LiteLLM lists every model as made at one moment: `DEFAULT_MODEL_CREATED_AT_TIME` (LiteLLM 1.108.7).
const LITELLM_CREATED: u64 = 1_677_610_602;

/// The list of models is LiteLLM's.
pub(super) fn is_litellm(models: &Exchange) -> bool {
    let list = serde_json::from_slice::<Value>(&models.body.bytes()).unwrap_or_default();
    let listed = list.get("data").and_then(Value::as_array).filter(|listed| !listed.is_empty());
    let at_once = |model: &Value| model.get("created").and_then(Value::as_u64) == Some(LITELLM_CREATED);
    models.header("x-litellm-version").is_some() || listed.is_some_and(|listed| listed.iter().all(at_once))
}

/// LiteLLM names itself, its version and the backend in headers of every answer; the embedded harness names itself too.
pub(super) fn gateway_headers(exchange: &Exchange, identity: &mut Identity) {
    if let Some(server) = exchange.header("server") {
        let confidence = if server == "monban-harness" { High } else { Medium };
        identity.book("server", server, "header server", confidence);
    }
    if let Some(version) = exchange.header("x-litellm-version") {
        identity.book("gateway", "litellm", "header x-litellm-version", High);
        identity.book("gateway_version", version, "header x-litellm-version", High);
    }
    if let Some(base) = exchange.header("x-litellm-model-api-base") {
        identity.book("backend", base, "header x-litellm-model-api-base", High);
    }
}

/// The names of metrics are those of one engine.
fn metrics(answers: &Answers, identity: &mut Identity) {
    let good = answers.get("/metrics").filter(|exchange| exchange.status == Some(200));
    let Some(text) = good.map(|exchange| String::from_utf8_lossy(&exchange.body.bytes()).into_owned()) else { return };
    if let Some(engine) = super::metrics::engine(&text).filter(|_| identity.fact("engine").is_none()) {
        identity.book("engine", engine, "GET /metrics", High);
    }
}

fn models(answers: &Answers, identity: &mut Identity) {
    let Some(list) = json(answers, "/v1/models") else { return };
    let source = "GET /v1/models";
    for model in list.get("data").and_then(Value::as_array).into_iter().flatten().take(200) {
        if let Some(id) = text(model, "/id") {
            identity.served.push(id.chars().take(300).collect());
        }
        if let Some(owner) = text(model, "/owned_by") {
            match owner {
                "avarok-spark" => identity.book("engine", "atlas", source, High),
                "tensorrt_llm" => identity.book("engine", "tensorrt_llm", source, High),
                "vllm" | "sglang" | "llamacpp" => {
                    identity.book("engine", catalogue::engine_id(owner).unwrap_or(owner), source, High)
                }
                _ => {}
            }
        }
        if let (Some(id), Some(root)) = (text(model, "/id"), text(model, "/root")) {
            let bounded = |text: &str| text.chars().take(300).collect();
            identity.roots.push((bounded(id), bounded(root)));
        }
        if let Some(length) =
            model.get("max_model_len").or_else(|| model.pointer("/meta/n_ctx")).and_then(Value::as_u64)
        {
            identity.book("max_model_len", length.to_string(), source, High);
            identity.max_model_len.get_or_insert(length);
        }
    }
}

/// `/version` is vLLM's and TensorRT-LLM's; `system_fingerprint` is read from answers by the diagnosis.
fn vllm(answers: &Answers, identity: &mut Identity) {
    let Some(version) = json(answers, "/version").and_then(|body| text(&body, "/version").map(str::to_owned)) else {
        return;
    };
    if identity.fact("engine").is_none_or(|engine| engine == "vllm") {
        let confidence = if identity.fact("engine").is_some() { High } else { Confidence::Low };
        identity.book("engine", "vllm", "GET /version", confidence);
    }
    identity.book("engine_version", version, "GET /version", High);
}

/// SGLang names its parsers.
fn sglang(answers: &Answers, identity: &mut Identity) {
    for path in ["/model_info", "/get_model_info", "/server_info", "/get_server_info"] {
        let Some(body) = json(answers, path) else { continue };
        let source = format!("GET {path}");
        let keys = ["tool_call_parser", "reasoning_parser"];
        if keys.iter().all(|key| body.get(key).is_none()) && body.get("is_generation").is_none() {
            continue;
        }
        identity.book("engine", "sglang", &source, High);
        for (key, fact) in keys.iter().zip(["tool_parser", "reasoning_parser"]) {
            match body.get(key) {
                Some(Value::Null) => identity.book(fact, "none", &source, High),
                Some(Value::String(name)) => identity.book(fact, name.as_str(), &source, High),
                _ => {}
            }
        }
        for (pointer, fact) in [("/model_path", "model"), ("/version", "engine_version")] {
            if let Some(value) = text(&body, pointer) {
                identity.book(fact, value, &source, High);
            }
        }
        if let Some(length) = body.get("context_length").and_then(Value::as_u64) {
            identity.max_model_len.get_or_insert(length);
        }
    }
}

/// llama.cpp shows its template and the context of a slot.
fn llama_cpp(answers: &Answers, identity: &mut Identity) {
    let Some(body) = json(answers, "/props") else { return };
    if body.get("default_generation_settings").is_none() && body.get("chat_template").is_none() {
        return;
    }
    let source = "GET /props";
    identity.book("engine", "llama_cpp", source, High);
    for (pointer, fact) in [("/build_info", "engine_version"), ("/model_path", "model")] {
        if let Some(value) = text(&body, pointer) {
            let value = if fact == "model" { value.rsplit(['/', '\\']).next().unwrap_or(value) } else { value };
            identity.book(fact, value, source, High);
        }
    }
    let length = body.pointer("/default_generation_settings/n_ctx").and_then(Value::as_u64);
    if let Some(length) = length {
        identity.book("max_model_len", length.to_string(), source, High);
        identity.max_model_len = Some(length);
    }
    if let Some(template) = text(&body, "/chat_template") {
        identity.book("chat_template", format!("{} characters", template.chars().count()), source, High);
        if let Some(family) = catalogue::family_of_template(template) {
            identity.book("template_family", family, source, High);
        }
        identity.book("template_tools", if template.contains("tools") { "yes" } else { "no" }, source, Medium);
        identity.chat_template = Some(template.to_owned());
    }
}

/// The facts as the diagnosis wants them.
pub(super) fn settle(identity: &mut Identity) {
    let value = |identity: &Identity, name: &str| identity.fact(name).map(str::to_owned);
    let parser = |identity: &Identity, name: &str| {
        identity.fact(name).map(|parser| if parser == "none" { String::new() } else { parser.to_owned() })
    };
    identity.context.engine = value(identity, "engine");
    identity.context.engine_version = value(identity, "engine_version");
    let only = if let [only] = identity.served.as_slice() { Some(only) } else { None };
    let wanted = identity.wanted.clone().or_else(|| only.cloned());
    let root = |name: &String| identity.roots.iter().find(|(id, _)| id == name).map(|(_, root)| root.clone());
    let root = wanted.as_ref().and_then(root).or_else(|| only.and_then(root));
    if let Some(root) = root.filter(|_| identity.fact("model").is_none()) {
        identity.book("model", root, "GET /v1/models", High);
    }
    identity.context.model = value(identity, "model").or(wanted).or_else(|| identity.served.first().cloned());
    identity.context.tool_parser = parser(identity, "tool_parser");
    identity.context.reasoning_parser = parser(identity, "reasoning_parser");
    identity.context.route = value(identity, "gateway").map(|gateway| format!("gateway:{gateway}"));
}

#[cfg(test)]
mod tests {
    use monban_scorers::RawJson;
    use serde_json::json;

    use super::*;

    fn answers(said: &[(&str, Value)]) -> Answers {
        said.iter()
            .map(|(path, body)| ((*path).to_owned(), Exchange::plain(RawJson::of(&Value::Null), 200, body.to_string())))
            .collect()
    }

    #[test]
    fn of_several_models_the_one_that_is_asked_for_counts() {
        let card = |id: &str, root: &str| json!({"id": id, "root": root, "owned_by": "vllm"});
        let list = json!({"data": [card("a", "org/Qwen3-8B"), card("b", "org/Llama-3.1-8B")]});
        let identity = read(&answers(&[("/v1/models", list)]));
        assert_eq!(identity.context.model.as_deref(), Some("a"));
        assert_eq!(identity.clone().of_model("b").context.model.as_deref(), Some("org/Llama-3.1-8B"));
        assert_eq!(identity.of_model("c").context.model.as_deref(), Some("c"));
        let one = read(&answers(&[("/v1/models", json!({"data": [card("a", "org/Qwen3-8B")]}))]));
        assert_eq!(one.fact("model"), Some("org/Qwen3-8B"));
        assert_eq!(one.of_model("alias").context.model.as_deref(), Some("org/Qwen3-8B"));
    }

    #[test]
    fn litellm_is_known_by_its_list_of_models() {
        let list = |created: [u64; 2]| {
            let card = |created: u64| json!({"id": "m", "created": created, "owned_by": "openai"});
            json!({"data": created.map(card)})
        };
        let route = |created| read(&answers(&[("/v1/models", list(created))])).context.route;
        assert_eq!(route([LITELLM_CREATED; 2]).as_deref(), Some("gateway:litellm"));
        // OpenAI's own list holds one such model.
        assert_eq!(route([LITELLM_CREATED, 1_706_048_358]), None);
    }

    #[test]
    fn vllm_says_its_version_and_owner() {
        let identity = read(&answers(&[
            (
                "/v1/models",
                json!({ "data": [{ "id": "m", "owned_by": "vllm", "root": "Qwen/Qwen3-8B", "max_model_len": 4096 }] }),
            ),
            ("/version", json!({ "version": "0.33.0" })),
        ]));
        assert_eq!(identity.context.engine.as_deref(), Some("vllm"));
        assert_eq!(identity.context.engine_version.as_deref(), Some("0.33.0"));
        assert_eq!(identity.context.model.as_deref(), Some("Qwen/Qwen3-8B"));
        assert_eq!((identity.max_model_len, identity.served.len(), identity.reached), (Some(4096), 1, true));
    }

    #[test]
    fn sglang_names_its_parsers() {
        let info = json!({ "model_path": "zai-org/GLM-4.7", "is_generation": true, "tool_call_parser": "glm47", "reasoning_parser": null });
        let identity = read(&answers(&[("/model_info", info)]));
        assert_eq!(identity.context.engine.as_deref(), Some("sglang"));
        assert_eq!(identity.context.tool_parser.as_deref(), Some("glm47"));
        assert_eq!(identity.context.reasoning_parser.as_deref(), Some(""));
    }

    #[test]
    fn llama_cpp_shows_its_template() {
        let props = json!({ "default_generation_settings": { "n_ctx": 2048 }, "model_path": "/m/SmolLM2.gguf", "chat_template": "{{ messages }}" });
        let identity = read(&answers(&[("/props", props)]));
        assert_eq!(identity.context.engine.as_deref(), Some("llama_cpp"));
        assert_eq!(identity.context.model.as_deref(), Some("SmolLM2.gguf"));
        assert_eq!(identity.fact("template_tools"), Some("no"));
    }

    #[test]
    fn a_gateway_names_itself_in_headers() {
        let mut said = answers(&[("/v1/models", json!({ "data": [] }))]);
        let exchange = said.get_mut("/v1/models").unwrap();
        exchange.headers.push(("x-litellm-version".into(), "1.110.2".into()));
        assert_eq!(read(&said).context.route.as_deref(), Some("gateway:litellm"));
    }

    #[test]
    fn silence_is_no_engine() {
        let identity = read(&Answers::new());
        assert!(!identity.reached && identity.context.engine.is_none());
    }
}
