//! The launch a profile stands for: a command line, a `--config` file or a Compose service. Text only; nothing is started.
//!
//! Secrets are never written: a key in clear text becomes a reference to the environment.

use serde_json::Value;

use super::flags::{FlagTable, flag_table};
use super::model::{Form, Profile};
use super::rules::is_secret;
use super::value::FlagType;

/// The forms a launch is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rendering {
    /// One shell-quoted command line.
    #[default]
    Command,
    /// The engine's configuration file.
    Yaml,
    /// A Compose service.
    Compose,
}

/// Writes the launch.
///
/// # Errors
/// Why there is none: a gateway's or client's configuration, an engine that is not known, no model.
pub fn render(profile: &Profile, form: Rendering) -> Result<String, String> {
    if matches!(profile.form, Form::LiteLlm | Form::Client | Form::Launcher) {
        return Err("this configures a gateway, launcher or client: no engine's command follows from it".to_owned());
    }
    let table = flag_table(&profile.engine)
        .ok_or_else(|| format!("the engine `{}` is not known: set `runtime`", profile.engine))?;
    let model = profile.model().map(|model| model.text).filter(|model| !model.is_empty());
    let launch = Launch { profile, table, model: model.ok_or("no model is named")? };
    match form {
        Rendering::Command => Ok(launch.command()),
        Rendering::Yaml => launch.yaml(),
        Rendering::Compose => Ok(launch.compose()),
    }
}

/// Whether a setting holds a secret.
pub(super) fn is_secret_key(key: &str) -> bool {
    matches!(key, "api-key" | "admin-api-key" | "auth-token" | "hf-token" | "ssl-keyfile-password")
        || key.ends_with("master_key")
}

struct Launch<'a> {
    profile: &'a Profile,
    table: &'static FlagTable,
    model: String,
}

