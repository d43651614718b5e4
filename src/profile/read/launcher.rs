//! Xinference, which starts an engine itself → a profile: [`command`], [`mapping`].
//!
//! Its own options are known; what it does not know it hands to the engine, whose flags they then are.

use std::ops::Range;

use super::config::field;
use super::program::Launch;
use crate::diagnostic::Source;
use crate::profile::model::{Form, Profile};
use crate::profile::setting::{Origin, Setting};
use crate::profile::words::Word;
use crate::profile::yaml::Node;

/// The launcher's own options, as settings are keyed.
const OWN: &[&str] = &[
    "model-name",
    "model-engine",
    "model-uid",
    "model-type",
    "model-format",
    "size-in-billions",
    "quantization",
    "replica",
    "n-gpu",
    "gpu-idx",
    "worker-ip",
    "endpoint",
    "enable-thinking",
    "reasoning-content",
    "trust-remote-code",
    "api-key",
    "model-path",
    "lora-modules",
    "peft-model-config",
    "download-hub",
    "n-worker",
    "enable-virtual-env",
];

/// `xinference launch …`.
pub(super) fn command(source: &Source, words: &[Word], launch: &Launch, span: Range<usize>) -> Profile {
    let mut profile = Profile::new(source, Form::Launcher, span);
    "xinference".clone_into(&mut profile.engine);
    super::argv::arguments(&mut profile, &words[launch.args.min(words.len())..], Origin::Flag);
    settle(&mut profile);
    profile
}

/// The body of a launch request.
pub(super) fn mapping(source: &Source, root: &Node) -> Profile {
    let mut profile = Profile::new(source, Form::Launcher, 0..source.text().len());
    "xinference".clone_into(&mut profile.engine);
    for (key, node) in root.entries() {
        profile.settings.push(field("xinference", root, key, node, Origin::Field));
    }
    settle(&mut profile);
    profile
}

/// Marks the launcher's own options as known and says which model they mean.
pub(super) fn settle(profile: &mut Profile) {
    profile.form = Form::Launcher;
    let mut model: Option<Setting> = None;
    for setting in &mut profile.settings {
        setting.known = OWN.contains(&setting.key.as_str());
        if setting.key == "model-name" {
            model = Some(Setting { key: "model".to_owned(), ..setting.clone() });
        }
    }
    profile.settings.extend(model);
}
