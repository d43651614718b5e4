//! The markers between the turns of a conversation, where they arrive as text: [`turn_end`] says where the answer ended.
//!
//! Markers that are talked about, asked for or part of a code sample are left alone.

use serde_json::Value;

use crate::request::Request;

/// What stands at the end of a turn or opens the next one, in the templates of the families the catalogue knows.
const MARKERS: &[&str] = &[
    "<|im_end|>",
    "<|im_start|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "<|eot|>",
    "<|assistant|>",
    "<|user|>",
    "<|observation|>",
    "<|end_of_role|>",
    "<|END_OF_TURN_TOKEN|>",
    "<end_of_turn>",
    "<start_of_turn>",
    "<turn|>",
    "<｜end▁of▁sentence｜>",
    "<｜User｜>",
    "<｜Assistant｜>",
    "</s>",
    "[/INST]",
];

/// A turn that ends and the next one that begins, in the families' templates.
const SEAMS: &[(&str, &str)] = &[
    ("<|im_end|>", "<|im_start|>"),
    ("<|eot_id|>", "<|start_header_id|>"),
    ("<end_of_turn>", "<start_of_turn>"),
    ("<|end|>", "<|user|>"),
    ("<|end|>", "<|assistant|>"),
    ("</s>", "<s>"),
];

/// What is left of Llama 3's header where the server strips special tokens, glued to the last word of the turn.
const BARE_HEADERS: &[&str] = &["assistant", "user"];

/// Where the model ended its turn, and the marker that says so, in a text that runs past it.
///
/// ```
/// use monban_scorers::dialects::turn_end;
/// use monban_scorers::Request;
///
/// assert_eq!(turn_end("Hello!<|im_end|>", false, &Request::default()), Some((6, "<|im_end|>")));
/// assert_eq!(turn_end("`<|im_end|>` ends a turn.", false, &Request::default()), None);
/// ```
#[must_use]
pub fn turn_end(text: &str, at_cap: bool, request: &Request) -> Option<(usize, &'static str)> {
    let marked = text.contains(['<', '[']).then(|| seam(text).or_else(|| last_marker(text, at_cap))).flatten();
    let Some((at, marker)) = marked else {
        let bare = bare_header(text, at_cap).filter(|_| !is_spoken_of("assistant\n", request));
        return bare.or_else(|| dialogue(text, at_cap).filter(|(_, label)| !asks_for_talk(label, request)));
    };
    // `<s>struck</s>` is HTML; a question about markers is answered with them; special tokens may have been asked for.
    let paired = marker == "</s>" && text.contains("<s>");
    let wanted = request.field("skip_special_tokens").and_then(Value::as_bool) == Some(false);
    let name = marker.trim_matches(['<', '>', '|', '/', '[', ']']);
    let name = if name.contains('_') { name } else { marker };
    let meant = paired
        || wanted
        || asks_for_markup(request)
        || is_word(text, marker)
        || text.contains("<|channel|>")
        || is_spoken_of(name, request);
    (!meant).then_some((at, marker))
}

/// Headers that open the model's own turn: part of the prompt, which a template that leaves them out has the model write.
const HEADERS: &[&str] = &[
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|im_start|>assistant",
    "<start_of_turn>model",
    "<|start_of_role|>assistant<|end_of_role|>",
    "<|turn>model",
    "<｜Assistant｜>",
    "<|assistant|>",
    "[/INST]",
];

/// How much of the text is the header of the model's own turn, written at its head (huggingface/chat-ui#1423).
///
/// ```
/// use monban_scorers::dialects::turn_head;
/// use monban_scorers::Request;
///
/// let text = "<|im_start|>assistant\nParis";
/// assert_eq!(turn_head(text, &Request::default()), Some((22, "<|im_start|>assistant")));
/// ```
#[must_use]
pub fn turn_head(text: &str, request: &Request) -> Option<(usize, &'static str)> {
    let body = text.trim_start();
    let header = HEADERS.iter().find(|header| body.starts_with(**header))?;
    let rest = body[header.len()..].trim_start();
    let name = header.trim_matches(['<', '>', '|', '/', '[', ']']);
    let wanted = request.field("skip_special_tokens").and_then(Value::as_bool) == Some(false);
    // A header alone, or one that a sentence speaks of, is what was asked for.
    let meant = wanted
        || rest.is_empty()
        || asks_for_markup(request)
        || is_spoken_of(name.split(['|', '>']).next().unwrap_or(name), request);
    (!meant).then_some((text.len() - rest.len(), *header))
}

/// The text ends with a marker, or the budget cut it behind one. The first marker of the run is where the turn ended.
fn last_marker(text: &str, at_cap: bool) -> Option<(usize, &'static str)> {
    let text = text.trim_end();
    let at_end = text.ends_with(['>', ']']);
    if !at_end && !at_cap {
        return None;
    }
    let marker = MARKERS.iter().find(|marker| match at_end {
        true => text.ends_with(**marker),
        false => marker.starts_with("<|") && text.contains(**marker),
    })?;
    let at = match at_end {
        true => trailing_run(text),
        false => MARKERS.iter().filter_map(|marker| text.find(marker)).min()?,
    };
    Some((at, *marker))
}

/// Where the markers begin that stand one behind the other at the end.
fn trailing_run(text: &str) -> usize {
    let mut rest = text;
    while let Some(shorter) = MARKERS.iter().find_map(|marker| rest.trim_end().strip_suffix(marker)) {
        rest = shorter;
    }
    rest.len()
}