impl Launch<'_> {
    /// The program, with the model where it takes it.
    fn program(&self) -> Vec<String> {
        let words: &[&str] = match self.profile.engine.as_str() {
            "sglang" => &["python3", "-m", "sglang.launch_server", "--model-path"],
            "tensorrt_llm" => &["trtllm-serve"],
            "llama_cpp" if self.model.ends_with(".gguf") || self.model.starts_with(['/', '.']) => {
                &["llama-server", "--model"]
            }
            "llama_cpp" => &["llama-server", "--hf-repo"],
            "atlas" => &["spark", "serve"],
            _ => &["vllm", "serve"],
        };
        words.iter().map(|word| (*word).to_owned()).chain([self.model.clone()]).collect()
    }

    /// Flags as words, in the order of their meaning.
    fn flags(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (key, value) in self.profile.meaning() {
            if key != "model" {
                self.flag(&key, &value, &mut words);
            }
        }
        words
    }

    fn flag(&self, key: &str, value: &str, words: &mut Vec<String>) {
        let negated = self.table.name_of(key).is_none().then(|| self.table.name_of_negated(key)).flatten();
        let name = negated.or_else(|| self.table.name_of(key)).unwrap_or(key);
        // trtllm-serve spells its flags with underscores.
        let spelled = if self.profile.engine == "tensorrt_llm" { name.replace('-', "_") } else { name.to_owned() };
        let kind =
            if self.table.name_of(key).is_some() || negated.is_some() { self.table.of(name) } else { FlagType::OptStr };
        match kind {
            FlagType::Bool => match (value == "true") != negated.is_some() {
                true => words.push(format!("--{spelled}")),
                false if negated.is_none() && matches!(self.profile.engine.as_str(), "vllm" | "llama_cpp") => {
                    words.push(format!("--no-{spelled}"))
                }
                false => {}
            },
            _ if is_secret_key(key) => words.extend([format!("--{spelled}"), reference(key)]),
            kind if kind.takes_many() || kind == FlagType::Str => {
                words.push(format!("--{spelled}"));
                words.extend(many(value));
            }
            _ if value.is_empty() => words.push(format!("--{spelled}")),
            _ => words.extend([format!("--{spelled}"), value.to_owned()]),
        }
    }

    fn command(&self) -> String {
        let env = self.env().into_iter().map(|(name, value)| format!("{name}={}", quote(&value)));
        let words = self.program().into_iter().chain(self.flags()).map(|word| quote(&word));
        env.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// The environment, secrets as references to the caller's.
    fn env(&self) -> Vec<(String, String)> {
        let hidden = |name: &str, value: &str| {
            let upper = name.to_uppercase();
            let named = ["TOKEN", "KEY", "SECRET", "PASSWORD"].iter().any(|part| upper.contains(part));
            if named && is_secret(value) { format!("${{{name}}}") } else { value.to_owned() }
        };
        self.profile.env.iter().map(|(name, value)| (name.text.clone(), hidden(&name.text, &value.text))).collect()
    }

    fn yaml(&self) -> Result<String, String> {
        if !matches!(self.profile.engine.as_str(), "vllm" | "sglang") {
            return Err("only vLLM and SGLang read their flags from a file".to_owned());
        }
        let mut lines = vec![format!("{}: {}", self.table.name_of("model").unwrap_or("model"), scalar(&self.model))];
        for (key, value) in self.profile.meaning().into_iter().filter(|(key, _)| key != "model") {
            let name = self.table.name_of(&key).or_else(|| self.table.name_of_negated(&key)).unwrap_or(&key);
            let value = match self.table.of(name) {
                _ if is_secret_key(&key) => scalar(&reference(&key)),
                FlagType::Bool if self.table.name_of(&key).is_none() => (value != "true").to_string(),
                FlagType::Bool | FlagType::Int | FlagType::Size | FlagType::Float | FlagType::Json | FlagType::Mm => {
                    value
                }
                kind if kind.takes_many() && value.starts_with('[') => value,
                _ => scalar(&value),
            };
            lines.push(format!("{name}: {value}"));
        }
        Ok(lines.join("\n") + "\n")
    }

    fn compose(&self) -> String {
        let port = self.profile.port().unwrap_or(8000);
        let image = self.image();
        let mut words = self.flags();
        if self.profile.get("host").is_none() && self.profile.engine != "vllm" {
            words.extend(["--host".to_owned(), "0.0.0.0".to_owned()]);
        }
        let command: Vec<String> = self
            .container_program(&image)
            .into_iter()
            .chain(words)
            .map(|word| format!("      - {}", scalar(&word.replace('$', "$$"))))
            .collect();
        let name: String = self
            .profile
            .title()
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let mut text = format!(
            "services:\n  {}:\n    image: {image}\n    command:\n{}\n",
            name.trim_matches('-'),
            command.join("\n")
        );
        text.push_str(&format!("    ports:\n      - \"{port}:{port}\"\n    ipc: host\n"));
        let env = self.env();
        if !env.is_empty() {
            let lines: Vec<String> =
                env.iter().map(|(name, value)| format!("      {name}: {}", scalar(value))).collect();
            text.push_str(&format!("    environment:\n{}\n", lines.join("\n")));
        }
        text += "    deploy:\n      resources:\n        reservations:\n          devices:\n            \
                 - driver: nvidia\n              count: all\n              capabilities: [gpu]\n";
        text.push_str(&format!(
            "    healthcheck:\n      test: [\"CMD\", \"curl\", \"-f\", \"http://localhost:{port}/health\"]\n      \
             interval: 30s\n      timeout: 10s\n      retries: 5\n      start_period: 20m\n"
        ));
        text
    }

    /// The image, as given or by the version.
    fn image(&self) -> String {
        if let Some(image) = self.profile.container.as_ref().and_then(|container| container.image.as_ref()) {
            return image.text.clone();
        }
        let version =
            self.profile.engine_version.as_ref().map(|version| version.text.trim_start_matches('v').to_owned());
        let tag = version.map_or_else(|| "latest".to_owned(), |version| format!("v{version}"));
        match self.profile.engine.as_str() {
            "sglang" => format!("lmsysorg/sglang:{tag}"),
            "tensorrt_llm" => format!("nvcr.io/nvidia/tensorrt-llm/release:{}", tag.trim_start_matches('v')),
            "llama_cpp" => "ghcr.io/ggml-org/llama.cpp:server-cuda".to_owned(),
            "atlas" => "avarok/atlas-gb10:latest".to_owned(),
            _ => format!("vllm/vllm-openai:{tag}"),
        }
    }

    /// What the command must begin with, by the image's entrypoint: vLLM's takes the model from 0.12 on, `--model` before.
    fn container_program(&self, image: &str) -> Vec<String> {
        let program = self.program();
        let old = || {
            self.profile
                .version()
                .zip(monban_scorers::catalogue::Version::parse("0.12.0"))
                .is_some_and(|(own, first)| own < first)
        };
        match self.profile.engine.as_str() {
            "vllm" if image.contains("vllm-openai") && old() => vec!["--model".to_owned(), self.model.clone()],
            "vllm" if image.contains("vllm-openai") => vec![self.model.clone()],
            "llama_cpp" => program[1..].to_vec(),
            "atlas" => program[1..].to_vec(),
            _ => program,
        }
    }
}

/// The values of a list, or the one value.
fn many(value: &str) -> Vec<String> {
    match serde_json::from_str(value) {
        Ok(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect()
        }
        _ => vec![value.to_owned()],
    }
}

fn reference(key: &str) -> String {
    format!("${}", key.replace('-', "_").to_uppercase())
}

/// A shell word. References to the environment stay references.
fn quote(word: &str) -> String {
    let reference = word.strip_prefix('$').is_some_and(|rest| {
        let name = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(rest);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    if reference { format!("\"{word}\"") } else { shell_words::quote(word).into_owned() }
}

/// A YAML scalar: plain where that cannot be read as anything else, else JSON's quotes.
fn scalar(text: &str) -> String {
    let plain = text.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
        && !matches!(text.to_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "y" | "n");
    if plain { text.to_owned() } else { Value::from(text).to_string() }
}
