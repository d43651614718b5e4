//! The simulated endpoint: right on the built-in suites behind the right parsers, and red in the right way behind wrong ones.

use std::sync::Arc;

use monban::endpoint::harness::{Brain, Fault, FaultKind, Options, ParserChoice, Simulated};
use monban::plan::{self, Plan, Planned};
use monban::suite::{BUILTIN, StreamMode, load};
use monban_scorers::diagnosis::Context;
use monban_scorers::judge::judge;
use monban_scorers::{Attempt, Exchange, Judgement, Outcome, Registry};

fn plan(model: &str) -> Plan {
    let suites =
        BUILTIN.iter().map(|builtin| load(builtin.name, &Registry::builtin()).into_suite(false).unwrap()).collect();
    let options = plan::Options { model: model.to_owned(), stream: Some(StreamMode::Both), ..plan::Options::default() };
    Plan::new(suites, &options).unwrap()
}

fn attempt(server: &Simulated, task: &Planned, context: &Context) -> Judgement {
    let bodies = task.stream.modes().iter().map(|mode| serde_json::from_str(task.body(*mode).get()).unwrap());
    let exchanges: Vec<Exchange> = bodies.map(|body| server.exchange(&body)).collect();
    let expectations = Arc::clone(&task.expectations);
    judge(&Attempt {
        task: &task.id,
        request: task.request(),
        exchanges: &exchanges,
        expectations: &expectations,
        context,
    })
}

fn context(options: &Options) -> Context {
    let (engine, version) = (Some(options.engine.clone()), Some(options.version.clone()));
    Context { engine, engine_version: version, ..Context::default() }
}

#[test]
fn the_right_parsers_are_green_on_every_built_in_suite() {
    let families = [
        "hermes_json",
        "qwen3_coder_xml",
        "glm47_argkey",
        "gemma4",
        "deepseek_v31",
        "kimi_k2",
        "mistral_args",
        "llama3_json",
        "minimax_m2",
        "gptoss_harmony",
    ];
    for engine in ["vllm@0.33.0", "sglang@0.5.23"] {
        // SGLang 0.5.23 misreads a thought of Mistral's and DeepSeek-V3.1's even with its own parsers (as its captures show).
        let misread = |family: &&str| engine.starts_with("sglang") && ["mistral_args", "deepseek_v31"].contains(family);
        for family in families.into_iter().filter(|family| !misread(family)) {
            let options = Options::new(engine, family, &ParserChoice::Right, &ParserChoice::Right).unwrap();
            let (mut plan, context) = (plan(&options.model), context(&options));
            if options.reasoning_family.is_none() {
                // What does not think cannot keep its thinking apart.
                plan.tasks.retain(|task| !task.tags.iter().any(|tag| tag == "reasoning"));
            }
            let told = format!("{engine} {family} {:?} {:?}", options.tool_parser, options.reasoning_parser);
            let server = Simulated::new(options, Brain::builtin());
            for task in &plan.tasks {
                let judged = attempt(&server, task, &context);
                assert_eq!(judged.outcome, Outcome::Passed, "{told} {}: {:#?}", task.id, judged);
            }
        }
    }
}

#[test]
fn a_wrong_parser_is_the_servers_fault() {
    for (engine, family, parser) in [
        ("vllm@0.33.0", "qwen3_coder_xml", "hermes"),
        ("sglang@0.5.9", "hermes_json", "qwen3_coder"),
        ("vllm@0.11.2", "hermes_json", "qwen3_coder"),
    ] {
        let options = Options::new(engine, family, &ParserChoice::Named(parser.into()), &ParserChoice::Right).unwrap();
        let (plan, context) = (plan(&options.model), context(&options));
        let server = Simulated::new(options, Brain::builtin());
        let calling = plan.tasks.iter().filter(|task| task.id.contains("single"));
        for task in calling {
            let judged = attempt(&server, task, &context);
            assert_eq!(judged.outcome, Outcome::ServerFault, "{engine} {family} {parser} {}: {judged:#?}", task.id);
        }
    }
}

#[test]
fn n_answers_are_n_choices_and_all_are_billed() {
    let options = Options::new("vllm", "hermes_json", &ParserChoice::Right, &ParserChoice::Right).unwrap();
    let server = Simulated::new(options, Brain::default());
    let asked = |n: serde_json::Value, stream: bool| {
        let tool =
            serde_json::json!({"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}});
        server.exchange(
            &serde_json::json!({"messages": [{"role": "user", "content": "Use the tool now."}], "tools": [tool],
            "temperature": 1.0, "n": n, "stream": stream}),
        )
    };
    let body = |exchange: &Exchange| serde_json::from_slice::<serde_json::Value>(&exchange.body.bytes()).unwrap();
    let (one, three) = (body(&asked(1.into(), false)), body(&asked(3.into(), false)));
    assert_eq!(three["choices"].as_array().unwrap().len(), 3);
    let ids: std::collections::BTreeSet<_> =
        (0..3).map(|at| three["choices"][at]["message"]["tool_calls"][0]["id"].to_string()).collect();
    assert_eq!(ids.len(), 3);
    let tokens = |body: &serde_json::Value, key: &str| body["usage"][key].as_u64().unwrap();
    assert_eq!(tokens(&three, "completion_tokens"), 3 * tokens(&one, "completion_tokens"));
    assert_eq!(tokens(&three, "prompt_tokens"), tokens(&one, "prompt_tokens"));
    let streamed = String::from_utf8(asked(3.into(), true).body.bytes().to_vec()).unwrap();
    for index in 0..3 {
        assert_eq!(streamed.matches("\"finish_reason\":\"tool_calls\"").count(), 3);
        assert!(streamed.contains(&format!("\"index\":{index}}}]")), "{streamed}");
    }
    for refused in [0.into(), 129.into(), "two".into()] {
        assert_eq!(asked(refused, false).status, Some(400));
    }
}

#[test]
fn what_the_model_itself_gets_wrong_is_its_own() {
    let mut options = Options::new("vllm@0.33.0", "hermes_json", &ParserChoice::Right, &ParserChoice::Right).unwrap();
    options.faults = vec![Fault::always(FaultKind::WrongAnswer)];
    let (plan, context) = (plan(&options.model), context(&options));
    let server = Simulated::new(options, Brain::builtin());
    let outcomes: Vec<Outcome> = plan.tasks.iter().map(|task| attempt(&server, task, &context).outcome).collect();
    let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    assert!(count(Outcome::Failed) * 2 > outcomes.len(), "{outcomes:?}");
    assert_eq!(count(Outcome::ServerFault) + count(Outcome::Error), 0, "{outcomes:?}");
}
