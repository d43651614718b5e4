//! `monban run` end to end against loopback servers: exit codes, records, kills, resumption.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use monban::record::{Event, JournalReader, Store};
use monban_scorers::Outcome;
use serde_json::Value;

use crate::cli::monban;
use crate::server::{Asked, Server, Step, dead_port, says, whole};

/// A place for runs, and a suite of so many tasks; each asks for its own number.
pub(crate) struct Place {
    dir: tempfile::TempDir,
    pub(crate) suite: PathBuf,
}

impl Place {
    pub(crate) fn with(tasks: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let suite = dir.path().join("suite.toml");
        std::fs::write(&suite, suite_text(tasks, "yes")).unwrap();
        Self { dir, suite }
    }

    pub(crate) fn runs(&self) -> PathBuf {
        self.dir.path().join("runs")
    }

    pub(crate) fn store(&self) -> Store {
        Store::new(self.runs())
    }

    /// `monban run` of the suite with these further arguments, as a process.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_monban"));
        command.arg("run").args(args).arg("--runs-dir").arg(self.runs());
        command.env_remove("MONBAN_BASE_URL").env_remove("MONBAN_MODEL").stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, url: &str, args: &[&str]) -> Output {
        self.begin(url, args).output().unwrap()
    }

    pub(crate) fn begin(&self, url: &str, args: &[&str]) -> Command {
        let suite = self.suite.to_str().unwrap();
        self.command(&[&[suite, "--base-url", url, "--model", "m"], args].concat())
    }
}

fn suite_text(tasks: usize, expected: &str) -> String {
    let mut text = "[suite]\nname = \"s\"\nversion = \"1.0.0\"\ndescription = \"d\"\n".to_owned();
    for n in 0..tasks {
        let expect = format!("{{ scorer = \"contains\", text = \"{expected}\" }}");
        text.push_str(&format!("[[task]]\nid = \"t{n}\"\nprompt = \"#{n}.\"\nexpect = [{expect}]\n"));
    }
    text
}

pub(crate) fn is_chat(asked: &Asked) -> bool {
    asked.head.starts_with("POST")
}