/// A marker that ends a turn, and behind it nothing but blanks before the one that opens the next.
fn seam(text: &str) -> Option<(usize, &'static str)> {
    SEAMS.iter().find_map(|(end, next)| {
        let at = text
            .match_indices(end)
            .map(|(at, _)| at)
            .find(|at| text[at + end.len()..].trim_start().starts_with(next))?;
        let in_code = text[..at].matches('`').count() % 2 == 1 || text[..at].ends_with(['"', '\'']);
        (!in_code).then_some((at, *end))
    })
}

/// `… Paris.assistant\n\nIs there …`: twice, or once where the text runs on to the budget.
fn bare_header(text: &str, at_cap: bool) -> Option<(usize, &'static str)> {
    let glued = |at: &usize| text[..*at].ends_with(['.', '!', '?', ')', '*', '。', '！', '？']);
    let blank_lines = memchr::memchr_iter(b'\n', text.as_bytes()).filter(|at| text[*at..].starts_with("\n\n"));
    let roles = blank_lines.filter_map(|at| BARE_HEADERS.iter().find_map(|role| text[..at].strip_suffix(role)));
    let mut hits = roles.map(str::len).filter(glued);
    let first = hits.next()?;
    let enough = at_cap || hits.next().is_some() || text.trim_end().ends_with("assistant");
    enough.then_some((first, "<|start_header_id|>assistant<|end_header_id|>"))
}

/// Labels under which base models and old fine-tunes write both sides of a talk: the user's, and the model's own.
const LABELS: &[(&str, &str)] = &[
    ("\nUser:", "\nAssistant:"),
    ("\nHuman:", "\nAssistant:"),
    ("\nHuman:", "\nAI:"),
    ("\n### Instruction:", "\n### Response:"),
    ("\n### User:", "\n### Assistant:"),
    ("\nUSER:", "\nASSISTANT:"),
];

/// The model goes on with the user's next turn, up to the budget or to the next label.
fn dialogue(text: &str, at_cap: bool) -> Option<(usize, &'static str)> {
    let bytes = text.as_bytes();
    // Most texts have no line that begins as a label does.
    memchr::memchr_iter(b'\n', bytes).find(|at| matches!(bytes.get(at + 1), Some(b'U' | b'H' | b'#')))?;
    LABELS.iter().find_map(|(user, own)| {
        let at = text.find(user)?;
        let ends_in_label = text.trim_end().ends_with(user.trim_start());
        let begins_in_label =
            text.trim_start().starts_with(user.trim_start()) || text.trim_start().starts_with(own.trim_start());
        // `Log:` above the labels says what they are; a talk the model has with itself begins behind a whole answer.
        let headed = text[..at].trim_end().ends_with(':');
        let goes_on = text[at..].contains(own) && text.matches(user).count() > 1 || ends_in_label;
        (goes_on && (at_cap || ends_in_label) && !begins_in_label && !headed && at > 0)
            .then_some((at, user.trim_start()))
    })
}

/// A talk of two was asked for, or the labels are the request's own.
fn asks_for_talk(label: &str, request: &Request) -> bool {
    ["user", "system"].iter().any(|role| {
        let said = request.text_of(role);
        let lower = said.to_lowercase();
        said.contains(label)
            || ["dialog", "conversation", "script", "interview", "transcript", "chat between", "prompt"]
                .iter()
                .any(|word| lower.contains(word))
    })
}

/// The user speaks of the formats that such markers belong to.
fn asks_for_markup(request: &Request) -> bool {
    let said = request.text_of("user").to_lowercase();
    let formats = ["chatml", "chat template", "prompt template", "prompt format", "special token", "control token"];
    let named = ["llama 3 prompt", "llama prompt", "gemma prompt", "mistral prompt", "prompt look"];
    formats.iter().chain(&named).any(|words| said.contains(words))
}

fn is_spoken_of(name: &str, request: &Request) -> bool {
    ["user", "system"].iter().any(|role| request.text_of(role).contains(name))
}

/// The marker is the whole answer, or the last word of a sentence: it is what was asked for.
fn is_word(text: &str, marker: &str) -> bool {
    let Some(before) = text.trim_end().strip_suffix(marker) else { return false };
    before.is_empty() || before.ends_with(' ') && before.trim_end().ends_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(text: &str, at_cap: bool, expect: Option<&str>) {
        let found = turn_end(text, at_cap, &Request::default());
        assert_eq!(found.map(|(at, _)| &text[..at]), expect, "{text}");
    }

    #[test]
    fn finds_where_the_turn_ended() {
        case("Hi!<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nAnd", true, Some("Hi!"));
        case("Done<|im_end|>\n<|im_start|>user\nThanks", false, Some("Done"));
        case("It is Paris.assistant\n\nAnything else?assistant\n\nBye!", false, Some("It is Paris."));
        case("It is Paris.assistant\n\nAnything else", true, Some("It is Paris."));
    }

    #[test]
    fn finds_a_talk_with_itself() {
        case("It is Paris.\nUser: And Spain?\nAssistant: Madrid.\nUser:", true, Some("It is Paris."));
        case(
            "Paris.\n\n### Instruction:\nA river?\n\n### Response:\nThe Seine.\n\n### Instruction:",
            true,
            Some("Paris.\n"),
        );
        case("Log:\nUser: asked\nAssistant: agreed\nUser: thanked", true, None);
        case("User: hi\nAssistant: hello\nUser: bye\nAssistant: bye", true, None);
        case("Steps:\nUser: clicks\nAssistant: answers, and so on.", false, None);
    }

    #[test]
    fn leaves_prose_and_code_alone() {
        case("Ask the assistant\n\nNext: a list.", true, None);
        case("She was an assistant.assistant\n\nEnd", false, None);
        case("out += '<|im_end|>\\n<|im_start|>' + role", false, None);
        case("```\n<|im_end|>\n<|im_start|>user\n```", false, None);
        case("<s>old</s> text", false, None);
    }
}
