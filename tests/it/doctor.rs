//! The doctor against simulated endpoints: right ones get a clean bill, each fault its name.

use std::time::Duration;

use monban::doctor::{Patient, Report, Status, examine};
use monban::endpoint::harness::{Brain, Fault, Harness, Options, ParserChoice};
use monban::endpoint::{Client, ClientOptions, Secret};
use monban::exit;
use monban_scorers::{Blame, Severity};

use super::cli::monban;
use super::server::{Server, dead_port, says, whole};

/// A simulated endpoint to examine.
struct Case {
    options: Options,
    key: Option<&'static str>,
    model: Option<&'static str>,
    profile: Option<monban::profile::Profile>,
}

fn case(engine: &str, family: &str, tool: Option<&str>, reasoning: Option<&str>) -> Case {
    let mut options = Options::new(engine, family, &ParserChoice::read(tool), &ParserChoice::read(reasoning)).unwrap();
    options.ttft = Duration::ZERO;
    options.tokens_per_second = 0.0;
    Case { options, key: None, model: None, profile: None }
}

impl Case {
    fn fault(mut self, fault: &str) -> Self {
        self.options.faults.push(fault.parse::<Fault>().unwrap());
        self
    }

    fn examine(self) -> Report {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let harness = Harness::start(self.options, Brain::default(), 0).await.unwrap();
            let client = |key: Option<&str>| {
                let options = ClientOptions {
                    api_key: key.map(Secret::new),
                    probe_timeout: Duration::from_secs(5),
                    ..ClientOptions::default()
                };
                Client::new(harness.base_url().parse().unwrap(), &options).unwrap()
            };
            let patient = Patient {
                client: client(self.key),
                anonymous: self.key.map(|_| client(None)),
                model: self.model.map(str::to_owned),
                profile: self.profile,
                environment: "test".to_owned(),
                route: None,
                patience: Duration::from_secs(1),
                limit: Duration::from_secs(20),
            };
            let report = examine(&patient).await.unwrap();
            harness.stop().await;
            report
        })
    }
}

fn errors(report: &Report) -> Vec<&str> {
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.rule.as_str()).collect()
}

