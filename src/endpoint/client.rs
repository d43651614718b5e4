//! The client: sends bytes, keeps what comes back verbatim. No retries here, and nothing is interpreted.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use monban_scorers::completion::TransportErrorKind;
use monban_scorers::{Body, Exchange, Mode, RawJson};
use reqwest::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, RequestBuilder, Url};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::base_url::BaseUrl;
use super::collect::{Bounds, Collector};
use super::redact::Secret;
use super::transport;

/// How a client behaves. Take the default and change what matters.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Sent as `Authorization: Bearer …`; never kept.
    pub api_key: Option<Secret>,
    /// The longest wait for a connection.
    pub connect_timeout: Duration,
    /// The longest wait for a whole answer of [`Client::get`] and [`Client::post_json`].
    pub probe_timeout: Duration,
    /// The most bytes kept of one answer.
    pub max_body: usize,
    /// The most server-sent events kept of one answer.
    pub max_pieces: usize,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            api_key: None,
            connect_timeout: Duration::from_secs(5),
            probe_timeout: Duration::from_secs(30),
            max_body: 64 << 20,
            max_pieces: 250_000,
        }
    }
}

/// Why there is no client.
#[derive(Debug)]
pub struct ClientError(String);

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ClientError {}

/// One endpoint. Cheap to clone; share it, for connections are pooled.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    base: BaseUrl,
    chat_url: Url,
    secret: Secret,
    probe_timeout: Duration,
    bounds: Bounds,
    /// The server closed a kept connection under a request: from then on none is kept.
    closes: Arc<AtomicBool>,
}

/// One request about to be sent.
struct Call<'a> {
    builder: RequestBuilder,
    url: &'a str,
    mode: Mode,
    request: RawJson,
    timeout: Duration,
}

