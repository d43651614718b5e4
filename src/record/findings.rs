//! Many findings of one fault are one finding with a count: [`FindingSet`], bounded whatever arrives.

use monban_scorers::{Finding, diagnosis};

/// Evidence kept of one finding.
const EVIDENCE: usize = 5;

/// Distinct findings kept apart; beyond, those of one rule share one. (What tells them apart may come from the wire.)
const DISTINCT: usize = 128;

/// Findings, merged by rule, observed and configured family, and first fix.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FindingSet(Vec<Finding>);

impl FindingSet {
    /// Adds a finding, to the one that says the same or as a new one.
    pub(super) fn add(&mut self, finding: &Finding) {
        let full = self.0.len() >= DISTINCT;
        let same = |known: &&mut Finding| {
            known.rule == finding.rule
                && (full
                    || (known.observed_family == finding.observed_family
                        && known.configured_family == finding.configured_family
                        && known.fix.first() == finding.fix.first()))
        };
        let room = self.0.len() < 2 * DISTINCT;
        match self.0.iter_mut().find(same) {
            Some(known) => merge(known, finding),
            None if room => {
                let mut finding = finding.clone();
                finding.evidence.truncate(EVIDENCE);
                self.0.push(finding);
            }
            None => {}
        }
    }

    /// Adds all of another.
    pub(super) fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|finding| self.add(finding));
    }

    /// As one story of an endpoint run by `engine`: the most severe first, then the most frequent.
    pub(super) fn into_sorted(mut self, engine: Option<&str>) -> Vec<Finding> {
        diagnosis::reconcile(&mut self.0, engine);
        self.0.sort_by(|a, b| (b.severity, b.count).cmp(&(a.severity, a.count)).then_with(|| a.rule.cmp(&b.rule)));
        self.0
    }
}

/// Where others were answered, an endpoint at which nothing listens was there for a while: it ended, or came up late.
pub(super) fn went_away(findings: &mut [Finding], answered: u64) {
    let refused = |finding: &&mut Finding| {
        finding.rule == "unreachable_or_loading" && finding.evidence.iter().any(|seen| seen.excerpt.contains("refused"))
    };
    for finding in findings.iter_mut().filter(refused).filter(|_| answered > 0) {
        finding.message.push_str(&format!(
            "; {answered} attempts of this run were answered: the server went away in its midst, or came up late"
        ));
        finding.fix.insert(0, "where it went away, its log tells why (out of memory, a crash, a restart)".to_owned());
    }
}

/// Evidence of different tasks is worth more than more of the same.
fn merge(known: &mut Finding, other: &Finding) {
    known.count += other.count;
    known.severity = known.severity.max(other.severity);
    known.confidence = known.confidence.max(other.confidence);
    for evidence in &other.evidence {
        if known.evidence.len() >= EVIDENCE {
            break;
        }
        if !known.evidence.iter().any(|have| have.task == evidence.task && have.place == evidence.place) {
            known.evidence.push(evidence.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use monban_scorers::{Blame, Confidence, Evidence, Severity};

    use super::*;

    fn finding(rule: &str, fix: &str, task: &str) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity: Severity::Warning,
            blame: Blame::ServerConfig,
            confidence: Confidence::Medium,
            message: String::new(),
            evidence: vec![Evidence { task: task.to_owned(), place: "content".to_owned(), excerpt: String::new() }],
            ruled_out: Vec::new(),
            fix: vec![fix.to_owned()],
            observed_family: None,
            configured_family: None,
            count: 1,
        }
    }

    #[test]
    fn one_fault_is_one_finding() {
        let mut set = FindingSet::default();
        for task in 0..20 {
            set.add(&finding("wrong_tool_parser", "--tool-call-parser x", &task.to_string()));
        }
        set.add(&Finding { severity: Severity::Error, ..finding("template", "mend it", "0") });
        let merged = set.into_sorted(None);
        assert_eq!(merged.iter().map(|finding| finding.count).collect::<Vec<_>>(), [1, 20]);
        assert_eq!(merged[1].evidence.len(), EVIDENCE);
    }

    #[test]
    fn a_server_that_was_there_went_away() {
        let evidence =
            vec![Evidence { task: "t".into(), place: "transport".into(), excerpt: "Connection refused".into() }];
        let gone = Finding { evidence, ..finding("unreachable_or_loading", "start it", "t") };
        let after = |answered| {
            let mut found = vec![gone.clone(), finding("template", "mend it", "t")];
            went_away(&mut found, answered);
            found
        };
        assert_eq!(after(0)[0], gone);
        assert!(after(3)[0].message.contains("3 attempts of this run were answered"));
        assert_eq!(after(3)[0].fix.len(), 2);
        assert_eq!(after(3)[1].fix.len(), 1);
    }

    #[test]
    fn hostile_variety_is_bounded() {
        let mut set = FindingSet::default();
        for n in 0..5000 {
            set.add(&finding(&format!("rule{}", n % 300), &n.to_string(), "t"));
        }
        assert!(set.0.len() <= 2 * DISTINCT);
    }
}
