//! Where the reasoning arrives, and whether the switch of the request turns it on and off.

use monban_scorers::Mode;

use crate::doctor::judged::Case;
use crate::doctor::probes::{PLAIN, THINKING_OFF, THINKING_ON};
use crate::doctor::report::{Capability, Status};

/// The rows.
pub(in crate::doctor) fn thinking(cases: &[Case]) -> Vec<Capability> {
    vec![field(cases), switch(cases)]
}

fn field(cases: &[Case]) -> Capability {
    let (name, how) = ("reasoning field", "thinking on and by default");
    let of = |id: &'static str| cases.iter().filter(move |case| case.id == id).flat_map(Case::completions);
    let mut completions = of(THINKING_ON).chain(of(PLAIN)).peekable();
    if completions.peek().is_none() {
        return Capability::new(name, Status::Inconclusive, how, "not asked, or not answered");
    }
    let filled = completions.find(|completion| !completion.reasoning().trim().is_empty());
    if let Some(field) = filled.and_then(|completion| completion.reasoning_field.clone()) {
        return Capability::new(name, Status::Ok, how, format!("arrives in `{field}`"));
    }
    let broken = cases
        .iter()
        .filter(|case| [THINKING_ON, PLAIN].contains(&case.id))
        .any(|case| case.judgement.findings.iter().any(|finding| finding.rule.contains("reasoning_parser")));
    if broken {
        return Capability::new(name, Status::Broken, how, "the thoughts do not arrive in a field of their own");
    }
    Capability::new(name, Status::NotApplicable, how, "the model did not think")
}

fn switch(cases: &[Case]) -> Capability {
    let (name, how) = ("thinking switch", "chat_template_kwargs enable_thinking on and off");
    let thought = |id: &str| {
        let case = cases.iter().find(|case| case.id == id)?;
        let completion = case.completion(Mode::Plain)?;
        Some(!completion.reasoning().trim().is_empty())
    };
    let (status, text) = match (thought(THINKING_ON), thought(THINKING_OFF)) {
        (Some(true), Some(false)) => (Status::Ok, "thinks when on, does not when off"),
        (Some(true), Some(true)) => (Status::Ignored, "reasoning arrives in both"),
        (Some(false), Some(true)) => (Status::Broken, "reasoning arrives when off, and not when on"),
        (Some(false), Some(false)) => (Status::NotApplicable, "no reasoning in either"),
        _ => (Status::Inconclusive, "not asked, or not answered"),
    };
    Capability::new(name, status, how, text)
}
