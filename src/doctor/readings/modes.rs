//! Is the streamed answer the plain one, and does it state its tokens?

use monban_scorers::Mode;

use crate::doctor::judged::Case;
use crate::doctor::probes::PLAIN;
use crate::doctor::report::{Capability, Status};

/// The rows.
pub(in crate::doctor) fn modes(cases: &[Case]) -> Vec<Capability> {
    let (equal, usage) = ("streamed equals plain", "usage in streams");
    let case = cases.iter().find(|case| case.id == PLAIN);
    let (plain, stream) =
        (case.and_then(|case| case.completion(Mode::Plain)), case.and_then(|case| case.completion(Mode::Stream)));
    let Some(stream) = stream else {
        return [equal, usage].map(|name| Capability::new(name, Status::Inconclusive, "", "no streamed answer")).into();
    };
    let how = "the same request in both modes";
    let first = match plain {
        Some(plain) if plain.text().trim() == stream.text().trim() => Capability::new(equal, Status::Ok, how, "equal"),
        Some(_) => Capability::new(equal, Status::Inconclusive, how, "the two answers differ in words"),
        None => Capability::new(equal, Status::Inconclusive, how, "no plain answer"),
    };
    let tokens = stream.billed();
    let second = match tokens {
        Some(tokens) => Capability::new(usage, Status::Ok, "stream_options.include_usage", format!("{tokens} tokens")),
        None => Capability::new(usage, Status::Ignored, "stream_options.include_usage", "no usage in the stream"),
    };
    vec![first, second]
}