impl Client {
    /// A client for an endpoint.
    ///
    /// # Errors
    /// When the key cannot stand in a header, or no CA store is found for an `https` endpoint.
    pub fn new(base: BaseUrl, options: &ClientOptions) -> Result<Self, ClientError> {
        let secret = options.api_key.clone().unwrap_or_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("monban/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            // Every try is booked, so there are none that we do not make.
            .retry(reqwest::retry::never())
            .default_headers(headers(options.api_key.as_ref())?)
            .connect_timeout(options.connect_timeout)
            .tcp_nodelay(true)
            // Shorter than uvicorn's 5 s keep-alive: a connection must not be closed under a request.
            .pool_idle_timeout(Duration::from_secs(4));
        if base.is_loopback() {
            builder = builder.no_proxy();
        }
        if !base.is_https() {
            // Redirects are off, so no certificate is ever needed, and none may be installed (slim containers).
            builder = builder.tls_certs_only(std::iter::empty());
        }
        let http = builder.build().map_err(|error| ClientError(format!("no HTTP client: {error}")))?;
        let chat_url = Url::parse(&base.resolve("/v1/chat/completions"))
            .map_err(|error| ClientError(format!("{base} is no base URL: {error}")))?;
        Ok(Self {
            http,
            chat_url,
            base,
            secret,
            probe_timeout: options.probe_timeout,
            bounds: Bounds { bytes: options.max_body, pieces: options.max_pieces },
            closes: Arc::default(),
        })
    }

    /// The endpoint.
    #[must_use]
    pub fn base(&self) -> &BaseUrl {
        &self.base
    }

    /// Sends one chat-completions request. What fails is in the exchange, with everything that arrived before.
    pub async fn ask(&self, mode: Mode, request: &RawJson, timeout: Duration) -> Exchange {
        let builder = self.http.post(self.chat_url.clone());
        let request = request.clone();
        self.exchange(Call { builder, url: self.chat_url.as_str(), mode, request, timeout }).await
    }

    /// Asks for a path: below the base when it begins with `/v1/`, else beside it (`/version`). The request is `null`.
    pub async fn get(&self, path: &str) -> Exchange {
        let request = RawJson::of(&Value::Null);
        let url = self.base.resolve(path);
        let builder = self.http.request(Method::GET, &url);
        self.exchange(Call { builder, url: &url, mode: Mode::Plain, request, timeout: self.probe_timeout }).await
    }

    /// Posts JSON to a path (as in [`Client::get`]); streamed where the body says `"stream": true`.
    pub async fn post_json(&self, path: &str, body: &Value) -> Exchange {
        let stream = body.get("stream").and_then(Value::as_bool).unwrap_or(false);
        let mode = if stream { Mode::Stream } else { Mode::Plain };
        let url = self.base.resolve(path);
        let request = RawJson::of(body);
        let builder = self.http.post(&url);
        self.exchange(Call { builder, url: &url, mode, request, timeout: self.probe_timeout }).await
    }

    async fn exchange(&self, call: Call<'_>) -> Exchange {
        let mut builder = call.builder;
        if call.request.get() != "null" {
            builder = builder
                .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
                .body(Bytes::copy_from_slice(call.request.get().as_bytes()));
        }
        if self.closes.load(Ordering::Relaxed) {
            builder = builder.header(CONNECTION, HeaderValue::from_static("close"));
        }
        let mut exchange = blank(call.mode, call.url, call.request);
        let started = Instant::now();
        let mut collector = None;
        let arriving = self.arrive(builder, &mut exchange, &mut collector, started);
        let arrived = timeout_at(started + call.timeout, arriving).await;
        exchange.total_us = micros(started);
        let answered = exchange.status.is_some();
        exchange.error = match arrived {
            Ok(Ok(true)) => None,
            Ok(Ok(false)) => Some(transport::too_large(self.bounds)),
            Ok(Err(error)) => Some(transport::classify(error, answered)),
            Err(_) => Some(transport::timeout(call.timeout, answered)),
        };
        exchange.body = collector.map_or(Body::None, Collector::finish);
        self.heed(&exchange);
        self.redact(&mut exchange);
        exchange
    }

    /// Sends and reads until the end, leaving what arrived in its places at every moment. `false`: more than is kept.
    async fn arrive(
        &self,
        builder: RequestBuilder,
        exchange: &mut Exchange,
        collector: &mut Option<Collector>,
        started: Instant,
    ) -> Result<bool, reqwest::Error> {
        let mut response = builder.send().await?;
        exchange.headers_us = Some(micros(started));
        exchange.status = Some(response.status().as_u16());
        exchange.headers = self.keep_headers(response.headers());
        let content_type = exchange.header("content-type").unwrap_or_default();
        let good = response.status().is_success();
        let collector = collector.insert(Collector::new(exchange.mode, content_type, good, self.bounds));
        while let Some(chunk) = response.chunk().await? {
            if !collector.push(&chunk, micros(started)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Notes that the server closed a connection before it answered.
    fn heed(&self, exchange: &Exchange) {
        let cut = exchange.error.as_ref().is_some_and(|error| error.kind == TransportErrorKind::Cut);
        if cut && exchange.status.is_none() {
            self.closes.store(true, Ordering::Relaxed);
        }
    }

    fn keep_headers(&self, headers: &HeaderMap) -> Vec<(String, String)> {
        headers
            .iter()
            .map(|(name, value)| {
                let name = name.as_str().to_owned();
                let value = match value.to_str() {
                    Ok(text) => self.secret.header(&name, text),
                    Err(_) => self.secret.header(&name, &String::from_utf8_lossy(value.as_bytes())),
                };
                (name, value)
            })
            .collect()
    }

    fn redact(&self, exchange: &mut Exchange) {
        self.secret.body(&mut exchange.body);
        if let Some(error) = &mut exchange.error {
            error.message = self.secret.text(std::mem::take(&mut error.message));
        }
    }
}

fn headers(api_key: Option<&Secret>) -> Result<HeaderMap, ClientError> {
    let mut headers = HeaderMap::new();
    if let Some(key) = api_key {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose())).map_err(|_| {
            ClientError("the API key holds characters that no header can; check the variable".to_owned())
        })?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

fn blank(mode: Mode, url: &str, request: RawJson) -> Exchange {
    Exchange {
        mode,
        url: url.to_owned(),
        request,
        status: None,
        headers: Vec::new(),
        body: Body::None,
        error: None,
        sent_ms: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(0)),
        headers_us: None,
        total_us: 0,
        tries: Vec::new(),
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
