//! Does the chat template show the tools to the model? The same messages with and without five tools, by their tokens.

use monban_scorers::diagnosis::Context;
use monban_scorers::{Blame, Finding, Severity, catalogue};

use super::{evidence, finding, unanswered};
use crate::doctor::report::{Capability, Status};
use crate::doctor::seen::{Reply, Seen};
use crate::doctor::singles::tools_size;
use crate::endpoint::identify::Identity;

const NAME: &str = "template shows tools";
const HOW: &str = "prompt_tokens with and without 5 tools";

/// Bytes of JSON that one token holds at most: five tools that cost less than that were not in the prompt.
const BYTES_A_TOKEN: usize = 24;

/// The row, and the finding where the template drops the tools.
pub(in crate::doctor) fn template(
    seen: &Seen,
    identity: &Identity,
    context: &Context,
) -> (Capability, Option<Finding>) {
    let (bare, laden) = (seen.reply("bare"), seen.reply("laden"));
    if let Some(row) = unanswered(NAME, HOW, &laden).or_else(|| unanswered(NAME, HOW, &bare)) {
        // A refusal of the tools says nothing of the template.
        let status = if row.status == Status::Refused { Status::Inconclusive } else { row.status };
        return (Capability { status, ..row }, None);
    }
    let (Some(bare), Some(laden)) = (prompt_tokens(&bare), prompt_tokens(&laden)) else {
        return (Capability::new(NAME, Status::Inconclusive, HOW, "no prompt_tokens in the answer"), None);
    };
    let text = format!("{bare} tokens without, {laden} with");
    if laden.saturating_sub(bare) >= (tools_size() / BYTES_A_TOKEN) as u64 {
        return (Capability::new(NAME, Status::Ok, HOW, text), None);
    }
    let message = format!(
        "the chat template does not show the tools to the model: the \
         same messages take {text}, so the model cannot know of them"
    );
    let mut found = finding("template", Severity::Error, Blame::ServerConfig, message);
    found.evidence.push(evidence("laden", "usage", format!("prompt_tokens {bare} without tools, {laden} with five")));
    if let Some(template) = identity.chat_template.as_deref().filter(|template| !template.contains("tools")) {
        let end: String = template.chars().take(160).collect();
        found.evidence.push(evidence("", "GET /props chat_template", format!("never says `tools`: {end}")));
    }
    found.ruled_out.push("the model declining to call: it never saw a tool".to_owned());
    found.ruled_out.push("the tool parser: it had nothing to read".to_owned());
    found.fix = fixes(context);
    (Capability::new(NAME, Status::Broken, HOW, text), Some(found))
}

fn prompt_tokens(reply: &Reply) -> Option<u64> {
    reply.completion()?.usage?.prompt_tokens.filter(|tokens| *tokens > 0)
}

fn fixes(context: &Context) -> Vec<String> {
    let flag = match context.engine.as_deref() {
        Some("llama_cpp") => "--jinja --chat-template-file FILE, with a template that renders `tools`",
        Some("tensorrt_llm") => "--chat_template FILE, with a template that renders `tools`",
        _ => "--chat-template FILE, with a template that renders `tools`",
    };
    let engine = context.engine.as_deref().unwrap_or_default();
    let advice = catalogue::recommend(engine, context.engine_version.as_deref(), context.model.as_deref(), None);
    std::iter::once(flag.to_owned())
        .chain(advice.notes.into_iter().filter(|note| note.contains("template")))
        .chain(["or use a model that was trained to call tools".to_owned()])
        .collect()
}
