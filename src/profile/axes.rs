//! What a profile decides, axis by axis: [`Profile::axes`], [`Profile::digest`].
//!
//! A setting at the engine's default is as good as absent. Two profiles are comparable when one axis differs.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::axis::Axis;
use super::container::Route;
use super::flags::flag_table;
use super::model::Profile;
use super::rules::weights_of;

impl Profile {
    /// What is decided, by axis; axes left to the engine are absent. Keys and passwords are never in it.
    #[must_use]
    pub fn axes(&self) -> BTreeMap<Axis, String> {
        let mut parts: BTreeMap<Axis, Vec<(String, String)>> = BTreeMap::new();
        let mut add =
            |axis: Axis, key: &str, value: String| parts.entry(axis).or_default().push((key.to_owned(), value));
        for (key, value) in self.meaning() {
            if self.is_default(&key, &value) {
                continue;
            }
            let value = if matches!(key.as_str(), "api-key" | "auth-token" | "admin-api-key" | "hf-token")
                || key.ends_with("master_key")
            {
                "set".to_owned()
            } else {
                value
            };
            add(Axis::of(&key), &key, value);
        }
        add(Axis::Engine, "", self.engine.clone());
        if let Some(version) = &self.engine_version {
            add(Axis::EngineVersion, "", version.text.clone());
        }
        if self.get("model").is_none()
            && let Some(model) = self.model()
        {
            add(Axis::Model, "model", model.text);
        }
        if let Some(weights) = self.model().and_then(|model| weights_of(&model.text)) {
            add(Axis::Weights, "", weights.to_owned());
        }
        for route in &self.routes {
            add(Axis::Routes, &route.model_name.text, shown(route));
        }
        parts.into_iter().map(|(axis, values)| (axis, joined(values))).collect()
    }

    fn is_default(&self, key: &str, value: &str) -> bool {
        let Some(table) = flag_table(&self.engine) else { return false };
        let Some(name) = table.name_of(key) else { return false };
        let default = table.default_of(name);
        let canonical = table.of(name).canonical(default).unwrap_or_default();
        !default.is_empty() && canonical == value
    }

    /// `sha256:…` of what the profile means, not of its bytes: formatting, order and defaults change nothing.
    #[must_use]
    pub fn digest(&self) -> String {
        let axes: BTreeMap<String, String> =
            self.axes().into_iter().map(|(axis, value)| (axis.name(), value)).collect();
        let text = serde_json::to_string(&axes).unwrap_or_default();
        let bytes = Sha256::digest(text.as_bytes());
        bytes.iter().fold("sha256:".to_owned(), |mut hex, byte| {
            use std::fmt::Write as _;
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

fn shown(route: &Route) -> String {
    let params =
        route.params.iter().filter(|(key, _)| *key != "api_key").map(|(key, value)| format!("{key}={}", value.text));
    params.collect::<Vec<_>>().join(" ")
}

/// One value stands alone, several with their keys.
fn joined(mut values: Vec<(String, String)>) -> String {
    values.sort();
    if let [(_, value)] = values.as_slice() {
        return value.clone();
    }
    let parts = values.into_iter().map(|(key, value)| if key.is_empty() { value } else { format!("{key}={value}") });
    parts.collect::<Vec<_>>().join(" ")
}
