//! The model, and what the catalogue says of it: [`Model`].

use crate::catalogue::{ModelRule, catalogue, model_rule};

/// What is known of the model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The id that says most.
    pub id: String,
    /// The id as the catalogue knows it, where it does.
    pub known_as: Option<String>,
    /// What the catalogue says.
    pub rule: Option<&'static ModelRule>,
    /// The model reasons; `None` when the id leaves it open.
    pub reasons: Option<bool>,
    /// It thinks unless told not to.
    pub thinks_unasked: bool,
    /// The example template that its tools need, where its own has no section for them.
    pub tool_template: Option<&'static str>,
}

/// Ends of ids under which a family's reasoning variants go: an id that gains reasoning by one of them leaves it open.
const VARIANTS: &[&str] = &["-thinking", "-reasoning", "-think", ".1", ".2", ".5", ".6", "-4", "-medium-3.5"];

/// Models whose own template has no section for tools, and vLLM's example for them.
/// Source: vLLM docs/features/tool_calling.md, examples/; vllm#14734.
const TEMPLATES: &[(&str, &str)] = &[
    ("gemma-3", "tool_chat_template_gemma3_pythonic.jinja"),
    ("deepseek-v3.1", "tool_chat_template_deepseekv31.jinja"),
    ("deepseek-v3-", "tool_chat_template_deepseekv3.jinja"),
    ("deepseek-r1", "tool_chat_template_deepseekr1.jinja"),
    ("toolace", "tool_chat_template_toolace.jinja"),
    ("internlm2", "tool_chat_template_internlm2_tool.jinja"),
];

impl Model {
    /// Takes the first id the catalogue knows, else the first there is.
    #[must_use]
    pub fn read(ids: &[Option<&str>]) -> Self {
        // Each id once: a lookup of what nothing is known of is dear.
        let fresh = |at: usize| !ids[..at].contains(&ids[at]);
        let ids = || (0..ids.len()).filter(|at| fresh(*at)).filter_map(|at| ids[at]).filter(|id| !id.is_empty());
        let Some((id, known_as, rule)) = ids().find_map(|id| known(id).map(|(known, rule)| (id, known, rule))) else {
            let id = ids().next().unwrap_or_default();
            return Self { id: id.to_owned(), tool_template: template(id), ..Self::default() };
        };
        Self {
            id: id.to_owned(),
            reasons: reasons(&known_as, rule),
            thinks_unasked: rule.thinks() == "on",
            tool_template: template(id),
            known_as: Some(known_as),
            rule: Some(rule),
        }
    }

    /// The family the model most likely writes.
    #[must_use]
    pub fn tool_family(&self) -> Option<&'static str> {
        self.rule.and_then(ModelRule::tool_family)
    }

    /// The model writes this family, as far as the catalogue knows.
    #[must_use]
    pub fn writes(&self, family: &str) -> bool {
        self.rule.is_some_and(|rule| rule.tool_families.iter().any(|own| own == family))
    }
}

/// The id, or the way it is written out in full: `qwen25` for Qwen2.5, `step3p5` for Step-3.5, `llama3` for Llama 3.1.
///
/// Rules stand most special first: `deepseek_v31` is V3.1, not any V3.
fn known(id: &str) -> Option<(String, &'static ModelRule)> {
    let dotted = Some(dotted(id)).filter(|dotted| dotted != id);
    let tries = [Some(id.to_owned()), dotted];
    let read = tries.into_iter().flatten().filter_map(|id| model_rule(&id).map(|rule| (id, rule)));
    read.min_by_key(|(_, rule)| rule_place(rule)).or_else(|| {
        let first = format!("{id}.1");
        model_rule(&first).map(|rule| (first, rule))
    })
}

/// The place of a rule in the catalogue's order.
fn rule_place(rule: &ModelRule) -> usize {
    catalogue().models.iter().position(|other| std::ptr::eq(other, rule)).unwrap_or(usize::MAX)
}

/// The id with a dot in each version number that is written without one; `32b` is a size, `0905` a date.
fn dotted(id: &str) -> String {
    let chars: Vec<char> = id.chars().take(200).collect();
    let at = |index: Option<usize>| index.and_then(|index| chars.get(index)).copied().unwrap_or(' ');
    let mut text = String::new();
    for (index, c) in chars.iter().enumerate() {
        let (before, next, after) = (at(index.checked_sub(1)), at(Some(index + 1)), at(Some(index + 2)));
        if *c == 'p' && before.is_ascii_digit() && next.is_ascii_digit() {
            text.push('.');
            continue;
        }
        text.push(*c);
        let pair = c.is_ascii_digit() && next.is_ascii_digit() && !before.is_ascii_digit() && !after.is_ascii_digit();
        if pair && !".-_/".contains(before) && !after.eq_ignore_ascii_case(&'b') {
            text.push('.');
        }
    }
    text
}

fn reasons(id: &str, rule: &ModelRule) -> Option<bool> {
    if rule.thinks() != "never" {
        return Some(true);
    }
    let open =
        VARIANTS.iter().any(|end| model_rule(&format!("{id}{end}")).is_some_and(|variant| variant.thinks() != "never"));
    (!open).then_some(false)
}

fn template(id: &str) -> Option<&'static str> {
    let plain = |c: char| if c == '_' || c == ' ' { '-' } else { c.to_ascii_lowercase() };
    let id: String = id.chars().map(plain).chain(['-']).collect();
    TEMPLATES.iter().find(|(part, _)| id.contains(part)).map(|(_, file)| *file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(id: &str, family: Option<&str>, reasons: Option<bool>) {
        let model = Model::read(&[Some(id)]);
        assert_eq!((model.tool_family(), model.reasons), (family, reasons), "{id}");
    }

    #[test]
    fn reads_served_names_as_people_shorten_them() {
        case("qwen25", Some("hermes_json"), Some(false));
        case("llama3", Some("llama3_json"), Some(false));
        case("glm47", Some("glm47_argkey"), Some(true));
        case("deepseek_r1", Some("deepseek_v3"), Some(true));
        case("Qwen/Qwen2.5-7B-Instruct", Some("hermes_json"), Some(false));
        case("gpt_oss", Some("gptoss_harmony"), Some(true));
        case("deepseek_v31", Some("deepseek_v31"), Some(true));
        case("deepseek_v32", Some("deepseek_v32_dsml"), Some(true));
        case("granite33", Some("granite31_json"), Some(true));
        case("qwen35", Some("qwen3_coder_xml"), Some(true));
        case("step3p5", Some("qwen3_coder_xml"), Some(true));
        case("hunyuan-a13b", Some("hunyuan_a13b"), Some(true));
    }

    #[test]
    fn a_vague_id_leaves_reasoning_open() {
        case("kimi_k2", Some("kimi_k2"), None);
        assert_eq!(Model::read(&[Some("mistral")]).reasons, None);
        assert_eq!(Model::read(&[Some("local-model")]).reasons, None);
    }
}
