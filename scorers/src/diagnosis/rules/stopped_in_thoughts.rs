//! `stopped_in_thoughts`: the answer ended while the model was still thinking, and not for want of tokens.

use crate::diagnosis::causes::{ReasoningKind, ReasoningTrouble};
use crate::diagnosis::facts::Facts;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Finding, Rule, Severity, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "stopped_in_thoughts",
    kind: "other",
    summary: "The answer ended while the model was still thinking, and not for want of tokens.",
    manual: "Looks at reasoning without text under finish_reason stop where the request names stop sequences: engines \
             look for them in the thoughts too. And where JSON was asked for and the reasoning holds none: then it is \
             no answer that a reasoning parser took, but thoughts alone; of gpt-oss the server's Harmony parser may \
             have lost what followed. Otherwise the same answer speaks of the reasoning parser.",
    explains: &["structured_output_ignored", "server_dropped_output", "wrong_tool_parser"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let trouble = signs.reasoning.as_ref()?;
    match trouble.kind {
        ReasoningKind::Stopped => Some(at_stop_sequence(facts, trouble)),
        ReasoningKind::OnlyThoughts => Some(at_its_end(facts, trouble)),
        _ => None,
    }
}

fn draft(facts: &Facts<'_>, trouble: &ReasoningTrouble<'_>, blame: Blame, message: String) -> Draft {
    Draft::new(&RULE, blame, trouble.confidence, message).severity(Severity::Warning).evidence(
        facts,
        "reasoning",
        trouble.side.completion.reasoning(),
    )
}

fn at_stop_sequence(facts: &Facts<'_>, trouble: &ReasoningTrouble<'_>) -> Finding {
    let stop = facts.view.request.field("stop").map(ToString::to_string).unwrap_or_default();
    let message =
        format!("a stop sequence ({stop}) ended the answer inside the thoughts: the text is empty, finish_reason stop");
    draft(facts, trouble, Blame::Request, message)
        .fix("drop stop for thinking models, or name sequences that thoughts do not hold")
        .done()
}

/// Thoughts and no JSON among them, where JSON was asked for.
fn at_its_end(facts: &Facts<'_>, trouble: &ReasoningTrouble<'_>) -> Finding {
    let family = facts.model().rule.and_then(|rule| rule.reasoning_family.as_deref());
    let harmony = family == Some("gptoss_harmony");
    let (blame, who) = if harmony {
        (Blame::ServerBug, "the server's Harmony parser ended outside the final channel and says stop all the same")
    } else {
        (Blame::Model, "the model ended its turn inside its thoughts")
    };
    let message = format!("the reasoning holds thoughts alone, the text is empty, finish_reason stop: {who}");
    let draft = draft(facts, trouble, blame, message).ruled_out("the budget: finish_reason is not length");
    let draft = if harmony { draft.fix(advice::upgrade(facts)) } else { draft };
    draft.fix("retry; a lower temperature, or thinking switched off for this request").done()
}
