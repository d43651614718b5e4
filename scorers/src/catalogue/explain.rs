//! What the catalogue knows of a family, as Markdown, found by family, parser name or model id.

use std::fmt::Write as _;

use super::data::catalogue;
use super::engine::engine_def;
use super::entries::{Family, FamilyKind};
use super::matrix::{Outcome, outcome};
use super::model::model_rule;
use super::parser::{entry, exists_since, parser_names};
use super::recommend::recommend;
use crate::completion::Mode;

/// What is known of a family, a parser or a model, by any of their names; `None` for a name nothing is known of.
///
/// ```
/// # use monban_scorers::catalogue::explain;
/// assert!(explain("gemma4").is_some_and(|text| text.contains("since 0.19.1")));
/// assert!(explain("no such thing").is_none());
/// ```
#[must_use]
pub fn explain(name: &str) -> Option<String> {
    let name = name.trim();
    let (mut out, read) = parser_lines(name);
    let named = catalogue().families().filter(|family| family.name == name);
    let mut families: Vec<&Family> = Vec::new();
    for family in named.chain(read) {
        if !families.iter().any(|known| std::ptr::eq(*known, family)) {
            families.push(family);
        }
    }
    if out.is_empty() && families.is_empty() {
        return explain_model(name);
    }
    for family in families {
        let _ = write!(out, "{}{}", if out.is_empty() { "" } else { "\n" }, family_text(family));
    }
    Some(out)
}

/// What is known of a family; where a tool and a reasoning family share a name, of both.
#[must_use]
pub fn explain_family(name: &str) -> Option<String> {
    let families: Vec<_> = catalogue().families().filter(|family| family.name == name).map(family_text).collect();
    (!families.is_empty()).then(|| families.join("\n"))
}

/// A line for each engine that has a parser of that name, and the families these were made for.
fn parser_lines(name: &str) -> (String, Vec<&'static Family>) {
    let mut lines = String::new();
    let mut families = Vec::new();
    for engine in catalogue().engines_with_parsers() {
        for kind in [FamilyKind::Tool, FamilyKind::Reasoning] {
            let Some((_, def)) = entry(engine, kind, name) else { continue };
            let _ = write!(lines, "- {} {} parser", title(engine), word(kind));
            let _ = write!(lines, "{}", def.since.as_ref().map(|since| format!(", since {since}")).unwrap_or_default());
            let _ =
                write!(lines, "{}", def.removed.as_ref().map(|gone| format!(", gone by {gone}")).unwrap_or_default());
            let reads = if def.reads.is_empty() { "nothing that is known".to_owned() } else { def.reads.join(", ") };
            let _ = write!(lines, "; reads {reads}");
            let _ = writeln!(lines, "{}", def.note.as_ref().map(|note| format!(". {note}")).unwrap_or_default());
            families.extend(def.reads.first().and_then(|family| catalogue().family_of(kind, family)));
        }
    }
    if !lines.is_empty() {
        lines.insert_str(0, &format!("# parser {name}\n\n"));
    }
    (lines, families)
}

fn explain_model(id: &str) -> Option<String> {
    let rule = model_rule(id)?;
    let mut out = format!("# model {}\n\nMatched by `{}` ({}).\n", one_line(id), rule.pattern, rule.source);
    let _ = writeln!(out, "Thinks: {}.", rule.thinks());
    let _ = writeln!(out, "{}", rule.note.as_ref().map(|note| format!("{note}.\n")).unwrap_or_default());
    model_flags(&mut out, id);
    let written = [(FamilyKind::Tool, rule.tool_family()), (FamilyKind::Reasoning, rule.reasoning_family.as_deref())];
    for family in written.into_iter().filter_map(|(kind, name)| catalogue().family_of(kind, name?)) {
        let _ = write!(out, "\n{}", family_text(family));
    }
    Some(out)
}

fn model_flags(out: &mut String, id: &str) {
    out.push_str("## Flags\n\n");
    for engine in ["vllm", "sglang", "tensorrt_llm", "llama_cpp", "atlas"] {
        let advice = recommend(engine, None, Some(id), None);
        for (kind, advice) in [("tools", advice.tool), ("reasoning", advice.reasoning)] {
            let Some(advice) = advice else { continue };
            let _ = writeln!(out, "- {}, {kind}: {}", title(engine), advice.text);
        }
    }
}

fn family_text(family: &Family) -> String {
    let mut out = format!("# {} ({})\n\n{}.\n", family.name, word(family.kind), family.looks_like);
    if let Some(example) = &family.example {
        let _ = write!(out, "\n```text\n{}\n```\n", example.trim_matches('\n'));
    }
    if let Some(stripped) = &family.stripped {
        let _ = write!(out, "\nWith special tokens stripped: `{}`\n", stripped.trim());
    }
    facts(&mut out, family);
    flags(&mut out, family);
    if family.kind == FamilyKind::Tool {
        for engine in ["vllm", "sglang"] {
            wrong_parsers(&mut out, family, engine);
        }
    }
    out
}

