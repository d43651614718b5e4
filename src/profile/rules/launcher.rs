//! A launcher over an engine: who does what.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::model::Form;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule("double_reasoning_split", "launcher and engine both split thoughts from answers", double),
    rule("flag_wrong_layer", "a flag of the engine's API server is handed to the engine itself", wrong_layer),
];

/// What only vLLM's API server knows.
const SERVER_FLAGS: &[&str] = &["tool-call-parser", "enable-auto-tool-choice", "tool-parser-plugin", "response-role"];

fn double(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if s.profile.form != Form::Launcher {
        return;
    }
    let Some(own) = s.profile.get("reasoning-content").filter(|setting| setting.value != "false") else { return };
    let Some(engine) = s.profile.get("reasoning-parser") else { return };
    let (first, last) = if own.span.start < engine.span.start { (own, engine) } else { (engine, own) };
    let message = format!("`{}` and `{}` do the same job: what one took the other misses", own.name, engine.name);
    out.push(
        s.error("double_reasoning_split", first.span.start..last.span.end, message)
            .fix(format!("keep `{}` alone", own.name)),
    );
}

fn wrong_layer(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if s.profile.form != Form::Launcher {
        return;
    }
    if let Some(setting) = s.profile.settings.iter().find(|setting| SERVER_FLAGS.contains(&setting.key.as_str())) {
        let message = format!(
            "`{}` is a flag of vLLM's API server: as an engine argument it is refused or ignored",
            setting.name
        );
        out.push(
            s.error("flag_wrong_layer", setting.span.clone(), message)
                .fix("drop it: the launcher parses tool calls itself"),
        );
    }
}
