//! The seven questions of a review, answered from the file or left open: [`questions`].

use super::{Question, Words, word};
use crate::diagnostic::Diagnostic;
use crate::profile::model::Profile;
use crate::profile::rules::{Known, check, weights_of};

/// The findings that answer a question with "no".
const ANSWERS: &[(usize, &[&str])] = &[
    (1, &["purpose_missing"]),
    (2, &["quantization_against_checkpoint", "base_model_with_chat_flags", "served_name_missing"]),
    (3, &["kv_dtype_as_weight_quantisation", "unknown_kv_dtype"]),
    (4, &["context_against_purpose", "context_below_needs", "context_divided_by_slots"]),
    (
        5,
        &[
            "batched_tokens_below_seqs",
            "batched_tokens_below_context",
            "batched_tokens_above_total",
            "tensor_parallel_exceeds_gpus",
        ],
    ),
    (
        6,
        &[
            "tool_parser_family_mismatch",
            "reasoning_parser_family_mismatch",
            "reasoning_parser_missing",
            "unknown_parser",
            "removed_parser",
            "parser_needs_newer_engine",
            "tool_parser_missing",
            "auto_tool_choice_missing",
            "parser_known_bad_for_checkpoint",
        ],
    ),
    (7, &["memory_share_on_shared_machine", "localhost_in_container", "port_mapping_mismatch", "secret_in_file"]),
];

/// The questions in order.
pub(super) fn questions(profile: &Profile, known: &Known, words: &'static Words) -> Vec<Question> {
    let findings = check(profile, known);
    ANSWERS
        .iter()
        .map(|(number, rules)| {
            let question = word(words, &format!("q{number}")).to_owned();
            let wrong: Vec<&Diagnostic> =
                findings.iter().filter(|found| rules.contains(&found.rule.as_str())).collect();
            if wrong.is_empty() {
                let (answer, open) = answer(*number, profile, words);
                return Question { question, answer, open };
            }
            let texts = wrong.iter().map(|found| found.message.as_str()).collect::<Vec<_>>().join("; ");
            Question { question, answer: word(words, "wrong").replace("{}", &texts), open: true }
        })
        .collect()
}

fn answer(number: usize, profile: &Profile, words: &'static Words) -> (String, bool) {
    let value = |key: &str| profile.value(key).map(str::to_owned);
    let unset = || word(words, "unset").to_owned();
    match number {
        1 => profile.purpose.as_ref().map_or_else(|| (unset(), true), |purpose| (purpose.text.clone(), false)),
        2 => match profile.model() {
            Some(model) => {
                let weights = value("quantization").or_else(|| weights_of(&model.text).map(str::to_owned));
                let open = weights.is_none();
                (format!("{}, {}", model.text, weights.unwrap_or_else(|| word(words, "unquantised").to_owned())), open)
            }
            None => (unset(), true),
        },
        3 => {
            let layers = super::layers(profile, words);
            (layers.iter().map(|layer| layer.value.clone()).collect::<Vec<_>>().join(" / "), false)
        }
        4 => (word(words, "a4_open").replace("{}", &value("max-model-len").unwrap_or_else(unset)), true),
        5 => {
            let text = word(words, "a5_open").replace("{seqs}", &value("max-num-seqs").unwrap_or_else(unset));
            (text.replace("{context}", &value("max-model-len").unwrap_or_else(unset)), true)
        }
        6 => parsers(profile, words),
        _ => reach(profile, words),
    }
}

fn parsers(profile: &Profile, words: &'static Words) -> (String, bool) {
    let names: Vec<&str> = ["tool-call-parser", "reasoning-parser"]
        .iter()
        .filter_map(|key| profile.value(key))
        .filter(|name| !name.is_empty())
        .collect();
    if names.is_empty() {
        return (word(words, "a6_none").to_owned(), true);
    }
    match &profile.engine_version {
        Some(version) => (format!("{} ({} {})", names.join(" / "), profile.engine, version.text), false),
        None => (word(words, "a6_version").replace("{}", &names.join(" / ")), true),
    }
}

fn reach(profile: &Profile, words: &'static Words) -> (String, bool) {
    let key = profile.get("api-key").is_some() || profile.env_value("VLLM_API_KEY").is_some();
    let text = word(words, "a7")
        .replace(
            "{port}",
            &profile.request_defaults().port.map_or_else(|| word(words, "unset").to_owned(), |port| port.to_string()),
        )
        .replace("{key}", word(words, if key { "key_set" } else { "key_none" }))
        .replace("{share}", profile.value("gpu-memory-utilization").unwrap_or(word(words, "unset")));
    (text, profile.get("gpu-memory-utilization").is_none())
}
