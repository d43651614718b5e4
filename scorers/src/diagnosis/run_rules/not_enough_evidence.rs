//! `not_enough_evidence`: calls were wanted, prose came, and nothing says whose fault that is.

use super::{RunRule, evidence, finding};
use crate::diagnosis::run::RunSignals;
use crate::diagnosis::{Confidence, Context, Finding, Severity};

pub(super) static RULE: RunRule = RunRule {
    id: "not_enough_evidence",
    kind: "other",
    summary: "Calls were wanted and prose came, and nothing on the wire says whose fault that is.",
    manual: "Speaks up where a run wanted calls, got prose every time and found no markup, no lost tokens and no short \
             prompt. Where forced calls work the model can call and the format arrives: then it is the template or the \
             model's choice. `monban doctor` settles it with the prompt-token proof.",
    check,
};

fn check(signals: &RunSignals, _context: &Context) -> Option<Finding> {
    if signals.auto.called > 0 || signals.auto.prose < 3 {
        return None;
    }
    let forced = if signals.forced.called > 0 {
        "; forced calls arrive, so the model can call: the template, or its choice"
    } else {
        ""
    };
    let mut found = finding(
        &RULE,
        format!(
            "all {} attempts that wanted a call were answered in prose without any sign of one{forced}",
            signals.auto.prose
        ),
    );
    found.severity = Severity::Info;
    found.confidence = Confidence::Low;
    found.count = signals.auto.prose;
    found.evidence.push(evidence(
        "tool_calls",
        format!("auto: {} in prose · forced: {} calls", signals.auto.prose, signals.forced.called),
    ));
    found.fix.push("monban doctor: compares the prompt tokens with and without tools".to_owned());
    Some(found)
}
