//! A loopback server that answers byte by byte as told: [`Server`]. Stops when dropped.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// The request line and headers.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: String,
    /// How many requests came before.
    pub(crate) n: usize,
}

/// One thing to do for an answer.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Write these bytes.
    Write(Vec<u8>),
    /// Wait so long.
    Wait(Duration),
    /// Never go on.
    Hang,
    /// Close the connection.
    Close,
}

/// A server on a free port of 127.0.0.1.
pub(crate) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    live: Arc<AtomicUsize>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Server {
    /// Serves every request with what `answer` says.
    pub(crate) fn start(answer: impl Fn(&Asked) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let live = Arc::new(AtomicUsize::new(0));
        let (log, answer, open) = (Arc::clone(&asked), Arc::new(answer), Arc::clone(&live));
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                let (log, answer, open) = (Arc::clone(&log), Arc::clone(&answer), Arc::clone(&open));
                open.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    serve(stream, &log, &*answer).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { port, asked, live, runtime: Some(runtime) }
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Whether every connection that others opened before this call is served to its end. A connection of its own, `probe`,
    /// tells that those waiting to be accepted were: they are taken in order.
    pub(crate) fn is_drained(&self, probe: &std::net::TcpStream) -> bool {
        let own = probe.local_addr().unwrap().port().to_string();
        let accepted = self.asked().iter().any(|asked| asked.head.contains(&format!("/probe/{own} ")));
        accepted && self.live.load(Ordering::SeqCst) == 1
    }

    /// A connection for [`Server::is_drained`].
    pub(crate) fn probe(&self) -> std::net::TcpStream {
        use std::io::Write as _;
        let mut probe = std::net::TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let own = probe.local_addr().unwrap().port();
        write!(probe, "GET /probe/{own} HTTP/1.1\r\n\r\n").unwrap();
        probe
    }

    /// How many of the requests so far are of a kind.
    pub(crate) fn count(&self, kind: impl Fn(&Asked) -> bool) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| kind(asked)).count()
    }

    /// What was asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A port of 127.0.0.1 where nothing listens.
pub(crate) fn dead_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

async fn serve(mut stream: TcpStream, log: &Mutex<Vec<Asked>>, answer: &(impl Fn(&Asked) -> Vec<Step> + ?Sized)) {
    let mut buffer = Vec::new();
    while let Some(mut asked) = read(&mut stream, &mut buffer).await {
        {
            let mut log = log.lock().unwrap();
            asked.n = log.len();
            log.push(asked.clone());
        }
        for step in answer(&asked) {
            match step {
                Step::Write(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Step::Wait(time) => tokio::time::sleep(time).await,
                Step::Hang => std::future::pending().await,
                Step::Close => return,
            }
        }
    }
}

async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Asked> {
    loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
            let length: usize = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase().strip_prefix("content-length:").map(str::trim).map(str::to_owned)
                })
                .map_or(0, |length| length.parse().unwrap());
            if buffer.len() >= end + 4 + length {
                let body = String::from_utf8_lossy(&buffer[end + 4..end + 4 + length]).into_owned();
                buffer.drain(..end + 4 + length);
                return Some(Asked { head, body, n: 0 });
            }
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

/// A whole answer with a length.
pub(crate) fn whole(status: u16, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    vec![Step::Write(
        format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
        )
        .into_bytes(),
    )]
}

/// The head of an event stream, and one chunk for each event; the end is the caller's.
pub(crate) fn events(events: &[&str]) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut steps = vec![Step::Write(head.as_bytes().to_vec())];
    steps.extend(events.iter().map(|event| Step::Write(format!("{:x}\r\n{event}\r\n", event.len()).into_bytes())));
    steps
}

/// The end of an event stream.
pub(crate) fn end() -> Step {
    Step::Write(b"0\r\n\r\n".to_vec())
}

/// A completion with this text, as the mode asked for wants it.
pub(crate) fn says(asked: &Asked, text: &str) -> Vec<Step> {
    let text = serde_json::Value::from(text);
    if asked.body.contains("\"stream\":true") {
        let head = r#"data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":"#;
        let mut steps = events(&[
            &format!("{head}{{\"role\":\"assistant\",\"content\":{text}}},\"finish_reason\":null}}]}}\n\n"),
            &format!("{head}{{}},\"finish_reason\":\"stop\"}}]}}\n\n"),
            "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}}\n\n",
            "data: [DONE]\n\n",
        ]);
        steps.push(end());
        return steps;
    }
    whole(
        200,
        "",
        &format!(
            r#"{{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":{text}}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}}}"#
        ),
    )
}
