//! A command line's arguments → settings, by the engine's table: [`arguments`].
//!
//! Spellings are those of argparse with vLLM's extensions: `--x v`, `--x=v`, `_` for `-`, short forms, `--no-x`, dotted
//! JSON. What is not understood is kept: an unknown flag with the words behind it, a stray word as a [`Fault`].

use std::ops::Range;

use super::said::Said;
use crate::profile::flags::{FlagTable, Found, flag_table};
use crate::profile::model::Profile;
use crate::profile::setting::{Fault, FaultKind, Origin, Placed, Setting};
use crate::profile::value::FlagType;
use crate::profile::words::Word;

/// Reads `words` into the profile. The engine must be set before.
pub(super) fn arguments(profile: &mut Profile, words: &[Word], origin: Origin) {
    for word in words {
        profile.unresolved.extend(word.unresolved.iter().map(|name| Placed::new(name.clone(), word.span.clone())));
    }
    let split = split_items(profile, words, origin);
    let empty = FlagTable::default();
    let mut reader =
        Reader { table: flag_table(&profile.engine).unwrap_or(&empty), words: &split, at: 0, origin, profile };
    reader.run();
}

/// Takes list items such as `--model X` apart, and books them.
fn split_items(profile: &mut Profile, words: &[Word], origin: Origin) -> Vec<Word> {
    let mut out = Vec::with_capacity(words.len());
    for word in words {
        let head = word.text.split_whitespace().next().unwrap_or_default();
        let joined = origin != Origin::Field
            && is_flag(&word.text)
            && head.len() < word.text.trim_end().len()
            && !head.contains('=');
        let Some((name, value)) = word.text.split_once(char::is_whitespace).filter(|_| joined) else {
            out.push(word.clone());
            continue;
        };
        profile.faults.push(Fault { kind: FaultKind::ItemWithSpace, text: word.text.clone(), span: word.span.clone() });
        let value = value.trim().trim_matches(['\'', '"']);
        for text in [name, value].into_iter().filter(|text| !text.is_empty()) {
            out.push(Word::new(text, word.span.clone()));
        }
    }
    out
}

