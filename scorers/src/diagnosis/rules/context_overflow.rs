//! `context_overflow`: prompt and completion budget do not fit the context window.

use crate::diagnosis::{Blame, Finding, Rule, Signs};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "context_overflow",
    kind: "context_overflow",
    summary: "Prompt and completion budget do not fit the context window.",
    manual: "Looks at the context texts of every engine, also where they come behind HTTP 200 or inside a stream. \
             Where the completion budget alone is too large the request is at fault; where the server was started with \
             a small window, its configuration is.",
    explains: &[],
    hides_intent: true,
    check,
};

fn check(signs: &Signs<'_>) -> Option<Finding> {
    let mut finding = signs.error_finding(&RULE)?;
    let (prompt, window) = sizes(signs);
    if let (Some(prompt), Some(window)) = (prompt, window)
        && !finding.message.contains('>')
    {
        finding.message = format!("{prompt} > {window}: {}", finding.message);
    }
    if signs.facts.launch.context_limit && finding.blame == Blame::Request {
        finding
            .ruled_out
            .push("the launch line sets the window: it may be the server's limit rather than the model's".to_owned());
    }
    Some(finding)
}

/// llama.cpp states both sizes beside the message.
fn sizes(signs: &Signs<'_>) -> (Option<u64>, Option<u64>) {
    let bodies = signs.facts.faults.iter().map(|(exchange, _)| exchange.body.bytes());
    let texts: Vec<String> = bodies.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
    let number = |key: &str| {
        texts.iter().find_map(|text| {
            let after = text.split_once(key)?.1.trim_start_matches(['"', ':', ' ', '\\']);
            after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
        })
    };
    (number("n_prompt_tokens"), number("n_ctx"))
}
