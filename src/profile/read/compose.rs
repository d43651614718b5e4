//! A Docker Compose file → a profile for each service that runs an engine: [`read`].

use super::docker::{self, port, seconds};
use super::typed::{environment, scalar_word, text_words};
use super::{command, launcher};
use crate::diagnostic::Source;
use crate::profile::container::{Container, Gpus, Health};
use crate::profile::model::{Form, Profile};
use crate::profile::setting::Placed;
use crate::profile::words::Word;
use crate::profile::yaml::{Key, Kind, Node};

/// All services that run an engine or a gateway.
pub(super) fn read(source: &Source, root: &Node) -> Vec<Profile> {
    let whole = 0..source.text().len();
    let Some(services) = root.get("services") else {
        let key = Key { text: String::new(), span: whole.start..whole.start };
        return service(source, &key, root).into_iter().collect();
    };
    let mut profiles = Vec::new();
    let mut neighbours = Profile::new(source, Form::Compose, whole);
    for (key, node) in services.entries() {
        match service(source, key, node) {
            Some(profile) => profiles.push(profile),
            None => node.get("environment").into_iter().for_each(|variables| environment(&mut neighbours, variables)),
        }
    }
    if let Some(container) = profiles.first_mut().and_then(|profile| profile.container.as_mut()) {
        container.neighbours = neighbours.env;
    }
    profiles
}

fn service(source: &Source, key: &Key, node: &Node) -> Option<Profile> {
    let mut profile = Profile::new(source, Form::Compose, node.span_with(key));
    profile.container = Some(container(key, node));
    if let Some(variables) = node.get("environment") {
        environment(&mut profile, variables);
    }
    let mut args = words(&mut profile, node.get("entrypoint"));
    args.extend(words(&mut profile, node.get("command")));
    if let Some(inner) = shell(source, &args) {
        args = inner;
    }
    docker::of_image(&mut profile, &args)?;
    if profile.engine == "xinference" {
        launcher::settle(&mut profile);
    }
    Some(profile)
}

/// What `bash -c '…'` holds, as words.
fn shell(source: &Source, args: &[Word]) -> Option<Vec<Word>> {
    let runs = |word: &Word| matches!(word.text.rsplit('/').next(), Some("bash" | "sh"));
    if !args.first().is_some_and(runs) {
        return None;
    }
    let script = args.iter().skip(1).find(|word| !word.text.starts_with('-'))?;
    let placed =
        command::inner(source, script).unwrap_or_else(|| Placed::new(script.text.clone(), script.span.clone()));
    let lexed = crate::profile::words::commands(&placed.text, placed.span.start);
    let mut found = lexed.commands.into_iter().find(|words| super::program::find(words).is_some())?;
    let limit = source.text().len();
    found.iter_mut().for_each(|word| word.span.end = word.span.end.min(limit));
    Some(found)
}

/// A command or entrypoint as words.
fn words(profile: &mut Profile, node: Option<&Node>) -> Vec<Word> {
    let mut words = match node {
        Some(Node { kind: Kind::List(items), .. }) => items.iter().filter_map(scalar_word).collect(),
        Some(node) => text_words(profile, node),
        None => Vec::new(),
    };
    // Compose replaces variables itself; `$$` is its way to write one dollar sign.
    words.iter_mut().for_each(|word| word.text = word.text.replace("$$", "$"));
    words
}

fn container(key: &Key, node: &Node) -> Container {
    let placed = |node: &Node| node.scalar().map(|text| Placed::new(text, node.span.clone()));
    Container {
        image: node.get("image").and_then(placed),
        service: Some(Placed::new(key.text.clone(), key.span.clone())),
        name: node.get("container_name").and_then(placed),
        ports: node.get("ports").map(|ports| ports.items().iter().filter_map(published).collect()).unwrap_or_default(),
        host_network: node.get("network_mode").and_then(Node::scalar).is_some_and(|mode| mode == "host"),
        health: node.get("healthcheck").and_then(health),
        gpus: node.get("deploy").and_then(gpus).or_else(|| node.get("gpus").and_then(all_gpus)),
        entrypoint: node.get("entrypoint").map(|node| Placed::new(first(node), node.span.clone())),
        neighbours: Vec::new(),
    }
}

fn first(node: &Node) -> String {
    node.scalar().or_else(|| node.items().first()?.scalar()).unwrap_or_default()
}

/// `"8000:8000"`, or the long form with `target` and `published`.
fn published(node: &Node) -> Option<crate::profile::container::Port> {
    if let Some(target) = node.get("target") {
        let host = node.get("published").and_then(Node::scalar).and_then(|text| text.parse().ok());
        let span = target.span.clone();
        return Some(crate::profile::container::Port { host, container: target.scalar()?.parse().ok()?, span });
    }
    port(&Placed::new(node.scalar()?, node.span.clone()))
}

fn health(node: &Node) -> Option<Health> {
    if node.get("disable").and_then(Node::scalar).is_some_and(|text| text == "true") {
        return None;
    }
    let test = node.get("test")?;
    let text = if test.items().is_empty() {
        test.scalar()?
    } else {
        test.items().iter().filter_map(Node::scalar).collect::<Vec<_>>().join(" ")
    };
    let time =
        |key: &str, default: f64| node.get(key).and_then(Node::scalar).and_then(|t| seconds(&t)).unwrap_or(default);
    Some(Health {
        test: Placed::new(text, test.span.start..test.items().last().map_or(test.span.end, |item| item.span.end)),
        interval: time("interval", 30.0),
        retries: time("retries", 3.0),
        start_period: time("start_period", 0.0),
        span: node.entries().first().map_or(node.span.clone(), |(key, _)| key.span.clone()),
    })
}

/// The first GPU reservation of `deploy.resources`.
fn gpus(deploy: &Node) -> Option<Gpus> {
    let devices = deploy.get("resources")?.get("reservations")?.get("devices")?;
    devices.items().iter().find_map(|device| {
        let is_gpu = device.get("capabilities").is_some_and(|node| {
            node.items().iter().any(|item| item.scalar().is_some_and(|text| text == "gpu" || text == "nvidia"))
        });
        let ids = device.get("device_ids");
        let count = device.get("count");
        if !is_gpu && device.get("driver").and_then(Node::scalar).is_none_or(|driver| driver != "nvidia") {
            return None;
        }
        let said = ids.or(count);
        let number = match (ids, count.and_then(Node::scalar)) {
            (Some(ids), _) => Some(ids.items().len()),
            (None, Some(text)) => text.parse().ok(),
            (None, None) => None,
        };
        let span = said.map_or(device.span.clone(), |node| node.items().first().unwrap_or(node).span.clone());
        Some(Gpus { count: number, twice: ids.is_some() && count.is_some(), span })
    })
}

/// `gpus: all` or a number.
fn all_gpus(node: &Node) -> Option<Gpus> {
    let text = node.scalar()?;
    Some(Gpus { count: text.parse().ok(), twice: false, span: node.span.clone() })
}
