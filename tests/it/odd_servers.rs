//! `monban run` against servers that are genuine and odd: what is wrong is named for what it is, and nothing is lost.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::run::{Place, chats, is_chat, json, stderr};
use crate::server::{Asked, Server, Step, says, whole};

fn is_streamed(asked: &Asked) -> bool {
    asked.body.contains("\"stream\":true")
}

/// Answers chats as told, and knows nothing else.
fn chat(answer: impl Fn(&Asked) -> Vec<Step> + Send + Sync + 'static) -> Server {
    Server::start(move |asked| if is_chat(asked) { answer(asked) } else { whole(404, "", "{}") })
}

fn raw(answer: &[u8]) -> Vec<Step> {
    vec![Step::Write(answer.to_vec()), Step::Close]
}

/// The report of a run of one task, asked both ways.
#[track_caller]
fn report(server: &Server) -> (Option<i32>, Value) {
    let output = Place::with(1).run(&server.url(), &["--format", "json", "--stream", "both", "--retries", "0"]);
    (output.status.code(), json(&output))
}

/// Its first finding: rule, blame, message.
#[track_caller]
fn finding(server: &Server) -> [String; 3] {
    let (_, report) = report(server);
    ["rule", "blame", "message"].map(|key| report["findings"][0][key].as_str().unwrap_or_default().to_owned())
}

#[test]
fn what_is_no_answer_of_an_engine_is_called_what_it_is() {
    let gzip = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\ncontent-length: 9\r\n\r\n\x1f\x8b\x08\x00\n\n\x01\x02\x03";
    let huge = format!("HTTP/1.1 200 OK\r\nx-big: {}\r\ncontent-length: 2\r\n\r\n{{}}", "a".repeat(1_000_000));
    let cases: [(&[u8], &str); 3] = [
        (gzip, "the answer is compressed"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP"),
        (huge.as_bytes(), "headers are larger than is read"),
    ];
    for (answer, says) in cases {
        let answer = answer.to_vec();
        let [rule, blame, message] = finding(&chat(move |_| raw(&answer)));
        assert_eq!((rule.as_str(), blame.as_str()), ("unreachable_or_loading", "endpoint"), "{message}");
        assert!(message.contains(says), "{message}");
    }
}

#[test]
fn a_redirect_names_where_it_leads_whatever_its_page_says() {
    let server = chat(|_| whole(307, "location: https://login.example/sso\r\n", "moved"));
    let (_, report) = report(&server);
    let evidence = report["findings"][0]["evidence"].to_string();
    assert!(evidence.contains("https://login.example/sso"), "{report}");
}

#[test]
fn bytes_that_are_no_utf8_are_not_the_models_fault() {
    let server = chat(|_| {
        let body = b"{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"\x95x\x8em\"},\"finish_reason\":\"stop\"}]}";
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        vec![Step::Write([head.as_bytes(), body].concat())]
    });
    let (code, report) = report(&server);
    assert_eq!((code, &report["counts"]["server_fault"]), (Some(3), &1.into()), "{report}");
    assert_eq!(report["findings"][0]["rule"], "characters_broken");
}

#[test]
fn an_attempt_answered_in_one_mode_only_has_its_reason() {
    let server = chat(|asked| if is_streamed(asked) { says(asked, "yes") } else { whole(200, "", "") });
    let (code, report) = report(&server);
    assert_eq!((code, &report["counts"]["error"]), (Some(4), &1.into()));
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("no body: asked plain; the streamed answer"), "{message}");
}

#[test]
fn answers_of_other_models_are_told() {
    let of = |asked: &Asked, name: &str| {
        let renamed = |step| match step {
            Step::Write(bytes) => {
                let text =
                    String::from_utf8(bytes).unwrap().replace("\"model\":\"m\"", &format!("\"model\":\"{name}\""));
                Step::Write(text.into_bytes())
            }
            other => other,
        };
        says(asked, "yes").into_iter().map(renamed).collect::<Vec<_>>()
    };
    let told = |server: &Server| {
        let output = Place::with(2).run(&server.url(), &["--format", "json", "--stream", "on", "--concurrency", "1"]);
        let report = json(&output);
        (report["findings"][0]["rule"].clone(), report["findings"][0]["severity"].clone(), output.status.code())
    };
    let one = |name: &'static str| told(&chat(move |asked| of(asked, name)));
    assert_eq!(one("x"), ("several_models".into(), "info".into(), Some(0)));
    assert_eq!(one("M"), (Value::Null, Value::Null, Some(0)));
    let several = chat(move |asked| of(asked, if asked.body.contains("#0.") { "m" } else { "y" }));
    assert_eq!(told(&several), ("several_models".into(), "warning".into(), Some(0)));
}

#[test]
fn a_run_with_errors_names_the_command_that_asks_them_again_and_its_id_twice() {
    let sick = |asked: &Asked| asked.body.contains("#3.");
    let server = chat(move |asked| if sick(asked) { whole(500, "", "{}") } else { says(asked, "yes") });
    let place = Place::with(6);
    let output = place.run(&server.url(), &["--retries", "0"]);
    let id = place.store().open("last").unwrap().id();
    let told = stderr(&output);
    assert!(
        told.contains(&format!("1 without an answer; to ask exactly those again: monban run --resume {id}")),
        "{told}"
    );
    let (_, end) = told.split_once('\n').unwrap();
    let table = String::from_utf8_lossy(&output.stdout);
    assert_eq!(table.matches(&id).count() + end.matches(&id).count(), 2, "{table}{end}");
    let report = std::process::Command::new(env!("CARGO_BIN_EXE_monban"))
        .args(["report", &id, "--runs-dir"])
        .arg(place.runs())
        .output()
        .unwrap();
    assert!(stderr(&report).contains(&format!("monban run --resume {id}")), "{}", stderr(&report));
    let fine = Place::with(1).run(&server.url(), &[]);
    assert!(!stderr(&fine).contains("--resume"), "{}", stderr(&fine));
}

