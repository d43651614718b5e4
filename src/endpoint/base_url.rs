//! Where the endpoint is: [`BaseUrl`], read leniently from what people paste, and never holding credentials.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

/// The base URL of an OpenAI-compatible API, normalised: no credentials, no trailing slash, the `/v1` included.
///
/// ```
/// use monban::endpoint::BaseUrl;
///
/// for given in ["http://h:8000", "h:8000/v1/", "http://u:p@h:8000/v1/chat/completions"] {
///     let base: BaseUrl = given.parse()?;
///     assert_eq!(base.as_str(), "http://h:8000/v1");
///     assert_eq!(base.resolve("/version"), "http://h:8000/version");
/// }
/// # Ok::<(), monban::endpoint::BaseUrlError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    https: bool,
    loopback: bool,
}

/// Why a base URL cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrlError(String);

impl fmt::Display for BaseUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BaseUrlError {}

/// What people paste after the base, and what the base is without it.
const TAILS: &[&str] = &["/chat/completions", "/completions", "/models"];

impl std::str::FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let given = given.trim();
        let with_scheme = if given.contains("://") { given.to_owned() } else { format!("http://{given}") };
        // The parser would take the path's first part for the host.
        if with_scheme.split_once("://").is_some_and(|(_, rest)| rest.starts_with('/')) {
            return Err(BaseUrlError("no host is named; write http://HOST:PORT/v1".to_owned()));
        }
        let mut url = Url::parse(&with_scheme)
            .map_err(|error| BaseUrlError(format!("not a URL ({error}); write http://HOST:PORT/v1")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BaseUrlError(format!("scheme `{}` is not known; use http or https", url.scheme())));
        }
        if url.query().is_some() {
            return Err(BaseUrlError("a base URL has no `?query`; pass keys with --api-key-env".to_owned()));
        }
        url.set_fragment(None);
        // Neither can fail on a URL with a host, which http and https always have.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let mut path = url.path().trim_end_matches('/').to_owned();
        if let Some(stem) = TAILS.iter().find_map(|tail| path.strip_suffix(tail)) {
            path = stem.to_owned();
        }
        url.set_path(if path.is_empty() { "/v1" } else { &path });
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let loopback = host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        Ok(Self { https: url.scheme() == "https", loopback, text: url.as_str().trim_end_matches('/').to_owned() })
    }
}

impl BaseUrl {
    /// The URL, as records show it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it wants TLS.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// Whether it is this machine: no proxy is asked then.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// The URL of a path: what begins with `/v1/` is below the base, anything else (`/version`, `/props`) beside it.
    #[must_use]
    pub fn resolve(&self, path: &str) -> String {
        match path.strip_prefix("/v1/") {
            Some(rest) => format!("{}/{rest}", self.text),
            None => format!("{}{path}", self.text.strip_suffix("/v1").unwrap_or(&self.text)),
        }
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(given: &str, expected: &str) {
        assert_eq!(given.parse::<BaseUrl>().map(|base| base.text).unwrap(), expected, "{given}");
    }

    #[test]
    fn what_people_paste_is_one_base() {
        case("http://h:8000", "http://h:8000/v1");
        case("http://h:8000/", "http://h:8000/v1");
        case("http://h:8000/v1", "http://h:8000/v1");
        case("http://h:8000/v1/chat/completions/", "http://h:8000/v1");
        case("http://h:8000/v1/models", "http://h:8000/v1");
        case("localhost:8000", "http://localhost:8000/v1");
        case("https://host/v1beta/openai", "https://host/v1beta/openai");
        case("http://user:secret@h:8000/v1#x", "http://h:8000/v1");
    }

    #[test]
    fn what_cannot_be_one_is_refused_with_the_remedy() {
        for given in ["", "ftp://h/v1", "http://h/v1?api-key=x", "http://"] {
            assert!(given.parse::<BaseUrl>().is_err(), "{given}");
        }
    }

    #[test]
    fn this_machine_is_known_as_such() {
        for given in ["http://127.0.0.1:1", "http://127.9.9.9", "http://[::1]:80/v1", "localhost:1"] {
            assert!(given.parse::<BaseUrl>().unwrap().is_loopback(), "{given}");
        }
        assert!(!"http://10.0.0.1".parse::<BaseUrl>().unwrap().is_loopback());
    }

    #[test]
    fn paths_resolve_below_and_beside_the_base() {
        let base: BaseUrl = "https://host/v1beta/openai".parse().unwrap();
        assert_eq!(base.resolve("/v1/models"), "https://host/v1beta/openai/models");
        assert_eq!(base.resolve("/version"), "https://host/v1beta/openai/version");
    }
}
