//! `several_models`: the answers name another model than the requests, or more than one.

use super::{RunRule, evidence, finding};
use crate::diagnosis::run::RunSignals;
use crate::diagnosis::{Blame, Confidence, Context, Finding, Severity};

pub(super) static RULE: RunRule = RunRule {
    id: "several_models",
    kind: "other",
    summary: "The answers name another model than the requests, or more than one.",
    manual: "Counts the `model` of the answers. Several names in one run are a warning: a balancer with unlike servers \
             behind it, a fallback, or a server that was changed meanwhile, so the rate is no one model's. One other \
             name than the one asked for is only told: gateways and servers with aliases do that by design. Names that \
             are the same but for case, folders and the end of a file, or the weights known behind the name, are one.",
    check,
};

fn check(signals: &RunSignals, context: &Context) -> Option<Finding> {
    let known: Vec<&str> = signals.asked_model.as_deref().into_iter().chain(context.model.as_deref()).collect();
    let others: Vec<(&str, u64)> = signals
        .models
        .iter()
        .filter(|(name, _)| !known.iter().any(|known| is_same(known, name)))
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    let (other, _) = others.first()?;
    let asked = known.first().copied().unwrap_or("one model");
    let several = signals.models.keys().any(|name| !is_same(other, name));
    let named: Vec<String> = signals.models.iter().map(|(name, count)| format!("{name} ({count})")).collect();
    let mut found = if several {
        finding(&RULE, format!("the answers come from several models, where `{asked}` was asked: {}", named.join(", ")))
    } else {
        finding(&RULE, format!("`{asked}` was asked, and every answer says it is of `{other}`"))
    };
    found.confidence = Confidence::High;
    found.count = others.iter().map(|(_, count)| count).sum();
    found.evidence.push(evidence("model", named.join(", ")));
    if several {
        found.blame = Blame::Endpoint;
        found.fix.push("ask one server directly, or look at the balancer's and the gateway's fallbacks".to_owned());
    } else {
        found.severity = Severity::Info;
        found.fix.push("an alias is fine; else see which model the server or the gateway maps this name to".to_owned());
    }
    Some(found)
}

/// `org/Name`, `/models/name.gguf`, `openai/name`: one model.
fn is_same(one: &str, other: &str) -> bool {
    fn stem(name: &str) -> String {
        let last = name.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or(name).to_lowercase();
        [".gguf", ":latest"].iter().find_map(|end| last.strip_suffix(end)).unwrap_or(&last).to_owned()
    }
    stem(one) == stem(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(asked: &str, root: &str, answered: &[&str], expected: Option<Severity>) {
        let signals = RunSignals {
            asked_model: Some(asked.to_owned()),
            models: answered.iter().map(|name| ((*name).to_owned(), 2)).collect(),
            ..RunSignals::default()
        };
        let context = Context { model: Some(root.to_owned()), ..Context::default() };
        assert_eq!(check(&signals, &context).map(|found| found.severity), expected, "{answered:?}");
    }

    #[test]
    fn other_names_are_told_and_several_are_a_warning() {
        case("m", "org/M-7B", &["m"], None);
        case("m", "org/M-7B", &["M-7B"], None);
        case("m", "org/M-7B", &["m", "org/m-7b"], None);
        case("m", "/models/m.gguf", &["m.gguf"], None);
        case("m", "m", &["gpt-oss-120b"], Some(Severity::Info));
        case("m", "m", &["m", "gpt-oss-120b"], Some(Severity::Warning));
        case("m", "m", &["a", "b"], Some(Severity::Warning));
        case("m", "m", &[], None);
    }
}
