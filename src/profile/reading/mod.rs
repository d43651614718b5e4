//! A profile read aloud: [`reading`] puts each item in reading order with what it decides, costs and hides.
//!
//! The words are data (`items.toml`, `words.toml`) in English and Japanese; this file only chooses and fills them.

mod print;
mod review;
mod trade;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::flags::flag_table;
use super::model::Profile;
use super::render::is_secret_key;
use super::rules::{Known, weights_of};

/// The language of a reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

/// A profile read aloud.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// The profile's title.
    pub title: String,
    /// The engine, with its version where stated.
    pub engine: String,
    /// The items in reading order: model, purpose, memory and context, concurrency, cache, parsers, network.
    pub groups: Vec<Group>,
    /// Weight quantisation, compute type and KV cache type, apart.
    pub layers: Vec<Layer>,
    /// What is traded for what, in one sentence.
    pub trade_off: String,
    /// The seven questions of a review.
    pub questions: Vec<Question>,
    /// Settings that are not among the items, as written.
    pub others: Vec<String>,
    #[serde(skip)]
    words: &'static Words,
}

/// Items that are read together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The heading.
    pub title: String,
    /// The items.
    pub items: Vec<ReadItem>,
}

/// One item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadItem {
    /// The meaning: `max-model-len`.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// The value, or that it is left to the engine.
    pub value: String,
    /// Whether the profile says it.
    pub set: bool,
    /// The line it stands on, 1-based.
    pub line: Option<u32>,
    /// What it decides.
    pub decides: String,
    /// What it costs.
    pub costs: String,
    /// The trap.
    pub trap: String,
}

/// One of the three layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layer {
    /// Which.
    pub name: String,
    /// Its value.
    pub value: String,
    /// What it is.
    pub note: String,
}

/// A question of the review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Question {
    /// The question.
    pub question: String,
    /// The answer, as far as the file gives one.
    pub answer: String,
    /// Whether somebody still has to answer.
    pub open: bool,
}

type Words = BTreeMap<String, String>;

#[derive(Debug, Default, Deserialize)]
struct WordsFile {
    en: Words,
    ja: Words,
}

#[derive(Debug, Default, Deserialize)]
struct Items {
    item: Vec<ItemDef>,
}

#[derive(Debug, Deserialize)]
struct ItemDef {
    key: String,
    group: String,
    en: ItemWords,
    ja: ItemWords,
}

#[derive(Debug, Deserialize)]
struct ItemWords {
    name: String,
    decides: String,
    costs: String,
    trap: String,
}

fn items() -> &'static [ItemDef] {
    static ITEMS: OnceLock<Items> = OnceLock::new();
    // A file that does not parse reads as empty; a test sees to it that it does.
    &ITEMS.get_or_init(|| toml::from_str(include_str!("items.toml")).unwrap_or_default()).item
}

fn words(lang: Lang) -> &'static Words {
    static WORDS: OnceLock<WordsFile> = OnceLock::new();
    let file = WORDS.get_or_init(|| toml::from_str(include_str!("words.toml")).unwrap_or_default());
    match lang {
        Lang::En => &file.en,
        Lang::Ja => &file.ja,
    }
}

