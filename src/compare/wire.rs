//! What a gateway changed on the wire, task by task: fields dropped or renamed, finish reasons, calls, deviations.

use std::collections::{BTreeMap, BTreeSet};

use monban_scorers::Completion;
use monban_scorers::completion::read;
use serde::Serialize;

use super::side::Side;
use crate::record::AttemptDone;

/// What differs for one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WireChange {
    /// The suite and the task.
    pub task: String,
    /// `plain` or `stream`.
    pub mode: &'static str,
    /// What differs, each in a few words.
    pub changes: Vec<String>,
}

/// The first attempt of each task on both routes, exchange by exchange.
#[must_use]
pub fn wire_changes(a: &Side, b: &Side) -> Vec<WireChange> {
    let (left, right) = (first_attempts(a), first_attempts(b));
    let mut out = Vec::new();
    for (task, left) in &left {
        let Some(right) = right.get(task) else { continue };
        for (mode, a) in left {
            let Some(b) = right.get(mode) else { continue };
            let changes = changed(a, b);
            if !changes.is_empty() {
                out.push(WireChange { task: task.clone(), mode, changes });
            }
        }
    }
    out
}

type ByMode = BTreeMap<&'static str, Completion>;

fn first_attempts(side: &Side) -> BTreeMap<String, ByMode> {
    let Some(Ok(attempts)) = side.dir.as_ref().map(crate::record::RunDir::attempts) else { return BTreeMap::new() };
    attempts
        .filter_map(Result::ok)
        .filter(|done| done.attempt == 0)
        .filter_map(|done| Some((name(side, &done)?, completions(&done))))
        .collect()
}

fn name(side: &Side, done: &AttemptDone) -> Option<String> {
    let start = &side.record.start;
    let task = start.tasks.get(done.task)?;
    Some(format!("{}/{}", start.suites.get(task.suite)?.name, task.id))
}

fn completions(done: &AttemptDone) -> ByMode {
    done.exchanges
        .iter()
        .filter_map(|exchange| {
            let mode = if exchange.mode == monban_scorers::Mode::Stream { "stream" } else { "plain" };
            read(exchange).completion().cloned().map(|completion| (mode, completion))
        })
        .collect()
}

fn changed(a: &Completion, b: &Completion) -> Vec<String> {
    let mut out = Vec::new();
    let keys = |completion: &Completion| completion.message_keys.iter().cloned().collect::<BTreeSet<String>>();
    let (left, right) = (keys(a), keys(b));
    out.extend(left.difference(&right).map(|key| format!("`{key}` is gone")));
    out.extend(right.difference(&left).map(|key| format!("`{key}` is new")));
    if let (Some(x), Some(y)) = (&a.reasoning_field, &b.reasoning_field)
        && x != y
    {
        out.push(format!("reasoning moved from `{x}` to `{y}`"));
    }
    if a.reasoning().is_empty() != b.reasoning().is_empty() {
        out.push(if b.reasoning().is_empty() { "the reasoning is lost" } else { "reasoning appears" }.to_owned());
    }
    if a.finish_reason != b.finish_reason {
        let said = |reason: &Option<String>| reason.clone().unwrap_or_else(|| "null".to_owned());
        out.push(format!("finish_reason {} → {}", said(&a.finish_reason), said(&b.finish_reason)));
    }
    let calls = |completion: &Completion| completion.tool_calls.iter().map(ToString::to_string).collect::<Vec<_>>();
    if calls(a) != calls(b) {
        out.push(format!("tool calls {} → {}", a.tool_calls.len(), b.tool_calls.len()));
    }
    let kinds = |completion: &Completion| {
        completion.deviations.iter().map(|deviation| deviation.kind.clone()).collect::<BTreeSet<String>>()
    };
    out.extend(kinds(b).difference(&kinds(a)).map(|kind| format!("deviation `{kind}` appears")));
    if a.usage.is_some() && b.usage.is_none() {
        out.push("the token counts are lost".to_owned());
    }
    out
}