#[test]
fn an_attempt_given_up_in_its_midst_keeps_what_went_wrong() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\ndata: {";
    let server = chat(|asked| if is_streamed(asked) { raw(head) } else { vec![Step::Hang] });
    let place = Place::with(1);
    let mut command = place.begin(&server.url(), &["--stream", "both"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while chats(&server) < 2 {
        assert!(started.elapsed() < Duration::from_secs(60), "the second request");
        std::thread::yield_now();
    }
    crate::run::signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let counts = place.store().open("last").unwrap().record().unwrap().counts;
    assert_eq!((counts.error, counts.skipped), (1, 0));
}

#[test]
fn an_endpoint_that_lists_no_models_says_why_and_what_to_do() {
    let cases = [
        (404, "", r#"{"detail":"Not Found"}"#, "usually ends in /v1"),
        (503, "", "loading", "wait until it has loaded"),
        (302, "location: /login\r\n", "", "it names another address, /login"),
        (401, "", "{}", "--api-key-env"),
        (200, "", r#"{"data":[]}"#, "/v1/models lists none"),
    ];
    for (status, headers, body, expected) in cases {
        let server = Server::start(move |_| whole(status, headers, body));
        let place = Place::with(1);
        let suite = place.suite.to_str().unwrap().to_owned();
        let output = place.command(&[&suite, "--base-url", &server.url()]).output().unwrap();
        assert!(stderr(&output).contains(expected), "{status}: {}", stderr(&output));
        assert!(matches!(output.status.code(), Some(2 | 4)), "{status}");
    }
}

#[test]
fn a_model_that_is_not_listed_is_asked_for_with_a_word() {
    let server = Server::start(|asked| match is_chat(asked) {
        true => whole(404, "", r#"{"error":{"message":"The model `m` does not exist."}}"#),
        false => whole(200, "", r#"{"object":"list","data":[{"id":"m1"},{"id":"qwen3"}]}"#),
    });
    let told = stderr(&Place::with(1).run(&server.url(), &[]));
    assert!(
        told.contains("`m` is not among the models that the endpoint lists: m1, qwen3; did you mean `m1`?"),
        "{told}"
    );
}

/// Whatever the disk refuses, requests were sent: that is no usage error, and the command that goes on is named.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_the_disk_breaks_off_can_be_taken_up_again() {
    let server = chat(|asked| says(asked, &"yes ".repeat(500)));
    let place = Place::with(40);
    let run = place.begin(&server.url(), &["--stream", "off"]);
    // A file may grow to 64 KiB; beyond, a write fails instead of ending the process.
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
    let mut shell = std::process::Command::new("bash");
    shell.args(["-c", limited, "bash"]).arg(run.get_program()).args(run.get_args());
    shell.env_remove("MONBAN_BASE_URL").env_remove("MONBAN_MODEL");
    let output = shell.output().unwrap();
    let told = stderr(&output);
    let id = place.store().open("last").unwrap().id();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains(&format!("make room, then: monban run --resume {id} --runs-dir ")), "{told}");
    let again = place.command(&["--resume", "last", "--format", "json"]).output().unwrap();
    assert_eq!(json(&again)["counts"]["passed"], 40, "{}", stderr(&again));
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_said_and_the_run_is_kept() {
    let server = chat(|asked| says(asked, "yes"));
    let place = Place::with(1);
    let output = place.run(&server.url(), &["--output", "/dev/full"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the run is kept: monban report "), "{}", stderr(&output));
    assert_eq!(place.store().open("last").unwrap().record().unwrap().counts.passed, 1);

    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_monban"));
    let output = command.args(["completions", "bash"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn wrong_numbers_and_labels_are_told_by_what_was_expected() {
    for (args, expected) in [
        (["--timeout", "-1"], "expected a number above 0"),
        (["--retries", "-1"], "-1"),
        (["--repeat", "-1"], "is not in 1..=1000"),
        (["--fail-under", "-0.5"], "between 0 and 1"),
        (["--route", ""], "a value is required for '--route"),
        (["--environment", ""], "a value is required for '--environment"),
        (["--base-url", "http:///v1"], "no host is named"),
    ] {
        let place = Place::with(1);
        let suite = place.suite.to_str().unwrap().to_owned();
        let mut given = vec![suite.as_str()];
        if args[0] != "--base-url" {
            given.extend(["--base-url", "http://127.0.0.1:1"]);
        }
        given.extend(args);
        let output = place.command(&given).output().unwrap();
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(expected) && !told.contains("use '-- -"), "{args:?}: {told}");
    }
}

#[test]
fn a_doctor_to_whom_nothing_is_answered_is_brief() {
    let server = chat(|_| whole(500, "", "Internal Server Error"));
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_monban"))
        .args(["doctor", "--model", "m", "--base-url", &server.url()])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("more capabilities were not looked at, for nothing was answered"), "{told}");
    assert!(told.lines().count() < 25 && told.contains("error[server_error]"), "{told}");
}
