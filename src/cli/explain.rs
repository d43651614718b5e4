//! `monban explain`: what a name in an output means.

use monban_scorers::completion::DEVIATION_KINDS;
use monban_scorers::diagnosis::{RULES, RUN_RULES};
use monban_scorers::dialects::{REASONING_DIALECTS, TOOL_DIALECTS};
use monban_scorers::{Registry, catalogue};
use serde_json::json;

use super::{DataFormat, Io};
use crate::diagnostic::did_you_mean;
use crate::endpoint::harness::fault::KINDS;
use crate::exit;
use crate::profile::profile_rules;

/// The arguments of `monban explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// A rule, scorer, parser, model family or id, deviation, outcome, verdict, blame or exit code
    #[arg(value_name = "NAME")]
    pub name: String,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: DataFormat,
}

/// Outcomes, verdicts and exit codes: the words of every report.
const WORDS: &[(&str, &str)] = &[
    ("passed", "A complete answer arrived and every expectation holds."),
    ("failed", "A complete answer arrived and it is wrong. Only these count against the model."),
    (
        "truncated",
        "The answer was cut at the token budget (finish_reason `length`). Not a wrong answer: raise max_tokens.",
    ),
    ("server_fault", "What was delivered is wrong, and what the model wrote is right: the server lost or mangled it."),
    ("error", "Nothing was answered: unreachable, timeout, a status of 400 or above, not JSON. Not a wrong answer."),
    ("skipped", "Not asked, because the run ended before."),
    ("invalid", "A run's verdict: too little was answered to say anything. Exit code 4."),
    (
        "misconfigured",
        "A run's verdict: at least one red is the server's, so the rate is not the model's. Exit code 3.",
    ),
    ("fail", "A run's verdict: complete answers, judged wrong. Exit code 1."),
    ("pass", "A run's verdict: nothing is red. Exit code 0."),
    ("model", "Blame: the model answered wrongly, whole and unharmed."),
    ("server_config", "Blame: the server's flags. The fix names the one to change."),
    ("server_bug", "Blame: the server's code; no flag mends it. Upgrade, or go round it."),
    ("gateway", "Blame: something between the client and the engine, such as LiteLLM or nginx."),
    ("request", "Blame: the request asks for what cannot be: a wrong model name, path or field."),
    ("budget", "Blame: the token budget. The answer was cut, not wrong."),
    ("suite", "Blame: the suite, or a scorer in it."),
    ("endpoint", "Blame: the endpoint is not there, not ready, overloaded, or another one."),
    ("profile", "Blame: the launch profile does not say what the server does."),
    ("none", "Blame: nobody; the finding is something to know."),
    ("done", "A run's end: everything was asked."),
    ("interrupted", "A run's end: Ctrl-C or SIGTERM. Take it up again with --resume. Exit code 130."),
    ("unfinished", "A run that was killed. Take it up again with --resume."),
    (
        "circuit_open",
        "A run's end: the endpoint refused or left unanswered everything, so the rest was not asked. Not a wrong \
         answer.",
    ),
    ("harness", "An environment: the embedded simulated endpoint. Never compared with a real one."),
    ("real", "An environment: `real:LABEL`, an endpoint of your own under the label of --environment."),
    ("open_webui_details", "A frame around thoughts in the text: Open WebUI's `<details type=\"reasoning\">`."),
    ("escaped_think", "A frame around thoughts in the text: think tags escaped for HTML, which no engine does."),
    ("exaone_thought", "A frame around thoughts in the text: EXAONE's `<thought>`, which no parser takes off."),
    ("minimax_think_in_chinese", "A frame around thoughts in the text: `<思考>`, which no parser takes off."),
    ("unknown", "Markup of a call, of which too little is left to tell the family."),
    ("0", "Exit code: pass."),
    ("1", "Exit code: fail (or below --fail-under); for `check`, findings of severity error."),
    ("2", "Exit code: a usage, suite or profile error; nothing was sent."),
    ("3", "Exit code: misconfigured; see the findings."),
    ("4", "Exit code: invalid; the endpoint is unreachable, or too little was answered."),
    ("130", "Exit code: interrupted; the run can be taken up again with --resume."),
];

