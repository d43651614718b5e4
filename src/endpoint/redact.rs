//! Secrets: [`Secret`] holds a key that never prints, and takes it out of whatever would be kept.

use std::fmt;

use monban_scorers::Body;

/// What stands where a secret stood.
const REDACTED: &str = "[redacted]";

/// Headers whose value is a secret whatever it is.
const SECRET_HEADERS: &[&str] =
    &["authorization", "proxy-authorization", "api-key", "x-api-key", "cookie", "set-cookie"];

/// Keys shorter than this are words (`x`, `EMPTY`, `none`): taking them out of bodies would only destroy evidence.
const SHORTEST: usize = 8;

/// An API key. Neither `Debug` nor `Display` show it.
#[derive(Clone, Default)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    /// A key, without the white space around it.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(key.trim().to_owned())
    }

    /// The key itself, for the request's header only.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    fn is_in(&self, text: &str) -> bool {
        self.0.len() >= SHORTEST && text.contains(&self.0)
    }

    /// A header as it may be kept.
    pub(super) fn header(&self, name: &str, value: &str) -> String {
        if SECRET_HEADERS.contains(&name) || self.is_in(value) { REDACTED.to_owned() } else { value.to_owned() }
    }

    /// Takes the key out of a text (error messages name what they were given).
    pub(super) fn text(&self, text: String) -> String {
        if self.is_in(&text) { text.replace(&self.0, REDACTED) } else { text }
    }

    /// Takes the key out of a body: gateways echo it in their refusals (LiteLLM: "Received API Key = …").
    pub(super) fn body(&self, body: &mut Body) {
        let raws: Box<dyn Iterator<Item = &mut Vec<u8>>> = match body {
            _ if self.0.len() < SHORTEST => return,
            Body::None => return,
            Body::Plain(raw) => Box::new(std::iter::once(&mut raw.0)),
            Body::Pieces(pieces) => Box::new(pieces.iter_mut().map(|piece| &mut piece.raw.0)),
        };
        for raw in raws {
            match std::str::from_utf8(raw) {
                Ok(text) if self.is_in(text) => *raw = text.replace(&self.0, REDACTED).into_bytes(),
                Ok(_) => {}
                Err(_) => self.bytes(raw),
            }
        }
    }

    /// The same for what is not UTF-8.
    fn bytes(&self, raw: &mut Vec<u8>) {
        let key = self.0.as_bytes();
        if key.len() < SHORTEST {
            return;
        }
        let mut out = Vec::with_capacity(raw.len());
        let mut at = 0;
        while at < raw.len() {
            if raw[at..].starts_with(key) {
                out.extend_from_slice(REDACTED.as_bytes());
                at += key.len();
            } else {
                out.push(raw[at]);
                at += 1;
            }
        }
        *raw = out;
    }
}

#[cfg(test)]
mod tests {
    use monban_scorers::{Piece, Raw};

    use super::*;

    #[test]
    fn a_key_is_taken_out_of_headers_bodies_and_messages() {
        let key = Secret::new(" sk-0123456789 \n");
        assert_eq!(key.header("x-echo", "Bearer sk-0123456789"), REDACTED);
        assert_eq!(key.header("set-cookie", "a=b"), REDACTED);
        assert_eq!(key.header("server", "uvicorn"), "uvicorn");
        assert_eq!(key.text("bad key sk-0123456789".to_owned()), "bad key [redacted]");
        let mut plain = Body::Plain(Raw(b"key \xff sk-0123456789.".to_vec()));
        key.body(&mut plain);
        assert_eq!(plain.bytes(), b"key \xff [redacted].");
        let mut pieces = Body::Pieces(vec![Piece { at_us: 1, raw: Raw(b"data: sk-0123456789\n\n".to_vec()) }]);
        key.body(&mut pieces);
        assert_eq!(pieces.bytes(), b"data: [redacted]\n\n");
        assert_eq!(format!("{key:?}"), "Secret(…)");
    }

    #[test]
    fn a_placeholder_key_destroys_no_evidence() {
        let key = Secret::new("x");
        let mut body = Body::Plain(Raw(b"exactly".to_vec()));
        key.body(&mut body);
        assert_eq!(body.bytes(), b"exactly");
    }
}
