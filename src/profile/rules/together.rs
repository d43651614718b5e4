//! Profiles that run together: [`check_together`]. They are all the profiles of the files given at once.

use crate::diagnostic::Diagnostic;
use crate::profile::model::{Form, Profile};
use crate::profile::setting::{Placed, Setting};

/// The rules of this file.
pub(super) const ABOUT: &[(&str, &str)] = &[
    ("port_collision", "two profiles want the same port of the host"),
    ("container_name_collision", "two containers have the same name"),
    ("memory_shares_exceed", "profiles of one file share a GPU and want more than all of its memory"),
    ("litellm_served_name_mismatch", "the gateway asks the engine for a name that it does not serve"),
];

/// What is wrong between profiles; what is wrong within each is [`super::check`]'s.
#[must_use]
pub fn check_together(profiles: &[Profile]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (at, profile) in profiles.iter().enumerate() {
        for other in &profiles[..at] {
            found.extend(ports(other, profile));
            found.extend(names(other, profile));
        }
    }
    found.extend(shares(profiles));
    found.extend(served_names(profiles));
    found
}

/// A port of the host, and where it is said.
fn host_ports(profile: &Profile) -> Vec<(u16, std::ops::Range<usize>)> {
    if let Some(container) =
        profile.container.as_ref().filter(|container| container.image.is_some() && !container.host_network)
    {
        return container.ports.iter().filter_map(|port| Some((port.host?, port.span.clone()))).collect();
    }
    if matches!(profile.form, Form::LiteLlm | Form::Launcher | Form::Client | Form::Kubernetes) {
        return Vec::new();
    }
    let at = profile.get("port").map_or_else(
        || profile.model().map_or(profile.span.start..profile.span.start, |model| model.span),
        |setting| setting.span.clone(),
    );
    profile.port().map(|port| (port, at)).into_iter().collect()
}

fn where_(profile: &Profile, span: &std::ops::Range<usize>) -> String {
    format!("{}:{}", profile.file(), profile.source().position(span.start).0)
}

fn ports(first: &Profile, second: &Profile) -> Vec<Diagnostic> {
    let taken = host_ports(first);
    host_ports(second)
        .into_iter()
        .filter_map(|(port, span)| {
            let (_, other) = taken.iter().find(|(taken, _)| *taken == port)?;
            let message = format!("port {port} is taken by {}", where_(first, other));
            Some(Diagnostic::error("port_collision", message).at(second.source(), span).fix("give each its own"))
        })
        .collect()
}

fn names(first: &Profile, second: &Profile) -> Option<Diagnostic> {
    let name = |profile: &Profile| -> Option<Placed> { profile.container.as_ref()?.name.clone() };
    let (one, two) = (name(first)?, name(second)?);
    (one.text == two.text).then(|| {
        let message = format!("the container name `{}` is taken by {}", two.text, where_(first, &one.span));
        Diagnostic::error("container_name_collision", message).at(second.source(), two.span).fix("give each its own")
    })
}

/// Which GPUs a profile is pinned to; empty for any.
fn pinned(profile: &Profile) -> String {
    let visible = profile.env_value("CUDA_VISIBLE_DEVICES").or_else(|| profile.env_value("NVIDIA_VISIBLE_DEVICES"));
    let device =
        || profile.container.as_ref()?.gpus.as_ref().and_then(|gpus| profile.source().text().get(gpus.span.clone()));
    visible.map(|value| value.text.clone()).or_else(|| device().map(str::to_owned)).unwrap_or_default()
}

/// Services of one file start together; profiles of several files perhaps never.
fn shares(profiles: &[Profile]) -> Option<Diagnostic> {
    let share = |profile: &Profile| -> Option<(f64, Setting)> {
        let setting =
            profile.get("gpu-memory-utilization").filter(|_| matches!(profile.engine.as_str(), "vllm" | "atlas"))?;
        Some((setting.value.parse().ok()?, setting.clone()))
    };
    profiles.iter().enumerate().find_map(|(at, last)| {
        let (own, setting) = share(last)?;
        let others = profiles[..at].iter().filter(|other| other.file() == last.file() && pinned(other) == pinned(last));
        let sum: f64 = own + others.filter_map(|other| Some(share(other)?.0)).sum::<f64>();
        (sum > own && sum > 1.0 && !pinned(last).contains("all") && one_gpu(last)).then(|| {
            let message = format!("together with the file's other profiles this takes {sum:.2} of the GPU's memory");
            Diagnostic::error("memory_shares_exceed", message)
                .at(last.source(), setting.span.clone())
                .fix("shares that add up to less than 1, or GPUs of their own")
        })
    })
}

/// Whether the profile surely shares its GPU: it is pinned to one, or it is a service without a reservation.
fn one_gpu(profile: &Profile) -> bool {
    profile.number("tensor-parallel-size").is_none_or(|size| size <= 1.0)
}

fn served_names(profiles: &[Profile]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for gateway in profiles.iter().filter(|profile| profile.form == Form::LiteLlm) {
        for route in &gateway.routes {
            let (Some(model), Some(base)) = (route.params.get("model"), route.params.get("api_base")) else { continue };
            let Some(asked) = model.text.strip_prefix("hosted_vllm/").or_else(|| model.text.strip_prefix("openai/"))
            else {
                continue;
            };
            let Some(engine) = profiles.iter().find(|engine| answers_at(engine, &base.text)) else { continue };
            let served = engine.list("served-model-name");
            let served =
                if served.is_empty() { engine.model().map(|model| model.text).into_iter().collect() } else { served };
            if !served.is_empty() && !served.iter().any(|name| name == asked) {
                let message =
                    format!("the engine of {} serves `{}`, not `{asked}`", engine.file(), served.join("`, `"));
                found.push(
                    Diagnostic::error("litellm_served_name_mismatch", message)
                        .at(gateway.source(), model.span.clone())
                        .fix(model.text.replace(asked, &served[0])),
                );
            }
        }
    }
    found
}

/// Whether a URL leads to an engine: by its service's name or its port on the host.
fn answers_at(engine: &Profile, url: &str) -> bool {
    if matches!(engine.form, Form::LiteLlm | Form::Client) {
        return false;
    }
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest).split('/').next().unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, "80"));
    let container = engine.container.as_ref();
    let named = container
        .and_then(|container| container.name.as_ref().or(container.service.as_ref()))
        .is_some_and(|name| name.text == host);
    if named {
        return true;
    }
    let local = matches!(host, "localhost" | "127.0.0.1" | "host.docker.internal");
    local && host_ports(engine).iter().any(|(taken, _)| taken.to_string() == port)
}
