//! What must be said of a cell, from the catalogue alone: [`wrong`] lists where what was said departs from it.
//!
//! The catalogue's matrices say what a parser makes of a text; nothing here looks at the rules of diagnosis.

use monban::endpoint::harness::Options;
use monban_scorers::catalogue::{self, Delivered, Delivery, FamilyKind, MatrixOutcome, Part, Written};
use monban_scorers::{Blame, Finding, Mode, Outcome, Severity};

use super::ask::Said;
use super::cell::Cell;

/// What the two modes together show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The request is turned down.
    Refused,
    /// Both modes deliver.
    Right,
    /// One mode delivers.
    One,
    /// Neither does; the whole call stands in the text of at least one.
    Leaked,
    /// Neither does, and the call stands nowhere whole.
    Lost,
    /// The call stands in the reasoning field.
    InReasoning,
    /// Thought and answer are not where they belong.
    Unsplit,
}

/// Where what was said of a cell is not what the catalogue makes of it; empty for a right cell.
pub(crate) fn wrong(cell: &Cell) -> Vec<String> {
    let Some(options) = &cell.options else { return Vec::new() };
    let complaints = cell.said.iter().filter_map(|said| {
        let shown = shown(options, said);
        complaint(options, said, shown).map(|text| {
            let found = said.findings.first().map(|found| (found.rule.as_str(), found.blame, &found.fix));
            format!(
                "{}@{} {} behind {}: {}, {shown:?} {:?}: {text}; said {:?} intent {} {found:?}",
                options.engine,
                options.version,
                options.family,
                options.tool_parser.as_deref().unwrap_or("none"),
                said.task,
                classes(options, said),
                said.outcome,
                said.intent
            )
        })
    });
    complaints.collect()
}

/// What the catalogue says is delivered of a task, plain and streamed.
fn deliveries(options: &Options, said: &Said) -> Vec<Delivery> {
    let thought = options.reasoning_family.as_deref().filter(|_| options.thinks_unasked());
    let written = |mode| Written {
        offered: true,
        calls: (said.calls > 0).then_some(options.family.as_str()),
        parallel: said.calls > 1,
        thought,
        thinking: None,
        mode,
    };
    [Mode::Plain, Mode::Stream].into_iter().map(|mode| catalogue::deliver(&options.setup(), &written(mode))).collect()
}

fn classes(options: &Options, said: &Said) -> Vec<&'static str> {
    let word = |delivery| match delivery {
        Delivery::Answer(answer) => answer.calls.map_or("-", MatrixOutcome::word),
        Delivery::Rejected => "rejected",
        Delivery::NoStart(_) => "no start",
    };
    deliveries(options, said).into_iter().map(word).collect()
}

fn shown(options: &Options, said: &Said) -> Shown {
    let answers: Vec<Delivered> = deliveries(options, said)
        .into_iter()
        .filter_map(|delivery| if let Delivery::Answer(answer) = delivery { Some(answer) } else { None })
        .collect();
    if answers.len() < 2 {
        return Shown::Refused;
    }
    if answers.iter().any(|answer| answer.calls_in_reasoning) {
        return Shown::InReasoning;
    }
    if answers.iter().any(|answer| !matches!(answer.content, Part::Answer)) {
        return Shown::Unsplit;
    }
    let count = |wanted| answers.iter().filter(|answer| answer.calls == Some(wanted)).count();
    match (count(MatrixOutcome::Ok), count(MatrixOutcome::Leak)) {
        _ if said.calls == 0 => Shown::Right,
        (2, _) => Shown::Right,
        (1, _) => Shown::One,
        (_, 0) => Shown::Lost,
        _ => Shown::Leaked,
    }
}

/// The parser that was set is one made for the family.
fn own(options: &Options) -> bool {
    let Some(parser) = options.tool_parser.as_deref() else { return false };
    let made_for = catalogue::parser_families(&options.engine, FamilyKind::Tool, parser);
    let known = catalogue::catalogue().family_of(FamilyKind::Tool, &options.family);
    let bytes = known.and_then(|family| family.same_bytes_as.as_ref());
    made_for.iter().any(|name| *name == options.family || Some(name) == bytes)
}

