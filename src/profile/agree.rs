//! Whether a profile and a command mean the same, item by item: [`agreement`].

use std::collections::BTreeSet;

use serde::Serialize;

use super::flags::flag_table;
use super::model::Profile;
use super::render::is_secret_key;

/// One meaning in both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// The meaning: `max-model-len`.
    pub key: String,
    /// In the profile; `None` where it leaves it to the engine.
    pub profile: Option<String>,
    /// In the other.
    pub other: Option<String>,
    /// Whether both mean the same; a value at the engine's default is as good as absent.
    pub agrees: bool,
}

/// Every meaning either has.
#[must_use]
pub fn agreement(profile: &Profile, other: &Profile) -> Vec<Item> {
    let (one, two) = (meaning(profile), meaning(other));
    let keys: BTreeSet<&String> = one.keys().chain(two.keys()).collect();
    keys.into_iter()
        .map(|key| {
            let (said, given) = (one.get(key), two.get(key));
            let agrees = effective(profile, key, said) == effective(other, key, given);
            let shown = |value: Option<&String>| {
                value.map(|value| if is_secret_key(key) { "(set)".to_owned() } else { value.clone() })
            };
            Item { key: key.clone(), profile: shown(said), other: shown(given), agrees }
        })
        .collect()
}

fn meaning(profile: &Profile) -> std::collections::BTreeMap<String, String> {
    let mut meaning = profile.meaning();
    meaning.insert("engine".to_owned(), profile.engine.clone());
    if let Some(model) = profile.model() {
        meaning.entry("model".to_owned()).or_insert(model.text);
    }
    meaning
}

/// The value that counts: as said, else the engine's default; a switch that nothing sets is off where that is all it
/// can be.
fn effective(profile: &Profile, key: &str, value: Option<&String>) -> String {
    if let Some(value) = value {
        return value.clone();
    }
    let Some(table) = flag_table(&profile.engine) else { return String::new() };
    let name = table.name_of(key).unwrap_or(key);
    table
        .of(name)
        .canonical(table.default_of(name))
        .ok()
        .filter(|_| !table.default_of(name).is_empty())
        .unwrap_or_default()
}
