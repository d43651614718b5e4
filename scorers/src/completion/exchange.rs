//! One HTTP request and its answer, **verbatim**. Nothing here interprets anything.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Whether the answer was asked as one body or as server-sent events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One JSON body.
    Plain,
    /// Server-sent events (`stream: true`).
    Stream,
}

/// One HTTP request and its answer, as they went over the wire.
///
/// Times are microseconds since the request was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Plain or streamed.
    pub mode: Mode,
    /// Where the request went, without credentials. Empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// The request body, to the byte.
    pub request: RawJson,
    /// The HTTP status; `None` when no answer arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The answer's headers in order, names in lower case, secrets redacted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The answer's body.
    pub body: Body,
    /// Why the answer is missing or ends early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TransportError>,
    /// When the request was sent, milliseconds since the Unix epoch; 0 where it is not known.
    #[serde(default)]
    pub sent_ms: u64,
    /// When the status line and headers had arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers_us: Option<u64>,
    /// When the last byte (or the error) had arrived; 0 where it is not known.
    #[serde(default)]
    pub total_us: u64,
    /// Earlier tries of this same request that were retried, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<Try>,
}

impl Exchange {
    /// The first header called `name` (lower case).
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// An exchange built from a stored plain answer: for harnesses that kept the body.
    #[must_use]
    pub fn plain(request: RawJson, status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            mode: Mode::Plain,
            url: String::new(),
            request,
            status: Some(status),
            headers: Vec::new(),
            body: Body::Plain(Raw(body.into())),
            error: None,
            sent_ms: 0,
            headers_us: None,
            total_us: 0,
            tries: Vec::new(),
        }
    }
}

/// The body of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// No byte arrived.
    #[default]
    None,
    /// The whole body.
    Plain(Raw),
    /// An event stream, cut at its blank lines. Concatenated, the pieces are the body.
    Pieces(Vec<Piece>),
}

impl Body {
    /// All bytes in order.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::None => Vec::new(),
            Self::Plain(raw) => raw.0.clone(),
            Self::Pieces(pieces) => pieces.iter().flat_map(|piece| piece.raw.0.iter().copied()).collect(),
        }
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Plain(raw) => raw.0.len(),
            Self::Pieces(pieces) => pieces.iter().map(|piece| piece.raw.0.len()).sum(),
        }
    }
}

/// One server-sent event (with its terminating blank line), and when its last byte arrived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Microseconds since the request was sent.
    pub at_us: u64,
    /// The bytes of the event, terminator included.
    pub raw: Raw,
}

/// Bytes as they arrived. Serialised as a string where they are UTF-8, else as `{"base64": "…"}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Raw(pub Vec<u8>);

impl Serialize for Raw {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use base64::Engine as _;
        use serde::ser::SerializeMap as _;
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("base64", &base64::engine::general_purpose::STANDARD.encode(&self.0))?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            Base64 { base64: String },
        }
        use base64::Engine as _;
        match Form::deserialize(deserializer)? {
            Form::Text(text) => Ok(Self(text.into_bytes())),
            Form::Base64 { base64 } => {
                base64::engine::general_purpose::STANDARD.decode(base64).map(Self).map_err(serde::de::Error::custom)
            }
        }
    }
}

/// JSON text kept to the byte. Two are equal when their text is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(pub Box<RawValue>);

impl RawJson {
    /// The text of a value.
    #[must_use]
    pub fn of(value: &serde_json::Value) -> Self {
        Self(serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The parsed value; `Null` where the text is beyond what can be held (nesting).
    #[must_use]
    pub fn value(&self) -> serde_json::Value {
        serde_json::from_str(self.get()).unwrap_or_default()
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

/// Why no (whole) answer arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransportError {
    /// The kind of failure.
    pub kind: TransportErrorKind,
    /// The failure in the words of the layer that met it.
    pub message: String,
}

/// The kinds of transport failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The host name did not resolve.
    Dns,
    /// Nothing listens there.
    Refused,
    /// No connection or no answer within the time allowed.
    Timeout,
    /// TLS failed.
    Tls,
    /// The connection broke before the answer was whole.
    Cut,
    /// The answer was larger than the bound.
    TooLarge,
    /// What came back is no HTTP: another service listens there.
    NotHttp,
    /// Anything else.
    Other,
}

/// One earlier try of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Try {
    /// The HTTP status, where one arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The transport failure, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TransportError>,
    /// How long was waited before the next try, milliseconds.
    pub waited_ms: u64,
}
