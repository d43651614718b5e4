//! The faults a harness can be told to show: what goes wrong between a model that answers rightly and its client.
//!
//! Main type: [`Fault`]. A fault is written `name` or `name:share`; a share below 1 hits that part of the requests,
//! always the same ones (by the request's bytes), so that a retry meets it again.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// One fault with the share of requests it hits.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What goes wrong.
    pub kind: FaultKind,
    /// The share of requests that it hits, 0 to 1.
    pub share: f64,
}

/// The kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The model's markup is left in the content; no calls.
    Leak,
    /// Calls vanish: no content, no calls, finish reason `stop`, tokens billed.
    Swallow,
    /// The whole answer arrives in the reasoning field.
    AllInReasoning,
    /// `tool_choice` `auto` is refused with vLLM's 400.
    AutoRefused,
    /// 503 with an overload message.
    Unavailable,
    /// 503 while the model loads (llama.cpp's wording).
    Loading,
    /// 429 with `Retry-After`.
    RateLimited,
    /// The request is accepted and never answered.
    Hang,
    /// The stream (or body) breaks off in the middle.
    CutStream,
    /// Tools never reach the prompt: the model answers in prose, `prompt_tokens` does not grow.
    TemplateIgnoresTools,
    /// Arguments are a JSON string inside a JSON string.
    DoubleEncoded,
    /// Arguments are an object instead of a string.
    ArgumentsObject,
    /// Calls arrive, and the finish reason says `stop`.
    FinishReasonStop,
    /// Calls arrive only when not streamed.
    StreamDropsCalls,
    /// `response_format` is accepted and ignored.
    SchemaIgnored,
    /// HTTP 200 with an HTML page.
    Html,
    /// The model thinks until the budget is spent.
    ThinkForever,
    /// The model answers wrongly: the one red that is the model's.
    WrongAnswer,
}

/// Every kind with its name and a line of help, in the order of the manual.
pub const KINDS: &[(&str, FaultKind, &str)] = &[
    ("leak", FaultKind::Leak, "tool markup is left in the content"),
    ("swallow", FaultKind::Swallow, "tool calls vanish: every field empty, tokens billed"),
    ("all-in-reasoning", FaultKind::AllInReasoning, "the whole answer arrives in the reasoning field"),
    ("auto-refused", FaultKind::AutoRefused, "tool_choice auto is refused with vLLM's 400"),
    ("503", FaultKind::Unavailable, "503 Service Unavailable"),
    ("loading", FaultKind::Loading, "503 while the model loads"),
    ("429", FaultKind::RateLimited, "429 with Retry-After"),
    ("hang", FaultKind::Hang, "accepted, never answered"),
    ("cut", FaultKind::CutStream, "the answer breaks off in the middle"),
    ("template-ignores-tools", FaultKind::TemplateIgnoresTools, "tools never reach the prompt"),
    ("double-encoded", FaultKind::DoubleEncoded, "arguments are a JSON string inside a JSON string"),
    ("arguments-object", FaultKind::ArgumentsObject, "arguments are an object, not a string"),
    ("finish-reason-stop", FaultKind::FinishReasonStop, "calls arrive with finish_reason stop"),
    ("stream-drops-calls", FaultKind::StreamDropsCalls, "calls are lost when streamed"),
    ("schema-ignored", FaultKind::SchemaIgnored, "response_format is accepted and ignored"),
    ("html", FaultKind::Html, "200 with an HTML page"),
    ("think-forever", FaultKind::ThinkForever, "the budget is spent on thinking"),
    ("wrong-answer", FaultKind::WrongAnswer, "the model itself answers wrongly"),
];

impl FaultKind {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind, _)| *kind == self).map_or("", |(name, ..)| name)
    }
}

impl Fault {
    /// A fault that hits every request.
    #[must_use]
    pub fn always(kind: FaultKind) -> Self {
        Self { kind, share: 1.0 }
    }

    /// Whether it hits a request with this body. The same body always meets the same fate.
    #[must_use]
    pub fn hits(&self, body: &[u8]) -> bool {
        if self.share >= 1.0 {
            return true;
        }
        let digest = Sha256::new().chain_update(self.kind.name()).chain_update(body).finalize();
        let place = digest.iter().take(4).fold(0_u32, |sum, byte| (sum << 8) | u32::from(*byte));
        f64::from(place) < self.share * f64::from(u32::MAX)
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, share) = match text.split_once(':') {
            Some((name, share)) => {
                let share: f64 = share.parse().map_err(|_| format!("`{share}` is not a share between 0 and 1"))?;
                (name, share)
            }
            None => (text, 1.0),
        };
        if !(0.0..=1.0).contains(&share) {
            return Err(format!("a share lies between 0 and 1, not {share}"));
        }
        let wanted = name.replace('_', "-");
        KINDS.iter().find(|(known, ..)| *known == wanted).map(|(_, kind, _)| Self { kind: *kind, share }).ok_or_else(
            || {
                let known: Vec<&str> = KINDS.iter().map(|(name, ..)| *name).collect();
                format!("no fault is called `{name}`; known: {}", known.join(", "))
            },
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        if self.share < 1.0 { write!(f, ":{}", self.share) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for (name, kind, _) in KINDS {
            assert_eq!(name.parse::<Fault>().unwrap(), Fault::always(*kind));
        }
        assert_eq!("503:0.05".parse::<Fault>().unwrap().to_string(), "503:0.05");
        assert!("nope".parse::<Fault>().unwrap_err().contains("known: leak"));
        assert!("503:2".parse::<Fault>().is_err());
    }

    #[test]
    fn a_share_is_kept_and_sticky() {
        let fault = Fault { kind: FaultKind::Unavailable, share: 0.05 };
        let hit = |n: u32| fault.hits(format!("request {n}").as_bytes());
        let hits = (0..10_000).filter(|n| hit(*n)).count();
        assert!((400..600).contains(&hits), "{hits}");
        assert!((0..200).all(|n| hit(n) == hit(n)));
    }
}
