//! Exchanges from stored answers: [`Exchange::from_stored`] takes the shapes in which harnesses keep them.
//!
//! What a shape does not hold (timings, framing) is not made up: chunks without `done` get the `[DONE]` they lost in
//! storage only where the answer came to an end.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::{Body, Exchange, Mode, Raw, RawJson, TransportError, TransportErrorKind};

impl Exchange {
    /// An exchange from a stored request and answer.
    ///
    /// `response` is one of
    /// `{http_status, content_type?, headers?, body}` · `{http_status, body_text}` · `{http_status, chunks, done?}` ·
    /// `{http_status, raw_lines, done?}` · `{transport_error}` · `{status, response_headers?, response | stream_chunks}` ·
    /// a bare `chat.completion` (or error) body · an array of chunks.
    ///
    /// # Errors
    /// What is missing, where `response` has none of these shapes.
    ///
    /// ```
    /// use monban_scorers::{Exchange, completion};
    /// use serde_json::json;
    ///
    /// let response = json!({"http_status": 503, "body_text": "no worker"});
    /// let exchange = Exchange::from_stored(&json!({"messages": []}), &response)?;
    /// assert!(completion::read(&exchange).completion().is_none());
    /// # Ok::<(), String>(())
    /// ```
    pub fn from_stored(request: &Value, response: &Value) -> Result<Self, String> {
        let mut exchange = Self::plain(RawJson::of(request), 200, Vec::new());
        let asked = request.get("stream").and_then(Value::as_bool).unwrap_or(false);
        exchange.mode = if asked { Mode::Stream } else { Mode::Plain };
        match response {
            Value::Array(chunks) => exchange.stream(lines_of(chunks), ended(chunks)),
            Value::Object(_) => exchange.object(response)?,
            Value::String(text) => exchange.text(text),
            Value::Null => return Err("no response is stored: give one, or {\"transport_error\": …}".to_owned()),
            other => return Err(format!("a response is an object or an array of chunks, not {other}")),
        }
        Ok(exchange)
    }

    /// The exchanges of one stored line: `{request, response, stream_response?}`, and the shapes of recorders that keep
    /// `status` and `response_headers` beside `response`, or the other mode under `stream` or `non_stream_response`.
    ///
    /// # Errors
    /// What is missing, where the line holds no answer at all.
    pub fn from_stored_line(line: &Value) -> Result<Vec<Self>, String> {
        let request = line.get("request").cloned().unwrap_or_else(|| Value::Object(Map::new()));
        let mut exchanges = Vec::new();
        let response = line.get("response").filter(|response| !response.is_null());
        if let Some(response) = response {
            // The status stands beside the answer, unless the answer has its own.
            let outer = line.get("status").is_some_and(Value::is_u64) && response.get("http_status").is_none();
            exchanges.push(Self::from_stored(&request, if outer { line } else { response })?);
        } else if line.get("transport_error").is_some() || line.get("stream_chunks").is_some() {
            exchanges.push(Self::from_stored(&request, line)?);
        }
        for (key, mode) in
            [("stream_response", Mode::Stream), ("stream", Mode::Stream), ("non_stream_response", Mode::Plain)]
        {
            let Some(stored) = line.get(key).filter(|stored| stored.is_object() || stored.is_array()) else { continue };
            let mut request = stored.get("request").unwrap_or(&request).clone();
            if let Value::Object(members) = &mut request {
                members.insert("stream".to_owned(), Value::Bool(mode == Mode::Stream));
            }
            let mut exchange = Self::from_stored(&request, stored)?;
            exchange.mode = mode;
            exchanges.push(exchange);
        }
        if exchanges.is_empty() {
            return Err("no answer: give \"response\", \"stream_response\" or both".to_owned());
        }
        Ok(exchanges)
    }