fn told(report: &Report) -> String {
    let mut text = Vec::new();
    monban::doctor::write_table(report, false, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[track_caller]
fn status(report: &Report, capability: &str) -> Status {
    let row = report.capabilities.iter().find(|row| row.capability == capability);
    row.unwrap_or_else(|| panic!("no row {capability}")).status
}

#[track_caller]
fn clean(engine: &str, family: &str) {
    let mut case = case(engine, family, None, None);
    // SGLang 0.5.23 misreads a thought of these even with its own parsers: they answer without.
    if engine == "sglang" && ["mistral_args", "deepseek_v31"].contains(&family) {
        (case.options.reasoning_family, case.options.reasoning_parser) = (None, None);
    }
    let report = case.examine();
    assert!(errors(&report).is_empty(), "{engine} {family}\n{}", told(&report));
    assert_eq!(report.exit_code, exit::PASS, "{}", told(&report));
    for row in
        ["tools: auto", "tools: required", "tools: two calls at once", "tools: arrays and objects", "JSON schema"]
    {
        assert_eq!(status(&report, row), Status::Ok, "{engine} {family} {row}\n{}", told(&report));
    }
    assert_eq!(report.environment, "harness");
}

/// Wrong: the first error is this rule's, and the process says misconfigured.
#[track_caller]
fn finds(case: Case, rule: &str) -> Report {
    let report = case.examine();
    assert_eq!(errors(&report).first().copied(), Some(rule), "{}", told(&report));
    assert_eq!(report.exit_code, exit::MISCONFIGURED, "{}", told(&report));
    report
}

#[test]
fn a_right_server_gets_a_clean_bill() {
    for family in [
        "hermes_json",
        "qwen3_coder_xml",
        "gemma4",
        "glm47_argkey",
        "deepseek_v31",
        "kimi_k2",
        "gptoss_harmony",
        "mistral_args",
        "llama3_json",
    ] {
        for engine in ["vllm", "sglang"] {
            clean(engine, family);
        }
    }
}

#[test]
fn a_wrong_tool_parser_swallows_or_leaks() {
    for (engine, family, parser) in [
        ("vllm", "hermes_json", "qwen3_coder"),
        ("vllm", "qwen3_coder_xml", "hermes"),
        ("vllm@0.11.2", "hermes_json", "qwen3_coder"),
        ("sglang", "qwen3_coder_xml", "qwen25"),
        ("sglang", "glm47_argkey", "qwen25"),
    ] {
        let report = finds(case(engine, family, Some(parser), None), "wrong_tool_parser");
        assert_eq!(status(&report, "tools: auto"), Status::Broken);
        let finding = &report.findings[0];
        assert!(!finding.evidence.is_empty() && !finding.fix.is_empty());
    }
}

#[test]
fn the_family_behind_a_swallowed_call_is_named() {
    let report = finds(case("vllm", "qwen3_coder_xml", Some("glm47"), None), "wrong_tool_parser");
    let finding = &report.findings[0];
    assert_eq!(finding.observed_family.as_deref(), Some("qwen3_coder_xml"), "{}", told(&report));
    assert!(finding.fix[0].contains("--tool-call-parser qwen3_coder"), "{:?}", finding.fix);
    assert!(report.flags.tool.is_some_and(|flags| flags.contains("qwen3_coder")));
}

#[test]
fn servers_testify_against_themselves() {
    let report = finds(case("sglang", "qwen3_coder_xml", Some("qwen25"), None), "wrong_tool_parser");
    let places = |report: &Report| -> Vec<String> {
        report.findings[0].evidence.iter().map(|evidence| evidence.place.clone()).collect()
    };
    assert!(places(&report).contains(&"POST /parse_function_call".to_owned()), "{}", told(&report));
    let report = finds(case("vllm", "qwen3_coder_xml", Some("glm47"), None), "wrong_tool_parser");
    assert!(places(&report).contains(&"GET /metrics".to_owned()), "{}", told(&report));
}

#[test]
fn a_profile_is_held_against_the_endpoint() {
    let examined = |parser: &str| {
        let text = format!("sglang serve simulated-hermes-json --tool-call-parser {parser} --context-length 32768");
        let profile = monban::profile::scan_text(&text).unwrap();
        Case { profile: Some(profile), ..case("sglang", "hermes_json", Some("qwen25"), None) }.examine()
    };
    let report = examined("deepseekv3");
    assert!(errors(&report).contains(&"profile_conflict"), "{}", told(&report));
    assert_eq!(report.exit_code, exit::MISCONFIGURED);
}

#[test]
fn no_tool_parser() {
    let report = finds(case("vllm", "hermes_json", Some("none"), None), "auto_tool_choice_missing");
    assert_eq!(status(&report, "tools: auto"), Status::Refused);
    finds(case("sglang", "hermes_json", Some("none"), None), "no_tool_parser");
    finds(case("vllm", "hermes_json", None, None).fault("auto-refused"), "auto_tool_choice_missing");
}

#[test]
fn no_reasoning_parser_and_a_wrong_one() {
    let report = finds(case("vllm", "glm47_argkey", None, Some("none")), "no_reasoning_parser");
    assert_eq!(status(&report, "reasoning field"), Status::Broken);
    finds(case("sglang", "hermes_json", None, Some("none")), "no_reasoning_parser");
    finds(case("vllm", "gemma4", None, Some("qwen3")), "wrong_reasoning_parser");
}

#[test]
fn right_servers_of_every_engine_get_a_clean_bill() {
    for (engine, family) in [
        ("llama_cpp", "qwen3-8b"),
        ("llama_cpp", "llama3_json"),
        ("tensorrt_llm", "qwen3-8b"),
        ("tensorrt_llm", "glm47"),
        ("sglang@0.4.6", "qwen2.5"),
        ("vllm@0.19.1", "DeepSeek-R1-0528"),
    ] {
        let report = case(engine, family, None, None).examine();
        assert!(report.findings.is_empty() && report.exit_code == exit::PASS, "{engine} {family}\n{}", told(&report));
    }
}

#[test]
fn two_faults_are_two_findings_that_do_not_contradict_each_other() {
    for (engine, family, tool, rules) in [
        ("vllm@0.11.2", "qwen3-8b", "llama3_json", ["wrong_tool_parser", "no_reasoning_parser"]),
        ("vllm", "Qwen3.5-9B", "hermes", ["wrong_tool_parser", "no_reasoning_parser"]),
        ("sglang", "glm45", "qwen", ["no_reasoning_parser", "wrong_tool_parser"]),
        ("tensorrt_llm", "glm47", "none", ["no_reasoning_parser", "no_tool_parser"]),
    ] {
        let report = case(engine, family, Some(tool), Some("none")).examine();
        let mut found = errors(&report);
        found.sort_unstable();
        let mut rules = rules;
        rules.sort_unstable();
        assert_eq!(found, rules, "{engine} {family}\n{}", told(&report));
        for finding in &report.findings {
            let flag = if finding.rule.contains("reasoning") { "reasoning" } else { "tool" };
            assert!(finding.fix[0].contains(flag), "{}", told(&report));
        }
    }
}

#[test]
fn a_wrong_parser_is_one_finding_without_its_consequences() {
    for (engine, family, parser, flag) in [
        ("vllm@0.11.2", "qwen3-8b", "llama3_json", "--tool-call-parser hermes"),
        ("vllm", "kimi_k2", "hermes", "--tool-call-parser kimi_k2"),
        ("vllm@0.11.2", "gpt-oss-20b", "hermes", "--tool-call-parser openai"),
        ("vllm", "Qwen3.5-9B", "hermes", "--tool-call-parser qwen3_coder"),
    ] {
        let report = finds(case(engine, family, Some(parser), None), "wrong_tool_parser");
        assert_eq!(report.findings.len(), 1, "{engine} {family}\n{}", told(&report));
        assert!(report.findings[0].fix[0].contains(flag), "{:?}", report.findings[0].fix);
    }
    // Refused is refused: that a call might have arrived as text is no second finding. llama.cpp has no parser to choose.
    for (engine, rule) in [("vllm", "auto_tool_choice_missing"), ("llama_cpp", "no_tool_parser")] {
        let report = finds(case(engine, "qwen2.5", Some("none"), None), rule);
        assert_eq!(report.findings.len(), 1, "{}", told(&report));
    }
}

#[test]
fn a_parser_that_waits_for_the_requests_switch_is_not_missing() {
    let report = finds(case("vllm", "Qwen3.5-9B", None, Some("deepseek_v3")), "wrong_reasoning_parser");
    assert_eq!(status(&report, "thinking: on"), Status::Ok);
    let finding = &report.findings[0];
    assert!(
        finding.message.contains("thinking-on") && finding.fix[0].contains("--reasoning-parser deepseek_r1"),
        "{finding:?}"
    );
}

#[test]
fn a_profile_is_told_which_line_to_change() {
    let text = "vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice \\\n  --tool-call-parser llama3_json \\\n  --reasoning-parser qwen3\n";
    let profile = monban::profile::scan_text(text).unwrap();
    let mut case = case("vllm@0.11.2", "qwen3-8b", Some("llama3_json"), None);
    case.options.model = "Qwen/Qwen3-8B".to_owned();
    let report = finds(Case { profile: Some(profile), ..case }, "wrong_tool_parser");
    let last = report.findings[0].fix.last().unwrap();
    assert!(last.contains(":2, `--tool-call-parser` is llama3_json"), "{last}");
}

#[test]
fn faults_have_their_names() {
    for (fault, rule) in [
        ("template-ignores-tools", "template"),
        ("stream-drops-calls", "stream_only"),
        ("schema-ignored", "structured_output_ignored"),
        ("double-encoded", "double_encoded_args"),
        ("all-in-reasoning", "wrong_reasoning_parser"),
        ("swallow", "wrong_tool_parser"),
        ("leak", "wrong_tool_parser"),
    ] {
        let mut case = case("vllm", "hermes_json", None, None).fault(fault);
        if fault != "all-in-reasoning" {
            case.options.reasoning_family = None;
            case.options.reasoning_parser = None;
        }
        let report = case.examine();
        assert!(errors(&report).contains(&rule), "{fault}\n{}", told(&report));
        assert_eq!(report.exit_code, exit::MISCONFIGURED, "{fault}\n{}", told(&report));
    }
}

#[test]
fn a_finish_reason_that_lies_is_a_warning() {
    let report = case("vllm", "hermes_json", None, None).fault("finish-reason-stop").examine();
    assert!(report.findings.iter().any(|finding| finding.rule == "finish_reason"), "{}", told(&report));
    assert_eq!(report.exit_code, exit::PASS, "{}", told(&report));
}

#[test]
fn a_model_that_answers_wrongly_is_no_fault_of_the_server() {
    let report = case("vllm", "hermes_json", None, None).fault("wrong-answer").examine();
    assert!(errors(&report).is_empty(), "{}", told(&report));
    assert_eq!(report.exit_code, exit::PASS);
}

#[test]
fn nothing_answered_is_said_in_a_line() {
    let started = std::time::Instant::now();
    let url = format!("http://127.0.0.1:{}/v1", dead_port());
    let done = monban(&["doctor", "--base-url", &url]);
    assert_eq!(done.code, exit::INVALID, "{}", done.out);
    assert!(done.out.contains("error[unreachable_or_loading]"), "{}", done.out);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_key_a_name_and_a_model_that_loads() {
    let locked = |key| {
        let mut case = case("vllm", "hermes_json", None, None);
        case.options.api_key = Some("sesame".to_owned());
        Case { key, ..case }
    };
    let report = locked(None).examine();
    assert_eq!((errors(&report), report.exit_code), (vec!["unauthorised"], exit::INVALID), "{}", told(&report));
    let report = locked(Some("sesame")).examine();
    assert_eq!((report.exit_code, status(&report, "API key")), (exit::PASS, Status::Ok), "{}", told(&report));

    let misnamed = Case { model: Some("misnamed"), ..case("vllm", "hermes_json", None, None) }.examine();
    assert_eq!(
        (errors(&misnamed), misnamed.exit_code),
        (vec!["wrong_model_name"], exit::INVALID),
        "{}",
        told(&misnamed)
    );
    let loading = case("vllm", "hermes_json", None, None).fault("loading").examine();
    assert_eq!((errors(&loading), loading.exit_code), (vec!["unreachable_or_loading"], exit::INVALID));
    let page = case("vllm", "hermes_json", None, None).fault("html").examine();
    assert_eq!(page.exit_code, exit::INVALID, "{}", told(&page));
}

#[test]
fn a_hanging_endpoint_ends_in_time() {
    let started = std::time::Instant::now();
    let report = case("vllm", "hermes_json", None, None).fault("hang").examine();
    assert_eq!(report.exit_code, exit::INVALID, "{}", told(&report));
    // One probe's patience is a second: the first is enough.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let message = &report.findings[0].message;
    assert!(message.starts_with("accepts requests but never answers: GET is answered"), "{message}");
}

#[test]
fn choices_and_seeds_are_honoured() {
    for engine in ["vllm", "sglang"] {
        for family in ["hermes_json", "llama3_json"] {
            let report = case(engine, family, None, None).examine();
            for row in ["n", "seed", "equal at temperature 0"] {
                assert_eq!(status(&report, row), Status::Ok, "{engine} {family} {row}\n{}", told(&report));
            }
        }
    }
}

/// What an endpoint under a fault comes to: its errors, its exit code, and that it ended by itself.
#[track_caller]
fn under(fault: &str, rule: &str, blame: Blame, code: u8) -> Report {
    let started = std::time::Instant::now();
    let report = case("vllm", "hermes_json", None, None).fault(fault).examine();
    assert!(started.elapsed() < Duration::from_secs(25), "{fault}: {:?}", started.elapsed());
    let finding = report.findings.iter().find(|finding| finding.rule == rule);
    let finding = finding.unwrap_or_else(|| panic!("{fault}: no {rule}\n{}", told(&report)));
    assert_eq!(finding.blame, blame, "{fault}\n{}", told(&report));
    assert!(!finding.fix.is_empty(), "{fault}\n{}", told(&report));
    assert_eq!(report.exit_code, code, "{fault}\n{}", told(&report));
    let elsewhere =
        report.findings.iter().find(|finding| finding.severity == Severity::Error && finding.blame == Blame::Model);
    assert!(elsewhere.is_none(), "{fault}\n{}", told(&report));
    report
}

#[test]
fn what_keeps_an_endpoint_from_answering_is_named_and_the_examination_ends() {
    under("503", "unreachable_or_loading", Blame::Endpoint, exit::INVALID);
    under("429", "rate_limited", Blame::Endpoint, exit::INVALID);
    under("cut", "unreachable_or_loading", Blame::Endpoint, exit::INVALID);
    let report = under("think-forever", "reasoning_truncated", Blame::Budget, exit::INVALID);
    assert_eq!(report.findings[0].severity, Severity::Warning, "{}", told(&report));
    under("arguments-object", "bad_args", Blame::ServerBug, exit::PASS);
}

#[test]
fn an_answer_larger_than_any_probe_asks_for_is_not_read_to_its_end() {
    let text = "word ".repeat(2 << 20);
    let server = Server::start(move |asked| match asked.head.starts_with("GET") {
        true => whole(404, "", "{}"),
        false => says(asked, &text),
    });
    let done = monban(&["doctor", "--base-url", &server.url(), "--model", "m", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((done.code, &report["completions"]), (exit::INVALID, &0.into()));
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("the answer is larger than is read"), "{message}");
}

#[test]
fn json_says_it_all() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let options = case("sglang", "qwen3_coder_xml", Some("qwen25"), None).options;
    let harness = runtime.block_on(Harness::start(options, Brain::default(), 0)).unwrap();
    let done = monban(&["doctor", "--base-url", &harness.base_url(), "--format", "json"]);
    runtime.block_on(harness.stop());
    let report: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(report["exit_code"], u64::from(exit::MISCONFIGURED));
    assert_eq!(report["environment"], "harness");
    assert_eq!(report["identity"]["engine"], "sglang");
    assert_eq!(report["findings"][0]["rule"], "wrong_tool_parser");
    assert!(report["capabilities"].as_array().unwrap().len() > 20);
    assert!(report["requests"].as_u64().unwrap() < 75 && report["wall_ms"].as_u64().unwrap() > 0);
}
