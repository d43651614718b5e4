//! What must be said of a cell of the reasoning tables, from the catalogue alone: [`wrong`] lists where it departs.

use monban::endpoint::harness::Options;
use monban_scorers::catalogue::{self, Delivered, Delivery, MatrixOutcome, Part, Written};
use monban_scorers::{Blame, Mode, Outcome, Severity};

use super::ask::Said;
use super::thinking::Asked;

/// Where what was said is not what the catalogue makes of it.
pub(crate) fn wrong(asked: &Asked) -> Vec<String> {
    let Some(options) = &asked.cell.options else { return Vec::new() };
    let told = |said: &Said| {
        let answers = deliveries(options, said, asked.thinking);
        let text = complaint(options, said, &answers, asked.thinking)?;
        let parts: Vec<_> = answers.iter().map(|answer| (answer.reasoning, answer.content, answer.calls)).collect();
        let found = said.findings.first().map(|found| (found.rule.as_str(), found.blame, &found.fix));
        Some(format!(
            "{}@{} {} ({}) behind {}: thinking {} {}, {parts:?}: {text}; said {:?} intent {} {found:?}",
            options.engine,
            options.version,
            options.reasoning_family.as_deref().unwrap_or("no thought"),
            options.model,
            options.reasoning_parser.as_deref().unwrap_or("none"),
            asked.thinking,
            said.task,
            said.outcome,
            said.intent
        ))
    };
    asked.cell.said.iter().filter_map(told).collect()
}

fn deliveries(options: &Options, said: &Said, thinking: bool) -> Vec<Delivered> {
    let written = |mode| Written {
        offered: said.calls > 0,
        calls: (said.calls > 0).then_some(options.family.as_str()),
        parallel: false,
        thought: options.reasoning_family.as_deref().filter(|_| thinking),
        thinking: options.reasoning_family.as_ref().map(|_| thinking),
        mode,
    };
    let answers =
        [Mode::Plain, Mode::Stream].into_iter().map(|mode| catalogue::deliver(&options.setup(), &written(mode)));
    answers.filter_map(|it| if let Delivery::Answer(answer) = it { Some(answer) } else { None }).collect()
}

/// Nothing on the wire tells what happened: the markers are gone, and thought and answer stand in one text.
pub(crate) fn is_blurred(asked: &Asked) -> bool {
    let thinks = |options: &Options| asked.thinking && options.reasoning_family.is_some();
    asked.cell.options.as_ref().is_some_and(|options| {
        asked.cell.said.iter().any(|said| {
            shown(&deliveries(options, said, asked.thinking), thinks(options)) == Shown::Blurred
                && said.rule().is_none()
        })
    })
}

/// What happened to the thought and the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Right,
    /// The thought stands in the content.
    InContent,
    /// The answer stands in the reasoning.
    Taken,
    /// The markers are gone: nothing on the wire tells thought from answer.
    Blurred,
    /// The two modes differ, or the answer has a piece of markup before it.
    Mixed,
}

fn shown(answers: &[Delivered], thinking: bool) -> Shown {
    let one = |answer: &Delivered| match (answer.reasoning, answer.content) {
        (Part::Thought, Part::Answer) => Shown::Right,
        (Part::None | Part::Empty, Part::Answer) if !thinking => Shown::Right,
        (Part::None | Part::Empty, Part::Raw | Part::Opened | Part::Opening) => Shown::InContent,
        (_, Part::None | Part::Empty) => Shown::Taken,
        (Part::None | Part::Empty, Part::Joined | Part::Answer) => Shown::Blurred,
        _ => Shown::Mixed,
    };
    match answers {
        [first, second] if one(first) == one(second) => one(first),
        _ => Shown::Mixed,
    }
}

fn complaint(options: &Options, said: &Said, answers: &[Delivered], thinking: bool) -> Option<String> {
    let thinks = options.reasoning_family.is_some();
    let shown = shown(answers, thinking && thinks);
    let swallowed = answers.iter().any(|answer| answer.calls.is_some_and(|calls| calls != MatrixOutcome::Ok));
    let wanted: &[&str] = match (shown, options.reasoning_parser.as_deref(), options.engine.as_str()) {
        _ if swallowed => return None,
        (Shown::Mixed | Shown::Blurred, ..) => return None,
        (Shown::Right, ..) => &[],
        (Shown::InContent, None, "sglang") => &["no_reasoning_parser"],
        (Shown::InContent, Some(_), "sglang") => &["wrong_reasoning_parser"],
        // vLLM does not tell whether a parser runs.
        (Shown::InContent, ..) => &["no_reasoning_parser", "wrong_reasoning_parser"],
        (Shown::Taken, ..) if !thinks => &["unneeded_reasoning_parser"],
        (Shown::Taken, ..) => &["wrong_reasoning_parser"],
    };
    let first = said.findings.iter().find(|found| found.severity != Severity::Info);
    let Some(found) = first else {
        let quiet = wanted.is_empty() && said.outcome == Outcome::Passed;
        return (!quiet).then(|| format!("{shown:?}: nothing was found, expected {wanted:?}"));
    };
    if !wanted.contains(&found.rule.as_str()) {
        return Some(format!("{shown:?}: expected {wanted:?}"));
    }
    let fix = found.fix.join("\n");
    let readers = options
        .reasoning_family
        .as_deref()
        .map(|family| catalogue::reasoning_parsers_reading(&options.engine, family, Some(&options.version)))
        .unwrap_or_default();
    // Where the parser set is one that reads this format, another name mends nothing.
    let own = options.reasoning_parser.as_deref().is_some_and(|parser| readers.contains(&parser));
    let blamed = found.blame == Blame::ServerConfig || own && found.blame == Blame::ServerBug;
    if !blamed {
        return Some(format!("{shown:?}: blame"));
    }
    if thinks && !own && !readers.is_empty() && !readers.iter().any(|name| fix.contains(name)) {
        return Some(format!("{shown:?}: no right parser in the fix"));
    }
    // A call may stand whole beside a thought in the content.
    let fine = said.outcome == Outcome::ServerFault && said.intent || said.calls > 0 && said.outcome == Outcome::Passed;
    (!fine).then(|| format!("{shown:?}: the intent was not recovered"))
}
