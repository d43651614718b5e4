//! The examination: who is it, does it answer, the probes, what follows from them. Main function: [`examine`].

use std::time::Duration;

use monban_scorers::completion::Completion;
use monban_scorers::diagnosis::Context;
use monban_scorers::{Finding, Mode, catalogue};
use tokio::time::{Instant, timeout_at};

use super::asking::Asking;
use super::findings::{self, Scene};
use super::followups;
use super::judged::{self, Case};
use super::probes::{Judged, TOOLS_AUTO, TOOLS_HISTORY};
use super::readings;
use super::recovered::{Recovered, recovered};
use super::report::{Capability, Flags, Report, exit_code};
use super::seen::{Probe, Reply, Seen, To};
use super::singles::{FIRST, first, singles};
use crate::endpoint::Client;
use crate::endpoint::identify::{Identity, identify, parser_runs, witness};
use crate::profile::{Discovered, Profile};

/// Probes in flight.
const AT_ONCE: usize = 4;

/// Whom to examine, and how long.
#[derive(Clone, Debug)]
pub struct Patient {
    /// The endpoint.
    pub client: Client,
    /// The same endpoint without the key, where a key is used.
    pub anonymous: Option<Client>,
    /// The model's name; the first one served without.
    pub model: Option<String>,
    /// The profile it was launched with.
    pub profile: Option<Profile>,
    /// What to call the environment where it is no harness.
    pub environment: String,
    /// `direct`, `gateway:litellm`, …
    pub route: Option<String>,
    /// The longest wait for one answer.
    pub patience: Duration,
    /// The longest examination.
    pub limit: Duration,
}

/// What is known in the course of an examination.
struct Chart {
    identity: Identity,
    context: Context,
    judged: Judged,
    model: String,
    seen: Seen,
}

/// Examines an endpoint. Never longer than its limit; what was not answered by then is inconclusive.
///
/// # Errors
/// The probes cannot be read: a fault of the program, which a test rules out.
pub async fn examine(patient: &Patient) -> Result<Report, String> {
    let started = Instant::now();
    let mut asking = Asking {
        at_once: AT_ONCE,
        client: &patient.client,
        anonymous: patient.anonymous.as_ref(),
        patience: patient.patience,
        deadline: started + patient.limit,
    };
    let mut chart = admit(patient, &asking).await?;
    let before = metrics(&chart.seen, "metrics-before");
    if chart.judged.is_slow() {
        asking.at_once = 2;
    }
    if chart.seen.reply(FIRST).completion().is_some() {
        probe(&mut chart, &asking, patient.anonymous.is_some()).await;
    }
    let exchanges: Vec<_> = chart.seen.exchanges().cloned().collect();
    witness(&mut chart.identity, exchanges.iter());
    chart.context = context(&chart.identity, patient, &chart.model);
    let cases = judged::cases(&chart.judged, &chart.seen, &chart.context);
    let after = follow_up(&mut chart, &asking, &cases).await;
    let runs = before.zip(after).map(|(before, after)| {
        let more = |outcome: &str| {
            let count = |runs: &std::collections::BTreeMap<String, u64>| runs.get(outcome).copied().unwrap_or_default();
            count(&after).saturating_sub(count(&before))
        };
        (more("no_tool_call"), more("tool_call"))
    });
    let mut report = conclude(patient, &chart, &cases, runs);
    report.wall_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// Who is it, and does it answer at all? An overloaded or loading endpoint is asked once more.
async fn admit(patient: &Patient, asking: &Asking<'_>) -> Result<Chart, String> {
    let discovery = (Instant::now() + Duration::from_secs(10)).min(asking.deadline);
    let identity = timeout_at(discovery, identify(&patient.client)).await.unwrap_or_default();
    let model =
        patient.model.clone().or_else(|| identity.served.first().cloned()).unwrap_or_else(|| "default".to_owned());
    let identity = identity.of_model(&model);
    let context = context(&identity, patient, &model);
    let judged = Judged::new(&model)?;
    let mut chart = Chart { identity, context, judged, model, seen: Seen::default() };
    let probe = first(&chart.model);
    let mut asked = asking.one(probe.clone()).await;
    if asked.exchange.as_ref().is_some_and(|exchange| matches!(exchange.status, Some(429 | 503))) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        asked = asking.one(probe).await;
    }
    chart.seen.0.push(asked);
    if let Reply::Completion(completion) = chart.seen.reply(FIRST) {
        chart.judged.pace(pace(&completion));
    }
    if chart.identity.reached {
        let probe =
            Probe { id: "metrics-before", mode: Mode::Plain, to: To::Get("/metrics"), body: serde_json::Value::Null };
        chart.seen.0.push(asking.one(probe).await);
    }
    Ok(chart)
}

/// Tokens a second of the first answer; `None` where it is too short to tell.
fn pace(completion: &Completion) -> Option<f64> {
    let tokens = completion.usage?.completion_tokens.filter(|tokens| *tokens > 0)?;
    let seconds = completion.timing.latency_us as f64 / 1e6;
    // The first token waits for the prompt: a short answer makes a server look slower than it is.
    (seconds > 0.3).then(|| tokens as f64 / seconds)
}

/// The probes, the most important first; the second turn when the first has called.
async fn probe(chart: &mut Chart, asking: &Asking<'_>, keyed: bool) {
    let mut probes = chart.judged.probes(|id| id != TOOLS_HISTORY);
    let cheap = singles(&chart.model, chart.identity.max_model_len, keyed);
    let leading = if chart.judged.is_slow() { 0 } else { 10 };
    let rest = probes.split_off(probes.len().min(leading));
    probes.extend(cheap);
    probes.extend(followups::stop(&chart.seen, &chart.model));
    probes.extend(rest);
    chart.seen.0.extend(asking.all(probes).await);
    if let Some(id) = chart.seen.reply(TOOLS_AUTO).completion().and_then(|one| one.tool_calls.first()?.id.clone()) {
        chart.judged.replay(&id);
    }
    let second_turn = chart.judged.probes(|id| id == TOOLS_HISTORY);
    chart.seen.0.extend(asking.all(second_turn).await);
}

