//! An engine's configuration file → a profile: [`read`]. Flags are keys there; nested mappings are JSON.

use super::said::Said;
use crate::diagnostic::Source;
use crate::profile::flags::{FlagTable, flag_table};
use crate::profile::model::{Form, Profile};
use crate::profile::setting::{Origin, Setting};
use crate::profile::value::FlagType;
use crate::profile::yaml::{Key, Kind, Node};

/// The engines whose configuration may be a file of flags, the likelier first.
const ENGINES: &[&str] = &["vllm", "sglang", "tensorrt_llm"];

/// The profile, where enough keys are flags of one engine.
pub(super) fn read(source: &Source, root: &Node) -> Option<Profile> {
    let entries = root.entries();
    let hits = |engine: &&&str| {
        let Some(table) = flag_table(engine) else { return 0 };
        entries.iter().filter(|(key, _)| table.find(&key.text).is_some()).count()
    };
    // The first of the best: `max_by_key` would give the last.
    let engine = ENGINES.iter().rev().max_by_key(hits)?;
    let hits = hits(&engine);
    (hits > 0 && hits * 2 >= entries.len()).then(|| {
        let mut profile = Profile::new(source, Form::Config, 0..source.text().len());
        (*engine).clone_into(&mut profile.engine);
        for (key, node) in entries {
            let setting = field(&profile.engine, root, key, node, Origin::Field);
            profile.settings.push(setting);
        }
        profile
    })
}

/// The keys of a TensorRT-LLM options file, which win over the command line. Nested keys with a meaning of their own
/// get it.
pub(super) fn options(profile: &mut Profile, root: &Node) {
    const NESTED: &[(&str, &str, &str)] = &[
        ("kv_cache_config", "free_gpu_memory_fraction", "gpu-memory-utilization"),
        ("kv_cache_config", "dtype", "kv-cache-dtype"),
        ("kv_cache_config", "enable_block_reuse", "enable-prefix-caching"),
    ];
    for (key, node) in root.entries() {
        let mut setting = field(&profile.engine, root, key, node, Origin::Options);
        // Its keys are not all known.
        setting.known = true;
        profile.settings.push(setting);
        for (outer, inner, meaning) in NESTED.iter().filter(|(outer, ..)| *outer == key.text) {
            let Some((inner_key, value)) = node.entry(inner) else { continue };
            profile.settings.push(Setting {
                key: (*meaning).to_owned(),
                path: None,
                name: format!("{outer}.{inner}"),
                value: value.scalar().unwrap_or_default(),
                mistyped: None,
                span: node.span_with(inner_key),
                value_span: value.span.clone(),
                known: true,
                origin: Origin::Options,
            });
        }
    }
}

/// One key as a setting.
pub(super) fn field(engine: &str, parent: &Node, key: &Key, node: &Node, origin: Origin) -> Setting {
    let empty = FlagTable::default();
    let table = flag_table(engine).unwrap_or(&empty);
    let value = match &node.kind {
        Kind::List(_) | Kind::Map(_) => node.json().to_string(),
        _ => node.scalar().unwrap_or_default(),
    };
    let (span, value_span) = (node_span(parent, key, node), node.span.clone());
    let Some(found) = table.find(&key.text).or_else(|| typed_name(table, &key.text)) else {
        return Setting {
            key: key.text.replace('_', "-"),
            path: None,
            name: key.text.clone(),
            value,
            mistyped: None,
            span,
            value_span,
            known: false,
            origin,
        };
    };
    let wants_text =
        !matches!(table.of(found.name), FlagType::Json | FlagType::Mm) && !table.of(found.name).takes_many();
    let (flag, key, path, name) = (found.name, found.key, found.path.clone(), key.text.as_str());
    let mut setting = Said { flag, key, path, name, value, span, value_span, origin }.setting(table);
    if wants_text && matches!(node.kind, Kind::Map(_)) {
        setting.mistyped = Some("one value, not a mapping".to_owned());
    }
    if found.negated && setting.mistyped.is_none() {
        setting.value = (setting.value != "true").to_string();
    }
    setting
}

fn node_span(parent: &Node, key: &Key, node: &Node) -> std::ops::Range<usize> {
    parent.get(&key.text).map_or(key.span.start..node.span.end, |_| node.span_with(key))
}

/// A typed profile may use the shared word where the engine has another: `max_model_len` for `--context-length`.
fn typed_name<'a>(table: &'a FlagTable, spelling: &str) -> Option<crate::profile::flags::Found<'a>> {
    let key = spelling.replace('_', "-");
    let name = table.names().find(|name| table.find(name).is_some_and(|found| found.key == key && !found.negated))?;
    table.find(name)
}
