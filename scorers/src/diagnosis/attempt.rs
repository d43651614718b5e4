//! What one attempt alone shows: [`attempt_findings`].
//!
//! Facts first, then one decision each for calls and reasoning, then every rule in order of precedence; what an earlier
//! finding explains is left out.

use super::facts::Facts;
use super::{AttemptView, Blame, Confidence, Finding, RULES, Rule, Severity, Signs, rule};

/// Rules that stand for each other: about calls, about thoughts.
const CONCERNS: [&[&str]; 2] = [
    &["wrong_tool_parser", "no_tool_parser", "auto_tool_choice_missing"],
    &["wrong_reasoning_parser", "no_reasoning_parser"],
];

/// The findings of one attempt: the most telling first.
#[must_use]
pub fn attempt_findings(view: &AttemptView<'_>) -> Vec<Finding> {
    let signs = Signs::read(Facts::read(view));
    let mut found: Vec<(&'static Rule, Finding)> = Vec::new();
    for rule in RULES {
        let explained = found.iter().any(|(earlier, _)| earlier.explains.contains(&rule.id));
        if explained {
            continue;
        }
        if let Some(finding) = (rule.check)(&signs) {
            found.retain(|(earlier, _)| !rule.explains.contains(&earlier.id));
            found.push((rule, finding));
        }
    }
    let mut findings: Vec<Finding> = found.into_iter().map(|(_, finding)| finding).collect();
    findings.extend(alternatives(&signs, &findings));
    findings
}

/// The rule that would explain the same answer as well, where nothing that is known decides between the two.
fn alternatives(signs: &Signs<'_>, findings: &[Finding]) -> Vec<Finding> {
    let tool = signs.tool.as_ref().and_then(|found| found.or);
    let reasoning = signs.reasoning.as_ref().and_then(|found| found.or);
    let refused =
        findings.first().filter(|first| first.rule == "auto_tool_choice_missing" && !signs.facts.sides_or_known());
    let other = |id: &'static str| {
        // Families, evidence and fixes are those of the finding it would stand for.
        let same_concern = |finding: &&Finding| {
            CONCERNS.iter().any(|rules| rules.contains(&id) && rules.contains(&finding.rule.as_str()))
        };
        let first = findings.iter().find(same_concern).or(findings.first())?;
        let rule = rule(id).filter(|rule| !findings.iter().any(|finding| finding.rule == rule.id))?;
        Some(Finding {
            rule: id.to_owned(),
            severity: Severity::Warning,
            confidence: Confidence::Low,
            blame: Blame::ServerConfig,
            message: format!(
                "the same answer is also explained by this: {} The launch line tells which.",
                rule.summary
            ),
            ruled_out: Vec::new(),
            ..first.clone()
        })
    };
    tool.into_iter().chain(reasoning).chain(refused.map(|_| "no_tool_parser")).filter_map(other).collect()
}

/// A finding says that the red is not the model's: flags, bugs or a gateway.
#[must_use]
pub fn blames_server(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| {
        finding.severity == Severity::Error
            && matches!(finding.blame, Blame::ServerConfig | Blame::ServerBug | Blame::Gateway)
    })
}

/// What the model would have delivered cannot be told: the first finding says that it was lost, or never asked for.
#[must_use]
pub fn hides_intent(findings: &[Finding]) -> bool {
    findings.first().and_then(|first| rule(&first.rule)).is_some_and(|rule| rule.hides_intent)
}

/// The name the findings of an attempt are filed under: the kind of the first that is more than a remark, else `none`.
#[must_use]
pub fn filed_under(findings: &[Finding]) -> &'static str {
    let first = findings.iter().find(|finding| finding.severity != Severity::Info || finding.blame != Blame::None);
    first.and_then(|finding| rule(&finding.rule)).map_or("none", |rule| rule.kind)
}
