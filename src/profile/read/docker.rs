//! `docker run … IMAGE ARGS` → a profile: [`launch`]. Also what an image makes of its arguments, for Compose: [`of_image`].

use super::{argv, program};
use crate::diagnostic::Source;
use crate::profile::container::{Container, Gpus, Health, Port};
use crate::profile::model::{Form, Profile};
use crate::profile::setting::{Origin, Placed};
use crate::profile::words::{self, Word};

/// Options of `docker run` that take no value.
const SWITCHES: &[&str] = &[
    "--rm",
    "-d",
    "--detach",
    "-i",
    "-t",
    "-it",
    "-ti",
    "-dit",
    "-itd",
    "-id",
    "-td",
    "--interactive",
    "--tty",
    "--privileged",
    "--init",
    "--read-only",
    "--no-healthcheck",
    "--publish-all",
    "-P",
    "--oom-kill-disable",
    "--quiet",
    "-q",
    "--replace",
];

/// The profile of a container command.
pub(super) fn launch(source: &Source, command: &[Word]) -> Option<Profile> {
    let runner = command.iter().position(|word| {
        matches!(word.text.rsplit('/').next(), Some("docker" | "podman" | "nerdctl" | "nvidia-docker"))
    })?;
    let run = command[runner + 1..].iter().take(3).position(|word| word.text == "run")?;
    let mut at = runner + 1 + run + 1;
    let mut container = Container::default();
    let mut env = Vec::new();
    while let Some(word) = command.get(at).filter(|word| word.text.starts_with('-')) {
        at += 1;
        let (name, inline) =
            word.text.split_once('=').map_or((word.text.as_str(), None), |(name, value)| (name, Some(value)));
        if SWITCHES.contains(&name) {
            continue;
        }
        let value = match inline {
            Some(value) => Placed::new(value, word.span.start + name.len() + 1..word.span.end),
            None => {
                let Some(value) = command.get(at) else { break };
                at += 1;
                Placed::new(value.text.clone(), value.span.clone())
            }
        };
        option(&mut container, &mut env, name, value);
    }
    let image = command.get(at)?;
    let span = words::span(command)?;
    let mut profile = Profile::new(source, Form::Command, span);
    profile.env = env;
    container.image = Some(Placed::new(image.text.clone(), image.span.clone()));
    profile.container = Some(container);
    of_image(&mut profile, &command[at + 1..])?;
    Some(profile)
}

fn option(container: &mut Container, env: &mut Vec<(Placed, Placed)>, name: &str, value: Placed) {
    match name {
        "-p" | "--publish" => container.ports.extend(port(&value)),
        "--name" => container.name = Some(value),
        "--network" | "--net" => container.host_network = value.text == "host",
        "--entrypoint" => container.entrypoint = Some(value),
        "--gpus" => container.gpus = gpus(&value),
        "-e" | "--env" => {
            if let Some((name, text)) = words::assignment(&value.text) {
                let at = (value.span.start + name.len() + 1).min(value.span.end);
                env.push((Placed::new(name, value.span.clone()), Placed::new(text, at..value.span.end)));
            }
        }
        "--health-cmd" => {
            let health = container.health.get_or_insert_with(Health::docker);
            (health.span, health.test) = (value.span.clone(), value);
        }
        "--health-interval" => with(container, &value, |health, seconds| health.interval = seconds),
        "--health-start-period" => with(container, &value, |health, seconds| health.start_period = seconds),
        "--health-retries" => {
            if let Ok(count) = value.text.parse() {
                container.health.get_or_insert_with(Health::docker).retries = count;
            }
        }
        _ => {}
    }
}

fn with(container: &mut Container, value: &Placed, set: impl FnOnce(&mut Health, f64)) {
    if let Some(seconds) = seconds(&value.text) {
        set(container.health.get_or_insert_with(Health::docker), seconds);
    }
}

impl Health {
    /// With Docker's defaults.
    pub(super) fn docker() -> Self {
        Self { interval: 30.0, retries: 3.0, ..Self::default() }
    }
}

/// `all`, `2`, `device=0,1`, `"device=0"`.
fn gpus(value: &Placed) -> Option<Gpus> {
    let text = value.text.trim_matches(['"', '\'']);
    let count = match text.split_once("device=") {
        Some((_, ids)) => Some(ids.split(',').count()),
        None if text == "all" => None,
        None => Some(text.parse().ok()?),
    };
    Some(Gpus { count, twice: false, span: value.span.clone() })
}

/// `8000:8000`, `127.0.0.1:8001:8000/tcp`, `8000`.
pub(super) fn port(value: &Placed) -> Option<Port> {
    let mut parts = value.text.split('/').next()?.rsplit(':');
    let container = parts.next()?.parse().ok()?;
    let host = parts.next().and_then(|host| host.parse().ok());
    Some(Port { host, container, span: value.span.clone() })
}

/// `90s`, `1m30s`, `1h`, `500ms`, `30`.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut total = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..end].parse().ok()?;
        let tail = &rest[end..];
        let unit = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        total += number
            * match tail[..unit].trim() {
                "" | "s" => 1.0,
                "ms" => 0.001,
                "m" => 60.0,
                "h" => 3600.0,
                _ => return None,
            };
        rest = &tail[unit..];
    }
    Some(total)
}

/// Reads the arguments of a container by its image (and what its command itself names). `None` where no engine is meant.
pub(super) fn of_image(profile: &mut Profile, args: &[Word]) -> Option<()> {
    let image = profile.container.as_ref().and_then(|container| container.image.clone());
    let by_image = image.as_ref().and_then(|image| program::of_image(&image.text));
    let named = program::find(args);
    let engine = named.as_ref().map(|launch| launch.engine).or(by_image)?;
    engine.clone_into(&mut profile.engine);
    if let Some(version) = image.as_ref().and_then(|image| program::version_of_image(&image.text)) {
        let image_span = image.as_ref().map(|image| image.span.clone()).unwrap_or_default();
        profile.engine_version = Some(Placed::new(version, image_span));
    }
    let rest = match &named {
        Some(launch) => {
            let head = &args[launch.at..launch.args.min(args.len())];
            let text = head.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            let span = args.first().map_or(0, |word| word.span.start)..head.last().map_or(0, |word| word.span.end);
            profile.program = Some(Placed::new(text, span));
            &args[launch.args.min(args.len())..]
        }
        None => {
            let skip = usize::from(engine == "atlas" && args.first().is_some_and(|word| word.text == "serve"));
            &args[skip..]
        }
    };
    argv::arguments(profile, rest, Origin::Flag);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_ports() {
        assert_eq!(seconds("1m30s"), Some(90.0));
        assert_eq!(seconds("500ms"), Some(0.5));
        assert_eq!(seconds("20"), Some(20.0));
        assert_eq!(seconds("soon"), None);
        let port = |text: &str| port(&Placed::new(text, 0..0)).map(|port| (port.host, port.container));
        assert_eq!(port("127.0.0.1:8001:8000/tcp"), Some((Some(8001), 8000)));
        assert_eq!(port("8000"), Some((None, 8000)));
        assert_eq!(port("${PORT}:8000"), Some((None, 8000)));
        assert_eq!(port("a"), None);
    }
}
