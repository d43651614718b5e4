//! `harmony_markers_in_text`: gpt-oss channel markers that the server's parser left in the text.

use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs, advice};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "harmony_markers_in_text",
    kind: "other",
    summary: "Channel markers of gpt-oss stand in the text although it is no whole message of that format.",
    manual: "Looks at a channel header (<|channel|>name<|message|>) in the text where neither thoughts and answer nor \
             a call can be read out of it, and the request does not speak of them: a header the server's parser \
             stumbled over. Whole messages are no_reasoning_parser's and no_tool_parser's.",
    explains: &["structured_output_ignored", "server_dropped_output", "gateway_rewrite", "model_fault"],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if signs.tool.is_some() || signs.reasoning.is_some() {
        return None;
    }
    if let Some(side) = facts.sides.iter().find(|side| is_bare_header(side.completion.text())) {
        let message = "the header of a gpt-oss message stands in the text, its markers stripped and the tool's name \
                       with them: the server's parser did not know this form of the header (the call went to another \
                       channel)";
        return Some(
            Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
                .evidence(facts, "content", side.completion.text())
                .ruled_out("the model: a header and arguments are left of a call")
                .fix(advice::upgrade(facts))
                .fix("retry: the model chooses the channel anew")
                .done(),
        );
    }
    let (side, marker) = facts.sides.iter().find_map(|side| Some((side, marker_in(side.completion.text())?)))?;
    if ["user", "system"].iter().any(|role| facts.view.request.text_of(role).contains(marker)) {
        return None;
    }
    let message = format!(
        "{marker} stands in the text: the server's parser stumbled \
         over a channel header and handed the rest on as it was"
    );
    Some(
        Draft::new(&RULE, Blame::ServerBug, Confidence::Medium, message)
            .evidence(facts, "content", side.completion.text())
            .fix(advice::upgrade(facts))
            .fix("retest without speculative decoding and without a schema: both have broken this format")
            .done(),
    )
}

/// The opening marker of a whole channel header (`<|channel|>name<|message|>`): prose names markers, and writes no headers.
fn marker_in(text: &str) -> Option<&'static str> {
    let at = memchr::memchr(b'<', text.as_bytes())?;
    let at = at + text[at..].find("<|channel|>")?;
    let (before, rest) = (&text[..at], &text[at + "<|channel|>".len()..]);
    let name: usize = rest.find("<|")?;
    let next = rest.get(name..)?;
    let header = name < 80 && ["<|message|>", "<|constrain|>"].iter().any(|marker| next.starts_with(marker));
    let quoted = before.ends_with(['`', '"', '\\']) || before.matches("```").count() % 2 == 1;
    (header && !quoted).then_some("<|channel|>")
}

/// `assistantcode{…}`, `commentaryjson{…}`: what is left of a header without its markers, and arguments behind it
/// (vllm-mlx#562).
fn is_bare_header(text: &str) -> bool {
    let text = text.trim();
    let roles = ["assistant", "analysis", "commentary"];
    let mut rest = text;
    while let Some(shorter) = roles.iter().find_map(|role| rest.strip_prefix(role)) {
        rest = shorter.trim_start();
    }
    let kind = ["code", "json"].iter().find_map(|kind| rest.strip_prefix(kind)).map(str::trim_start);
    rest.len() < text.len() && kind.is_some_and(|arguments| arguments.starts_with('{') && arguments.ends_with('}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_headers_without_their_markers() {
        assert!(is_bare_header("assistantcode{\"path\": \"a\"}") && is_bare_header("assistantcommentary json {}"));
        assert!(!is_bare_header("code {}") && !is_bare_header("analysis: {}") && !is_bare_header("assistant"));
    }

    #[test]
    fn tells_a_stray_header_from_a_quotation() {
        assert_eq!(marker_in("<|channel|>commentary<|message|>{}<|end|>"), Some("<|channel|>"));
        assert_eq!(marker_in("It writes `<|channel|>` first."), None);
        assert_eq!(marker_in("Channels are <|channel|>analysis and <|channel|>final."), None);
        assert_eq!(marker_in("```\n<|channel|>final<|message|>x\n```"), None);
        assert_eq!(marker_in("a <| b"), None);
    }
}
