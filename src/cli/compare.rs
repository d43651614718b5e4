//! `monban compare`: comparability first, then quality and performance.

use std::io::Write as _;

use super::output::Output;
use super::{DataFormat, Io};
use crate::compare::{Comparison, Estimate, Kind, Side, compare};
use crate::exit;
use crate::record::Store;
use crate::report::{json_text, terminal};

/// The arguments of `monban compare`.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    /// Two runs or more; the first is the baseline
    #[arg(value_name = "RUN", num_args = 2.., required = true)]
    pub runs: Vec<String>,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "MONBAN_RUNS_DIR")]
    pub runs_dir: std::path::PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: DataFormat,
    /// Compare even what is no match; every output says so
    #[arg(long)]
    pub force: bool,
    /// Exit 1 when a later run is worse than the first beyond noise
    #[arg(long)]
    pub gate: bool,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}

pub(super) fn run(args: CompareArgs, io: &mut Io) -> anyhow::Result<u8> {
    let output = args.output.as_deref().map(Output::to).transpose()?;
    let store = Store::new(&args.runs_dir);
    let sides = args.runs.iter().map(|id| Ok(Side::read(store.open(id)?)?)).collect::<anyhow::Result<Vec<Side>>>()?;
    let Some((first, others)) = sides.split_first() else { anyhow::bail!("two runs are needed") };
    let comparisons: Vec<Comparison> = others.iter().map(|other| compare(first, other, args.force)).collect();
    let refused = comparisons.iter().any(|comparison| !comparison.comparable && !args.force);
    let mut out = Vec::new();
    match args.format {
        DataFormat::Json => writeln!(out, "{}", json_text(serde_json::to_string_pretty(&comparisons)?))?,
        DataFormat::Table => comparisons.iter().try_for_each(|comparison| table(comparison, args.force, &mut out))?,
    }
    match &output {
        Some(output) => output.write(|file| file.write_all(&out))?,
        None => io.out.write_all(&out)?,
    }
    io.out.flush()?;
    if refused {
        writeln!(io.err, "refused: the runs are no match; --force compares them all the same, and says so")?;
        return Ok(exit::USAGE);
    }
    let worse = args.gate && comparisons.iter().any(|comparison| !comparison.gate.regressions.is_empty());
    Ok(if worse { exit::FAIL } else { exit::PASS })
}

/// Prints one comparison after a run's own report.
pub(super) fn tell(comparison: &Comparison, format: super::ReportFormat, io: &mut Io) -> anyhow::Result<()> {
    let mut out = Vec::new();
    if format == super::ReportFormat::Json {
        writeln!(out, "{}", json_text(serde_json::to_string(comparison)?))?;
    } else {
        out.push(b'\n');
        table(comparison, true, &mut out)?;
    }
    io.out.write_all(&out)?;
    Ok(io.out.flush()?)
}

fn table(comparison: &Comparison, force: bool, out: &mut Vec<u8>) -> std::io::Result<()> {
    writeln!(out, "a  {}\nb  {}\n", terminal(&comparison.run_a), terminal(&comparison.run_b))?;
    conditions(comparison, out)?;
    if !comparison.comparable && !force {
        return Ok(());
    }
    figures(comparison, out)?;
    flips(comparison, out)?;
    for change in &comparison.wire {
        writeln!(out, "wire  {} ({}): {}", terminal(&change.task), change.mode, terminal(&change.changes.join("; ")))?;
    }
    writeln!(out)?;
    for sentence in &comparison.words {
        writeln!(out, "{}", terminal(sentence))?;
    }
    for regression in &comparison.gate.regressions {
        writeln!(out, "regression: {}", terminal(regression))?;
    }
    comparison.gate.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))
}

