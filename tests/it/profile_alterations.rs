//! Right profiles have no finding; with one thing altered they have exactly the finding for it.

use monban::diagnostic::Source;
use monban::profile::{Known, Lang, check, check_together, read, reading};

const CODING: &str = include_str!("../../examples/profiles/coding-agent/gemma4-nvfp4.yaml");
const COMPOSE: &str = include_str!("../../examples/profiles/compose/compose.yaml");
const LITELLM: &str = include_str!("../../examples/profiles/litellm/config.yaml");
const SGLANG: &str = include_str!("../../examples/profiles/sglang/serve.sh");
const TENSORRT: &str = include_str!("../../examples/profiles/tensorrt-llm/serve.sh");
const LLAMA: &str = include_str!("../../examples/profiles/llama-cpp/serve.sh");
const ATLAS: &str = include_str!("../../examples/profiles/atlas/serve.sh");
const LONG: &str = include_str!("../../examples/profiles/long-context/qwen3.6-fp8.yaml");
const SHARED: &str = include_str!("../../examples/profiles/shared-resident/granite4-bf16.yaml");

fn rules(file: &str, text: &str) -> Vec<String> {
    let source = Source::new(file, text);
    let profiles = read(&source).unwrap_or_else(|error| panic!("{error:?}"));
    let own = profiles.iter().flat_map(|profile| check(profile, &Known::nothing()));
    own.chain(check_together(&profiles)).map(|found| found.rule).collect()
}

