//! The forms of a launch: every flag, every spelling, there and back.

use monban::diagnostic::Source;
use monban::profile::{
    Discovered, FlagType, Form, Known, Profile, Rendering, agreement, diff, flag_table, read, render, scan_text,
};
use proptest::prelude::*;

#[track_caller]
fn one(text: &str) -> Profile {
    read(&Source::new("profile", text)).unwrap_or_else(|error| panic!("{error:?}\n{text}")).remove(0)
}

/// A value of a type, and its one spelling.
fn sample(kind: &FlagType, name: &str) -> (Vec<String>, String) {
    let one = |text: &str| (vec![text.to_owned()], text.to_owned());
    match kind {
        FlagType::Bool => (vec![], "true".to_owned()),
        FlagType::Int if name == "port" => one("8123"),
        FlagType::Int => one("7"),
        FlagType::Size => (vec!["8K".to_owned()], "8192".to_owned()),
        FlagType::Float => one("0.5"),
        FlagType::Choice(names) => one(&names[0]),
        FlagType::Json | FlagType::Mm => (vec!["{ \"image\": 2 }".to_owned()], "{\"image\":2}".to_owned()),
        FlagType::Ints => (vec!["1".to_owned(), "2".to_owned()], "[1,2]".to_owned()),
        FlagType::Floats => (vec!["0.5".to_owned(), "1".to_owned()], "[0.5,1.0]".to_owned()),
        FlagType::List => (vec!["a".to_owned(), "b".to_owned()], "[\"a\",\"b\"]".to_owned()),
        FlagType::Str | FlagType::OptStr | FlagType::OnOff => one("word"),
    }
}

