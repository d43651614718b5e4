//! What the profile is for against what it gives: context, images, the machine's memory.

use super::subject::{Subject, has_word};
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::model::Form;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule("context_against_purpose", "the context does not fit what the profile is for", context),
    rule("multimodal_against_purpose", "the limits on images and video do not fit what the profile is for", multimodal),
    rule("memory_share_on_shared_machine", "the profile shares its machine and takes nearly all of its memory", memory),
    rule("purpose_missing", "nothing says what the profile is for", missing),
];

/// Purposes by word, with the least context they need. Ours, by what such prompts hold: a coding agent's tool definitions,
/// files and turns pass 16k within minutes.
const LEAST: &[(&[&str], f64)] = &[
    (&["long", "document", "documents", "repository", "book"], 65_536.0),
    (&["agent", "agents", "agentic", "coding", "code"], 32_768.0),
    (&["rag", "summarisation", "summarization"], 16_384.0),
];

/// Purposes whose prompts are short, and the context beyond which memory is given away.
const SHORT: &[&str] =
    &["classification", "classifier", "extraction", "embedding", "embeddings", "rerank", "reranker", "completion"];
const SHORT_MOST: f64 = 65_536.0;

/// Purposes that need images, and words that name a purpose at all.
const VISION: &[&str] =
    &["vision", "image", "images", "ocr", "multimodal", "vlm", "vl", "screenshot", "screenshots", "video"];
const SHARED: &[&str] = &["shared", "resident", "colocated", "desktop", "workstation", "background", "sidecar"];

/// The share of memory above which a machine is not shared any more.
const SHARE_MOST: f64 = 0.6;

fn context(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some(purpose), Some(setting)) = (s.purpose(), s.profile.get("max-model-len")) else { return };
    let Some(total) = setting.value.parse().ok().filter(|n: &f64| *n > 0.0) else { return };
    let slots = if s.engine == "llama_cpp" {
        s.profile.number("max-num-seqs").filter(|n| *n > 1.0).unwrap_or(1.0)
    } else {
        1.0
    };
    let have = total / slots;
    let least = LEAST.iter().find(|(words, _)| has_word(&purpose, words)).map(|(_, least)| *least);
    if let Some(least) = least.filter(|least| have < *least) {
        let message = format!("{have} tokens of context for `{purpose}`: prompts outgrow it and are cut or refused");
        out.push(
            s.warning("context_against_purpose", setting.span.clone(), message)
                .fix(format!("at least {least}, or another purpose")),
        );
    }
    if has_word(&purpose, SHORT) && have > SHORT_MOST {
        let message = format!("{have} tokens of context for `{purpose}`: memory is kept for prompts that never come");
        out.push(
            s.warning("context_against_purpose", setting.span.clone(), message)
                .fix("lower it and serve more sequences"),
        );
    }
}

fn multimodal(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let limits = s.profile.any("limit-mm-per-prompt");
    let json = s.profile.json("limit-mm-per-prompt");
    let count = |kind: &str| {
        let limit = json.as_ref()?.get(kind)?;
        limit.as_u64().or_else(|| limit.get("count")?.as_u64())
    };
    let only_text = s.profile.get("language-model-only").filter(|setting| setting.value == "true");
    let purpose = s.purpose().unwrap_or_default();
    let asked = s.known.needs.is_some_and(|needs| needs.images > 0);
    let video = has_word(&purpose, &["video"]);
    let none = only_text.or(limits.filter(|_| count("image") == Some(0) && !(video && count("video") != Some(0))));
    if let Some(setting) = none.filter(|_| asked || has_word(&purpose, VISION)) {
        let what = if asked { "the suite sends images" } else { "the purpose needs images" };
        let message = format!("{what}, and the profile takes none");
        out.push(
            s.error("multimodal_against_purpose", setting.span.clone(), message)
                .fix("allow as many images as one prompt has"),
        );
    }
    if let Some(setting) = limits.filter(|_| !purpose.is_empty() && !has_word(&purpose, VISION))
        && count("video").is_some_and(|videos| videos > 0)
    {
        let message = format!("memory is kept for videos that `{purpose}` never sends");
        out.push(s.warning("multimodal_against_purpose", setting.span.clone(), message).fix("\"video\": 0"));
    }
}

fn memory(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if s.engine == "llama_cpp" || s.table().and_then(|table| table.name_of("gpu-memory-utilization")).is_none() {
        return;
    }
    let name = s.profile.name.as_ref().map(|name| name.text.to_lowercase()).unwrap_or_default();
    let file = s.profile.file().to_lowercase();
    let texts = [s.purpose().unwrap_or_default(), name, file.rsplit('/').next().unwrap_or_default().to_owned()];
    if !texts.iter().any(|text| has_word(text, SHARED)) || s.profile.get("kv-cache-memory-bytes").is_some() {
        return;
    }
    let setting = s.profile.get("gpu-memory-utilization");
    let said: Option<f64> = setting.and_then(|setting| setting.value.parse().ok());
    let (share, span) = match (setting, said) {
        (Some(setting), Some(share)) => (share, setting.span.clone()),
        (Some(_), None) => return,
        (None, _) => (0.9, s.absent()),
    };
    if share > SHARE_MOST && share <= 1.0 {
        let kept = if setting.is_some() { "takes" } else { "takes by default" };
        let message = format!("the machine is shared, and this {kept} {share} of its memory");
        out.push(
            s.warning("memory_share_on_shared_machine", span, message)
                .fix(format!("at most {SHARE_MOST}, so that the others can stay")),
        );
    }
}

fn missing(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if s.profile.form != Form::Typed || s.profile.purpose.is_some() {
        return;
    }
    let name = s.profile.name.as_ref().map(|name| name.text.to_lowercase()).unwrap_or_default();
    let file = s.profile.file().to_lowercase();
    let told = |text: &str| {
        has_word(text, VISION)
            || has_word(text, SHARED)
            || has_word(text, SHORT)
            || LEAST.iter().any(|(words, _)| has_word(text, words))
            || has_word(text, &["chat", "assistant", "translation", "test", "smoke", "benchmark", "tool", "tools"])
    };
    if !told(&name) && !told(&file) {
        let span = s.profile.name.as_ref().map_or_else(|| s.absent(), |name| name.span.clone());
        let message = "neither `purpose` nor the name nor the directory says what the profile is for";
        out.push(s.warning("purpose_missing", span, message).fix("purpose: coding-agent"));
    }
}
