//! Launch profiles: the forms people write, and what is wrong with them.

use monban::diagnostic::Source;
use monban::profile::{Form, Profile, read};
use serde_json::Value;

fn cases() -> Vec<Value> {
    include_str!("../fixtures/profiles.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn profiles(text: &str) -> Vec<Profile> {
    read(&Source::new("profile", text)).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

#[test]
fn every_reported_profile_is_read() {
    for case in cases() {
        let text = case["profile"]["text"].as_str().unwrap();
        let profile = profiles(text).remove(0);
        if std::env::var("DUMP").is_ok() {
            eprintln!(
                "{} {:?} {} {:?} {:?}",
                case["id"],
                profile.form,
                profile.engine,
                profile.meaning(),
                profile.faults
            );
        }
        for setting in &profile.settings {
            let written = &text[setting.span.clone()];
            assert!(
                written.contains(setting.name.as_str()) || setting.name.starts_with("kv_cache"),
                "{}: {written} is not {}",
                case["id"],
                setting.name
            );
        }
    }
    let _ = Form::Typed;
}
