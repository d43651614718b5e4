//! Traps of single engines.

use super::subject::{Subject, Wanted, has_word};
use super::{ProfileRule, rule};
use crate::diagnostic::{Diagnostic, Severity};

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule("guided_backend_missing", "TensorRT-LLM ignores schemas without a guided decoding backend", guided),
    rule("context_divided_by_slots", "llama-server divides its context by the parallel slots", slots),
    rule("kv_quant_needs_flash_attention", "a quantised V cache needs flash attention", flash),
    rule("chat_parsing_skipped", "--skip-chat-parsing hands tool calls and thoughts through as text", skipped),
    rule("chat_template_override", "a built-in template replaces the model's own, which knows of tools", builtin),
    rule("mmproj_missing", "images need the model's projector", mmproj),
    rule("log_outputs_without_requests", "--enable-log-outputs requires --enable-log-requests", log_outputs),
    rule("headless_with_api_server", "--headless and --api-server-count exclude each other", headless),
    rule("exclusive_flags", "two flags exclude each other", exclusive),
    rule("parallel_size_mismatch", "the world size is neither tensor × expert parallel nor both", world),
    rule("auth_without_token", "--require-auth without a token lets nobody in", auth),
];

fn guided(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if s.engine != "tensorrt_llm" || s.profile.get("guided-decoding-backend").is_some() {
        return;
    }
    let config = s.profile.get("config");
    // Where the options file is not at hand it may well name one.
    let seen =
        s.profile.settings.iter().any(|setting| setting.origin == crate::profile::Origin::Options) || config.is_none();
    let severity = match s.schema() {
        Wanted::Yes if seen => Severity::Warning,
        Wanted::Unknown if seen && config.is_some() => Severity::Info,
        _ => return,
    };
    let span = config.map_or_else(|| s.absent(), |setting| setting.span.clone());
    let message = "no guided_decoding_backend: schemas are not enforced";
    out.push(s.found(severity, "guided_backend_missing", span, message).fix("guided_decoding_backend: xgrammar"));
}

fn llama(s: &Subject<'_>) -> bool {
    s.engine == "llama_cpp"
}

fn slots(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some(context), Some(slots)) =
        (s.profile.get("max-model-len").filter(|_| llama(s)), s.profile.number("max-num-seqs"))
    else {
        return;
    };
    let Some(total) = context.value.parse().ok().filter(|n: &f64| *n > 0.0) else { return };
    if slots > 1.0 && s.profile.switch("kv-unified") != Some(true) {
        let each = (total / slots).floor();
        let message = format!("{total} tokens over {slots} slots: each request gets {each}");
        out.push(
            s.warning("context_divided_by_slots", context.span.clone(), message)
                .fix(format!("--ctx-size {} for {total} each, or --kv-unified", total * slots)),
        );
    }
}

fn flash(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(v) = s.profile.get("cache-type-v").filter(|_| llama(s)) else { return };
    let off = s.profile.value("flash-attn").is_some_and(|value| matches!(value, "off" | "0"));
    if off && !matches!(v.value.as_str(), "f16" | "f32" | "bf16") {
        let message =
            format!("a V cache of {} needs flash attention, which is off: the server does not start", v.value);
        out.push(s.error("kv_quant_needs_flash_attention", v.span.clone(), message).fix("--flash-attn on"));
    }
}

fn skipped(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.profile.get("skip-chat-parsing").filter(|setting| llama(s) && setting.value == "true") else {
        return;
    };
    let severity = if s.tools() == Wanted::Yes { Severity::Error } else { Severity::Warning };
    let message = "tool calls and thoughts stay in the answer as text";
    out.push(s.found(severity, "chat_parsing_skipped", setting.span.clone(), message).fix("drop --skip-chat-parsing"));
}

fn builtin(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.profile.get("chat-template").filter(|_| llama(s) && s.tools() != Wanted::No) else { return };
    let name = &setting.value;
    if !name.contains("{%") && !name.contains("{{") {
        let message = format!("the built-in template `{name}` replaces the model's own: tools are not told of");
        out.push(
            s.warning("chat_template_override", setting.span.clone(), message)
                .fix("drop it, or --chat-template-file with the model's template"),
        );
    }
}

fn mmproj(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let wanted = s.known.needs.is_some_and(|needs| needs.images > 0)
        || s.purpose()
            .is_some_and(|purpose| has_word(&purpose, &["vision", "image", "images", "ocr", "vlm", "multimodal"]));
    let by_repository =
        s.profile.settings.iter().any(|setting| setting.key == "model" && !setting.value.ends_with(".gguf"));
    let given = s.profile.get("mmproj").or_else(|| s.profile.get("mmproj-url")).is_some();
    if llama(s) && wanted && !given && !by_repository {
        let message = "images are wanted, and no projector is given: the server refuses them";
        out.push(s.error("mmproj_missing", s.absent(), message).fix("--mmproj FILE"));
    }
}

fn log_outputs(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let on = |key: &str| s.profile.switch(key) == Some(true);
    if let Some(setting) = s
        .profile
        .get("enable-log-outputs")
        .filter(|_| s.engine == "vllm" && on("enable-log-outputs") && !on("enable-log-requests"))
    {
        let message = "--enable-log-outputs requires --enable-log-requests: vLLM does not start";
        out.push(
            s.error("log_outputs_without_requests", setting.span.clone(), message).fix("add --enable-log-requests"),
        );
    }
}

fn headless(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.profile.get("headless").filter(|setting| setting.value == "true") else { return };
    if s.profile.number("api-server-count").is_some_and(|count| count > 0.0) {
        let message = "--headless runs no API server: vLLM refuses --api-server-count with it";
        out.push(s.error("headless_with_api_server", setting.span.clone(), message).fix("drop one of the two"));
    }
}

fn exclusive(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let on = |key: &str| s.profile.get(key).filter(|setting| setting.value == "true");
    if let (Some(one), Some(_)) = (on("dflash").filter(|_| s.engine == "atlas"), on("speculative")) {
        let message = "--speculative and --dflash exclude each other";
        out.push(s.error("exclusive_flags", one.span.clone(), message).fix("drop one of the two"));
    }
}

fn world(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.profile.get("world-size").filter(|_| s.engine == "atlas") else { return };
    let (Some(world), tensor, expert) = (
        s.profile.number("world-size"),
        s.profile.number("tensor-parallel-size").unwrap_or(1.0),
        s.profile.number("ep-size").unwrap_or(1.0),
    ) else {
        return;
    };
    let product = (world - tensor * expert).abs() < 0.5;
    let both = (world - tensor).abs() < 0.5 && (world - expert).abs() < 0.5;
    if !product && !both {
        let message = format!("world size {world} is neither {tensor} × {expert} nor both of them");
        out.push(
            s.error("parallel_size_mismatch", setting.span.clone(), message)
                .fix(format!("--world-size {}", tensor * expert)),
        );
    }
}

fn auth(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(setting) = s.profile.get("require-auth").filter(|setting| setting.value == "true") else { return };
    if s.profile.get("api-key").is_none() && s.profile.get("auth-tokens-file").is_none() {
        let message = "--require-auth without a token lets nobody in";
        out.push(s.error("auth_without_token", setting.span.clone(), message).fix("--auth-tokens-file FILE"));
    }
}