/// The short facts, one a line.
fn facts(out: &mut String, family: &Family) {
    let list = |items: &[String]| (!items.is_empty()).then(|| items.join(", "));
    let code = |items: &[String]| list(&items.iter().map(|item| format!("`{item}`")).collect::<Vec<_>>());
    let facts = [
        ("Written by models named", code(&family.models)),
        ("Variant of", family.variant_of.clone()),
        ("Same bytes as", family.same_bytes_as.clone()),
        ("Delimiters are special tokens", Some(family.special_tokens.clone()).filter(|text| !text.is_empty())),
        ("Opening marker in the prompt", family.opening.clone()),
        ("Thinking by default", family.default_thinking.clone()),
        ("Switched by", family.toggle.clone()),
        ("Confused with", list(&family.confused_with)),
        ("Note", family.note.clone()),
    ];
    out.push('\n');
    for (label, fact) in facts {
        let Some(fact) = fact else { continue };
        let _ = writeln!(out, "- {label}: {fact}");
    }
}

/// Which parsers read it, per engine, with the versions that have them.
fn flags(out: &mut String, family: &Family) {
    let tool = family.kind == FamilyKind::Tool;
    out.push_str("\n## Flags\n\n");
    for engine in ["vllm", "sglang", "tensorrt_llm", "llama_cpp", "atlas"] {
        let Some(def) = engine_def(engine) else { continue };
        let template = if tool { &def.tool_flags } else { &def.reasoning_flags };
        let advice = if tool { &def.tool_advice } else { &def.reasoning_advice };
        let names = family.parsers(engine).iter().map(|name| {
            let since = exists_since(engine, family.kind, name).map(|since| format!(" (since {since})"));
            format!("`{name}`{}", since.unwrap_or_default())
        });
        let names: Vec<_> = names.collect();
        let text = match (template, names.first()) {
            (None, _) => advice.clone().unwrap_or_else(|| "none known".to_owned()),
            (Some(_), None) => "no parser known".to_owned(),
            (Some(template), Some(_)) => format!("`{}` with X = {}", template.replace("{}", "X"), names.join(" or ")),
        };
        let _ = writeln!(out, "- {}: {text}", def.title);
    }
}

/// What an engine's other parsers make of it, in the newest version.
fn wrong_parsers(out: &mut String, family: &Family, engine: &str) {
    let newest = catalogue().versions.get(engine).and_then(|versions| versions.last()).map(String::as_str);
    let seen = |name: &str, mode| outcome(engine, newest, &family.name, name, mode, false);
    let mut groups: std::collections::BTreeMap<(Outcome, Outcome), Vec<&str>> = std::collections::BTreeMap::new();
    let mut version = "";
    for name in parser_names(engine, FamilyKind::Tool, newest) {
        let (Some(plain), Some(stream)) = (seen(name, Mode::Plain), seen(name, Mode::Stream)) else { continue };
        version = version.max(plain.measured_in);
        groups.entry((plain.outcome, stream.outcome)).or_default().push(name);
    }
    if groups.is_empty() {
        return;
    }
    let _ = write!(out, "\n## Read by {} parsers ({version}), plain / streamed\n\n", title(engine));
    for ((plain, stream), names) in groups {
        let _ = writeln!(out, "- {} / {}: {}", plain.word(), stream.word(), names.join(", "));
    }
}

fn title(engine: &str) -> &str {
    engine_def(engine).map_or(engine, |def| &def.title)
}

fn word(kind: FamilyKind) -> &'static str {
    if kind == FamilyKind::Tool { "tool" } else { "reasoning" }
}

/// A name as typed, without what would break the line or the terminal.
fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_by_its_name() {
        insta::assert_snapshot!(explain("gemma4").unwrap());
    }

    #[test]
    fn a_parser_leads_to_its_family() {
        let text = explain("hermes").unwrap();
        assert!(text.starts_with("# parser hermes"), "{text}");
        assert!(text.contains("# hermes_json (tool)"), "{text}");
        assert!(text.contains("leak / swallow") || text.contains("swallow / swallow"), "{text}");
    }

    #[test]
    fn a_model_leads_to_its_flags() {
        let text = explain("Qwen/Qwen3-Coder-30B").unwrap();
        assert!(text.contains("--enable-auto-tool-choice --tool-call-parser qwen3_coder"), "{text}");
        assert!(text.contains("# qwen3_coder_xml (tool)"), "{text}");
    }

    #[test]
    fn every_family_can_be_explained() {
        for family in catalogue().families() {
            let text = explain_family(&family.name).unwrap();
            assert!(text.contains(&family.looks_like) && text.contains("## Flags"), "{}", family.name);
        }
    }

    #[test]
    fn hostile_names_do_no_harm() {
        for name in ["", " ", "\u{1b}[31m", "a\nb"] {
            assert!(explain(name).is_none(), "{name:?}");
        }
        assert!(!explain("qwen3\u{1b}[31m").unwrap().contains('\u{1b}'));
    }
}