struct Reader<'a> {
    table: &'a FlagTable,
    words: &'a [Word],
    at: usize,
    origin: Origin,
    profile: &'a mut Profile,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(word) = self.words.get(self.at) {
            self.at += 1;
            if is_flag(&word.text) {
                self.flag(word);
            } else if word.text.starts_with(['–', '—', '‒', '−']) {
                self.fault(FaultKind::WrongDash, word);
                let rest = word.text.trim_start_matches(['–', '—', '‒', '−', '-']);
                self.named(word, &format!("--{rest}"));
            } else {
                self.positional(word);
            }
        }
    }

    fn flag(&mut self, word: &Word) {
        let single = !word.text.starts_with("--");
        let name = word.text.split('=').next().unwrap_or_default().trim_start_matches('-');
        if single && self.table.complete && name.len() > 3 && self.table.find(name).is_some() {
            self.fault(FaultKind::WrongDash, word);
        }
        let (table, origin) = (self.table, self.origin);
        if let Some(level) = name.strip_prefix('O').filter(|level| single && !level.is_empty() && level.len() < 3)
            && let Some(Found { name: flag, key, .. }) = table.find("O")
        {
            let (name, value) = (word.text.as_str(), level.to_owned());
            let (span, value_span) = (word.span.clone(), word.span.clone());
            return self.push(Said { flag, key, path: None, name, value, span, value_span, origin });
        }
        self.named(word, &word.text.clone());
    }

    /// A flag by its spelling, with or without `=value`.
    fn named(&mut self, word: &Word, spelling: &str) {
        let (name, inline) =
            spelling.split_once('=').map_or((spelling, None), |(name, value)| (name, Some(value.to_owned())));
        // Two dashes only: some of vLLM's flags begin with a third.
        let plain = name.strip_prefix("--").or_else(|| name.strip_prefix('-')).unwrap_or(name);
        let Some(found) = self.table.find(plain) else { return self.unknown(word, name, plain, inline) };
        let kind = self.table.of(found.name);
        match (&kind, inline) {
            (FlagType::Bool, inline) => self.switch(word, name, &found, inline),
            (_, Some(value)) => {
                if found.name == "config" && self.profile.engine == "vllm" {
                    self.fault(FaultKind::JoinedConfig, word);
                }
                self.typed(word, name, &found, &kind, vec![(value, word.span.clone())]);
            }
            (kind, None) => {
                let values = self.values(kind);
                if values.is_empty() && !matches!(kind, FlagType::OptStr | FlagType::OnOff | FlagType::List) {
                    self.fault(FaultKind::NoValue, word);
                }
                self.typed(word, name, &found, kind, values);
            }
        }
    }

    fn switch(&mut self, word: &Word, name: &str, found: &Found<'_>, inline: Option<String>) {
        let mut value = !found.negated;
        let mut end = word.span.end;
        let next = self.words.get(self.at).filter(|next| {
            inline.is_none() && matches!(next.text.to_ascii_lowercase().as_str(), "true" | "false" | "1" | "0")
        });
        if let Some(said) = inline.or_else(|| next.map(|next| next.text.clone())) {
            if let Some(next) = next {
                (self.at, end) = (self.at + 1, next.span.end);
            }
            let span = word.span.start..end;
            self.profile.faults.push(Fault { kind: FaultKind::SwitchWithValue, text: name.to_owned(), span });
            value = matches!(said.to_ascii_lowercase().as_str(), "true" | "1") != found.negated;
        }
        let (flag, key, origin, value) = (found.name, found.key, self.origin, value.to_string());
        let (span, value_span) = (word.span.start..end, word.span.clone());
        self.push(Said { flag, key, path: None, name, value, span, value_span, origin });
    }

    fn typed(
        &mut self,
        word: &Word,
        name: &str,
        found: &Found<'_>,
        kind: &FlagType,
        values: Vec<(String, Range<usize>)>,
    ) {
        let span = word.span.start..values.last().map_or(word.span.end, |(_, span)| span.end);
        let value_span = values.first().map_or(word.span.clone(), |(_, first)| first.start..span.end);
        let value = if values.len() == 1 {
            values.into_iter().next().map(|(text, _)| text).unwrap_or_default()
        } else if values.is_empty() && matches!(kind, FlagType::OnOff) {
            "on".to_owned()
        } else {
            serde_json::Value::from(values.into_iter().map(|(text, _)| text).collect::<Vec<_>>()).to_string()
        };
        let (flag, key, path, origin) = (found.name, found.key, found.path.clone(), self.origin);
        self.push(Said { flag, key, path, name, value, span, value_span, origin });
    }

    /// The words a flag takes.
    fn values(&mut self, kind: &FlagType) -> Vec<(String, Range<usize>)> {
        let most = if kind.takes_many() { usize::MAX } else { 1 };
        let mut values = Vec::new();
        while values.len() < most
            && let Some(word) = self.words.get(self.at)
            && !is_flag(&word.text)
            && !word.text.starts_with(['–', '—'])
        {
            if matches!(kind, FlagType::OnOff) && !matches!(word.text.as_str(), "on" | "off" | "auto" | "0" | "1") {
                break;
            }
            values.push((word.text.clone(), word.span.clone()));
            self.at += 1;
        }
        values
    }

    fn unknown(&mut self, word: &Word, name: &str, plain: &str, inline: Option<String>) {
        let values = inline.map_or_else(|| self.values(&FlagType::List), |value| vec![(value, word.span.clone())]);
        let span = word.span.start..values.last().map_or(word.span.end, |(_, span)| span.end);
        let value_span = values.first().map_or(word.span.clone(), |(_, first)| first.start..span.end);
        let value = values.into_iter().map(|(text, _)| text).collect::<Vec<_>>().join(" ");
        self.profile.settings.push(Setting {
            key: plain.replace('_', "-"),
            path: None,
            name: name.to_owned(),
            value,
            mistyped: None,
            span,
            value_span,
            known: false,
            origin: self.origin,
        });
    }

    fn push(&mut self, said: Said<'_>) {
        self.profile.settings.push(said.setting(self.table));
    }

    fn positional(&mut self, word: &Word) {
        let takes_model = matches!(self.profile.engine.as_str(), "vllm" | "tensorrt_llm" | "atlas" | "sglang");
        if takes_model
            && self.origin == Origin::Flag
            && !self.profile.settings.iter().any(|setting| setting.name.is_empty())
        {
            self.profile.settings.push(Setting {
                key: "model".to_owned(),
                path: None,
                name: String::new(),
                value: word.text.clone(),
                mistyped: None,
                span: word.span.clone(),
                value_span: word.span.clone(),
                known: true,
                origin: self.origin,
            });
        } else {
            self.fault(FaultKind::Stray, word);
        }
    }

    fn fault(&mut self, kind: FaultKind, word: &Word) {
        self.profile.faults.push(Fault { kind, text: word.text.clone(), span: word.span.clone() });
    }
}

/// Whether a word is a flag and not a negative number or a lone dash.
pub(super) fn is_flag(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| {
        !rest.is_empty() && !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c.is_whitespace() || c == '{')
    })
}
