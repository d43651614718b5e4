//! What every cell is asked: [`Asked`], a few small tasks with their right answers, each sent plain and streamed.

use std::collections::HashMap;

use monban::endpoint::harness::{Brain, Simulated};
use monban_scorers::diagnosis::{Context, Finding};
use monban_scorers::judge::{Attempt, judge};
use monban_scorers::{Exchange, Expectation, Outcome, Registry, Request, Verdict};
use serde_json::{Map, Value, json};

/// A task: what is sent (without `model` and `stream`) and what must hold.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Its id.
    pub(crate) id: &'static str,
    /// How many calls it wants.
    pub(crate) calls: usize,
    request: Map<String, Value>,
    tables: Vec<Value>,
    expectations: Vec<Expectation>,
}

/// What was said of a task.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// The task's id.
    pub(crate) task: &'static str,
    /// How many calls it wanted.
    pub(crate) calls: usize,
    /// The attempt's outcome.
    pub(crate) outcome: Outcome,
    /// Every expectation holds on what the model wrote.
    pub(crate) intent: bool,
    /// The findings, the most telling first.
    pub(crate) findings: Vec<Finding>,
}

fn asked(id: &'static str, calls: usize, prompt: &str, tools: Value, tables: Vec<Value>) -> Asked {
    let mut body =
        json!({ "messages": [{ "role": "user", "content": prompt }], "temperature": 0.0, "max_tokens": 512 });
    if tools.as_array().is_some_and(|tools| !tools.is_empty()) {
        body["tools"] = tools;
    }
    let registry = Registry::builtin();
    let expectations =
        tables.iter().filter_map(|table| Expectation::parse(table.as_object()?, &registry).ok()).collect();
    let request = body.as_object().cloned().unwrap_or_default();
    Asked { id, calls, request, tables, expectations }
}

/// One call, two calls, a call without arguments, and an answer that needs no tool.
pub(crate) fn tool_tasks() -> Vec<Asked> {
    let weather = json!({ "type": "function", "function": { "name": "get_weather", "description": "Current weather for a city",
        "parameters": { "type": "object", "properties": { "city": { "type": "string" },
            "unit": { "type": "string", "enum": ["celsius", "fahrenheit"] } }, "required": ["city"] } } });
    let clock = json!({ "type": "function", "function": { "name": "server_time", "description": "The server's time",
        "parameters": { "type": "object", "properties": {} } } });
    let tools = json!([weather, clock]);
    let call = |city: &str, unit: &str| json!({ "name": "get_weather", "arguments": { "city": city, "unit": unit } });
    let one =
        json!({ "scorer": "tool_call", "name": "get_weather", "arguments": { "city": "Tokyo", "unit": "celsius" } });
    let two = json!({ "scorer": "tool_call", "calls": [call("Paris", "celsius"), call("Boston", "fahrenheit")] });
    vec![
        asked("single", 1, "What is the weather in Tokyo, in celsius? Use the tool.", tools.clone(), vec![one]),
        asked(
            "parallel",
            2,
            "What is the weather in Paris in celsius, and in Boston in fahrenheit?",
            tools.clone(),
            vec![two],
        ),
        asked(
            "zero_arguments",
            1,
            "What time is it on the server?",
            tools.clone(),
            vec![json!({ "scorer": "tool_call", "name": "server_time", "arguments": {} })],
        ),
        asked(
            "abstain",
            0,
            "What is the capital of France? No tool is needed.",
            tools,
            vec![json!({ "scorer": "contains", "text": "Paris" }), json!({ "scorer": "tool_call", "none": true })],
        ),
    ]
}

/// An answer after thinking, and a call after thinking.
pub(crate) fn reasoning_tasks(thinking: Option<bool>, thinks: bool) -> Vec<Asked> {
    let mut tasks = tool_tasks();
    tasks.retain(|task| task.id == "single");
    let split = json!({ "scorer": "reasoning_split", "required": thinks });
    let answer = vec![json!({ "scorer": "contains", "text": "Paris" }), split];
    tasks.insert(0, asked("answer", 0, "What is the capital of France? Think first.", json!([]), answer));
    for task in &mut tasks {
        if let Some(thinking) = thinking {
            let switch = json!({ "enable_thinking": thinking, "thinking": thinking });
            task.request.insert("chat_template_kwargs".into(), switch);
        }
    }
    tasks
}

/// A model that is right on these tasks.
pub(crate) fn taught(tasks: &[Asked]) -> Brain {
    let mut brain = Brain::default();
    tasks.iter().for_each(|task| brain.learn(&task.request, &task.tables));
    brain
}

/// What was said of the same answers to the same task in the same context: judging is pure, and many parsers leave the same wire.
pub(crate) type Memo = HashMap<(&'static str, String, Vec<Vec<u8>>), Said>;

/// Asks one task of a server in both modes, and judges both answers together.
pub(crate) fn ask(server: &Simulated, model: &str, task: &Asked, context: &Context, memo: &mut Memo) -> Said {
    let mut body = Value::Object(task.request.clone());
    body["model"] = json!(model);
    let request = Request::read(&body);
    let exchanges: Vec<Exchange> = [false, true]
        .into_iter()
        .map(|stream| {
            body["stream"] = json!(stream);
            server.exchange(&body)
        })
        .collect();
    let wires: Vec<Vec<u8>> = exchanges.iter().map(|exchange| undated(&exchange.body.bytes())).collect();
    let key = (task.id, format!("{context:?} {:?}", request.thinking), wires);
    if let Some(said) = memo.get(&key) {
        return said.clone();
    }
    let expectations = &task.expectations;
    let judged = judge(&Attempt { task: task.id, request: &request, exchanges: &exchanges, expectations, context });
    let intent =
        judged.scored.iter().all(|scored| scored.intent.as_ref().unwrap_or(&scored.delivered) == &Verdict::Pass);
    let said = Said { task: task.id, calls: task.calls, outcome: judged.outcome, intent, findings: judged.findings };
    memo.insert(key, said.clone());
    said
}

/// An answer without the second it was made in.
fn undated(body: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(body);
    let mut out = String::with_capacity(text.len());
    for (at, part) in text.split("\"created\":").enumerate() {
        out.push_str(if at == 0 { part } else { part.trim_start_matches(|c: char| c.is_ascii_digit()) });
    }
    out.into_bytes()
}
