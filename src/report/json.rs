//! One JSON object, the contract of `run --format json`. The attempts are streamed from the journal.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Input;
use super::escape::json_text;
use super::figures;
use crate::record::AttemptDone;

/// Writes the report.
pub(super) fn write(input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    let head = json_text(serde_json::to_string(&head(input))?);
    // The head is an object that is not empty: its closing brace makes room for the tasks.
    out.write_all(head.as_bytes().get(..head.len() - 1).unwrap_or_default())?;
    out.write_all(b",\"tasks\":[")?;
    tasks(input, out)?;
    out.write_all(b"]}\n")
}

fn head(input: &Input<'_>) -> Value {
    let (record, start) = (input.record, &input.record.start);
    let verdict = record.verdict(input.fail_under);
    let rates = record.rates();
    let passk: Vec<Value> = record
        .pass_ks()
        .iter()
        .map(|pass| json!({ "k": pass.k, "pass_at_k": pass.any, "pass_hat_k": pass.all }))
        .collect();
    json!({
        "run_id": start.run_id,
        "verdict": verdict.word(),
        "exit_code": record.exit_code(input.fail_under),
        "monban_version": start.monban_version,
        "started": start.started,
        "finished": record.end.as_ref().map(|end| &end.finished),
        "end": record.end.as_ref().map(|end| &end.reason),
        "environment": start.environment,
        "endpoint": {
            "base_url": start.base_url, "model": start.model, "route": start.route,
            "engine": start.context.engine, "engine_version": start.context.engine_version, "identity": start.identity,
        },
        "profile": start.profile,
        "options": start.options,
        "suites": start.suites,
        "counts": record.counts,
        "rates": {
            "pass": rates.pass, "pass_low": rates.pass_low, "pass_high": rates.pass_high, "ci95": rates.ci95,
            "intent": rates.intent,
        },
        "pass_k": passk,
        "performance": figures::performance_json(&record.performance),
        "findings": record.findings,
        "cause": figures::cause(record).map(|cause| &cause.rule),
    })
}

fn tasks(input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut attempts = input.attempts()?.peekable();
    for (at, task) in input.record.start.tasks.iter().enumerate() {
        let counts = input.record.tasks.get(at).map(|task| task.counts);
        let head = json!({ "suite": input.suite_of(at), "id": task.id, "tags": task.tags, "counts": counts });
        let head = json_text(head.to_string());
        if at > 0 {
            out.write_all(b",")?;
        }
        out.write_all(head.get(..head.len() - 1).unwrap_or_default().as_bytes())?;
        out.write_all(b",\"attempts\":[")?;
        let mut first = true;
        while attempts.peek().is_some_and(|next| next.as_ref().is_ok_and(|done| done.task == at)) {
            let Some(done) = attempts.next().transpose()? else { break };
            if !std::mem::take(&mut first) {
                out.write_all(b",")?;
            }
            out.write_all(json_text(attempt(&done).to_string()).as_bytes())?;
        }
        out.write_all(b"]}")?;
    }
    // An unreadable line ends the loop above early: say so.
    attempts.next().map_or(Ok(()), |rest| rest.map(|_| ()))
}

fn attempt(done: &AttemptDone) -> Value {
    let expectations: Vec<Value> = done
        .expectations
        .iter()
        .map(|scored| {
            let intent = scored.intent.as_ref().map_or("unknown", |intent| intent.word());
            let intent = if scored.intent.is_none() && scored.delivered.word() == "pass" { "pass" } else { intent };
            json!({
                "scorer": scored.scorer, "delivered": scored.delivered.word(), "intent": intent,
                "reason": scored.delivered.reason(),
            })
        })
        .collect();
    let measures: Vec<Value> = done
        .measures
        .iter()
        .map(|measure| {
            let ms = |us: u64| us as f64 / 1e3;
            json!({
                "answered": measure.answered, "streamed": measure.streamed,
                "latency_ms": ms(measure.timing.latency_us),
                "ttft_ms": measure.timing.ttft_us().filter(|_| measure.streamed).map(ms),
                "prompt_tokens": measure.usage.prompt_tokens, "completion_tokens": measure.usage.completion_tokens,
            })
        })
        .collect();
    json!({
        "attempt": done.attempt, "outcome": figures::name(done.outcome), "why": done.why,
        "expectations": expectations, "findings": done.findings, "exchanges": measures,
    })
}
