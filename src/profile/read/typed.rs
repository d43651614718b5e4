//! The typed profile → a profile: [`read`]. Its own keys name and place the profile, the others are the engine's flags.

use monban_scorers::catalogue::engine_id;

use super::config::field;
use super::{argv, program};
use crate::diagnostic::Source;
use crate::profile::container::Container;
use crate::profile::model::{Form, Profile};
use crate::profile::setting::{Fault, FaultKind, Origin, Placed, Setting};
use crate::profile::words::{self, Word};
use crate::profile::yaml::{Key, Kind, Node};

/// Keys that are remarks for the reader.
const REMARKS: &[&str] =
    &["description", "notes", "note", "owner", "created", "updated", "tags", "comment", "hardware", "version"];

/// The profile.
pub(super) fn read(source: &Source, root: &Node) -> Profile {
    let mut profile = Profile::new(source, Form::Typed, 0..source.text().len());
    engine(&mut profile, root);
    for (key, node) in root.entries() {
        let placed = || node.scalar().map(|text| Placed::new(text, node.span.clone()));
        match key.text.as_str() {
            "runtime" | "engine" | "runtime_version" | "engine_version" => {}
            "profile_name" | "name" => profile.name = placed(),
            "purpose" => profile.purpose = placed().filter(|purpose| !purpose.text.is_empty()),
            "model_key" => profile.model_key = placed(),
            "image" => {}
            "container_name" => profile.container.get_or_insert_with(Container::default).name = placed(),
            "env" | "environment" => environment(&mut profile, node),
            "extra_args" | "args" => extra(&mut profile, node),
            name if REMARKS.contains(&name) => profile.settings.push(remark(root, key, node)),
            _ => {
                let setting = field(&profile.engine, root, key, node, Origin::Field);
                profile.settings.push(setting);
            }
        }
    }
    // Remarks decide nothing.
    profile.settings.retain(|setting| setting.key != "remark");
    profile
}

fn engine(profile: &mut Profile, root: &Node) {
    let said = root.get("runtime").or_else(|| root.get("engine")).and_then(Node::scalar).unwrap_or_default();
    let image = root.get("image").and_then(|node| Some(Placed::new(node.scalar()?, node.span.clone())));
    let by_image = image.as_ref().and_then(|image| program::of_image(&image.text));
    engine_id(&said).or(by_image).unwrap_or(if said.is_empty() { "vllm" } else { "" }).clone_into(&mut profile.engine);
    let version = ["runtime_version", "engine_version"].iter().find_map(|key| root.get(key));
    profile.engine_version = version.and_then(|node| Some(Placed::new(node.scalar()?, node.span.clone())));
    if let Some(image) = image {
        if let Some(version) = program::version_of_image(&image.text) {
            profile.engine_version.get_or_insert_with(|| Placed::new(version, image.span.clone()));
        }
        profile.container.get_or_insert_with(Container::default).image = Some(image);
    }
}

fn extra(profile: &mut Profile, node: &Node) {
    let list: Vec<Word> = match &node.kind {
        Kind::List(items) => items.iter().filter_map(scalar_word).collect(),
        _ => text_words(profile, node),
    };
    argv::arguments(profile, &list, Origin::ExtraArg);
}

/// A list item as a word. Mappings are written as JSON: `- {"image": 3}` without quotes is one.
pub(super) fn scalar_word(item: &Node) -> Option<Word> {
    let text = match &item.kind {
        Kind::Map(_) | Kind::List(_) => item.json().to_string(),
        _ => item.scalar()?,
    };
    Some(Word::new(text, item.span.clone()))
}

/// A scalar that holds a command line, as words. Where its bytes are not those of the file, all stand at the whole scalar.
pub(super) fn text_words(profile: &mut Profile, node: &Node) -> Vec<Word> {
    let raw = profile.source().text().get(node.span.clone()).unwrap_or_default().to_owned();
    let quoted = raw.starts_with(['\'', '"']);
    let mut lexed = if quoted {
        let text = node.scalar().unwrap_or_default();
        let inside = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        let mut lexed = words::commands(&text, node.span.start + 1);
        if inside != text {
            lexed.commands.iter_mut().flatten().for_each(|word| word.span = node.span.clone());
        }
        lexed
    } else {
        words::commands(&raw, node.span.start)
    };
    if let Some(span) = lexed.unclosed {
        profile.faults.push(Fault { kind: FaultKind::Unclosed, text: "quote".to_owned(), span });
    }
    // A script may install and export before it launches, and wait or ask afterwards.
    match lexed.commands.iter().position(|command| super::program::find(command).is_some()) {
        Some(at) => lexed.commands.swap_remove(at),
        None => lexed.commands.into_iter().flatten().collect(),
    }
}

/// A mapping, or a list of `NAME=value`.
pub(super) fn environment(profile: &mut Profile, node: &Node) {
    for (key, value) in node.entries() {
        if let Some(text) = value.scalar() {
            profile.env.push((Placed::new(key.text.clone(), key.span.clone()), Placed::new(text, value.span.clone())));
        }
    }
    for item in node.items() {
        // Kubernetes: {name: …, value: …}.
        if let (Some(name), Some(value)) = (item.get("name"), item.get("value"))
            && let (Some(name_text), Some(text)) = (name.scalar(), value.scalar())
        {
            profile.env.push((Placed::new(name_text, name.span.clone()), Placed::new(text, value.span.clone())));
        } else if let Some(text) = item.scalar()
            && let Some((name, value)) = words::assignment(&text)
        {
            profile.env.push((Placed::new(name, item.span.clone()), Placed::new(value, item.span.clone())));
        }
    }
}

fn remark(root: &Node, key: &Key, node: &Node) -> Setting {
    let mut setting = field("", root, key, node, Origin::Field);
    "remark".clone_into(&mut setting.key);
    setting
}
