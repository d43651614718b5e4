//! Health checks and GPUs of a container.

use super::subject::{Subject, billions};
use super::{ProfileRule, rule};
use crate::diagnostic::Diagnostic;
use crate::profile::container::Health;

/// This file's rules.
pub(super) const RULES: &[ProfileRule] = &[
    rule("healthcheck_too_short", "the health check gives up before the model is loaded", too_short),
    rule("healthcheck_unauthorised", "the health check asks a guarded path without the key and gets 401", unauthorised),
    rule("healthcheck_wrong_port", "the health check asks another port than the engine listens on", wrong_port),
    rule("gpu_reservation_conflict", "`count` and `device_ids` exclude each other", conflict),
    rule("tensor_parallel_exceeds_gpus", "more GPUs are used than the container gets", too_few),
];

/// Seconds a model of so many billions of parameters takes to load and warm up, at the quick end. Reports: 5-20 minutes
/// for large ones.
fn load_seconds(model: &str) -> f64 {
    match billions(model) {
        Some(n) if n < 10.0 => 90.0,
        Some(n) if n < 70.0 => 180.0,
        Some(_) => 300.0,
        None => 120.0,
    }
}

fn health<'a>(s: &Subject<'a>) -> Option<&'a Health> {
    s.profile.container.as_ref()?.health.as_ref()
}

fn too_short(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(health) = health(s).filter(|_| s.table().is_some()) else { return };
    let patience = health.start_period + health.interval * health.retries;
    let load = load_seconds(&s.model);
    if patience < load {
        let message = format!("the check gives up after {patience} s, but loading takes {load} s and more");
        out.push(s.warning("healthcheck_too_short", health.span.clone(), message).fix("start_period: 20m"));
    }
}

/// What a check asks: the port and the path of its URL.
fn asked(test: &str) -> Option<(Option<u16>, &str)> {
    let (_, rest) = test.split_once("http://").or_else(|| test.split_once("https://"))?;
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '|' | ')' | ';')).unwrap_or(rest.len());
    let url = &rest[..end];
    let (authority, path) = url.find('/').map_or((url, "/"), |at| url.split_at(at));
    Some((authority.rsplit_once(':').and_then(|(_, port)| port.parse().ok()), path))
}

fn unauthorised(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some(health), Some(_)) = (health(s), s.api_key()) else { return };
    let Some((_, path)) = asked(&health.test.text) else { return };
    let open =
        matches!(path, "/health" | "/ping" | "/version" | "/metrics" | "/load" | "/ready" | "/health_generate" | "/");
    if !open && !health.test.text.to_lowercase().contains("authorization") {
        let message = format!("`{path}` needs the key and the check sends none: it gets 401 forever");
        out.push(
            s.error("healthcheck_unauthorised", health.test.span.clone(), message).fix("ask /health, which needs none"),
        );
    }
}

fn wrong_port(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let (Some(health), Some(port)) = (health(s), s.port()) else { return };
    let Some((asked, _)) = asked(&health.test.text) else { return };
    let asked = asked.unwrap_or(80);
    if asked != port {
        let message = format!("the check asks port {asked}, but the engine listens on {port}");
        out.push(
            s.error("healthcheck_wrong_port", health.test.span.clone(), message)
                .fix(format!("http://localhost:{port}/health")),
        );
    }
}

fn conflict(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let Some(gpus) =
        s.profile.container.as_ref().and_then(|container| container.gpus.as_ref()).filter(|gpus| gpus.twice)
    else {
        return;
    };
    let message = "`count` and `device_ids` exclude each other: Compose refuses the file";
    out.push(
        s.error("gpu_reservation_conflict", gpus.span.clone(), message)
            .fix("keep device_ids to pin GPUs, or count for any"),
    );
}

fn too_few(s: &Subject<'_>, out: &mut Vec<Diagnostic>) {
    let size = |key: &str| s.profile.number(key).unwrap_or(1.0);
    let Some(setting) = s.profile.get("tensor-parallel-size").or_else(|| s.profile.get("pipeline-parallel-size"))
    else {
        return;
    };
    let nodes = size("nnodes").max(1.0);
    let wanted = size("tensor-parallel-size") * size("pipeline-parallel-size") / nodes;
    let reserved =
        s.profile.container.as_ref().and_then(|container| container.gpus.as_ref()).and_then(|gpus| gpus.count);
    let visible = s.profile.env_value("CUDA_VISIBLE_DEVICES").or_else(|| s.profile.env_value("NVIDIA_VISIBLE_DEVICES"));
    let visible =
        visible.filter(|ids| !ids.text.is_empty() && ids.text.split(',').all(|id| id.trim().parse::<u32>().is_ok()));
    let Some(have) = visible.map(|ids| ids.text.split(',').count()).or(reserved) else { return };
    let have_f = u32::try_from(have).map_or(f64::MAX, f64::from);
    if wanted > have_f {
        let message = format!("{wanted} GPUs are needed, {have} given: the engine does not start");
        out.push(
            s.error("tensor_parallel_exceeds_gpus", setting.span.clone(), message)
                .fix("give it as many GPUs as tensor × pipeline parallel"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::asked;

    #[test]
    fn checks_are_read() {
        assert_eq!(asked("CMD curl -f http://localhost:8000/health"), Some((Some(8000), "/health")));
        assert_eq!(asked("CMD-SHELL curl -f http://localhost/v1/models || exit 1"), Some((None, "/v1/models")));
        assert_eq!(asked("python -c \"get('http://127.0.0.1:8000')\""), Some((Some(8000), "/")));
        assert_eq!(asked("pgrep vllm"), None);
    }
}
