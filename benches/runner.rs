//! What the runner costs beside a bare loop of the same HTTP client: CPU a request, memory, CPU a chunk, start-up.
//!
//! `cargo bench --bench runner`. Each part is a process of its own: a mock endpoint (this binary with `mock`), the bare
//! loop (this binary with `bare`), and the real `monban`. CPU times are those of waited-for children by
//! getrusage(2), peak memory is `VmHWM`: Linux only. Limits are asserted; `MONBAN_BENCH_LAX=1` only prints.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench reports and may fail")]

#[path = "support/mock.rs"]
mod mock;
#[path = "support/usage.rs"]
mod usage;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use usage::{Usage, measured};

/// Requests in flight, of the runner and of the bare loop.
const CONCURRENCY: usize = 64;
const TASKS: usize = 2_000;
/// Chunks of one streamed answer.
const CHUNKS: usize = 2_000;
const STREAMS: usize = 100;
/// How often each is measured.
const ROUNDS: usize = 7;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("mock") => mock::serve(CHUNKS),
        Some("bare") => bare(&args[1], args[2].parse().unwrap(), args[3] == "stream", args[4] == "2"),
        _ => bench(),
    }
}

fn bench() {
    let (_mock, url) = start_mock();
    let dir = tempfile::tempdir().unwrap();
    requests(&url, dir.path());
    streaming(&url, dir.path());
    start_up();
}

/// The mock endpoint: ends with the bench, however that ends.
struct Mock(Child);

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// CPU a request and peak memory: 2,000 tasks × 5, then × 50.
fn requests(url: &str, dir: &Path) {
    let suite = suite(dir, TASKS, "Off");
    let attempts = TASKS * 5;
    let bare = |threads: &str| measured(&mut this(&["bare", url, &attempts.to_string(), "plain", threads]));
    // Turn by turn: a machine that slows down slows all of them down.
    let rounds: Vec<[Usage; 3]> =
        (0..ROUNDS).map(|_| [bare("1"), bare("2"), monban(&suite, url, dir, &["--repeat", "5"])]).collect();
    let each = |which: usize| median(rounds.iter().map(|round| round[which].cpu_us / attempts as f64));
    let times = |which: usize| median(rounds.iter().map(|round| round[2].cpu_us / round[which].cpu_us));
    let ratio = times(1);
    println!("bare loop     {:6.1} µs CPU a request on two threads, {:.1} µs on one", each(1), each(0));
    println!(
        "monban        {:6.1} µs CPU a request, {ratio:.2} × the bare loop on two threads, {:.2} × on one",
        each(2),
        times(0)
    );
    // Suite, start-up and report are counted in.
    check("times the CPU of the bare loop", ratio, 1.5);
    let large = monban(&suite, url, dir, &["--repeat", "50"]);
    let small = rounds.iter().map(|round| round[2].peak_mib).fold(0.0, f64::max);
    println!("peak memory   {small:6.1} MiB of 10,000 attempts, {:.1} MiB of 100,000", large.peak_mib);
    check("MiB", large.peak_mib, 48.0);
    check("MiB of growth", large.peak_mib - small, 4.0);
}

/// CPU a chunk: long streams, less what the same requests cost when short.
fn streaming(url: &str, dir: &Path) {
    let chunks = (STREAMS * CHUNKS) as f64;
    let (long, short) = (suite(dir, STREAMS, "[[long]]"), suite(dir, STREAMS, "Off"));
    let run = |suite: &str| monban(suite, url, dir, &["--stream", "on"]);
    let bare = || measured(&mut this(&["bare", url, &STREAMS.to_string(), "stream", "1"]));
    let rounds: Vec<[f64; 3]> =
        (0..ROUNDS).map(|_| [bare(), run(&long), run(&short)].map(|usage| usage.cpu_us / chunks)).collect();
    let each = median(rounds.iter().map(|[_, long, short]| long - short));
    let floor = median(rounds.iter().map(|[bare, ..]| *bare));
    println!("streaming     {each:6.2} µs CPU a chunk; a loop that only reads {floor:.2} µs");
    check("µs CPU a chunk", each, 4.0);
}