/// A server that says yes to chats and knows nothing else.
fn yes() -> Server {
    Server::start(|asked| if is_chat(asked) { says(asked, "yes") } else { whole(404, "", "{}") })
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_right_endpoint_passes_and_leaves_a_record() {
    let (place, server) = (Place::with(3), yes());
    let output = place.run(&server.url(), &["--format", "json", "--stream", "both", "--repeat", "2"]);
    let report = json(&output);
    assert_eq!((output.status.code(), &report["verdict"]), (Some(0), &"pass".into()), "{}", stderr(&output));
    assert_eq!(report["counts"]["passed"], 6);
    assert_eq!(report["rates"]["pass"], 1.0);
    let id = report["run_id"].as_str().unwrap();
    let run = place.store().open(id).unwrap();
    assert_eq!(run.record().unwrap().counts.passed, 6);
    assert_eq!(run.attempts().unwrap().count(), 6);
    assert!(run.path().join("manifest.json").is_file());
}

#[test]
fn a_wrong_answer_fails_unless_the_rate_is_enough() {
    let place = Place::with(4);
    let server = Server::start(|asked| says(asked, if asked.body.contains("#0.") { "no" } else { "yes" }));
    let output = place.run(&server.url(), &["--format", "json"]);
    assert_eq!((output.status.code(), &json(&output)["counts"]["failed"]), (Some(1), &1.into()));
    assert_eq!(place.run(&server.url(), &["--fail-under", "0.7"]).status.code(), Some(0));
    assert_eq!(place.run(&server.url(), &["--fail-under", "0.8"]).status.code(), Some(1));
}

#[test]
fn a_dead_endpoint_is_invalid_within_half_a_minute() {
    let place = Place::with(500);
    let started = Instant::now();
    let output = place.run(&format!("http://127.0.0.1:{}", dead_port()), &["--format", "json", "--repeat", "20"]);
    assert!(started.elapsed() < Duration::from_secs(30));
    let report = json(&output);
    assert_eq!((output.status.code(), &report["rates"]["pass"]), (Some(4), &Value::Null));
    assert_eq!(report["counts"]["attempts"], 10_000);
    assert!(stderr(&output).contains("monban run --resume"), "{}", stderr(&output));
}

#[test]
fn sticky_503_are_errors_and_the_rest_is_judged() {
    let place = Place::with(100);
    let sick = |asked: &Asked| ["#7.", "#27.", "#47.", "#67.", "#87."].iter().any(|id| asked.body.contains(id));
    let server = Server::start(move |asked| match (is_chat(asked), sick(asked)) {
        (true, true) => whole(503, "retry-after: 0\r\n", r#"{"error":{"message":"no worker"}}"#),
        (true, false) => says(asked, "yes"),
        _ => whole(404, "", "{}"),
    });
    let output = place.run(&server.url(), &["--format", "json"]);
    let report = json(&output);
    assert_eq!((output.status.code(), &report["verdict"]), (Some(0), &"pass".into()));
    assert_eq!((&report["counts"]["passed"], &report["counts"]["error"]), (&95.into(), &5.into()));
    assert_eq!(report["rates"]["pass"], 1.0);
    assert_eq!(report["rates"]["pass_low"], 0.95);
}

/// What a server says that refuses everything, and what is said of it first.
#[track_caller]
fn refused_first(suite: &str, status: u16, error: &'static str, rule: &str, lines: [&str; 2]) {
    let place = Place::with(0);
    let server = Server::start(move |asked| whole(if is_chat(asked) { status } else { 404 }, "", error));
    let url = server.url();
    let run = |format: &str| {
        let args = [suite, "--base-url", &url, "--model", "m", "--concurrency", "1", "--format", format];
        place.command(&args).output().unwrap()
    };
    let output = run("json");
    let report = json(&output);
    // Nothing was answered, so nothing is judged (4 before 3), however certain the cause.
    assert_eq!((output.status.code(), &report["verdict"]), (Some(4), &"invalid".into()));
    assert_eq!((&report["cause"], &report["findings"][0]["rule"]), (&rule.into(), &rule.into()));
    assert_eq!(report["rates"]["pass"], Value::Null);
    let told = stderr(&output);
    assert!(lines.iter().all(|line| told.contains(line)), "{told}");
    let table = String::from_utf8(run("table").stdout).unwrap();
    for (line, expected) in table.lines().zip(lines) {
        assert!(line.starts_with(expected), "{table}");
    }
}

#[test]
fn a_certain_cause_of_an_invalid_run_is_the_first_thing_said() {
    refused_first(
        "tool-calling",
        400,
        r#"{"error":{"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}}"#,
        "auto_tool_choice_missing",
        ["not judged: the server refuses tool calls", "fix first: --enable-auto-tool-choice"],
    );
    refused_first(
        "smoke",
        404,
        r#"{"error":{"message":"The model `m` does not exist.","type":"NotFoundError","code":404}}"#,
        "wrong_model_name",
        ["not judged: wrong model name", "fix first: list /v1/models"],
    );
}

#[test]
fn usage_errors_send_nothing() {
    let (place, server) = (Place::with(1), yes());
    for args in [&["--tag", "none-such"][..], &["--fail-under", "7"], &["--api-key-env", "MONBAN_NO_SUCH_VARIABLE"]] {
        let output = place.run(&server.url(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
    }
    assert_eq!(place.run(&server.url(), &["--dry-run"]).status.code(), Some(0));
    // Nor is the endpoint asked for its model.
    let done = monban(&["run", "smok", "--base-url", &server.url()]);
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("did you mean `smoke`?"), "{}", done.err);
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_the_first_request() {
    let (server, place) = (yes(), Place::with(1));
    let path = |name: &str| place.dir.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("file"), "").unwrap();
    for (output, why) in [
        (".".to_owned(), "is a folder: name a file in it"),
        (path(""), "is a folder: name a file in it"),
        (path("new/"), "is a folder: name a file in it"),
        (path("none/report.txt"), "make it first"),
        (path("file/report.txt"), "cannot be written"),
    ] {
        let refused = place.run(&server.url(), &["--output", &output]);
        assert_eq!(refused.status.code(), Some(2), "{output}");
        assert!(stderr(&refused).contains(why), "{output}: {}", stderr(&refused));
    }
    assert_eq!(place.run(&server.url(), &["--output", &path("a"), "--concurrency", "1,2"]).status.code(), Some(2));
    assert!(server.asked().is_empty(), "{:?}", server.asked());
    assert!(!place.runs().exists());
}

#[test]
fn an_output_is_written_whole_and_a_link_stays_one() {
    let (server, place) = (yes(), Place::with(1));
    let path = |name: &str| place.dir.path().join(name).to_str().unwrap().to_owned();
    assert_eq!(
        place.run(&server.url(), &["--output", &path("report.json"), "--format", "json"]).status.code(),
        Some(0)
    );
    let report: Value = serde_json::from_slice(&std::fs::read(path("report.json")).unwrap()).unwrap();
    assert_eq!(report["verdict"], "pass");
    let runs = place.runs().to_str().unwrap().to_owned();
    for command in [["report", "last"], ["rescore", "last"]] {
        let refused = monban(&[&command[..], &["--runs-dir", &runs, "--output", &path("none/x")]].concat());
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{command:?}: {}", refused.err);
    }
    assert_eq!(place.store().list().len(), 1, "nothing was rescored");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(path("report.json"), path("link")).unwrap();
        assert_eq!(monban(&["report", "last", "--runs-dir", &runs, "--output", &path("link")]).code, 0);
        assert!(std::fs::symlink_metadata(path("link")).unwrap().is_symlink());
        assert!(std::fs::read_to_string(path("report.json")).unwrap().contains("pass"));
    }
    let left: Vec<_> = std::fs::read_dir(place.dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".monban")), "{left:?}");
}