/// What the answers give cause to ask; answers with the parser's counter after all.
async fn follow_up(
    chart: &mut Chart,
    asking: &Asking<'_>,
    cases: &[Case],
) -> Option<std::collections::BTreeMap<String, u64>> {
    if cases.iter().all(|case| case.completions().next().is_none()) {
        return None;
    }
    let probe =
        Probe { id: "metrics-after", mode: Mode::Plain, to: To::Get("/metrics"), body: serde_json::Value::Null };
    chart.seen.0.push(asking.one(probe).await);
    let probes = followups::after(cases, &chart.judged, &chart.context);
    chart.seen.0.extend(asking.all(probes).await);
    let found = text_behind(chart);
    if let Some(task) = chart.judged.task(TOOLS_AUTO) {
        let probes = followups::proofs(cases, found.as_ref(), task.request(), &chart.context);
        chart.seen.0.extend(asking.all(probes).await);
    }
    metrics(&chart.seen, "metrics-after")
}

fn text_behind(chart: &Chart) -> Option<Recovered> {
    recovered(&chart.seen, chart.judged.task(TOOLS_AUTO)?.request(), chart.context.model.as_deref())
}

fn metrics(seen: &Seen, id: &str) -> Option<std::collections::BTreeMap<String, u64>> {
    let exchange = seen.exchange(id, Mode::Plain).filter(|exchange| exchange.status == Some(200))?;
    Some(parser_runs(&String::from_utf8_lossy(&exchange.body.bytes())))
}

/// What the diagnosis is told. The name of the model's folder may say nothing where the served name does.
fn context(identity: &Identity, patient: &Patient, served: &str) -> Context {
    let mut context = identity.context.clone();
    let tells = |name: &str| catalogue::model_rule(name).is_some();
    if tells(served) && !context.model.as_deref().is_some_and(tells) {
        context.model = Some(served.to_owned());
    }
    context.profile = patient.profile.as_ref().map(|profile| profile.source().text().to_owned());
    context.route = patient.route.clone().or(context.route).or_else(|| Some("direct".to_owned()));
    context
}

/// Everything seen, as a report.
fn conclude(patient: &Patient, chart: &Chart, cases: &[Case], parser_runs: Option<(u64, u64)>) -> Report {
    let (seen, identity, context) = (&chart.seen, &chart.identity, &chart.context);
    let found = text_behind(chart);
    let (template, ignored) = readings::template(seen, identity, context);
    let (limits, overflow) = readings::limits(seen, identity);
    let mut capabilities: Vec<Capability> = readings::reach(seen, identity, cases, &chart.model);
    capabilities.extend(judged::rows(cases));
    capabilities.insert(capabilities.len().min(5), template);
    capabilities.extend(readings::modes(cases));
    capabilities.extend(readings::thinking(cases));
    capabilities.extend(readings::sampling(seen));
    capabilities.extend(limits);
    let scene = Scene { cases, seen, recovered: found.as_ref(), context, parser_runs };
    let clashes = patient.profile.iter().flat_map(|profile| profile.conflicts(&discovered(identity)));
    let readings = clashes.chain(ignored).chain(overflow).collect();
    let mut findings = findings::collect(&scene, readings);
    readings::tell_mute(seen, identity, &mut findings);
    if let Some(lines) = patient.profile.as_ref().map(Profile::lines) {
        findings.iter_mut().for_each(|found| lines.point_at(found));
    }
    let completions = seen.completions();
    let simulated = identity.fact("server") == Some("monban-harness");
    Report {
        endpoint: patient.client.base().to_string(),
        model: chart.model.clone(),
        environment: if simulated { "harness".to_owned() } else { format!("real:{}", patient.environment) },
        identity: Context { profile: None, ..context.clone() },
        facts: identity.facts.clone(),
        capabilities,
        flags: flags(context, &findings),
        exit_code: exit_code(completions, judged::all_cut(cases), &findings),
        findings,
        requests: seen.exchanges().count() + identity.asked,
        wall_ms: 0,
        completions,
    }
}

/// What the endpoint says of itself, to hold against a profile.
fn discovered(identity: &Identity) -> Discovered {
    let context = &identity.context;
    Discovered {
        engine: context.engine.clone(),
        version: context.engine_version.clone(),
        max_model_len: identity.max_model_len,
        served_names: identity.served.clone(),
        tool_parser: context.tool_parser.clone(),
        reasoning_parser: context.reasoning_parser.clone(),
    }
}

/// The flags for this model, or for what was seen of it.
fn flags(context: &Context, findings: &[Finding]) -> Flags {
    let (tool, thought) = findings::families(findings);
    let engine = context.engine.as_deref().unwrap_or_default();
    let known = context.model.as_deref().filter(|model| catalogue::model_rule(model).is_some());
    let advise = |family: Option<&str>| catalogue::recommend(engine, context.engine_version.as_deref(), known, family);
    let (calls, thoughts) = (advise(tool), advise(thought));
    let basis: Vec<String> = known
        .map(|model| format!("the model {model}"))
        .into_iter()
        .chain(tool.map(|family| format!("calls written as {family}")))
        .chain(thought.map(|family| format!("thoughts written as {family}")))
        .collect();
    Flags {
        tool: calls.tool.map(|advice| advice.text),
        reasoning: thoughts.reasoning.map(|advice| advice.text),
        notes: calls.notes,
        basis: basis.join(", "),
    }
}