fn complaint(options: &Options, said: &Said, shown: Shown) -> Option<String> {
    let wanted = rules(options, shown);
    let first = said.findings.iter().find(|found| found.severity != Severity::Info);
    let Some(found) = first else {
        let quiet = wanted.is_empty() && said.outcome == Outcome::Passed;
        return (!quiet).then(|| format!("nothing was found, expected {wanted:?}"));
    };
    if !wanted.contains(&found.rule.as_str()) {
        return Some(format!("expected {wanted:?}"));
    }
    let blames: &[Blame] = match shown {
        _ if found.rule == "stream_only" => &[Blame::ServerBug],
        // A parser that is made for the family and does not read it is a bug, where it is known to be set.
        _ if own(options) => &[Blame::ServerConfig, Blame::ServerBug],
        _ => &[Blame::ServerConfig],
    };
    if !blames.contains(&found.blame) {
        return Some(format!("blame, expected {blames:?}"));
    }
    if found.rule != "stream_only" && !names_a_parser(options, found) {
        return Some("no right parser in the fix".to_owned());
    }
    // The right calls arrived, and something with them.
    let whole = classes(options, said).iter().all(|class| ["ok", "residue"].contains(class));
    let outcome = match shown {
        Shown::Refused => Outcome::Error,
        _ if whole => Outcome::Passed,
        _ => Outcome::ServerFault,
    };
    if said.outcome != outcome {
        return Some(format!("outcome, expected {outcome:?}"));
    }
    (matches!(shown, Shown::Leaked | Shown::One) && !said.intent).then(|| "the intent was not recovered".to_owned())
}

/// The rules that a cell may show.
fn rules(options: &Options, shown: Shown) -> &'static [&'static str] {
    // vLLM reads Harmony without flags, and drops its calls without a parser: on the wire as with a wrong one.
    let untold = options.engine == "vllm" && options.family == "gptoss_harmony";
    match shown {
        Shown::Right => &[],
        Shown::Refused => &["auto_tool_choice_missing"],
        Shown::One if own(options) => &["stream_only"],
        Shown::One => &["wrong_tool_parser", "stream_only"],
        Shown::Leaked | Shown::Lost if untold => &["no_tool_parser", "wrong_tool_parser"],
        Shown::Leaked | Shown::Lost if options.tool_parser.is_none() => &["no_tool_parser"],
        Shown::Leaked | Shown::Lost => &["wrong_tool_parser"],
        Shown::InReasoning | Shown::Unsplit => &["wrong_reasoning_parser"],
    }
}

/// The fix names a parser of this version that reads the family; where it has none, the version or engine that does, or that none does.
pub(crate) fn names_a_parser(options: &Options, found: &Finding) -> bool {
    let fix = found.fix.join("\n");
    let named = |name: &str| fix.split(|c: char| !(c.is_alphanumeric() || "_-".contains(c))).any(|word| word == name);
    // Of a refused request only the model's name tells the family.
    let rule = catalogue::model_rule(&options.model).filter(|_| found.rule == "auto_tool_choice_missing");
    let families = [Some(options.family.as_str()), rule.and_then(|rule| rule.tool_family())];
    let delivering = families.into_iter().flatten().flat_map(|family| delivering(options, family));
    if delivering.into_iter().any(named) {
        return true;
    }
    let known = catalogue::catalogue().family_of(FamilyKind::Tool, &options.family);
    let own = known.map(|family| family.parsers(&options.engine)).unwrap_or_default();
    let newer = own.iter().any(|name| named(name));
    catalogue::parsers_reading(&options.engine, &options.family, Some(&options.version)).is_empty()
        && (newer || fix.contains("has no parser that reads"))
}

/// The version's parsers that deliver a family's calls at least in plain answers, with markup left beside them or not.
fn delivering(options: &Options, family: &str) -> Vec<&'static str> {
    let version = Some(options.version.as_str());
    let delivers = |name: &&str| {
        let seen = catalogue::outcome(&options.engine, version, family, name, Mode::Plain, false);
        seen.is_some_and(|seen| matches!(seen.outcome, MatrixOutcome::Ok | MatrixOutcome::Residue))
    };
    let mut found = catalogue::parsers_reading(&options.engine, family, version);
    found.extend(catalogue::parser_names(&options.engine, FamilyKind::Tool, version).into_iter().filter(delivers));
    found
}