/// A word by its key; the key itself where it is missing.
fn word(words: &'static Words, key: &str) -> &'static str {
    words.get(key).map_or("", String::as_str)
}

const GROUPS: &[&str] = &["model", "purpose", "memory", "concurrency", "cache", "parsers", "network"];

/// Reads a profile aloud.
#[must_use]
pub fn reading(profile: &Profile, known: &Known, lang: Lang) -> Reading {
    let words = words(lang);
    let groups = GROUPS
        .iter()
        .map(|group| Group {
            title: word(words, &format!("group_{group}")).to_owned(),
            items: items()
                .iter()
                .filter(|item| item.group == *group)
                .filter_map(|item| read(profile, item, lang, words))
                .collect(),
        })
        .filter(|group| !group.items.is_empty())
        .collect();
    let version = profile.engine_version.as_ref().map(|version| format!(" {}", version.text)).unwrap_or_default();
    Reading {
        title: profile.title(),
        engine: format!("{}{version}", profile.engine),
        groups,
        layers: layers(profile, words),
        trade_off: trade::sentence(profile, words),
        questions: review::questions(profile, known, words),
        others: others(profile),
        words,
    }
}

fn read(profile: &Profile, item: &ItemDef, lang: Lang, words: &'static Words) -> Option<ReadItem> {
    let texts = if lang == Lang::Ja { &item.ja } else { &item.en };
    let said = said(profile, &item.key);
    let table = flag_table(&profile.engine);
    let name = table.and_then(|table| table.name_of(&item.key).or_else(|| table.name_of_negated(&item.key)));
    if said.is_none() && (name.is_none() && item.key != "purpose") {
        return None;
    }
    let default = table.zip(name).map_or("", |(table, name)| table.default_of(name));
    let left = if default.is_empty() {
        word(words, "unset").to_owned()
    } else {
        word(words, "unset_default").replace("{}", default)
    };
    let (value, span) = said.clone().unzip();
    Some(ReadItem {
        key: item.key.clone(),
        name: texts.name.clone(),
        value: value.unwrap_or(left),
        set: said.is_some(),
        line: span.map(|span| profile.source().position(span.start).0),
        decides: texts.decides.clone(),
        costs: texts.costs.clone(),
        trap: texts.trap.clone(),
    })
}

/// What the profile says of a key, and where.
fn said(profile: &Profile, key: &str) -> Option<(String, std::ops::Range<usize>)> {
    match key {
        "purpose" => profile.purpose.as_ref().map(|purpose| (purpose.text.clone(), purpose.span.clone())),
        "model" => profile.model().map(|model| (model.text, model.span)),
        _ => {
            let setting = profile.any(key)?;
            let value = if setting.path.is_some() { profile.json(key)?.to_string() } else { setting.value.clone() };
            Some((value, setting.span.clone()))
        }
    }
}

fn layers(profile: &Profile, words: &'static Words) -> Vec<Layer> {
    let text = |key| word(words, key).to_owned();
    let weights = profile
        .value("quantization")
        .or_else(|| profile.model().and_then(|model| weights_of(&model.text)))
        .map_or_else(|| text("unquantised"), str::to_owned);
    let auto =
        |key: &str| profile.value(key).filter(|value| *value != "auto").map_or_else(|| text("auto"), str::to_owned);
    vec![
        Layer { name: text("weights"), value: weights, note: text("weights_note") },
        Layer { name: text("compute"), value: auto("dtype"), note: text("compute_note") },
        Layer { name: text("kv"), value: auto("kv-cache-dtype"), note: text("kv_note") },
    ]
}

fn others(profile: &Profile) -> Vec<String> {
    let read: Vec<&str> =
        items().iter().map(|item| item.key.as_str()).chain(["dtype", "kv-cache-dtype", "quantization"]).collect();
    profile
        .meaning()
        .into_iter()
        .filter(|(key, _)| !read.contains(&key.as_str()))
        .map(|(key, value)| if is_secret_key(&key) { format!("{key} = (set)") } else { format!("{key} = {value}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_every_word() {
        let file: WordsFile = toml::from_str(include_str!("words.toml")).unwrap();
        assert!(!file.en.is_empty());
        assert_eq!(file.en.keys().collect::<Vec<_>>(), file.ja.keys().collect::<Vec<_>>());
        let items: Items = toml::from_str(include_str!("items.toml")).unwrap();
        assert!(items.item.iter().all(|item| GROUPS.contains(&item.group.as_str())));
        assert!(items.item.len() > 10);
        let table = flag_table("vllm").unwrap();
        assert!(items.item.iter().all(|item| item.key == "purpose" || table.name_of(&item.key).is_some()));
    }
}
