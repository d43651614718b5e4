//! `degenerate_text`: the answer is one symbol over and over, or blanks to the end of the budget.

use serde_json::Value;

use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "degenerate_text",
    kind: "other",
    summary: "The answer is one symbol over and over, or blanks to the end of the budget: no model means that.",
    manual: "Looks at failed or cut answers whose second half is one symbol (`!!!!`: broken numbers in kernel, \
             quantisation or precision end in token 0), whose words mix many scripts, and, where a schema was asked \
             for, at blanks up to the token cap (the grammar allows them without limit). A phrase that repeats is the \
             model's: see model_fault.",
    explains: &["model_fault", "structured_output_ignored", "gateway_rewrite"],
    hides_intent: true,
    check,
};

/// So many equal symbols at the end mean nothing any more.
const RUN: usize = 40;

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    let side = facts.sides.iter().find(|side| side.at_cap() || facts.something_failed())?;
    let in_call = under_grammar(facts) && side.completion.text().trim_start().starts_with(['<', '[', '{']);
    if (facts.wants_json() || in_call) && side.at_cap() && blanks(side) {
        let what = if facts.wants_json() { "JSON" } else { "call" };
        let message = format!(
            "the {what} runs into blanks up to the token cap: the grammar \
             allows white space without limit, and the model cannot leave it"
        );
        return Some(
            Draft::new(&RULE, Blame::ServerBug, Confidence::High, message)
                .evidence(facts, "content", side.completion.text().trim_end())
                .ruled_out("the budget: more tokens would be blanks too")
                .fix(
                    "forbid free white space in the grammar (vLLM: --structured-outputs-config '{\"backend\": \
                     \"xgrammar\", \"disable_any_whitespace\": true}'; it refuses the second without the first)",
                )
                .fix(advice::upgrade(facts))
                .done(),
        );
    }
    if let Some(found) = gibberish(facts, side) {
        return Some(found);
    }
    let symbol = symbol_of(side)?;
    let message = format!(
        "the answer is {symbol:?} over and over: the numbers broke on the \
                 way (NaN or overflow ends in one token), whatever the prompt"
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the model: its weights do not write this elsewhere")
            .fix(
                "try another precision or quantisation (--dtype bfloat16, AWQ \
             instead of GPTQ), --enforce-eager, or another attention backend",
            )
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// Calls are written under a grammar: a forced one, or those of strict tools (xgrammar#802: nothing but white space where a
/// tool takes no arguments).
fn under_grammar(facts: &Facts<'_>) -> bool {
    let tools = facts.view.request.field("tools").and_then(Value::as_array).into_iter().flatten();
    let strict = |tool: &Value| tool.pointer("/function/strict").and_then(Value::as_bool) == Some(true);
    facts.forced() || tools.into_iter().any(strict)
}

/// Words of many scripts glued together: no language, and no model's meaning.
fn gibberish(facts: &Facts<'_>, side: &Side<'_>) -> Option<Finding> {
    let text = if side.is_silent() { side.completion.reasoning() } else { side.completion.text() };
    let asked: usize =
        ["user", "system"].iter().map(|role| scripts(&facts.view.request.text_of(role)).0).max().unwrap_or_default();
    let (kinds, glued) = scripts(text);
    if kinds < 3 || kinds <= asked || glued < 3 || !side.completion.tool_calls.is_empty() {
        return None;
    }
    let message = format!(
        "the answer mixes {kinds} scripts within its words: the numbers broke on the way (quantisation, kernel, tensor \
         parallelism), or the tokenizer is not the model's"
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .evidence(facts, "content", text)
            .ruled_out("the model: no language is written so")
            .fix(
                "try another precision or quantisation, --tensor-parallel-size 1, --enforce-eager, or another \
                 attention backend; check that tokenizer and weights belong together",
            )
            .fix(advice::upgrade(facts))
            .done(),
    )
}

/// How many scripts the text holds, and how often one follows another within a word. Scripts that share words in a living
/// language (Latin and Han, Kana and Han; Greek letters in formulas) count as one.
fn scripts(text: &str) -> (usize, usize) {
    let mut seen = [false; 8];
    let (mut glued, mut last, mut before) = (0, None, None);
    for char in text.chars().take(4000) {
        let script = script(char);
        if let Some(script) = script {
            seen[script] = true;
            // Latin names and Japanese, Chinese or Korean words touch in ordinary text.
            let apart = |other: usize| other != script && !(other.min(script) == 0 && other.max(script) == 1);
            // One Kana or Han sign between Latin letters.
            let between = script == 0 && last == Some(1) && before == Some(0);
            glued += usize::from(last.is_some_and(apart) || between);
        }
        before = last;
        last = if char.is_alphanumeric() { script.or(last) } else { None };
    }
    (seen.iter().filter(|seen| **seen).count(), glued)
}

fn script(char: char) -> Option<usize> {
    Some(match char {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => 0,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => 1,
        '\u{400}'..='\u{52f}' => 2,
        '\u{590}'..='\u{5ff}' => 3,
        '\u{600}'..='\u{6ff}' => 4,
        '\u{e00}'..='\u{e7f}' => 5,
        '\u{900}'..='\u{dff}' => 6,
        '\u{10a0}'..='\u{10ff}' => 7,
        _ => return None,
    })
}

/// Blanks, and many of them, where the JSON should go on.
fn blanks(side: &Side<'_>) -> bool {
    let text = side.completion.text();
    let tail = text.len() - text.trim_end().len();
    tail >= RUN && tail * 2 > text.len()
}

fn symbol_of(side: &Side<'_>) -> Option<char> {
    let (text, thoughts) = (side.completion.text(), side.completion.reasoning());
    one_symbol(text).or_else(|| one_symbol(thoughts)).or_else(|| nothing_else(thoughts))
}

/// The one symbol that all the thoughts are: no rule line, and no leader of a table, which stand among words.
fn nothing_else(reasoning: &str) -> Option<char> {
    let text = reasoning.trim();
    let first = text.chars().next().filter(|c| !c.is_alphanumeric())?;
    (text.len() >= 2 * RUN && text.chars().all(|c| c == first)).then_some(first)
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
    fn scripts_touch_in_gibberish_only() {
        assert_eq!(scripts("Schul.scalablytyped373ьallis gutterぼdiaeftry"), (3, 3));
        let mixed = scripts("interesseин流нодicéments בדיוקsoaked משsопkeine");
        assert!(mixed.0 >= 3 && mixed.1 >= 3, "{mixed:?}");
        let talk = scripts("Hello, Bonjour, こんにちは, Привет, 你好, مرحبا");
        assert_eq!(talk.1, 0, "{talk:?}");
        assert_eq!(scripts("GPUを使う Pythonコード"), (2, 0));
    }

    #[test]
    fn one_symbol_is_not_a_rule_line() {
        assert_eq!(one_symbol(&"!".repeat(64)), Some('!'));
        assert_eq!(one_symbol(&format!("Rome{}", "！".repeat(64))), Some('！'));
        assert_eq!(one_symbol(&"-".repeat(64)), None);
        assert_eq!(one_symbol(&format!("{}{}", "word ".repeat(40), "!".repeat(50))), None);
        assert_eq!(one_symbol("wow!!!"), None);
    }
}