pub(super) fn run(args: ExplainArgs, io: &mut Io) -> anyhow::Result<u8> {
    let Some(text) = explain(&args.name) else {
        let hint =
            did_you_mean(&args.name, names()).unwrap_or_else(|| "it takes what stands in monban's outputs".to_owned());
        anyhow::bail!("nothing is called `{}`; {hint}", args.name);
    };
    match args.format {
        DataFormat::Json => writeln!(io.out, "{}", json!({ "name": args.name, "text": text }))?,
        DataFormat::Table => writeln!(io.out, "{}", text.trim())?,
    }
    Ok(exit::PASS)
}

/// The families whose markup is read, with what it looks like: some are no model's, and not in the catalogue.
fn markup() -> impl Iterator<Item = (&'static str, &'static str)> {
    let tools = TOOL_DIALECTS.iter().map(|dialect| (dialect.family, dialect.looks_like));
    tools.chain(REASONING_DIALECTS.iter().map(|dialect| (dialect.family, dialect.looks_like)))
}

/// The first thing of that name: rules, scorers, words, deviations, faults, the catalogue, then markup.
fn explain(name: &str) -> Option<String> {
    let rule = RULES.iter().map(|rule| (rule.id, rule.summary, rule.manual));
    let run_rule = RUN_RULES.iter().map(|rule| (rule.id, rule.summary, rule.manual));
    let ruled = rule.chain(run_rule).find(|(id, ..)| *id == name);
    if let Some((id, summary, manual)) = ruled {
        return Some(format!("# {id}\n\n{summary}\n\n{}", manual.trim()));
    }
    if let Some(def) = Registry::builtin().get(name) {
        return Some(format!("# {}\n\n{}\n\n{}", def.name, def.summary, def.manual.trim()));
    }
    let line = |name: &str, text: &str| format!("# {name}\n\n{text}");
    let profile = profile_rules().find(|(rule, _)| *rule == name).map(|(rule, about)| line(rule, about));
    let word = || WORDS.iter().find(|(word, _)| *word == name).map(|(word, text)| line(word, text));
    let deviation = || DEVIATION_KINDS.iter().find(|kind| kind.name == name).map(|kind| line(kind.name, kind.meaning));
    let fault = || KINDS.iter().find(|(kind, ..)| *kind == name).map(|(kind, _, help)| line(kind, help));
    let dialect = || markup().find(|(family, _)| *family == name).map(|(family, text)| line(family, text));
    profile.or_else(word).or_else(deviation).or_else(fault).or_else(|| catalogue::explain(name)).or_else(dialect)
}

/// Every name that is not the catalogue's, and its families.
fn names() -> impl Iterator<Item = &'static str> {
    let rules = RULES.iter().map(|rule| rule.id).chain(RUN_RULES.iter().map(|rule| rule.id));
    let words = WORDS.iter().map(|(word, _)| *word).chain(profile_rules().map(|(rule, _)| rule));
    let families = catalogue::catalogue().families().map(|family| family.name.as_str());
    let scorers = monban_scorers::scorers::BUILTIN.iter().map(|def| def.name);
    rules.chain(words).chain(families).chain(scorers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_every_finding_and_every_end_are_explained() {
        let blames = "model server_config server_bug gateway request budget suite endpoint profile none";
        let others = "done interrupted unfinished circuit_open harness real pass fail invalid misconfigured 130";
        for word in blames.split(' ').chain(others.split(' ')) {
            assert!(explain(word).is_some(), "{word}");
        }
    }

    #[test]
    fn every_family_is_explained() {
        let frames = ["open_webui_details", "escaped_think", "exaone_thought", "minimax_think_in_chinese", "unknown"];
        for family in markup().map(|(family, _)| family).chain(frames) {
            assert!(explain(family).is_some(), "{family}");
        }
    }
}
