//! The simulated server as one value: [`Simulated`] answers requests, refuses what its engine refuses, and says who it is.

use std::sync::atomic::{AtomicU64, Ordering};

use monban_scorers::catalogue;
use monban_scorers::completion::{Body, Exchange, Piece, Raw, RawJson};
use monban_scorers::request::{Request, ToolChoice};
use monban_scorers::{Mode, dialects::Call};
use serde_json::{Value, json};

use super::asked::{choices, stop_at};
use super::brain::Brain;
use super::deliver::{self, RawText};
use super::fault::FaultKind;
use super::options::Options;
use super::solve::Written;
use super::wire::{self, Delivered, Look};

/// A simulated server ready to answer.
#[derive(Debug)]
pub struct Simulated {
    pub(super) options: Options,
    pub(super) look: Look,
    pub(super) created: u64,
    brain: Brain,
    ids: AtomicU64,
    parsed: AtomicU64,
    called: AtomicU64,
}

/// The body of an answer to a GET.
pub(super) enum Reply {
    Json(Value),
    Text(String),
}

impl Simulated {
    /// A server with these options, and a model that knows what `brain` was taught.
    #[must_use]
    pub fn new(options: Options, brain: Brain) -> Self {
        let fields = catalogue::reasoning_fields(&options.engine, Some(&options.version));
        let look = Look {
            model: options.model.clone(),
            reasoning_field: if fields.first().is_some_and(|field| field == "reasoning") {
                "reasoning"
            } else {
                "reasoning_content"
            },
            reasoning_null: matches!(options.engine.as_str(), "vllm" | "sglang"),
            fingerprint: (options.engine == "vllm").then(|| format!("vllm-{}-harness", options.version)),
        };
        let created = u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default();
        Self {
            look,
            created,
            brain,
            ids: AtomicU64::new(options.seed),
            parsed: AtomicU64::new(0),
            called: AtomicU64::new(0),
            options,
        }
    }

    /// What a client would have got of a request, without a network: the faults of transport left out.
    #[must_use]
    pub fn exchange(&self, asked: &Value) -> Exchange {
        let request = RawJson::of(asked);
        let streamed = asked.get("stream").and_then(Value::as_bool).unwrap_or(false);
        if let Some((message, kind)) = self.refuses(asked, request.get().as_bytes()) {
            let said = json!({ "error": { "message": message, "type": kind, "param": null, "code": 400 } });
            return Exchange::plain(request, 400, said.to_string());
        }
        let delivered = self.reply(asked, request.get().as_bytes(), streamed);
        let id = self.next_id();
        if !streamed {
            return Exchange::plain(request, 200, wire::plain(&delivered, &self.look, &id, self.created).to_string());
        }
        let chunks =
            wire::chunks(&delivered, &self.look, &id, self.created, true).into_iter().map(|chunk| chunk.to_string());
        let lines = chunks.chain(["[DONE]".to_owned()]).enumerate();
        let pieces = lines
            .map(|(at, data)| Piece { at_us: at as u64, raw: Raw(format!("data: {data}\n\n").into_bytes()) })
            .collect();
        Exchange { mode: Mode::Stream, body: Body::Pieces(pieces), ..Exchange::plain(request, 200, Vec::new()) }
    }

    /// Whether a fault hits this request.
    pub(super) fn hit(&self, kind: FaultKind, body: &[u8]) -> bool {
        self.options.faults.iter().any(|fault| fault.kind == kind && fault.hits(body))
    }

    pub(super) fn next_id(&self) -> String {
        format!("chatcmpl-{:016x}", self.ids.fetch_add(1, Ordering::Relaxed))
    }

    /// What the engine refuses with a 400: message and type.
    pub(super) fn refuses(&self, asked: &Value, body: &[u8]) -> Option<(String, &'static str)> {
        let request = Request::read(asked);
        if request.messages().is_empty() {
            return Some(("messages must not be empty".to_owned(), "BadRequestError"));
        }
        if let Err(message) = choices(asked) {
            return Some((message, "BadRequestError"));
        }
        // vLLM reads gpt-oss by itself, without flags.
        if request.tools.is_empty() || self.options.engine != "vllm" || self.options.family == "gptoss_harmony" {
            return None;
        }
        let without = self.options.tool_parser.is_none() || self.hit(FaultKind::AutoRefused, body);
        match &request.tool_choice {
            None | Some(ToolChoice::Auto) if without => Some((
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set".to_owned(),
                "BadRequestError",
            )),
            Some(ToolChoice::Required) if self.options.tool_parser.is_none() => {
                Some(("tool_choice=\"required\" requires --tool-call-parser to be set".to_owned(), "BadRequestError"))
            }
            Some(ToolChoice::Named(name)) if self.options.tool_parser.is_none() => Some((
                format!("tool_choice=function \"{name}\" requires --tool-call-parser to be set"),
                "BadRequestError",
            )),
            _ => None,
        }
    }

