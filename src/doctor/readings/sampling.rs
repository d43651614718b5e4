//! Is a request field honoured, ignored or refused? `max_tokens`, `stop`, `seed`, `logprobs`, `n`.

use monban_scorers::Mode;
use serde_json::Value;

use super::unanswered;
use crate::doctor::report::{Capability, Status};
use crate::doctor::seen::Seen;
use crate::doctor::singles::FIRST;

/// The rows.
pub(in crate::doctor) fn sampling(seen: &Seen) -> Vec<Capability> {
    vec![max_tokens(seen), stop(seen), seed(seen), logprobs(seen), choices(seen), repeatable(seen)]
}

fn max_tokens(seen: &Seen) -> Capability {
    let (name, how, reply) = ("max_tokens", "asked for 2 tokens", seen.reply("max-tokens"));
    if let Some(row) = unanswered(name, how, &reply) {
        return row;
    }
    let Some(completion) = reply.completion() else { return Capability::new(name, Status::Inconclusive, how, "") };
    let tokens = completion.billed();
    let finish = completion.finish_reason.as_deref().unwrap_or("none");
    let text = format!("{} completion tokens, finish_reason {finish}", tokens.unwrap_or_default());
    let status = match (tokens, completion.is_truncated()) {
        (Some(0..=3), true) => Status::Ok,
        (Some(8..), _) => Status::Ignored,
        _ => Status::Inconclusive,
    };
    Capability::new(name, status, how, text)
}

/// A word of the answer as its stop: honoured when the answer ends before it.
fn stop(seen: &Seen) -> Capability {
    let (name, how) = ("stop", "the same request with a word of its answer");
    let reply = seen.reply("stop");
    let Some(exchange) = seen.exchange("stop", Mode::Plain) else {
        return Capability::new(name, Status::Inconclusive, how, "no answer to take a stop sequence from");
    };
    if let Some(row) = unanswered(name, how, &reply) {
        return row;
    }
    let asked = exchange.request.value();
    let word = asked.pointer("/stop/0").and_then(Value::as_str).unwrap_or_default();
    let whole = |reply: &crate::doctor::seen::Reply| {
        reply.completion().map(|completion| format!("{}{}", completion.reasoning(), completion.text()))
    };
    let (before, after) = (whole(&seen.reply(FIRST)).unwrap_or_default(), whole(&reply).unwrap_or_default());
    let status = if after.contains(word) {
        Status::Ignored
    } else if before.starts_with(after.trim_end()) {
        Status::Ok
    } else {
        Status::Inconclusive
    };
    Capability::new(name, status, how, format!("stop {word:?}: {after:?}"))
}

fn seed(seen: &Seen) -> Capability {
    let (name, how) = ("seed", "temperature 1.5, seed 7 twice and 8 once");
    let replies = ["seed-7", "seed-7-2", "seed-8"].map(|id| seen.reply(id));
    if let Some(row) = replies.iter().find_map(|reply| unanswered(name, how, reply)) {
        return row;
    }
    let texts: Vec<String> = replies
        .iter()
        .filter_map(|reply| reply.completion())
        .map(|completion| format!("{}{}", completion.reasoning(), completion.text()))
        .collect();
    let [one, two, other] = texts.as_slice() else { return Capability::new(name, Status::Inconclusive, how, "") };
    match (one == two, one == other) {
        (true, false) => Capability::new(name, Status::Ok, how, "equal for one seed, different for another"),
        (true, true) => Capability::new(name, Status::Inconclusive, how, "all three answers are equal"),
        (false, _) => Capability::new(name, Status::Ignored, how, "two answers for one seed"),
    }
}

fn logprobs(seen: &Seen) -> Capability {
    let (name, how, reply) = ("logprobs", "logprobs with top_logprobs 2", seen.reply("logprobs"));
    if let Some(row) = unanswered(name, how, &reply) {
        return row;
    }
    let body = seen.json("logprobs").unwrap_or_default();
    let tokens = body.pointer("/choices/0/logprobs/content").and_then(Value::as_array).map_or(0, Vec::len);
    let status = if tokens > 0 { Status::Ok } else { Status::Ignored };
    Capability::new(name, status, how, format!("{tokens} tokens with their probabilities"))
}

fn choices(seen: &Seen) -> Capability {
    let (name, how, reply) = ("n", "asked for two choices", seen.reply("n"));
    if let Some(row) = unanswered(name, how, &reply) {
        return row;
    }
    let choices = reply.completion().map_or(0, |completion| completion.choices);
    let status = if choices == 2 { Status::Ok } else { Status::Ignored };
    Capability::new(name, status, how, format!("{choices} choices"))
}

fn repeatable(seen: &Seen) -> Capability {
    let (name, how) = ("equal at temperature 0", "the same request twice");
    let (one, two) = (seen.reply(FIRST), seen.reply("again"));
    if let Some(row) = unanswered(name, how, &one).or_else(|| unanswered(name, how, &two)) {
        return row;
    }
    let same = one.completion().map(|completion| (completion.text(), completion.reasoning()))
        == two.completion().map(|completion| (completion.text(), completion.reasoning()));
    if same {
        return Capability::new(name, Status::Ok, how, "equal");
    }
    // Batching makes servers differ in the last bits: not a fault.
    Capability::new(
        name,
        Status::Inconclusive,
        how,
        "two answers differ: repeat tasks, and read rates with their intervals",
    )
}
