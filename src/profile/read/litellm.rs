//! A LiteLLM configuration → a profile with its backends: [`read`]. Other settings become dotted keys.

use std::ops::Range;

use crate::diagnostic::Source;
use crate::profile::container::Route;
use crate::profile::model::{Form, Profile};
use crate::profile::setting::{Origin, Placed, Setting};
use crate::profile::yaml::{Kind, Node};

/// The profile.
pub(super) fn read(source: &Source, root: &Node) -> Profile {
    let mut profile = Profile::new(source, Form::LiteLlm, 0..source.text().len());
    "litellm".clone_into(&mut profile.engine);
    for (key, node) in root.entries() {
        match key.text.as_str() {
            "model_list" => profile.routes = node.items().iter().filter_map(route).collect(),
            "environment_variables" => super::typed::environment(&mut profile, node),
            _ => flatten(&mut profile, &key.text, key.span.start..node.span.end, node, 0),
        }
    }
    profile.contained_by_comment = contained(source.text());
    profile
}

fn route(node: &Node) -> Option<Route> {
    let name = node.get("model_name")?;
    let params = node.get("litellm_params")?.entries().iter().map(|(key, value)| {
        let text = value.scalar().unwrap_or_else(|| value.json().to_string());
        (key.text.clone(), Placed::new(text, value.span.clone()))
    });
    Some(Route { model_name: Placed::new(name.scalar()?, name.span.clone()), params: params.collect() })
}

fn flatten(profile: &mut Profile, path: &str, span: Range<usize>, node: &Node, depth: usize) {
    if let Kind::Map(entries) = &node.kind
        && depth < 8
    {
        for (key, value) in entries {
            flatten(profile, &format!("{path}.{}", key.text), key.span.start..value.span.end, value, depth + 1);
        }
        return;
    }
    profile.settings.push(Setting {
        key: path.to_owned(),
        path: None,
        name: path.to_owned(),
        value: node.scalar().unwrap_or_else(|| node.json().to_string()),
        mistyped: None,
        span,
        value_span: node.span.clone(),
        known: true,
        origin: Origin::Field,
    });
}

/// A comment beside the configuration says that the gateway runs in a container.
fn contained(text: &str) -> bool {
    text.lines().filter_map(|line| line.split_once('#').map(|(_, comment)| comment)).any(|comment| {
        ["docker run", "podman run", "docker compose", "docker-compose", "ghcr.io/berriai/litellm"]
            .iter()
            .any(|sign| comment.contains(sign))
    })
}