    pub(super) fn unknown_model(&self, asked: &Value) -> Option<String> {
        let name = asked.get("model").and_then(Value::as_str).unwrap_or_default();
        (self.options.engine == "vllm" && name != self.options.model)
            .then(|| format!("The model `{name}` does not exist."))
    }

    /// The answer to a chat request.
    pub(super) fn reply(&self, asked: &Value, body: &[u8], streamed: bool) -> Delivered {
        let request = Request::read(asked);
        let mode = if streamed { Mode::Stream } else { Mode::Plain };
        let mut written = self.brain.write(asked);
        self.mislead(&mut written, &request, body);
        let thinking = request.thinking.unwrap_or_else(|| self.options.thinks_unasked());
        let raw = deliver::raw(&written, &self.options, thinking);
        // What the engine refuses was refused before.
        let mut delivered = deliver::deliver(&written, &raw, &self.options, &request, mode).unwrap_or_default();
        self.spoil(&mut delivered, &written, &raw, body, streamed);
        let counter = if delivered.calls.is_empty() { &self.parsed } else { &self.called };
        counter.fetch_add(u64::from(!request.tools.is_empty()), Ordering::Relaxed);
        self.bill(&mut delivered, &raw, &request, &written, body);
        stop_at(&mut delivered, asked);
        delivered.n = choices(asked).unwrap_or(1);
        if asked.get("logprobs").and_then(Value::as_bool) == Some(true) {
            // Probabilities are of the tokens, whatever a parser makes of them.
            let most = usize::try_from(delivered.completion_tokens).unwrap_or(usize::MAX);
            delivered.tokens = Some(super::wire::tokens(&raw.whole).take(most).map(str::to_owned).collect());
        }
        delivered
    }

    /// The faults before the model writes.
    fn mislead(&self, written: &mut Written, request: &Request, body: &[u8]) {
        let prose = "I would look that up for you.".to_owned();
        if self.hit(FaultKind::TemplateIgnoresTools, body) && !request.tools.is_empty() {
            *written = Written { text: prose.clone(), ..Written::default() };
        }
        if self.hit(FaultKind::SchemaIgnored, body) && request.response_format.is_some() {
            written.text = prose;
        }
        // What a grammar forces is right in form, whatever the model is worth.
        if self.hit(FaultKind::WrongAnswer, body) && request.response_format.is_none() {
            written.text = "It is seventeen, I am certain.".to_owned();
            written.calls =
                written.calls.iter().map(|call| Call { arguments: serde_json::Map::new(), ..call.clone() }).collect();
        }
    }

    /// The faults between what the model wrote and what is handed out.
    fn spoil(&self, delivered: &mut Delivered, written: &Written, raw: &RawText, body: &[u8], streamed: bool) {
        let wrote_calls = !written.calls.is_empty();
        if wrote_calls && self.hit(FaultKind::Leak, body) {
            (delivered.content, delivered.calls, delivered.finish) =
                (Some(raw.answer.clone()), Vec::new(), "stop".into());
        }
        let lost = self.hit(FaultKind::Swallow, body) || (streamed && self.hit(FaultKind::StreamDropsCalls, body));
        if wrote_calls && lost {
            (delivered.content, delivered.calls, delivered.finish) = (None, Vec::new(), "stop".into());
        }
        if self.hit(FaultKind::AllInReasoning, body) {
            delivered.reasoning = Some(raw.whole.clone());
            (delivered.content, delivered.calls, delivered.finish) = (None, Vec::new(), "stop".into());
        }
        for call in &mut delivered.calls {
            let text = call.arguments.as_str().unwrap_or_default().to_owned();
            if self.hit(FaultKind::DoubleEncoded, body) {
                call.arguments = Value::String(Value::String(text).to_string());
            } else if self.hit(FaultKind::ArgumentsObject, body) {
                call.arguments = serde_json::from_str(&text).unwrap_or_default();
            }
        }
        if !delivered.calls.is_empty() && self.hit(FaultKind::FinishReasonStop, body) {
            delivered.finish = "stop".into();
        }
    }

