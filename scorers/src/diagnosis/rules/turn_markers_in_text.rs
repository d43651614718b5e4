//! `turn_markers_in_text`: the markers between the turns of a conversation arrive as text.

use crate::diagnosis::facts::{Facts, Side};
use crate::diagnosis::rule::Draft;
use crate::diagnosis::{Blame, Confidence, Finding, Rule, Signs};
use crate::dialects::{turn_end, turn_head};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "turn_markers_in_text",
    kind: "template",
    summary: "The markers between the turns of a conversation arrive \
              as text: the server does not stop where the model does.",
    manual: "Looks at answers that end with a turn marker (<|im_end|>, <|eot_id|>, </s> …), that run on behind one \
             into the next turn, that the budget cut behind one, or that begin with the header of the model's own \
             turn, where the request does not speak of it. The chat template or the end tokens the server knows \
             (generation_config, GGUF metadata) are not the model's own, so the marker is text to it and generation \
             runs on.",
    explains: &[
        "model_fault",
        "degenerate_text",
        "structured_output_ignored",
        "server_dropped_output",
        "gateway_rewrite",
    ],
    hides_intent: false,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let facts = &signs.facts;
    if signs.tool.is_some() || signs.reasoning.is_some() {
        return None;
    }
    if let Some(finding) = header(facts) {
        return Some(finding);
    }
    let (side, marker) = facts.sides.iter().find_map(|side| Some((side, marker_in(facts, side)?)))?;
    let message =
        format!("the turn marker {marker} arrives as text: the server does not know it for the end of the answer");
    Some(
        Draft::new(&RULE, Blame::ServerConfig, Confidence::Medium, message)
            .evidence(facts, "content", side.completion.text())
            .evidence(facts, "finish_reason", side.finish())
            .ruled_out("the model: it ended its turn with its own marker")
            .fix(
                "serve the model with its own chat template (--chat-template, or a GGUF that carries it) and tokenizer",
            )
            .fix(format!(
                "add {marker} to the end tokens: eos_token_id in \
                 generation_config.json, or stop / stop_token_ids in the request"
            ))
            .done(),
    )
}

/// The header of the model's own turn at the head of the answer: the prompt lacked it.
fn header(facts: &Facts<'_>) -> Option<Finding> {
    let head = |side: &Side<'_>| turn_head(side.completion.text(), facts.view.request);
    let (side, (_, marker)) = facts.sides.iter().find_map(|side| Some((side, head(side)?)))?;
    let message = format!(
        "{marker} stands at the head of the answer: the prompt did not end with it, so the model wrote it, and the \
         server takes it for text"
    );
    Some(
        Draft::new(&RULE, Blame::ServerConfig, Confidence::Medium, message)
            .evidence(facts, "content", side.completion.text())
            .ruled_out("the model: it opened its turn as its template has it")
            .fix("serve the model with its own chat template (--chat-template), and end the prompt with the header")
            .fix("leave add_generation_prompt on; with a template of the client's own, add the header to it")
            .done(),
    )
}

fn marker_in(facts: &Facts<'_>, side: &Side<'_>) -> Option<&'static str> {
    turn_end(side.completion.text(), side.at_cap(), facts.view.request).map(|(_, marker)| marker)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[track_caller]
    fn case(question: &str, answer: &str, finish: &str, expect: &[&str]) {
        let line = json!({
            "request": {"model": "m", "messages": [{"role": "user", "content": question}]},
            "response": {"http_status": 200, "body": {"choices": [{"index": 0, "finish_reason": finish,
                "message": {"role": "assistant", "content": answer}}]}},
        });
        let verdict = crate::diagnosis::diagnose(&line).unwrap();
        let rules: Vec<&str> = verdict.findings.iter().map(|filed| filed.finding.rule.as_str()).collect();
        assert_eq!(rules, expect, "{answer}");
    }

    #[test]
    fn sees_markers_that_end_an_answer() {
        let found = &["template", "turn_markers_in_text"];
        case("hi", "Hello!<|im_end|>", "stop", found);
        case("hi", "Hello!</s></s></s>", "length", found);
        case("hi", "Hello!<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nAnd", "length", found);
    }

    #[test]
    fn leaves_markers_that_are_meant() {
        case("What does im_end do?", "It ends a turn: <|im_end|>", "stop", &[]);
        case("Strike it", "<s>old</s>", "stop", &[]);
        case("hi", "The list is [1, 2]", "stop", &[]);
        case("hi", "As in `<|im_end|>`.", "stop", &[]);
        case("What ends a turn?", "<|im_end|>", "stop", &[]);
        case("What ends a turn?", "Each turn ends with <|im_end|>", "stop", &[]);
    }
}
