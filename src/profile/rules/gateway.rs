//! LiteLLM: what makes an evaluation through it measure something else.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::container::Route;
use crate::profile::setting::Placed;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule("litellm_responses_bridge", "the Responses bridge drops the text of thoughts", bridge),
    rule("litellm_api_base", "the backend's address lacks its /v1", api_base),
    rule("litellm_provider_missing", "the backend's model has no provider before it", provider),
    rule("litellm_drop_params", "parameters the backend does not take vanish silently", drop_params),
    rule("litellm_fallbacks", "another model answers when this one fails", fallbacks),
    rule("litellm_cache", "answers come from a cache", cache),
    rule("litellm_merged_reasoning", "thoughts are put back into the answer", merged),
];

fn routes<'a>(s: &Subject<'a>) -> impl Iterator<Item = (&'a Route, &'a Placed)> {
    s.profile.routes.iter().filter_map(|route| Some((route, route.params.get("model")?)))
}

fn on(value: &str) -> bool {
    value == "true"
}

fn bridge(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for (_, model) in routes(s).filter(|(_, model)| model.text.contains("/responses/")) {
        let message = "the Responses bridge hands on summaries only: the text of thoughts is lost";
        out.push(s.info("litellm_responses_bridge", model.span.clone(), message).fix(model.text.replacen(
            "responses/",
            "",
            1,
        )));
    }
}

fn api_base(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for (route, model) in routes(s) {
        let Some(base) = route.params.get("api_base").filter(|base| base.text.contains("://")) else { continue };
        let openai = model.text.starts_with("openai/") || model.text.starts_with("hosted_vllm/");
        let path = base
            .text
            .split_once("://")
            .and_then(|(_, rest)| rest.split_once('/'))
            .map_or("", |(_, path)| path.trim_end_matches('/'));
        if openai && path.is_empty() {
            let message = format!("`{}` has no /v1: the backend answers 404", base.text);
            out.push(
                s.warning("litellm_api_base", base.span.clone(), message)
                    .fix(format!("{}/v1", base.text.trim_end_matches('/'))),
            );
        } else if openai && path.ends_with("chat/completions") {
            let message = "LiteLLM puts /chat/completions behind it itself";
            out.push(
                s.warning("litellm_api_base", base.span.clone(), message)
                    .fix(base.text.replace("/chat/completions", "")),
            );
        }
    }
}

fn provider(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for (_, model) in routes(s).filter(|(route, model)| {
        !model.text.contains('/')
            && route.params.contains_key("api_base")
            && !route.params.contains_key("custom_llm_provider")
    }) {
        let message = format!("`{}` names no provider: LiteLLM does not know how to call it", model.text);
        out.push(
            s.error("litellm_provider_missing", model.span.clone(), message).fix(format!("hosted_vllm/{}", model.text)),
        );
    }
}

fn drop_params(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let global = s
        .profile
        .get("litellm_settings.drop_params")
        .filter(|setting| on(&setting.value))
        .map(|setting| setting.span.clone());
    let own = routes(s)
        .filter_map(|(route, _)| route.params.get("drop_params"))
        .filter(|value| on(&value.text))
        .map(|value| value.span.clone());
    for span in global.into_iter().chain(own) {
        let message =
            "parameters the backend does not take vanish silently: tool_choice and response_format among them";
        out.push(s.warning("litellm_drop_params", span, message).fix("drop_params: false while evaluating"));
    }
}

fn fallbacks(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let keys = ["fallbacks", "default_fallbacks", "context_window_fallbacks", "content_policy_fallbacks"];
    for setting in &s.profile.settings {
        let (section, key) = setting.key.split_once('.').unwrap_or_default();
        if matches!(section, "litellm_settings" | "router_settings") && keys.contains(&key) && setting.value != "[]" {
            let message = "when the model fails another one answers, and the evaluation measures that one";
            out.push(
                s.warning("litellm_fallbacks", setting.span.clone(), message).fix("no fallbacks while evaluating"),
            );
        }
    }
}

fn cache(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if let Some(setting) = s.profile.get("litellm_settings.cache").filter(|setting| on(&setting.value)) {
        let message = "answers come from the cache: repeats and latencies mean nothing";
        out.push(s.warning("litellm_cache", setting.span.clone(), message).fix("cache: false while evaluating"));
    }
}

fn merged(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    for (route, _) in routes(s) {
        if let Some(value) = route.params.get("merge_reasoning_content_in_choices").filter(|value| on(&value.text)) {
            let message = "thoughts are put back into the answer: the engine's reasoning parser seems not to work";
            out.push(s.warning("litellm_merged_reasoning", value.span.clone(), message).fix("false while evaluating"));
        }
    }
}