    /// Counts tokens and cuts at the budget.
    fn bill(&self, delivered: &mut Delivered, raw: &RawText, request: &Request, written: &Written, body: &[u8]) {
        let messages: u64 = request.messages().iter().map(|message| deliver::count(&message.to_string())).sum();
        let tools = if self.hit(FaultKind::TemplateIgnoresTools, body) {
            0
        } else {
            request.tools.iter().map(|tool| 12 + deliver::count(&tool.parameters.to_string())).sum()
        };
        delivered.prompt_tokens = messages + tools;
        delivered.completion_tokens = deliver::count(&raw.whole).max(1);
        let budget = request.max_tokens.unwrap_or(self.options.max_model_len);
        if self.hit(FaultKind::ThinkForever, body) {
            delivered.reasoning = Some("Let me think about that again. ".repeat(8));
            (delivered.content, delivered.calls, delivered.finish) = (None, Vec::new(), "length".into());
            delivered.completion_tokens = budget;
        } else if written.endless || delivered.completion_tokens > budget {
            let keep = usize::try_from(budget).unwrap_or(usize::MAX);
            let pieces: Vec<&str> = wire::tokens(&raw.answer).collect();
            let kept: String = pieces.into_iter().cycle().take(keep.min(4096)).collect();
            (delivered.content, delivered.calls, delivered.finish) = (Some(kept), Vec::new(), "length".into());
            delivered.completion_tokens = budget;
        }
    }

    /// What the engine says of itself.
    pub(super) fn identity(&self, path: &str) -> Option<Reply> {
        let options = &self.options;
        let (vllm, sglang, llama) =
            (options.engine == "vllm", options.engine == "sglang", options.engine == "llama_cpp");
        Some(match path {
            "/v1/models" => Reply::Json(self.models()),
            "/health" if llama => Reply::Json(json!({ "status": "ok" })),
            "/health" => Reply::Text(String::new()),
            "/version" if vllm || options.engine == "tensorrt_llm" => {
                Reply::Json(json!({ "version": options.version }))
            }
            "/metrics" if vllm => Reply::Text(self.metrics()),
            "/model_info" | "/get_model_info" if sglang => Reply::Json(json!({
                "model_path": options.model, "served_model_name": options.model, "is_generation": true,
                "tool_call_parser": options.tool_parser, "reasoning_parser": options.reasoning_parser,
            })),
            "/server_info" | "/get_server_info" if sglang => Reply::Json(json!({
                "version": options.version, "model_path": options.model, "served_model_name": options.model,
                "tool_call_parser": options.tool_parser, "reasoning_parser": options.reasoning_parser,
                "context_length": options.max_model_len,
            })),
            "/props" if llama => Reply::Json(json!({
                "default_generation_settings": { "n_ctx": options.max_model_len }, "total_slots": 1,
                "model_path": options.model, "build_info": options.version,
            })),
            _ => return None,
        })
    }

    /// Of vLLM's metrics, those that are of use: the parser's counter is there only where a parser is.
    fn metrics(&self) -> String {
        let mut text = "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 0.0\n".to_owned();
        let counters = [("no_tool_call", &self.parsed), ("tool_call", &self.called)];
        for (outcome, count) in counters.into_iter().filter(|_| self.options.tool_parser.is_some()) {
            text.push_str(&format!(
                "vllm:tool_call_parser_invocations_total{{mode=\"auto\",outcome=\"{outcome}\",request_type=\"chat\"}} \
                 {}.0\n",
                count.load(Ordering::Relaxed)
            ));
        }
        text
    }

    fn models(&self) -> Value {
        let owner = match self.options.engine.as_str() {
            "vllm" => "vllm",
            "sglang" => "sglang",
            "llama_cpp" => "llamacpp",
            "atlas" => "avarok-spark",
            "tensorrt_llm" => "tensorrt_llm",
            _ => "monban-harness",
        };
        json!({ "object": "list", "data": [{
            "id": self.options.model, "object": "model", "created": self.created, "owned_by": owner,
            "root": self.options.model, "max_model_len": self.options.max_model_len,
        }] })
    }
}
