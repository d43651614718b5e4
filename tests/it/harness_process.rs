//! `monban harness` as a process: families of the catalogue behind right and wrong parsers, asked over the network by `monban run`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use monban::exit;
use serde_json::Value;

use crate::cli::monban;

/// A running harness; ended when dropped.
struct Running(Child, String, String);

impl Running {
    fn start(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_monban"));
        command.args(["harness", "--port", "0", "--tokens-per-second", "0", "--ttft-ms", "0"]).args(args);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["ready", url, "model", model] = words[..] else { panic!("{line}") };
        Self(child, url.to_owned(), model.to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Asks for one call in both modes: the exit code and the first finding's rule, blame and fix.
#[track_caller]
fn case(args: &[&str], code: u8, rule: &str, fix: &str) {
    let (server, dir) = (Running::start(args), tempfile::tempdir().unwrap());
    let runs = dir.path().to_str().unwrap();
    let asked = ["run", "tool-calling", "--task", "single", "--stream", "both", "--format", "json", "--runs-dir", runs];
    let done = monban(&[&asked[..], &["--base-url", &server.1, "--model", &server.2]].concat());
    let record: Value = serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{args:?}: {}", done.err));
    let found = record.pointer("/findings/0");
    let said = found.map(|found| found["rule"].as_str().unwrap_or_default()).unwrap_or_default();
    assert_eq!((done.code, said), (code, rule), "{args:?}: {}", record["findings"]);
    assert!(found.is_none_or(|found| found["fix"].to_string().contains(fix)), "{args:?}: {}", record["findings"]);
}

#[test]
fn right_parsers_pass() {
    for (family, engine) in [
        ("hermes_json", "vllm@0.33.0"),
        ("kimi_k2", "vllm@0.20.2"),
        ("glm47_argkey", "sglang@0.5.23"),
        ("gptoss_harmony", "vllm"),
    ] {
        case(&["--family", family, "--engine", engine], exit::PASS, "", "");
    }
}

#[test]
fn wrong_and_missing_parsers_are_the_servers() {
    let args = |family, parser, engine| ["--family", family, "--tool-parser", parser, "--engine", engine];
    case(
        &args("qwen3_coder_xml", "hermes", "vllm@0.33.0"),
        exit::MISCONFIGURED,
        "wrong_tool_parser",
        "--tool-call-parser qwen3_coder",
    );
    case(&args("gemma4", "hermes", "vllm@0.33.0"), exit::MISCONFIGURED, "wrong_tool_parser", "gemma4");
    case(&args("hermes_json", "qwen3_coder", "sglang@0.5.9"), exit::MISCONFIGURED, "wrong_tool_parser", "qwen");
    case(&args("minimax_m2", "none", "sglang@0.5.23"), exit::MISCONFIGURED, "no_tool_parser", "minimax-m2");
    // An engine that lacks the parser: the newer version is named.
    case(&args("gemma4", "hermes", "vllm@0.11.2"), exit::MISCONFIGURED, "wrong_tool_parser", "since 0.19.1");
}

#[test]
fn reasoning_parsers_too() {
    let args = ["--family", "glm47_argkey", "--engine", "vllm@0.33.0", "--reasoning-parser"];
    case(&[&args[..], &["glm47"]].concat(), exit::PASS, "", "");
    case(&[&args[..], &["none"]].concat(), exit::MISCONFIGURED, "no_reasoning_parser", "--reasoning-parser");
}

#[test]
fn what_does_not_start_is_refused() {
    for (args, word) in [
        (["--family", "hermes_json", "--tool-parser", "mistral", "--engine", "vllm@0.33.0"], "mistral"),
        (["--family", "gemma4", "--tool-parser", "gemma4", "--engine", "vllm@0.11.2"], "gemma4"),
        (["--family", "gemma4", "--reasoning-parser", "deepseek_r1", "--engine", "vllm@0.33.0"], "deepseek_r1"),
        (["--family", "hermes_jso", "--tool-parser", "none", "--engine", "vllm"], "hermes_json"),
        (["--family", "hermes_json", "--tool-parser", "none", "--engine", "vlm"], "vllm"),
    ] {
        let done = monban(&[&["harness", "--port", "0"][..], &args].concat());
        assert_eq!(done.code, exit::USAGE, "{args:?}: {}", done.err);
        assert!(done.err.contains(word), "{args:?}: {}", done.err);
    }
}