    fn object(&mut self, response: &Value) -> Result<(), String> {
        let status = ["http_status", "status"].iter().find_map(|key| response.get(key));
        let known = ["body", "body_text", "chunks", "stream_chunks", "raw_lines", "response", "transport_error"];
        let shaped = known.iter().any(|key| response.get(key).is_some());
        if !(shaped || response.get("http_status").is_some()) || response.get("choices").is_some() {
            // A bare body.
            self.text(&response.to_string());
            return Ok(());
        }
        self.status = status.and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
        self.headers = headers(response);
        if let Some(error) = response.get("transport_error").filter(|error| !error.is_null()) {
            self.broken(error);
        } else if self.status.is_none() {
            if status.is_some_and(|status| !status.is_null()) {
                return Err("http_status is not a status: give a number, or {\"transport_error\": …}".to_owned());
            }
            self.status = Some(200);
        }
        let done = response.get("done").and_then(Value::as_bool);
        if let Some(chunks) = ["chunks", "stream_chunks"].iter().find_map(|key| response.get(key)) {
            let chunks = chunks.as_array().ok_or("chunks is not an array: give the chunks in order")?;
            self.stream(lines_of(chunks), done.unwrap_or_else(|| ended(chunks)));
        } else if let Some(lines) = response.get("raw_lines") {
            let lines = lines.as_array().ok_or("raw_lines is not an array: give the lines in order")?;
            self.stream(raw_lines(lines), done.unwrap_or(false));
        } else if let Some(text) = response.get("body_text").and_then(Value::as_str) {
            self.text(text);
        } else if let Some(body) = ["body", "response"].iter().find_map(|key| response.get(key)) {
            match body {
                Value::Null => {}
                body => self.text(&text_of(body)),
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        self.body = Body::Plain(Raw(text.as_bytes().to_vec()));
    }

    /// Lines with whether each is JSON still to be framed.
    fn stream(&mut self, lines: Vec<(String, bool)>, done: bool) {
        self.mode = Mode::Stream;
        let mut body = String::new();
        let mut last = false;
        for (line, bare) in lines {
            last = line.trim_start_matches("data:").trim() == "[DONE]";
            let _ = if bare { write!(body, "data: {line}\n\n") } else { writeln!(body, "{line}") };
            if last {
                body.push('\n');
            }
        }
        if done && !last {
            body.push_str("\ndata: [DONE]\n\n");
        }
        self.text(&body);
    }

    fn broken(&mut self, error: &Value) {
        let kind = error.get("kind").unwrap_or(error);
        let message = error.get("message").map_or_else(|| text_of(error), text_of);
        self.body = Body::None;
        self.error = Some(TransportError { kind: transport_kind(&text_of(kind)), message });
    }
}

/// The kind that a stored word stands for.
fn transport_kind(word: &str) -> TransportErrorKind {
    let word = word.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
    match () {
        () if has(&["timeout", "timed out", "timed_out", "deadline"]) => TransportErrorKind::Timeout,
        () if has(&["refused", "unreachable", "no route"]) => TransportErrorKind::Refused,
        () if has(&["dns", "resolve", "name or service", "getaddrinfo"]) => TransportErrorKind::Dns,
        () if has(&["tls", "ssl", "certificate"]) => TransportErrorKind::Tls,
        () if has(&["reset", "cut", "closed", "eof", "incomplete", "broken", "disconnect", "remoteprotocol"]) => {
            TransportErrorKind::Cut
        }
        () if has(&["too_large", "too large"]) => TransportErrorKind::TooLarge,
        () => TransportErrorKind::Other,
    }
}

/// Chunks as lines: objects are to be framed, strings are lines as they came.
fn lines_of(chunks: &[Value]) -> Vec<(String, bool)> {
    chunks.iter().map(|chunk| (text_of(chunk), !chunk.is_string())).collect()
}

/// Lines as they came; where storage dropped the blank ones, each line is an event of its own.
fn raw_lines(lines: &[Value]) -> Vec<(String, bool)> {
    let blank = lines.iter().any(|line| line.as_str().is_some_and(|line| line.trim().is_empty()));
    let end = if blank { "" } else { "\n" };
    lines.iter().map(|line| (text_of(line) + end, false)).collect()
}

/// The stored chunks hold the end of an answer.
fn ended(chunks: &[Value]) -> bool {
    chunks.iter().any(|chunk| chunk.pointer("/choices/0/finish_reason").is_some_and(|reason| !reason.is_null()))
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn headers(response: &Value) -> Vec<(String, String)> {
    let stored = ["headers", "response_headers"].iter().find_map(|key| response.get(key)).and_then(Value::as_object);
    let mut headers: Vec<_> =
        stored.into_iter().flatten().map(|(name, value)| (name.to_ascii_lowercase(), text_of(value))).collect();
    if let Some(kind) = response.get("content_type").and_then(Value::as_str)
        && !headers.iter().any(|(name, _)| name == "content-type")
    {
        headers.push(("content-type".to_owned(), kind.to_owned()));
    }
    headers
}