#[test]
fn a_key_never_lands_on_disk_or_in_output() {
    let place = Place::with(2);
    let key = "sk-abcdef-0123456789";
    let server = Server::start(move |asked| {
        assert!(asked.head.contains(key), "the key is sent");
        says(asked, &format!("yes {key}"))
    });
    let output = place
        .begin(&server.url(), &["--api-key-env", "THE_KEY", "--format", "json"])
        .env("THE_KEY", key)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let run = place.store().open("last").unwrap();
    for entry in std::fs::read_dir(run.path()).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains("abcdef"), "{text}");
    }
    assert!(!format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(&output)).contains("abcdef"));
}

/// Waits until something is so; the event is in another process.
#[track_caller]
fn wait_for(what: &str, mut so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !so() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn chats(server: &Server) -> usize {
    server.count(is_chat)
}

#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[cfg(unix)]
#[test]
fn an_interrupt_exits_130_and_names_the_command_that_goes_on() {
    let place = Place::with(10);
    let server = Server::start(|asked| match (is_chat(asked), asked.body.contains("#9.")) {
        (true, true) => vec![Step::Hang],
        (true, false) => says(asked, "yes"),
        _ => whole(404, "", "{}"),
    });
    let mut command = place.begin(&server.url(), &["--concurrency", "1", "--format", "json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("the tenth request", || chats(&server) == 10);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["exit_code"], 130);
    let id = place.store().open("last").unwrap().id();
    assert!(stderr(&output).contains(&format!("monban run --resume {id} --runs-dir ")), "{}", stderr(&output));
    let counts = place.store().open("last").unwrap().record().unwrap().counts;
    assert_eq!((counts.passed, counts.skipped), (9, 1));
}

#[test]
fn a_second_process_on_a_run_is_refused() {
    let place = Place::with(2);
    let server = Server::start(|asked| if is_chat(asked) { vec![Step::Hang] } else { whole(404, "", "{}") });
    let mut child = place.begin(&server.url(), &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("the first request", || chats(&server) > 0);
    let output = place.command(&["--resume", "last"]).output().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("being written by another process"), "{}", stderr(&output));
}

#[test]
fn a_changed_suite_is_refused() {
    let place = Place::with(2);
    let server = Server::start(|_| whole(503, "retry-after: 0\r\n", "{}"));
    assert_eq!(place.run(&server.url(), &[]).status.code(), Some(4));
    std::fs::write(&place.suite, suite_text(2, "other")).unwrap();
    let before = server.asked().len();
    let output = place.command(&["--resume", "last"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("suite `s` changed"), "{}", stderr(&output));
    assert_eq!(server.asked().len(), before);
}

#[test]
fn an_ended_run_whose_journal_is_gone_or_cut_is_not_asked_anew() {
    let (place, server) = (Place::with(3), yes());
    assert_eq!(place.run(&server.url(), &[]).status.code(), Some(0));
    let run = place.store().open("last").unwrap();
    let (journal, asked) = (run.journal_path(), server.asked().len());
    let text = std::fs::read_to_string(&journal).unwrap();
    let two_lines: String = text.split_inclusive('\n').take(2).collect();
    for (left, holds) in [(None, 0), (Some(""), 0), (Some(two_lines.as_str()), 1)] {
        std::fs::remove_file(&journal).unwrap();
        if let Some(left) = left {
            std::fs::write(&journal, left).unwrap();
        }
        let refused = place.command(&["--resume", "last"]).output().unwrap();
        let told = stderr(&refused);
        assert_eq!(refused.status.code(), Some(2), "{told}");
        assert!(told.contains("with 3 outcomes, and ") && told.contains(&format!("holds {holds}: restore")), "{told}");
        assert_eq!(run.record().unwrap().counts.passed, 3, "the manifest stands");
        std::fs::write(&journal, left.unwrap_or_default()).unwrap();
    }
    assert_eq!(server.asked().len(), asked);
    std::fs::write(&journal, &text).unwrap();
    assert_eq!(place.command(&["--resume", "last"]).output().unwrap().status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_resume_hint_can_be_pasted_and_a_path_that_is_no_utf8_is_named() {
    use std::os::unix::ffi::OsStrExt as _;

    let place = Place::with(20);
    let url = format!("http://127.0.0.1:{}", dead_port());
    let runs = place.dir.path().join("it's my runs");
    let mut command = place.begin(&url, &[]);
    command.env("MONBAN_RUNS_DIR", &runs);
    let args: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_monban"))
        .args(&args[..args.len() - 2])
        .env("MONBAN_RUNS_DIR", &runs)
        .output()
        .unwrap();
    let told = stderr(&output);
    let (_, hint) = told.split_once("take it up again: monban ").unwrap();
    let line = format!("{} {hint}", env!("CARGO_BIN_EXE_monban"));
    let again = Command::new("sh").args(["-c", &line]).output().unwrap();
    assert_eq!(again.status.code(), Some(4), "{line}: {}", stderr(&again));
    assert!(stderr(&again).contains("20 of 20 attempts left"), "{}", stderr(&again));

    let odd = std::ffi::OsStr::from_bytes(b"caf\xe9.toml");
    for command in [&["run"][..], &["suite", "check"], &["score", "--responses", "-"]] {
        let refused = Command::new(env!("CARGO_BIN_EXE_monban")).args(command).arg(odd).output().unwrap();
        let told = stderr(&refused);
        assert_eq!(refused.status.code(), Some(2), "{told}");
        assert!(told.contains(r"the path $'caf\xe9.toml' is not UTF-8"), "{told}");
    }
}

#[test]
fn an_error_within_a_stream_is_the_reason_and_no_scorers_word() {
    let place = Place::with(1);
    let server = Server::start(|asked| {
        let head = r#"data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":"#;
        let begun = format!("{head}{{\"content\":\"no\"}},\"finish_reason\":null}}]}}\n\n");
        let error = "data: {\"error\":{\"message\":\"out of memory\",\"code\":500}}\n\n";
        let mut steps = crate::server::events(&[&begun, error, "data: [DONE]\n\n"]);
        steps.push(crate::server::end());
        if is_chat(asked) { steps } else { whole(404, "", "{}") }
    });
    let report = json(&place.run(&server.url(), &["--stream", "on", "--format", "json"]));
    assert_eq!((&report["counts"]["error"], &report["counts"]["failed"]), (&1.into(), &0.into()));
    let why = report["tasks"][0]["attempts"][0]["why"].as_str().unwrap();
    assert!(why.starts_with("broken off by an error in the stream: ") && why.contains("out of memory"), "{why}");
}

#[test]
fn resuming_asks_again_what_erred_and_nothing_else() {
    let place = Place::with(6);
    let times = AtomicUsize::new(0);
    let server = Server::start(move |asked| {
        let sick = asked.body.contains("#3.") && times.fetch_add(1, Ordering::Relaxed) < 2;
        if sick { whole(500, "", "{}") } else { says(asked, "yes") }
    });
    let output = place.run(&server.url(), &["--retries", "0", "--concurrency", "1", "--format", "json"]);
    assert_eq!(json(&output)["counts"]["error"], 1, "{}", stderr(&output));
    let before = chats(&server);
    let output = place.command(&["--resume", "last", "--format", "json"]).output().unwrap();
    assert_eq!(json(&output)["counts"]["error"], 1, "still sick: {}", stderr(&output));
    let output = place.command(&["--resume", "last", "--format", "json"]).output().unwrap();
    let report = json(&output);
    assert_eq!((output.status.code(), &report["counts"]["passed"]), (Some(0), &6.into()), "{}", stderr(&output));
    assert!(server.asked().iter().filter(|asked| is_chat(asked)).skip(before).all(|asked| asked.body.contains("#3.")));
}

/// One kill so long after so many requests, then the resumption. How many outcomes were journaled when it was killed?
fn kill_and_resume(server: &Server, place: &Place, requests: usize, after: Duration) -> usize {
    let mut child = place.begin(&server.url(), &["--concurrency", "4", "--repeat", "3"]);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let before = chats(server);
    wait_for("so many requests", || chats(server) >= before + requests);
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    // What it had sent is asked too: only what comes after is the resumption's.
    let probe = server.probe();
    wait_for("the end of what was in flight", || server.is_drained(&probe));
    drop(probe);
    let run = place.store().open("last").unwrap();
    let journaled = outcomes(&run.journal_path());
    let before = chats(server);
    let output = place.command(&["--resume", &run.id(), "--format", "json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let counts = run.record().unwrap().counts;
    assert_eq!((counts.attempts, counts.passed), (24, 24));
    let seen: Vec<_> =
        run.attempts().unwrap().map(|done| done.map(|done| (done.task, done.attempt)).unwrap()).collect();
    let all: Vec<_> = (0..8).flat_map(|task| (0..3).map(move |attempt| (task, attempt))).collect();
    assert_eq!(seen, all, "each attempt once");
    // None was asked again whose outcome was in the journal: task by task, what was left and what was asked agree.
    let mut asked_again = BTreeMap::new();
    for asked in server.asked().iter().filter(|asked| is_chat(asked)).skip(before) {
        let task = (0..8).find(|task| asked.body.contains(&format!("#{task}."))).unwrap();
        *asked_again.entry(task).or_insert(0) += 1;
    }
    for task in 0..8 {
        let done = journaled.iter().filter(|(of, _)| *of == task).count();
        assert_eq!(asked_again.get(&task).copied().unwrap_or(0), 3 - done, "task {task}");
    }
    assert_eq!(outcomes(&run.journal_path()).len(), 24, "no outcome twice in the journal");
    journaled.len()
}

/// The attempts whose final outcome stands in a journal.
fn outcomes(journal: &Path) -> Vec<(usize, u32)> {
    let Ok(reader) = JournalReader::open(journal) else { return Vec::new() };
    let done = reader.filter_map(|event| match event.unwrap() {
        Event::AttemptDone(done) if done.outcome != Outcome::Error => Some((done.task, done.attempt)),
        _ => None,
    });
    done.collect()
}

#[test]
fn killed_at_any_moment_a_run_loses_nothing_and_asks_nothing_twice() {
    let place = Place::with(8);
    let server = Server::start(|asked| {
        if is_chat(asked) {
            [vec![Step::Wait(Duration::from_millis(20 + asked.n as u64 % 20))], says(asked, "yes")].concat()
        } else {
            whole(404, "", "{}")
        }
    });
    let mut random = fastrand::Rng::with_seed(7);
    let mut kill = || {
        let (requests, after) = (random.usize(1..=16), Duration::from_micros(random.u64(0..20_000)));
        kill_and_resume(&server, &place, requests, after)
    };
    // On a busy machine a kill may come when the run is over: then there are more of them.
    let mut killed = Vec::new();
    while killed.len() < 50 || killed.iter().filter(|done| (1..24).contains(*done)).count() < 20 {
        assert!(killed.len() < 250, "the kills missed the run: {killed:?}");
        killed.push(kill());
    }
}

#[test]
fn a_run_of_a_built_in_suite_is_resumed_and_rescored_by_its_id_alone() {
    let (place, server) = (Place::with(0), yes());
    let output = place
        .command(&["smoke", "--base-url", &server.url(), "--model", "m", "--task", "plain-answer"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let before = chats(&server);
    let output = place.command(&["--resume", "last", "--format", "json"]).output().unwrap();
    assert_eq!(json(&output)["suites"][0]["source"], "builtin:smoke", "{}", stderr(&output));
    assert_eq!(chats(&server), before, "what was answered is not asked again");
    let done = monban(&["rescore", "last", "--runs-dir", place.runs().to_str().unwrap(), "--format", "json"]);
    let report: Value = serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{}", done.err));
    assert_eq!((done.code, &report["counts"]["failed"]), (1, &1.into()));
}

#[test]
fn rescoring_judges_the_stored_answers_by_new_expectations() {
    let (place, server) = (Place::with(3), yes());
    assert_eq!(place.run(&server.url(), &[]).status.code(), Some(0));
    let before = server.asked().len();
    std::fs::write(&place.suite, suite_text(3, "no")).unwrap();
    let runs = place.runs();
    let runs = runs.to_str().unwrap();
    let done = monban(&["rescore", "last", "--runs-dir", runs, "--format", "json"]);
    let report: Value = serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{}", done.err));
    assert_eq!((done.code, &report["counts"]["failed"]), (1, &3.into()));
    assert!(report["run_id"].as_str().unwrap().ends_with(".rescore-1"));
    assert_eq!(server.asked().len(), before, "no endpoint is asked");
    std::fs::write(&place.suite, suite_text(2, "no")).unwrap();
    let done = monban(&["rescore", "last", "--runs-dir", runs]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no task `t2`"), "{}", done.err);
    let listed = monban(&["runs", "--runs-dir", runs]);
    assert_eq!(listed.out.lines().count(), 2, "{}", listed.out);
    let shown = monban(&["show", "last", "--runs-dir", runs, "--task", "t1"]);
    assert!(shown.out.contains("< 200 after"), "{}", shown.out);
}

#[test]
fn stored_responses_are_scored_without_an_endpoint() {
    let place = Place::with(3);
    let answer = |text: &str| {
        format!(r#"{{"choices":[{{"message":{{"role":"assistant","content":"{text}"}},"finish_reason":"stop"}}]}}"#)
    };
    let lines = [
        format!(r#"{{"id":"t0","elapsed":NaN,"response":{}}}"#, answer(r"yes \ud83d")),
        format!(r#"{{"task":"t1","response":{}}}"#, answer("no")),
        format!(r#"{{"id":"t1","response":{{"http_status":200,"body":{}}}}}"#, answer("yes")),
    ];
    let suite = place.suite.to_str().unwrap();
    let done = crate::cli::monban_with(&["score", suite, "--responses", "-", "--format", "json"], &lines.join("\n"));
    let report: Value = serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{}", done.err));
    let counts = &report["counts"];
    assert_eq!((&counts["passed"], &counts["failed"], &counts["skipped"]), (&2.into(), &1.into(), &1.into()));
    assert!(done.err.contains("note: line 1 is no strict JSON"), "{}", done.err);
    let done = crate::cli::monban_with(&["score", suite, "--responses", "-"], r#"{"id":"t9","response":{}}"#);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("line 1: the suite has no task `t9`"), "{}", done.err);
}

#[test]
fn a_run_goes_on_where_it_began_and_says_so() {
    let (place, server) = (Place::with(2), yes());
    assert_eq!(place.run(&server.url(), &[]).status.code(), Some(0));
    let elsewhere = format!("http://127.0.0.1:{}/v1", crate::server::dead_port());
    let output = place.command(&["--resume", "last", "--base-url", &elsewhere]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains(&format!("{elsewhere} is not asked")), "{}", stderr(&output));
    let output = place.command(&["--resume", "last", "--base-url", &format!("{}/", server.url())]).output().unwrap();
    assert!(!stderr(&output).contains("is not asked"), "{}", stderr(&output));
}

#[test]
fn what_is_wrong_with_the_profile_is_told_once_before_the_run() {
    let (server, place) = (yes(), Place::with(1));
    let profile = place.dir.path().join("launch.sh");
    let line = "vllm serve Qwen/Qwen3-8B --tool-call-parser hermes --gpu-memory-utilisation 0.9\n";
    std::fs::write(&profile, line).unwrap();
    let profile = profile.to_str().unwrap();
    let checked = monban(&["profile", "check", profile, "--format", "json"]);
    let checked: Value = serde_json::from_str(&checked.out).unwrap();
    let worse = |found: &&Value| found["severity"] != "info";
    let faults: Vec<&Value> = checked["findings"].as_array().unwrap().iter().filter(worse).collect();
    assert!(faults.len() >= 2, "{checked}");
    for levels in ["1", "1,2"] {
        let output = place.run(&server.url(), &["--profile", profile, "--concurrency", levels]);
        let told = stderr(&output);
        for fault in &faults {
            let level = fault["severity"].as_str().unwrap();
            let line = format!(
                "{level}[{}]: {profile}:1: {}",
                fault["rule"].as_str().unwrap(),
                fault["message"].as_str().unwrap()
            );
            assert_eq!(told.matches(&line).count(), 1, "{line}\n{told}");
        }
        assert!(told.find("[unknown_flag]").unwrap() < told.find("attempts at").unwrap(), "{told}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("unknown_flag"));
    }
}

#[test]
fn a_run_and_its_report_name_the_line_of_the_profile_to_change() {
    let place = Place::with(0);
    let refused = r#"{"error":{"message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}}"#;
    let server = Server::start(|asked| whole(if is_chat(asked) { 400 } else { 404 }, "", refused));
    let path = place.dir.path().join("up.sh");
    std::fs::write(&path, "vllm serve Qwen/Qwen3-8B \\\n  --tool-call-parser hermes\n").unwrap();
    let profile = path.to_str().unwrap();
    let url = server.url();
    let args = ["tool-calling", "--base-url", &url, "--model", "m", "--profile", profile, "--format", "json"];
    let output = place.command(&args).output().unwrap();
    std::fs::remove_file(&path).unwrap();
    let runs = place.runs().to_str().unwrap().to_owned();
    let told = monban(&["report", "last", "--runs-dir", &runs, "--format", "json"]).out;
    for report in [json(&output), serde_json::from_str(&told).unwrap()] {
        let findings = report["findings"].as_array().unwrap();
        let found = findings.iter().find(|found| found["rule"] == "auto_tool_choice_missing").unwrap();
        let lines = format!("{profile}:2 names a parser, and nothing switches it on");
        assert_eq!(found["fix"].to_string().matches(&lines).count(), 1, "{found}");
        assert!(found["evidence"][0]["excerpt"].as_str().unwrap().contains("--tool-call-parser"), "{found}");
    }
}

#[test]
fn a_profile_gives_the_address_and_is_held_against_the_endpoint() {
    let place = Place::with(2);
    let server = Server::start(|asked| match is_chat(asked) {
        true => says(asked, "yes"),
        false if asked.head.contains("/v1/models") => {
            let models = r#"{"data":[{"id":"served","owned_by":"vllm","root":"Qwen/Qwen3-8B","max_model_len":4096}]}"#;
            whole(200, "", models)
        }
        false => whole(404, "", "{}"),
    });
    let port = server.url().rsplit(':').next().unwrap().trim_end_matches("/v1").to_owned();
    let profile = place.dir.path().join("launch.sh");
    let key = "sk-0123456789abcdef0123456789abcdef";
    let line = format!(
        "vllm serve Qwen/Qwen3-8B --served-model-name served --port {port} --max-model-len 8192 --api-key {key}\n"
    );
    std::fs::write(&profile, line).unwrap();
    let (suite, profile) = (place.suite.to_str().unwrap(), profile.to_str().unwrap());
    let output = place.command(&[suite, "--profile", profile, "--format", "json"]).output().unwrap();
    let report = json(&output);
    assert_eq!(
        (output.status.code(), &report["endpoint"]["model"]),
        (Some(0), &"served".into()),
        "{}",
        stderr(&output)
    );
    assert!(server.asked().iter().filter(|asked| is_chat(asked)).all(|asked| asked.body.contains("\"served\"")));
    let conflict = &report["findings"][0];
    assert_eq!((&conflict["rule"], &conflict["blame"]), (&"profile_conflict".into(), &"profile".into()));
    assert!(conflict["message"].as_str().unwrap().contains("8192"), "{conflict}");
    assert!(report["profile"]["digest"].as_str().is_some_and(|digest| digest.starts_with("sha256:")), "{report}");
    assert_eq!(report["profile"]["axes"]["context"], "8192");
    for entry in std::fs::read_dir(place.store().open("last").unwrap().path()).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!text.contains(key), "the profile's secret is kept nowhere");
    }
}