/// What differs, before any number.
fn conditions(comparison: &Comparison, out: &mut Vec<u8>) -> std::io::Result<()> {
    let verdict = match (comparison.comparable, comparison.forced) {
        (true, _) if comparison.differences.iter().any(|difference| difference.kind == Kind::Axis) => {
            "a match: one axis changes"
        }
        (true, _) => "the same match",
        (false, true) => "NO MATCH, compared by force",
        (false, false) => "NO MATCH",
    };
    writeln!(out, "{verdict}")?;
    if comparison.differences.is_empty() {
        writeln!(out, "  nothing differs")?;
    }
    for difference in &comparison.differences {
        let kind = match difference.kind {
            Kind::Blocks => "blocks",
            Kind::Axis => "axis  ",
            Kind::Note => "note  ",
        };
        writeln!(
            out,
            "  {kind}  {}: {} → {}",
            terminal(&difference.what),
            terminal(&difference.a),
            terminal(&difference.b)
        )?;
    }
    writeln!(out)
}

fn figures(comparison: &Comparison, out: &mut Vec<u8>) -> std::io::Result<()> {
    let (a, b) = (&comparison.a, &comparison.b);
    let mut rows = vec![
        ("pass rate", share(a.pass), share(b.pass)),
        ("as the model wrote it", share(a.intent), share(b.intent)),
        ("truncated", share(a.truncated), share(b.truncated)),
        ("server faults", share(a.server_fault), share(b.server_fault)),
        ("errors", share(a.error), share(b.error)),
    ];
    for (at, [latency, ttft]) in
        [["latency p50", "TTFT p50"], ["latency p95", "TTFT p95"], ["latency p99", "TTFT p99"]].iter().enumerate()
    {
        rows.push((latency, ms(a.latency_ms[at]), ms(b.latency_ms[at])));
        rows.push((ttft, ms(a.ttft_ms[at]), ms(b.ttft_ms[at])));
    }
    let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.2}"));
    rows.push(("tokens/s a request", rate(a.tokens_per_s), rate(b.tokens_per_s)));
    rows.push(("requests/s", rate(a.requests_per_s), rate(b.requests_per_s)));
    rows.push(("tokens generated", a.completion_tokens.to_string(), b.completion_tokens.to_string()));
    let label = if comparison.forced { "(no match)" } else { "" };
    writeln!(out, "  {label:<22}{:<36}b", "a")?;
    rows.iter().try_for_each(|(name, a, b)| writeln!(out, "  {name:<22}{a:<36}{b}"))
}

fn flips(comparison: &Comparison, out: &mut Vec<u8>) -> std::io::Result<()> {
    let pairs = &comparison.pairs;
    writeln!(
        out,
        "\n  {} pairs judged in both: {} passed, {} failed, {} only in a, {} only in b; {} not judged",
        pairs.judged, pairs.both_passed, pairs.both_failed, pairs.only_a, pairs.only_b, pairs.unjudged
    )?;
    for flip in pairs.flips.iter().take(20) {
        let word = |outcome: monban_scorers::Outcome| {
            serde_json::to_value(outcome).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
        };
        writeln!(
            out,
            "  {}/{} #{}: {} → {}",
            terminal(&flip.suite),
            terminal(&flip.task),
            flip.attempt,
            word(flip.a),
            word(flip.b)
        )?;
    }
    if pairs.flips.len() > 20 { writeln!(out, "  … and {} more", pairs.flips.len() - 20) } else { Ok(()) }
}

fn share(estimate: Option<Estimate>) -> String {
    with_interval(estimate, |value| format!("{:.1} %", value * 100.0))
}

fn ms(estimate: Option<Estimate>) -> String {
    with_interval(estimate, |value| format!("{value:.1} ms"))
}

fn with_interval(estimate: Option<Estimate>, say: impl Fn(f64) -> String) -> String {
    let Some(estimate) = estimate else { return "–".to_owned() };
    let interval = estimate.ci95.map(|[low, high]| format!(" ({}–{})", say(low), say(high))).unwrap_or_default();
    format!("{}{interval}", say(estimate.value))
}