/// Replaces `from` by `to` in a right profile: exactly `expected` is found, at a place within what was altered where it says so.
#[track_caller]
fn altered(text: &str, cases: &[(&str, &str, &[&str])]) {
    let mut wrong = Vec::new();
    for (from, to, expected) in cases {
        assert!(text.contains(from), "{from}");
        let found = rules("profile.yaml", &text.replacen(from, to, 1));
        if found != *expected {
            wrong.push(format!("{from:?} → {to:?}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_examples_are_clean() {
    for (file, text) in [
        ("examples/profiles/coding-agent/gemma4-nvfp4.yaml", CODING),
        ("examples/profiles/long-context/qwen3.6-fp8.yaml", LONG),
        ("examples/profiles/shared-resident/granite4-bf16.yaml", SHARED),
        ("compose.yaml", COMPOSE),
        ("config.yaml", LITELLM),
        ("sglang.sh", SGLANG),
        ("trtllm.sh", TENSORRT),
        ("llama.sh", LLAMA),
        ("atlas.sh", ATLAS),
    ] {
        assert_eq!(rules(file, text), Vec::<String>::new(), "{file}");
    }
}

#[test]
fn the_examples_run_together() {
    let texts = [CODING, LONG, SHARED, COMPOSE, LITELLM, SGLANG, LLAMA, ATLAS];
    let profiles: Vec<_> =
        texts.iter().enumerate().flat_map(|(at, text)| read(&Source::new(format!("{at}"), *text)).unwrap()).collect();
    assert_eq!(check_together(&profiles), []);
}

#[test]
fn the_example_is_read_aloud() {
    let profile = &read(&Source::new("gemma4-nvfp4.yaml", CODING)).unwrap()[0];
    let english = reading(profile, &Known::nothing(), Lang::En);
    insta::assert_snapshot!(english);
    let japanese = reading(profile, &Known::nothing(), Lang::Ja);
    assert!(japanese.trade_off.contains("131072 トークンまでの入力"), "{}", japanese.trade_off);
    assert_eq!(english.questions.len(), 7);
    let layers: Vec<&str> = english.layers.iter().map(|layer| layer.value.as_str()).collect();
    assert_eq!(layers, ["nvfp4", "bfloat16", "fp8"]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn one_altered_line_of_the_example() {
    altered(
        CODING,
        &[
            ("max_num_batched_tokens: 8192", "max_num_batched_tokens: 1", &["batched_tokens_below_seqs"]),
            ("max_num_batched_tokens: 8192", "max_num_batched_tokens: 300000", &["batched_tokens_above_total"]),
            ("--enable-chunked-prefill", "--no-enable-chunked-prefill", &["batched_tokens_below_context"]),
            ("max_model_len: 131072", "max_model_len: 8192", &["context_against_purpose"]),
            ("max_model_len: 131072", "max_model_len: lots", &["bad_value"]),
            ("max_num_seqs: 2", "max_num_seqs: two", &["bad_value"]),
            ("gpu_memory_utilization: 0.40", "gpu_memory_utilization: 40", &["bad_value"]),
            ("gpu_memory_utilization: 0.40", "gpu_memory_utilization: 0", &["bad_value"]),
            ("gpu_memory_utilization: 0.40", "gpu_memory_utilisation: 0.40", &["unknown_flag"]),
            ("dtype: bfloat16", "dtype: fp8", &["bad_value"]),
            ("dtype: bfloat16", "dtyp: bfloat16", &["unknown_flag"]),
            ("port: 8001", "port: 80010", &["bad_value"]),
            ("kv_cache_dtype: fp8", "kv_cache_dtype: awq", &["kv_dtype_as_weight_quantisation"]),
            ("kv_cache_dtype: fp8", "kv_cache_dtype: fp88", &["unknown_kv_dtype"]),
            ("model_key: gemma4-26b-a4b-nvfp4", "model_key: gemma4-26b-a4b\nprofile_owner: x", &["unknown_flag"]),
            ("purpose: coding-agent", "purpose: shared coding-agent\nswap_space: 0.5", &["removed_flag"]),
            ("purpose: coding-agent\n", "", &["purpose_missing"]),
            ("purpose: coding-agent", "purpose: vision", &[]),
            ("\"image\":3", "\"image\":0", &[]),
            ("\"video\":0", "\"video\":4", &["multimodal_against_purpose"]),
            ("'{\"image\":3,\"video\":0}'", "'{image:3}'", &["bad_value"]),
            ("  - --tool-call-parser\n  - gemma4", "  - --tool-call-parser gemma4", &["list_item_with_space"]),
            (
                "  - --tool-call-parser\n  - gemma4",
                "  - --tool-call-parser\n  - hermes",
                &["tool_parser_family_mismatch"],
            ),
            ("  - --tool-call-parser\n  - gemma4", "  - --tool-call-parser\n  - gemma44", &["unknown_parser"]),
            ("  - --tool-call-parser\n  - gemma4\n", "", &["tool_parser_missing"]),
            ("  - --enable-auto-tool-choice\n", "", &["auto_tool_choice_missing"]),
            ("  - --tool-call-parser\n  - gemma4\n  - --enable-auto-tool-choice\n", "", &["auto_tool_choice_missing"]),
            (
                "  - --reasoning-parser\n  - gemma4",
                "  - --reasoning-parser\n  - qwen3",
                &["reasoning_parser_family_mismatch"],
            ),
            ("  - --reasoning-parser\n  - gemma4", "  - --reasoning-parser\n  - gemma", &["unknown_parser"]),
            ("--enable-prefix-caching", "--enable-prefix-cacheing", &["unknown_flag"]),
            ("--enable-prefix-caching", "–enable-prefix-caching", &["malformed_flag"]),
            ("  - --enable-prefix-caching\n", "  - --enable-prefix-caching\n  - 'true'\n", &["malformed_flag"]),
            ("  - --enable-prefix-caching\n", "  - --enable-prefix-caching\n  - stray\n", &["malformed_flag"]),
            ("  - --enable-prefix-caching\n", "  - --max-model-len\n  - '65536'\n", &["extra_args_contradict"]),
            ("  - --enable-prefix-caching\n", "  - --seed\n  - '1'\n  - --seed\n  - '2'\n", &["duplicate_flag"]),
            ("  - --enable-prefix-caching\n", "  - --api-key\n  - 8f2c1d0aa91b4e6b\n", &["secret_in_file"]),
            ("  - --enable-prefix-caching\n", "  - --enable-log-outputs\n", &["log_outputs_without_requests"]),
            ("  - --enable-prefix-caching\n", "  - --guided-decoding-backend\n  - xgrammar\n", &["removed_flag"]),
            (
                "  - --enable-prefix-caching\n",
                "  - --long-prefill-token-threshold\n  - '200000'\n",
                &["scheduler_limit_above_context"],
            ),
            (
                "runtime: vllm",
                "runtime: vllm\nruntime_version: 0.10.2",
                &["parser_needs_newer_engine", "parser_needs_newer_engine"],
            ),
            ("runtime: vllm", "runtime: vllm\nruntime_version: 0.33.0", &[]),
            ("runtime: vllm", "runtime: vllm\nquantization: awq", &["quantization_against_checkpoint"]),
            ("runtime: vllm", "runtime: vllm\nquantization: fp8_e4m3", &["kv_dtype_as_weight_quantisation"]),
            ("profile_name: gemma4-nvfp4", "profile_name: gemma4-resident", &[]),
            ("gpu_memory_utilization: 0.40", "gpu_memory_utilization: 0.95 # shared", &[]),
        ],
    );
}

#[test]
fn the_cache_is_not_the_weights() {
    let text = CODING
        .replace("gemma4-nvfp4", "gemma4-fp8")
        .replace("model_key: gemma4-26b-a4b-nvfp4", "model_key: gemma4-26b-a4b")
        .replace("-NVFP4", "");
    assert_eq!(rules("profile.yaml", &text), ["kv_dtype_as_weight_quantisation"]);
}

#[test]
fn one_altered_line_of_other_typed_profiles() {
    altered(
        LONG,
        &[
            ("max_model_len: 262144", "max_model_len: 32768", &["context_against_purpose"]),
            ("qwen3_coder", "hermes", &["tool_parser_family_mismatch"]),
            (", --reasoning-parser, qwen3", "", &["reasoning_parser_missing"]),
            ("--reasoning-parser, qwen3", "--reasoning-parser, mistral", &["reasoning_parser_family_mismatch"]),
            ("runtime_version: 0.33.0", "runtime_version: 0.33.0\nrope_scaling: '{}'", &["removed_flag"]),
            ("max_num_batched_tokens: 16384", "max_num_batched_token: 16384", &["unknown_flag"]),
            ("kv_cache_dtype: fp8", "kv_cache_dtype: bfloat16", &[]),
            (
                "runtime_version: 0.33.0",
                "runtime_version: 0.25.1\ntool_strict_level: auto",
                &["flag_needs_newer_engine"],
            ),
        ],
    );
    altered(
        SHARED,
        &[
            ("gpu_memory_utilization: 0.25", "gpu_memory_utilization: 0.9", &["memory_share_on_shared_machine"]),
            ("gpu_memory_utilization: 0.25\n", "", &["memory_share_on_shared_machine"]),
            ("--tool-call-parser, granite4", "--tool-call-parser, granite", &["tool_parser_family_mismatch"]),
            (
                "--tool-call-parser, granite4",
                "--tool-call-parser, granite4, --reasoning-parser, qwen3",
                &["reasoning_parser_family_mismatch"],
            ),
        ],
    );
}

#[test]
fn one_altered_line_of_a_service() {
    altered(
        COMPOSE,
        &[
            ("- Qwen/Qwen3-Coder", "- vllm\n      - serve\n      - Qwen/Qwen3-Coder", &["image_entrypoint_mismatch"]),
            ("v0.33.0", "v0.11.0", &["image_entrypoint_mismatch"]),
            ("\"8000:8000\"", "\"8000:8001\"", &["port_mapping_mismatch"]),
            ("\"8000:8000\"", "\"9000:8000\"", &[]),
            ("      start_period: 20m\n", "", &["healthcheck_too_short"]),
            ("http://localhost:8000/health", "http://localhost:8000/v1/models", &["healthcheck_unauthorised"]),
            ("http://localhost:8000/health", "http://localhost:8080/health", &["healthcheck_wrong_port"]),
            ("device_ids: [\"0\", \"1\"]", "device_ids: [\"0\"]", &["tensor_parallel_exceeds_gpus"]),
            (
                "device_ids: [\"0\", \"1\"]",
                "count: 2\n              device_ids: [\"0\", \"1\"]",
                &["gpu_reservation_conflict"],
            ),
            ("${VLLM_API_KEY}", "sk-a91bd74cf0aa3e", &["secret_in_file"]),
            ("${HF_TOKEN}", "hf_QwErTyUiOpAsDfGhJkLz", &["secret_in_file"]),
            ("- --max-model-len\n      - \"131072\"", "- --max-model-len 131072", &["list_item_with_space"]),
            ("- qwen3_coder\n", "- qwen3_coder\n      - --host\n      - 127.0.0.1\n", &["localhost_in_container"]),
            ("- qwen3_coder\n", "- qwen3_coder\n      - --swap-space\n      - \"4\"\n", &["removed_flag"]),
            ("- qwen3_coder\n", "- hermes\n", &["tool_parser_family_mismatch"]),
        ],
    );
}

#[test]
fn services_of_one_file_collide() {
    let client = COMPOSE.replacen(
        "services:\n",
        "services:\n  chat:\n    image: open-webui\n    environment:\n      OPENAI_API_BASE_URL: http://localhost:8000/v1\n",
        1,
    );
    assert_eq!(rules("c.yaml", &client), ["localhost_in_container"]);
    let second = COMPOSE.split_once("services:\n").unwrap().1.split_once("volumes:\n  hf-cache").unwrap().0;
    let both = |altered: &str| {
        format!("{}{altered}volumes:\n  hf-cache: {{}}\n", COMPOSE.split_once("volumes:\n  hf-cache").unwrap().0)
    };
    let second = second.replacen("  qwen3-coder:", "  other:", 1);
    let ports = second
        .replace("container_name: qwen3-coder", "container_name: other")
        .replace("[\"0\", \"1\"]", "[\"2\", \"3\"]");
    assert_eq!(rules("c.yaml", &both(&ports)), ["port_collision"]);
    let names = second.replace("8000:8000", "8001:8000").replace("[\"0\", \"1\"]", "[\"2\", \"3\"]");
    assert_eq!(rules("c.yaml", &both(&names)), ["container_name_collision"]);
}

#[test]
fn one_altered_line_of_a_gateway() {
    altered(
        LITELLM,
        &[
            ("http://qwen3-coder:8000/v1", "http://qwen3-coder:8000", &["litellm_api_base"]),
            ("hosted_vllm/Qwen", "Qwen", &["litellm_provider_missing"]),
            ("hosted_vllm/Qwen", "openai/responses/Qwen", &["litellm_responses_bridge"]),
            ("drop_params: false", "drop_params: true", &["litellm_drop_params"]),
            ("cache: false", "cache: true", &["litellm_cache"]),
            ("num_retries: 0", "fallbacks: [{a: [b]}]", &["litellm_fallbacks"]),
            ("api_key: os.environ/VLLM_API_KEY", "api_key: sk-a91bd74cf0aa3e", &["secret_in_file"]),
            ("master_key: os.environ/LITELLM_MASTER_KEY", "master_key: sk-a91bd74cf0aa3e", &["secret_in_file"]),
            (
                "http://qwen3-coder:8000/v1",
                "http://localhost:8000/v1 # docker run litellm",
                &["localhost_in_container"],
            ),
            ("http://qwen3-coder:8000/v1", "http://localhost:8000/v1", &[]),
        ],
    );
    let served = [COMPOSE, &LITELLM.replace("hosted_vllm/Qwen3-Coder-30B-A3B", "hosted_vllm/qwen3-coder")];
    let profiles: Vec<_> = served.iter().flat_map(|text| read(&Source::new("f", *text)).unwrap()).collect();
    let found: Vec<String> = check_together(&profiles).into_iter().map(|found| found.rule).collect();
    assert_eq!(found, ["litellm_served_name_mismatch"]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn one_altered_line_of_other_engines() {
    altered(
        SGLANG,
        &[
            ("qwen3_coder", "qwen25", &["tool_parser_family_mismatch"]),
            ("--context-length 131072", "--contex-length 131072", &["unknown_flag"]),
            ("--context-length 131072", "--context-length 128k", &["bad_value"]),
            ("CUDA_VISIBLE_DEVICES=0,1", "CUDA_VISIBLE_DEVICES=0", &["tensor_parallel_exceeds_gpus"]),
            ("  --reasoning-parser qwen3 \\\n", "", &["reasoning_parser_missing"]),
            ("--tp-size 2 \\", "--tp-size 2 \\ ", &["malformed_flag"]),
            ("--mem-fraction-static 0.85", "--mem-fraction-static 85", &["bad_value"]),
        ],
    );
    altered(
        TENSORRT,
        &[
            ("guided_decoding_backend: xgrammar\n", "", &["guided_backend_missing"]),
            (
                "--max_seq_len 131072",
                "--max_seq_len 131072 --kv_cache_free_gpu_memory_fraction 0.5",
                &["yaml_overrides_cli"],
            ),
            ("--tp_size 2", "--tp_size two", &["bad_value"]),
            ("--tool_parser qwen3_coder", "--tool-parser qwen3_coder", &["malformed_flag"]),
            ("--tool_parser qwen3_coder", "--tool_parser qwen3", &["tool_parser_family_mismatch"]),
        ],
    );
    altered(
        LLAMA,
        &[
            ("--jinja --metrics", "--no-jinja", &["jinja_missing"]),
            ("--parallel 1", "--parallel 4", &["context_divided_by_slots"]),
            ("--flash-attn on", "--flash-attn off", &["kv_quant_needs_flash_attention"]),
            ("--jinja --metrics", "--jinja --skip-chat-parsing", &["chat_parsing_skipped"]),
            ("--jinja --metrics", "--jinja --chat-template chatml", &["chat_template_override"]),
            ("--cache-type-k q8_0", "--cache-type-k fp8", &["bad_value"]),
            ("--ctx-size 65536", "--ctx-sizes 65536", &["unknown_flag"]),
        ],
    );
    altered(
        ATLAS,
        &[
            ("--enable-prefix-caching", "--speculative --dflash", &["exclusive_flags"]),
            ("--enable-prefix-caching", "--world-size 4 --tp-size 2", &["parallel_size_mismatch"]),
            ("--enable-prefix-caching", "--require-auth", &["auth_without_token"]),
            ("--tool-call-parser qwen3_coder", "--tool-call-parser mistral", &["tool_parser_family_mismatch"]),
        ],
    );
}

#[test]
fn what_a_running_vllm_takes_and_refuses() {
    // Held against the argument parser of a genuine vLLM 0.32.0.
    const FLAGS: &[&str] = &["bad_value", "unknown_flag", "removed_flag", "flag_needs_newer_engine"];
    let rules = |version: &str, flags: &str| -> Vec<String> {
        let text = format!("#!/bin/sh\nvllm serve Qwen/Qwen2.5-7B-Instruct {flags}\n");
        let mut known = Known::nothing();
        known.engine_version = Some(version.to_owned());
        let profile = &read(&Source::new("run.sh", text)).unwrap()[0];
        let found = check(profile, &known).into_iter().map(|found| found.rule);
        found.filter(|rule| FLAGS.contains(&rule.as_str())).collect()
    };
    for taken in
        ["--device-memory-utilization 0.5", "--grpc", "--limit-mm-per-prompt '{\"image\": 2}'", "--max-lora-rank 64"]
    {
        assert_eq!(rules("0.32.0", taken), Vec::<String>::new(), "{taken}");
    }
    let (blanks, with) =
        ("--structured-outputs-config '{\"disable_any_whitespace\": true", ", \"backend\": \"xgrammar\"}'");
    assert_eq!(rules("0.32.0", &format!("{blanks}{with}")), Vec::<String>::new());
    assert_eq!(rules("0.32.0", &format!("{blanks}}}'")), ["bad_value"]);
    let (dotted, backend) =
        ("--structured-outputs-config.disable_any_whitespace true", "--structured-outputs-config.backend guidance");
    assert_eq!(rules("0.32.0", &format!("{dotted} {backend}")), Vec::<String>::new());
    assert_eq!(rules("0.32.0", dotted), ["bad_value"]);
    for refused in ["--device-memory-utilization 1.2", "--limit-mm-per-prompt image=2", "--max-lora-rank 17"] {
        assert_eq!(rules("0.32.0", refused), ["bad_value"], "{refused}");
    }
    assert_eq!(rules("0.8.5", "--limit-mm-per-prompt image=2"), Vec::<String>::new());
}
