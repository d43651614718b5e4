//! A Kubernetes manifest, or a container's `command`/`args` alone → profiles: [`read`].

use super::docker;
use super::typed::{environment, scalar_word, text_words};
use crate::diagnostic::Source;
use crate::profile::container::{Container, Port};
use crate::profile::flags::flag_table;
use crate::profile::model::{Form, Profile};
use crate::profile::setting::Placed;
use crate::profile::words::Word;
use crate::profile::yaml::{Kind, Node};

/// Every container that runs an engine.
pub(super) fn read(source: &Source, root: &Node) -> Vec<Profile> {
    let mut found = Vec::new();
    containers(root, 0, &mut found);
    found.into_iter().filter_map(|node| container(source, node)).collect()
}

/// Nodes that have `args` or `command`, wherever they stand.
fn containers<'a>(node: &'a Node, depth: usize, found: &mut Vec<&'a Node>) {
    if depth > 16 {
        return;
    }
    if node.get("args").or_else(|| node.get("command")).is_some() {
        found.push(node);
        return;
    }
    for child in node.items().iter().chain(node.entries().iter().map(|(_, child)| child)) {
        containers(child, depth + 1, found);
    }
}

fn container(source: &Source, node: &Node) -> Option<Profile> {
    let span =
        node.entries().first()?.0.span.start..node.entries().last().map(|(key, value)| value.span_with(key).end)?;
    let mut profile = Profile::new(source, Form::Kubernetes, span);
    let placed = |node: &Node| node.scalar().map(|text| Placed::new(text, node.span.clone()));
    profile.container = Some(Container {
        image: node.get("image").and_then(placed),
        // `command` is the entrypoint here, whether as a list or as one text.
        entrypoint: node.get("command").map(|node| Placed::new("command", node.span.clone())),
        ports: node.get("ports").map(|ports| ports.items().iter().filter_map(port).collect()).unwrap_or_default(),
        ..Container::default()
    });
    if let Some(variables) = node.get("env") {
        environment(&mut profile, variables);
    }
    let args = match node.get("args").and_then(|args| script(node, args)) {
        Some(script) => text_words(&mut profile, script),
        None => {
            let mut args = words(&mut profile, node.get("command"));
            args.extend(words(&mut profile, node.get("args")));
            args
        }
    };
    if docker::of_image(&mut profile, &args).is_none() {
        // Arguments alone: the engine is the one whose flags they are.
        guess(&args)?.clone_into(&mut profile.engine);
        super::argv::arguments(&mut profile, &args, crate::profile::setting::Origin::Flag);
    }
    Some(profile)
}

/// What a shell is handed: `command: ["/bin/sh", "-c"]` with `args: ["vllm serve …"]`.
fn script<'a>(node: &Node, args: &'a Node) -> Option<&'a Node> {
    let command = node.get("command")?.items();
    let (shell, flag) = (command.first()?.scalar()?, command.last()?.scalar()?);
    let is_shell = matches!(shell.rsplit('/').next(), Some("sh" | "bash" | "ash" | "dash"));
    (is_shell && flag.starts_with('-') && flag.ends_with('c')).then(|| args.items().first().unwrap_or(args))
}

fn port(node: &Node) -> Option<Port> {
    let at = node.get("containerPort")?;
    Some(Port { host: None, container: at.scalar()?.parse().ok()?, span: at.span.clone() })
}

fn words(profile: &mut Profile, node: Option<&Node>) -> Vec<Word> {
    match node {
        Some(Node { kind: Kind::List(items), .. }) => {
            let list: Vec<Word> = items.iter().filter_map(scalar_word).collect();
            // `["/bin/sh", "-c", "vllm serve …"]`
            match list.iter().rposition(|word| word.text.contains(char::is_whitespace) && !word.text.starts_with('-')) {
                Some(at) if list.first().is_some_and(|word| word.text.ends_with("sh")) => {
                    text_words(profile, &items[at])
                }
                _ => list,
            }
        }
        Some(node) => text_words(profile, node),
        None => Vec::new(),
    }
}

fn guess(args: &[Word]) -> Option<&'static str> {
    let hits = |engine: &&str| {
        let Some(table) = flag_table(engine) else { return 0 };
        let name = |word: &Word| word.text.split('=').next().unwrap_or_default().trim_start_matches('-').to_owned();
        args.iter().filter(|word| word.text.starts_with("--") && table.find(&name(word)).is_some()).count()
    };
    // The first of the best: `max_by_key` would give the last.
    ["tensorrt_llm", "sglang", "vllm"].into_iter().max_by_key(hits).filter(|engine| hits(engine) > 0)
}