fn start_up() {
    let started = (0..20).map(|_| {
        let at = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_monban")).arg("--version").output().unwrap();
        assert!(output.status.success());
        at.elapsed().as_secs_f64() * 1e3
    });
    let started = median(started);
    println!("start-up      {started:6.1} ms (median of 20)");
    check("ms of start-up", started, 20.0);
}

fn check(what: &str, found: f64, limit: f64) {
    let lax = std::env::var_os("MONBAN_BENCH_LAX").is_some();
    assert!(lax || found <= limit, "{found:.2} {what}: the limit is {limit}");
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn this(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(args);
    command
}

fn start_mock() -> (Mock, String) {
    let mut child = this(&["mock"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (Mock(child), line.trim().to_owned())
}

fn suite(dir: &Path, tasks: usize, word: &str) -> String {
    let mut text = "[suite]\nname = \"bench\"\nversion = \"1.0.0\"\ndescription = \"Bench\"\n".to_owned();
    for n in 0..tasks {
        let expect = "{ scorer = \"contains\", text = \"42\" }";
        text.push_str(&format!(
            "[[task]]\nid = \"t{n}\"\nprompt = \"What is it, #{n}? {word}\"\nexpect = [{expect}]\n"
        ));
    }
    let path = dir.join(format!("{tasks}-{}.toml", word.trim_matches(['[', ']'])));
    std::fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

fn monban(suite: &str, url: &str, dir: &Path, args: &[&str]) -> Usage {
    let runs = dir.join("runs");
    let mut command = Command::new(env!("CARGO_BIN_EXE_monban"));
    command.args(["run", suite, "--base-url", url, "--model", "mock", "--concurrency", &CONCURRENCY.to_string()]);
    command.args(args).arg("--runs-dir").arg(&runs).stdout(Stdio::null()).stderr(Stdio::null());
    let usage = measured(&mut command);
    std::fs::remove_dir_all(runs).unwrap();
    usage
}

/// The floor: the same client in a bare loop, each answer parsed, checked and appended to a file.
fn bare(url: &str, requests: usize, stream: bool, two: bool) {
    let runtime = match two {
        true => tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap(),
        false => tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
    };
    let out = Arc::new(Mutex::new(std::io::BufWriter::new(tempfile::tempfile().unwrap())));
    let next = Arc::new(AtomicUsize::new(0));
    runtime.block_on(async {
        let client = reqwest::Client::builder().no_proxy().tls_certs_only(std::iter::empty()).build().unwrap();
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..CONCURRENCY {
            let (client, out, next, url) =
                (client.clone(), Arc::clone(&out), Arc::clone(&next), format!("{url}/chat/completions"));
            workers.spawn(async move {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= requests {
                        return;
                    }
                    one(&client, &url, n, stream, &out).await;
                }
            });
        }
        while workers.join_next().await.is_some() {}
    });
    out.lock().unwrap().flush().unwrap();
}

async fn one(client: &reqwest::Client, url: &str, n: usize, stream: bool, out: &Mutex<impl std::io::Write>) {
    let prompt = format!("What is it, #{n}? {}", if stream { "[[long]]" } else { "Off" });
    let body =
        serde_json::json!({"model": "mock", "stream": stream, "messages": [{"role": "user", "content": prompt}]});
    let request = client.post(url).header("content-type", "application/json").body(body.to_string());
    let mut response = request.send().await.unwrap();
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.unwrap() {
        bytes.extend_from_slice(&chunk);
    }
    let mut line = serde_json::json!({"n": n, "bytes": bytes.len()});
    if !stream {
        let answer: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let text = answer["choices"][0]["message"]["content"].as_str().unwrap_or_default();
        line["passed"] = text.contains("42").into();
        line["text"] = text.into();
    }
    let mut out = out.lock().unwrap();
    writeln!(out, "{line}").unwrap();
}
