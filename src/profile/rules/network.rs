//! Addresses, ports and keys.

use super::subject::Subject;
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::model::Form;
use crate::profile::setting::Placed;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule("localhost_in_container", "inside a container localhost is the container itself", localhost),
    rule("port_mapping_mismatch", "the published port is not the one the engine listens on", mapping),
    rule("served_name_missing", "without a served name the model's id is its path", served_name),
    rule("secret_in_file", "a key stands in the file", secret),
];

/// The host of a URL.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    authority.rsplit_once(':').map_or(authority, |(host, _)| host)
}

fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "::1" | "[::1]")
}

fn localhost(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    if !s.profile.contained() {
        return;
    }
    let rule = "localhost_in_container";
    let urls = s.profile.routes.iter().filter_map(|route| route.params.get("api_base"));
    let variables = s
        .profile
        .env
        .iter()
        .filter(|(name, _)| name.text.contains("BASE") || name.text.ends_with("_URL"))
        .map(|(_, value)| value);
    let neighbours = s.profile.container.iter().flat_map(|container| &container.neighbours);
    let neighbours = neighbours
        .map(|(_, value)| value)
        .filter(|url| s.port().is_some_and(|port| url.text.contains(&format!(":{port}"))));
    for url in
        urls.chain(variables).chain(neighbours).filter(|url| url.text.contains("://") && is_loopback(host(&url.text)))
    {
        let message = format!("`{}` is this container itself, not the engine's", url.text);
        out.push(s.error(rule, url.span.clone(), message).fix("the engine's service name, or host.docker.internal"));
    }
    listens(s).into_iter().for_each(|(span, message)| out.push(s.error(rule, span, message).fix("--host 0.0.0.0")));
}

/// The engine listens on loopback only, as told or by default.
fn listens(s: &Subject<'_>) -> Option<(std::ops::Range<usize>, String)> {
    let table = s.table()?;
    if let Some(setting) = s.profile.get("host").or_else(|| s.profile.get("bind")) {
        return is_loopback(&setting.value).then(|| {
            (
                setting.span.clone(),
                format!("the engine listens on `{}` only: nothing outside reaches it", setting.value),
            )
        });
    }
    let default = table.default_of("host");
    let image = s.profile.container.as_ref().and_then(|container| container.image.as_ref());
    // llama.cpp's server images set LLAMA_ARG_HOST themselves.
    let by_image = s.engine == "llama_cpp" && image.is_some_and(|image| image.text.contains("server"));
    if !is_loopback(default) || by_image || s.profile.env_value("LLAMA_ARG_HOST").is_some() || image.is_none() {
        return None;
    }
    Some((
        s.absent(),
        format!(
            "{} listens on {default} unless told otherwise: nothing outside the container reaches it",
            s.engine_title()
        ),
    ))
}

fn mapping(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some(container), Some(port)) = (&s.profile.container, s.port()) else { return };
    // What an entrypoint script listens on is not known.
    if container.ports.is_empty()
        || container.host_network
        || container.ports.iter().any(|published| published.container == port)
    {
        return;
    }
    let said = if s.profile.get("port").is_some() { "as told" } else { "by default" };
    let published = &container.ports[0];
    let message = format!("port {} is published, but the engine listens on {port} ({said})", published.container);
    let found = s.error("port_mapping_mismatch", published.span.clone(), message);
    let host = published.host.map_or_else(|| port.to_string(), |host| format!("{host}:{port}"));
    out.push(found.fix(format!("publish \"{host}\", or pass --port {}", published.container)));
}

fn served_name(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(model) = s.profile.get("model").filter(|_| matches!(s.engine, "vllm" | "sglang")) else { return };
    let path = model.value.starts_with(['/', '~']) || model.value.starts_with("./") || model.value.starts_with("../");
    if path && s.profile.get("served-model-name").is_none() {
        let name = model.value.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let message = format!("clients must send the whole path `{}` as the model's name", model.value);
        out.push(s.info("served_name_missing", model.span.clone(), message).fix(format!("--served-model-name {name}")));
    }
}

/// Values that stand for no secret.
const PLACEHOLDERS: &[&str] = &[
    "empty",
    "none",
    "null",
    "dummy",
    "fake",
    "test",
    "key",
    "api_key",
    "apikey",
    "changeme",
    "xxx",
    "true",
    "false",
    "token",
    "secret",
    "placeholder",
    "not-needed",
    "no-key",
    "notused",
    "unused",
    "local",
    "anything",
    "sk-no-key-required",
];

/// Whether a value is a secret and not a reference or a placeholder.
pub(in crate::profile) fn is_secret(value: &str) -> bool {
    let plain = value.trim().to_lowercase();
    let placeholder = PLACEHOLDERS.contains(&plain.as_str())
        || plain.len() < 6
        || plain.starts_with("os.environ/")
        || plain.starts_with("your")
        || plain.starts_with('<')
        || plain.starts_with("/run/secrets")
        || plain.contains("${")
        || plain.starts_with('$')
        || plain.contains("...")
        || plain.contains("xxxx")
        || plain
            .trim_start_matches("sk-")
            .trim_start_matches("hf_")
            .chars()
            .all(|c| matches!(c, 'x' | '*' | '.' | '-'));
    !placeholder
}

fn secret(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let mut held: Vec<(String, Placed)> = Vec::new();
    let flags = ["api-key", "admin-api-key", "auth-token", "hf-token", "general_settings.master_key"];
    for setting in s.profile.settings.iter().filter(|setting| flags.contains(&setting.key.as_str())) {
        held.push((setting.name.clone(), Placed::new(setting.value.clone(), setting.value_span.clone())));
    }
    for (name, value) in &s.profile.env {
        let upper = name.text.to_uppercase();
        let named = ["TOKEN", "_KEY", "APIKEY", "SECRET", "PASSWORD"]
            .iter()
            .any(|part| upper.ends_with(part) || upper.contains(&format!("{part}_")));
        if named && !upper.ends_with("_FILE") && !upper.contains("TOKENIZER") && !upper.contains("TOKENS") {
            held.push((name.text.clone(), value.clone()));
        }
    }
    for route in &s.profile.routes {
        held.extend(route.params.get("api_key").map(|value| ("api_key".to_owned(), value.clone())));
    }
    for (name, value) in held.into_iter().filter(|(_, value)| is_secret(&value.text)) {
        let fix = if s.profile.form == Form::LiteLlm {
            format!("{name}: os.environ/VARIABLE")
        } else {
            format!("take `{name}` from the environment: ${{VARIABLE}}")
        };
        out.push(s.warning("secret_in_file", value.span, format!("`{name}` holds a secret in clear text")).fix(fix));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_secrets() {
        assert_eq!(host("http://localhost:8000/v1"), "localhost");
        assert_eq!(host("http://u:p@vllm/v1"), "vllm");
        assert!(is_secret("hf_abcdefghijklmnop"));
        for plain in ["EMPTY", "${HF_TOKEN}", "os.environ/KEY", "sk-xxxx", "$KEY", "hf_...", "<token>"] {
            assert!(!is_secret(plain), "{plain}");
        }
    }
}