#[test]
fn every_vllm_flag_parses_with_its_type() {
    let table = flag_table("vllm").unwrap();
    let newest: Vec<String> =
        table.names().filter(|name| table.versions_of(name).contains(&"0.33.0")).map(str::to_owned).collect();
    assert!(newest.len() > 300, "{}", newest.len());
    for name in newest.iter().filter(|name| *name != "model") {
        let kind = table.of(name);
        let (words, expected) = sample(&kind, name);
        let quoted = shell_words::join(&words);
        for flag in [format!("--{name}"), format!("--{}", name.replace('-', "_"))] {
            let profile = one(&format!("vllm serve m {flag} {quoted}"));
            let setting =
                profile.settings.iter().find(|setting| setting.name == flag).unwrap_or_else(|| panic!("{flag}"));
            assert!(setting.known && setting.mistyped.is_none(), "{flag} ({kind:?}): {setting:?}");
            assert_eq!(setting.value, expected, "{flag} ({kind:?})");
            assert!(profile.faults.is_empty(), "{flag}: {:?}", profile.faults);
        }
        if words.len() == 1 {
            let profile = one(&format!("vllm serve m --{name}={quoted}"));
            let found = profile.settings.iter().find(|setting| setting.known && !setting.name.is_empty());
            assert_eq!(found.map(|setting| setting.value.as_str()), Some(expected.as_str()), "--{name}=");
        }
        if kind == FlagType::Bool {
            let profile = one(&format!("vllm serve m --no-{name}"));
            assert_eq!(profile.settings[1].value, "false", "--no-{name}");
        }
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn forms_are_told_apart() {
    #[track_caller]
    fn case(text: &str, form: Form, engine: &str, model: &str) {
        let profile = one(text);
        let read = (profile.form, profile.engine.as_str(), profile.model().map(|model| model.text).unwrap_or_default());
        assert_eq!(read, (form, engine, model.to_owned()), "{text}");
    }
    case("vllm serve A/B -tp 2", Form::Command, "vllm", "A/B");
    case("$ CUDA_VISIBLE_DEVICES=0 vllm serve A/B \\\r\n  --port 80\r\n", Form::Command, "vllm", "A/B");
    case("M=A/B\nexec vllm serve \"$M\" &> log", Form::Command, "vllm", "A/B");
    case("bash -lc 'vllm serve A/B --port 8001'", Form::Command, "vllm", "A/B");
    case(
        "docker run -it --rm -p 80:80 -e X=1 --gpus all vllm/vllm-openai:v0.9.0 --model A/B",
        Form::Command,
        "vllm",
        "A/B",
    );
    case(
        "docker run lmsysorg/sglang:v0.5.7 python3 -m sglang.launch_server --model A/B --host 0.0.0.0",
        Form::Command,
        "sglang",
        "A/B",
    );
    case("sglang serve --model-path A/B", Form::Command, "sglang", "A/B");
    case("trtllm-serve serve A/B --tool_parser qwen3", Form::Command, "tensorrt_llm", "A/B");
    case("./llama-server -hf A/B:Q4 -c 0", Form::Command, "llama_cpp", "A/B:Q4");
    case("spark serve A/B", Form::Command, "atlas", "A/B");
    case("model: A/B\nmax-model-len: 8k\n", Form::Config, "vllm", "A/B");
    case("model-path: A/B\ncontext-length: 8192\nmem-fraction-static: 0.8\n", Form::Config, "sglang", "A/B");
    case("image: vllm/vllm-openai\ncommand: --model A/B --port 8000\n", Form::Compose, "vllm", "A/B");
    case(
        "services:\n  a:\n    image: vllm/vllm-openai\n    command: >\n      --model A/B\n      --port 8000\n",
        Form::Compose,
        "vllm",
        "A/B",
    );
    case("args: ['--model', A/B]", Form::Kubernetes, "vllm", "A/B");
    case(
        "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n        - image: vllm/vllm-openai:v0.20.0\n          args: [A/B, --port, '8000']\n",
        Form::Kubernetes,
        "vllm",
        "A/B",
    );
    case(
        "apiVersion: v1\nspec:\n  containers:\n  - command: [/bin/sh, -c, 'vllm serve A/B --port 80']\n",
        Form::Kubernetes,
        "vllm",
        "A/B",
    );
    case("profile_name: x\nruntime: sglang\nmodel: A/B\nmax_model_len: 8192\n", Form::Typed, "sglang", "A/B");
    assert_eq!(one("profile_name: x\nruntime: sglang\nmax_model_len: 8192\n").value("max-model-len"), Some("8192"));
    assert!(scan_text("hello world").is_none());
    assert!(scan_text("").is_none());
    assert!(scan_text("a: [1, 2").is_none());
    assert!(scan_text("name: x\nversion: 2\n").is_none());
}

#[test]
fn one_text_may_hold_several() {
    let text = "vllm serve A --port 8001 &\nvllm serve B --port 8001 &\nwait\n";
    let profiles = read(&Source::new("run.sh", text)).unwrap();
    let models: Vec<_> = profiles.iter().map(|profile| profile.model().unwrap().text).collect();
    assert_eq!(models, ["A", "B"]);
    assert_eq!(monban::profile::check_together(&profiles)[0].rule, "port_collision");
}

#[test]
fn a_launch_is_found_in_the_shell_around_it() {
    let words = |text: &str| {
        let profile = one(text);
        let faults = profile.faults.len();
        let value = |key: &str| profile.get(key).map(|setting| setting.value.to_string()).unwrap_or_default();
        (value("model"), value("tool-call-parser"), faults)
    };
    let expected = ("Qwen/Qwen3-8B".to_owned(), "hermes".to_owned(), 0);
    for text in [
        "nohup vllm serve Qwen/Qwen3-8B --tool-call-parser hermes > vllm.log 2>&1 &\nsleep 1",
        "vllm serve Qwen/Qwen3-8B --tool-call-parser hermes 2>&1 | tee -a vllm.log",
        "M=${1:-Qwen/Qwen3-8B}\nEXTRA=\"--tool-call-parser hermes --port 8000\"\nvllm serve $M $EXTRA",
        "[Service]\nType=simple\nEnvironment=\"A=b c\" D=e\nExecStart=/opt/bin/vllm serve Qwen/Qwen3-8B \\\n --tool-call-parser hermes",
        "ARGS=(\n  --model Qwen/Qwen3-8B # the model\n  --tool-call-parser=hermes\n)\n\
         python -m vllm.entrypoints.openai.api_server \"${ARGS[@]}\" \"$@\"",
        "apiVersion: v1\nkind: Service\n---\nkind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.11.0\n    \
         command: [\"/bin/sh\", \"-c\"]\n    args: [\"pip install x && vllm serve Qwen/Qwen3-8B --tool-call-parser hermes; sleep 9\"]\n",
        "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-openai:v0.11.0\n    command: [bash, -lc]\n    args:\n    - |\n      \
         set -e\n      vllm serve Qwen/Qwen3-8B \\\n        --tool-call-parser hermes\n---\nkind: Service\n",
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
}

#[test]
fn the_keys_of_a_unit_are_no_variables() {
    let profile =
        one("[Unit]\nDescription=x\n[Service]\nType=simple\nEnvironment=\"A=b c\" D=e\nExecStartPre=/bin/sleep 5\n\
                       ExecStart=/opt/bin/vllm serve Qwen/Qwen3-8B\nRestart=always\n");
    let env: Vec<_> = profile.env.iter().map(|(name, value)| (name.text.as_str(), value.text.as_str())).collect();
    assert_eq!(env, [("A", "b c"), ("D", "e")]);
}

#[test]
fn what_is_not_in_the_file_is_named() {
    let profile = one("vllm serve $MODEL --port ${PORT:-8000} --max-model-len $LEN");
    let names: Vec<&str> = profile.unresolved.iter().map(|placed| placed.text.as_str()).collect();
    assert_eq!(names, ["MODEL", "LEN"]);
    assert_eq!(profile.port(), Some(8000));
    assert!(profile.get("max-model-len").unwrap().mistyped.is_none());
}

#[test]
fn values_know_their_place() {
    let text = "# 日本語\nprofile_name: x\npurpose: chat\nmodel: A/B\nextra_args: [--port, '80']\n";
    let profile = one(text);
    assert_eq!(&text[profile.get("model").unwrap().value_span.clone()], "A/B");
    assert_eq!(&text[profile.get("port").unwrap().span.clone()], "--port, '80'");
    assert_eq!(profile.source().position(profile.get("model").unwrap().span.start), (4, 1));
}

#[test]
fn exactly_one_axis() {
    let text = include_str!("../../examples/profiles/coding-agent/gemma4-nvfp4.yaml");
    let axes = |from: &str, to: &str| -> Vec<String> {
        assert!(text.contains(from), "{from}");
        diff(&one(text), &one(&text.replacen(from, to, 1))).iter().map(|change| change.axis.name()).collect()
    };
    let none: [&str; 0] = [];
    assert_eq!(axes("0.40", "0.4"), none);
    assert_eq!(axes("port: 8001\n", "\nport: 8001 # same\n"), none);
    assert_eq!(axes("0.40", "0.6"), ["memory_share"]);
    assert_eq!(axes("kv_cache_dtype: fp8", "kv_cache_dtype: auto"), ["kv_dtype"]);
    assert_eq!(axes("max_num_seqs: 2", "max_num_seqs: 8"), ["concurrency"]);
    assert_eq!(axes("port: 8001", "port: 8002"), ["network"]);
    assert_eq!(axes("  - --tool-call-parser\n  - gemma4", "  - --tool-call-parser\n  - hermes"), ["tool_parser"]);
    assert_eq!(axes("model_key: gemma4-26b-a4b-nvfp4", "model_key: gemma4-26b-a4b-fp8"), ["model", "weights"]);
    let grown = diff(&one(text), &one(&text.replacen("131072", "262144", 1)));
    assert!(grown[0].trade.contains("longer prompts fit"), "{}", grown[0].trade);
    let wider = diff(&one(text), &one(&text.replacen("kv_cache_dtype: fp8", "kv_cache_dtype: bfloat16", 1)));
    assert!(wider[0].trade.starts_with("accuracy"), "{}", wider[0].trade);
    let default = diff(&one(text), &one(&text.replacen("gpu_memory_utilization: 0.40\n", "", 1)));
    assert!(default[0].trade.starts_with("more KV cache"), "{}", default[0].trade);
}

#[test]
fn the_launch_in_every_form_means_the_same() {
    let profile = one(include_str!("../../examples/profiles/coding-agent/gemma4-nvfp4.yaml"));
    for form in [Rendering::Command, Rendering::Yaml, Rendering::Compose] {
        let text = render(&profile, form).unwrap();
        let again = one(&text);
        let differing: Vec<_> = agreement(&profile, &again).into_iter().filter(|item| !item.agrees).collect();
        assert_eq!(differing, [], "{text}");
        assert_eq!(
            monban::profile::check(&again, &Known::nothing())
                .iter()
                .filter(|found| found.severity == monban::diagnostic::Severity::Error)
                .count(),
            0,
            "{text}"
        );
    }
    let command = render(&profile, Rendering::Command).unwrap();
    let other = one(&command.replace("--max-num-seqs 2", "--max-num-seqs 4"));
    let differing: Vec<_> =
        agreement(&profile, &other).into_iter().filter(|item| !item.agrees).map(|item| item.key).collect();
    assert_eq!(differing, ["max-num-seqs"]);
}

#[test]
fn secrets_are_never_written() {
    let text = "HF_TOKEN=hf_QwErTyUiOpAsDfGhJkLz vllm serve A/B --api-key 8f2c1d0aa91b4e6b --port 8001";
    let profile = one(text);
    let mut written = vec![profile.record_json(&Known::nothing()).to_string(), profile.parsed_json().to_string()];
    written
        .extend([Rendering::Command, Rendering::Yaml, Rendering::Compose].map(|form| render(&profile, form).unwrap()));
    written.push(monban::profile::reading(&profile, &Known::nothing(), monban::profile::Lang::En).to_string());
    written.push(serde_json::to_string(&agreement(&profile, &profile)).unwrap());
    for text in written {
        assert!(!text.contains("8f2c1d0aa91b4e6b") && !text.contains("hf_QwErTy"), "{text}");
    }
}

#[test]
fn a_run_takes_its_defaults_from_the_profile() {
    let defaults = one(include_str!("../../examples/profiles/coding-agent/gemma4-nvfp4.yaml")).request_defaults();
    assert_eq!(defaults.model.as_deref(), Some("Gemma-4-26B-A4B-it-NVFP4"));
    assert_eq!(defaults.base_url.as_deref(), Some("http://127.0.0.1:8001/v1"));
    assert_eq!((defaults.max_model_len, defaults.max_concurrency), (Some(131_072), Some(2)));
    let published = one("docker run -p 9000:8000 vllm/vllm-openai:v0.9.0 --model A/B").request_defaults();
    assert_eq!(published.port, Some(9000));
}

#[test]
fn what_the_suite_needs_is_said_before_the_first_request() {
    use monban::plan::Needs;
    let rules = |text: &str, needs: Needs| -> Vec<String> {
        one(text).check_needs(&needs).into_iter().map(|found| found.rule).collect()
    };
    let tools = Needs { tools: 1, auto_tools: 1, ..Needs::default() };
    assert_eq!(rules("vllm serve Qwen/Qwen2.5-7B-Instruct", tools), ["auto_tool_choice_missing"]);
    assert_eq!(
        rules("python3 -m sglang.launch_server --model Qwen/Qwen2.5-7B-Instruct", tools),
        ["tool_parser_missing"]
    );
    let reasoning = Needs { reasoning: 1, ..Needs::default() };
    assert_eq!(rules("vllm serve google/gemma-4-31B-it", reasoning), ["reasoning_parser_missing"]);
    let images = Needs { images: 1, ..Needs::default() };
    assert_eq!(rules("vllm serve A/B --limit-mm-per-prompt '{\"image\":0}'", images), ["multimodal_against_purpose"]);
    let long = Needs { longest_prompt_chars: 60_000, max_tokens: 1_000, ..Needs::default() };
    assert_eq!(rules("vllm serve A/B --max-model-len 8k", long), ["context_below_needs"]);
    assert!(rules("vllm serve A/B --max-model-len 128k", long).is_empty());
}

#[test]
fn an_endpoint_that_contradicts_its_profile() {
    let profile = one(
        "python3 -m sglang.launch_server --model A/B --served-model-name b --context-length 8192 --tool-call-parser qwen",
    );
    let right = Discovered {
        engine: Some("sglang".into()),
        max_model_len: Some(8192),
        served_names: vec!["b".into()],
        tool_parser: Some("qwen".into()),
        reasoning_parser: Some(String::new()),
        ..Discovered::default()
    };
    assert_eq!(profile.conflicts(&right), []);
    assert_eq!(profile.conflicts(&Discovered::default()), []);
    let conflict = |seen: Discovered| {
        let found = profile.conflicts(&seen);
        assert!(found.iter().all(|found| found.rule == "profile_conflict"));
        found.iter().map(|found| found.evidence[0].excerpt.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        conflict(Discovered { max_model_len: Some(4096), ..right.clone() }),
        ["profile:1: --context-length 8192"]
    );
    assert_eq!(
        conflict(Discovered { tool_parser: Some("hermes".into()), ..right.clone() }),
        ["profile:1: --tool-call-parser qwen"]
    );
    assert_eq!(conflict(Discovered { served_names: vec!["c".into()], engine: Some("vllm".into()), ..right }).len(), 2);
}

/// A random launch as words of flags.
fn launch() -> impl Strategy<Value = String> {
    let word = "[a-zA-Z0-9/._-]{1,12}|[a-z '\"$\\\\{}#&;|]{1,10}|日本 語";
    let flag = prop_oneof![
        (1_u32..2_000_000).prop_map(|n| format!("--max-model-len {n}")),
        (1_u32..512).prop_map(|n| format!("--max-num-seqs={n}")),
        (1_u32..=100).prop_map(|n| format!("--gpu_memory_utilization {}", f64::from(n) / 100.0)),
        Just("--enable-prefix-caching".to_owned()),
        Just("--no-enable-chunked-prefill".to_owned()),
        word.prop_filter("no flag", |text| !text.starts_with('-')
            && !text.trim().is_empty()
            && !text.starts_with('$')
            && !text.contains("${"))
            .prop_map(|text| format!("--chat-template {}", shell_words::quote(&text))),
        (0_u32..9).prop_map(|n| format!("--limit-mm-per-prompt '{{\"image\": {n}, \"video\": 0}}'")),
        (1_u32..9)
            .prop_map(|n| format!("--speculative-config.method mtp --speculative-config.num_speculative_tokens {n}")),
        (1_u32..9).prop_map(|n| format!("-tp {n}")),
        Just("--served-model-name a 'b c'".to_owned()),
        Just("--kv-cache-dtype fp8 --tool-call-parser hermes --enable-auto-tool-choice".to_owned()),
    ];
    (prop::collection::vec(flag, 0..8), prop::bool::ANY).prop_map(|(flags, continued)| {
        let between = if continued { " \\\n  " } else { " " };
        format!("X=1 vllm serve org/Model-7B{between}{}", flags.join(between))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn there_and_back(text in launch()) {
        let profile = one(&text);
        for form in [Rendering::Command, Rendering::Yaml, Rendering::Compose] {
            let rendered = render(&profile, form).unwrap();
            let again = one(&rendered);
            prop_assert_eq!(profile.meaning(), again.meaning(), "{:?}\n{}\n{}", form, &text, &rendered);
            if form == Rendering::Command {
                prop_assert_eq!(profile.digest(), again.digest());
                prop_assert_eq!(&rendered, &render(&again, form).unwrap());
            }
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,200}|[-a-z: \\[\\]{}\n'\"&*!|>#$=,0-9]{0,200}") {
        if let Some(profile) = scan_text(&text) {
            let _ = monban::profile::check(&profile, &Known::nothing());
            let _ = profile.record_json(&Known::nothing());
            let _ = render(&profile, Rendering::Compose);
        }
        let serve = format!("vllm serve {text}");
        if let Some(profile) = scan_text(&serve) {
            let _ = monban::profile::check(&profile, &Known::nothing());
            let _ = render(&profile, Rendering::Yaml);
        }
    }
}
