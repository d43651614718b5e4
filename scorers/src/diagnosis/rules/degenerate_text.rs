//! `degenerate_text`: the answer is one symbol over and over, or blanks to the end of the budget.

use crate::diagnosis::facts::Side;
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "degenerate_text",
    kind: "other",
    summary: "The answer is one symbol over and over, or blanks to the end of the budget: no model means that.",
    manual: "Looks at failed or cut answers whose second half is one symbol (`!!!!`: broken numbers in kernel, quantisation or \
             precision end in token 0), and, where a schema was asked for, at blanks up to the token cap (the grammar allows \
             them without limit). A phrase that repeats is the model's: see model_fault.",
    explains: &["model_fault", "structured_output_ignored", "gateway_rewrite"],
    hides_intent: true,
    check,
};

/// So many equal symbols at the end mean nothing any more.
const RUN: usize = 40;

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| side.at_cap() || facts.something_failed())?;
    if facts.wants_json() && side.at_cap() && blanks(side) {
        return Some(
            Draft::new(&RULE, Blame::ServerBug, Confidence::High, "the JSON runs into blanks up to the token cap: the grammar allows white space without limit, and the model cannot leave it")
                .evidence(facts, "content", side.completion.text().trim_end())
                .ruled_out("the budget: more tokens would be blanks too")
                .fix("forbid free white space in the grammar (vLLM: --structured-outputs-config '{\"disable_any_whitespace\": true}')")
                .fix(advice::upgrade(facts))
                .done(),
        );
    }
    let symbol = one_symbol(side.completion.text()).or_else(|| one_symbol(side.completion.reasoning()))?;
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, format!("the answer is {symbol:?} over and over: the numbers broke on the way (NaN or overflow ends in one token), whatever the prompt"))
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the model: its weights do not write this elsewhere")
            .fix("try another precision or quantisation (--dtype bfloat16, AWQ instead of GPTQ), --enforce-eager, or another attention backend")
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// Blanks, and many of them, where the JSON should go on.
fn blanks(side: &Side<'_>) -> bool {
    let text = side.completion.text();
    let tail = text.len() - text.trim_end().len();
    tail >= RUN && tail * 2 > text.len()
}

/// The symbol the text ends with, where at least half of it is that and nothing else.
pub(super) fn one_symbol(text: &str) -> Option<char> {
    let text = text.trim_end();
    let last = text.chars().next_back().filter(|c| !c.is_alphanumeric() && !"-=_*#~.".contains(*c))?;
    let run = text.len() - text.trim_end_matches(last).len();
    (run >= RUN * last.len_utf8() && run * 2 > text.len()).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_symbol_is_not_a_rule_line() {
        assert_eq!(one_symbol(&"!".repeat(64)), Some('!'));
        assert_eq!(one_symbol(&format!("Rome{}", "！".repeat(64))), Some('！'));
        assert_eq!(one_symbol(&"-".repeat(64)), None);
        assert_eq!(one_symbol(&format!("{}{}", "word ".repeat(40), "!".repeat(50))), None);
        assert_eq!(one_symbol("wow!!!"), None);
    }
}
