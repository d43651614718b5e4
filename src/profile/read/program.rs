//! Which engine a command starts, and where its arguments begin: [`find`].

use crate::profile::words::Word;

/// A launch found in a command's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Launch {
    /// The engine's id, or `xinference`.
    pub(super) engine: &'static str,
    /// The program's first word.
    pub(super) at: usize,
    /// The first argument.
    pub(super) args: usize,
}

/// How a program is recognised.
enum Sign {
    /// A word that ends in this.
    Word(&'static str),
    /// A program and its subcommand.
    Pair(&'static str, &'static str),
}

/// Programs by engine, more telling ones first.
const PROGRAMS: &[(Sign, &str)] = &[
    (Sign::Pair("vllm", "serve"), "vllm"),
    (Sign::Word("vllm.entrypoints.openai.api_server"), "vllm"),
    (Sign::Word("vllm/entrypoints/openai/api_server.py"), "vllm"),
    (Sign::Word("vllm.entrypoints.api_server"), "vllm"),
    (Sign::Word("sglang.launch_server"), "sglang"),
    (Sign::Pair("sglang", "serve"), "sglang"),
    (Sign::Word("trtllm-serve"), "tensorrt_llm"),
    (Sign::Word("llama-server"), "llama_cpp"),
    (Sign::Word("llama-server.exe"), "llama_cpp"),
    (Sign::Pair("spark", "serve"), "atlas"),
    (Sign::Pair("xinference", "launch"), "xinference"),
];

/// The engine that a container image runs, by a part of its name, and whether it is the image's entrypoint.
const IMAGES: &[(&str, &str)] = &[
    ("vllm-openai", "vllm"),
    ("vllm", "vllm"),
    ("sglang", "sglang"),
    ("tensorrt-llm", "tensorrt_llm"),
    ("trtllm", "tensorrt_llm"),
    ("llama.cpp", "llama_cpp"),
    ("llama-cpp", "llama_cpp"),
    ("llama-server", "llama_cpp"),
    ("atlas", "atlas"),
    ("litellm", "litellm"),
];

/// The launch in a command, whatever stands before it.
pub(super) fn find(words: &[Word]) -> Option<Launch> {
    words.iter().enumerate().find_map(|(at, word)| {
        let base = word.text.rsplit(['/', '\\']).next().unwrap_or_default();
        let next = words.get(at + 1).map(|word| word.text.as_str());
        PROGRAMS.iter().find_map(|(sign, engine)| match sign {
            Sign::Word(name)
                if word.text == *name || base == *name || (name.contains('/') && word.text.ends_with(name)) =>
            {
                let sub = *engine == "tensorrt_llm" && next == Some("serve");
                Some(Launch { engine, at, args: at + 1 + usize::from(sub) })
            }
            Sign::Pair(name, sub) if base == *name && next == Some(*sub) => Some(Launch { engine, at, args: at + 2 }),
            _ => None,
        })
    })
}

/// The engine an image is of.
pub(super) fn of_image(image: &str) -> Option<&'static str> {
    let name = image.to_ascii_lowercase();
    IMAGES.iter().find(|(part, _)| name.contains(part)).map(|(_, engine)| *engine)
}

/// The version an image's tag states: `v0.10.2` of `vllm/vllm-openai:v0.10.2-x86_64`; none for `latest`.
pub(super) fn version_of_image(image: &str) -> Option<&str> {
    let tag = image.split('@').next()?.rsplit_once(':')?.1;
    let start = tag.find(|c: char| c.is_ascii_digit())?;
    (tag.len() - start >= 3 && tag[..start].trim_end_matches(['v', '-']).is_empty() && tag.contains('.'))
        .then_some(&tag[start..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::words::commands;

    #[track_caller]
    fn case(text: &str, engine: Option<&str>) {
        let lexed = commands(text, 0);
        assert_eq!(find(&lexed.commands[0]).map(|launch| launch.engine), engine, "{text}");
    }

    #[test]
    fn programs_are_recognised_behind_what_stands_before_them() {
        case("CUDA_VISIBLE_DEVICES=0 nohup vllm serve X", Some("vllm"));
        case("uv run python3 -m vllm.entrypoints.openai.api_server --model X", Some("vllm"));
        case("./build/bin/llama-server -m x.gguf", Some("llama_cpp"));
        case("python -m sglang.launch_server --model-path X", Some("sglang"));
        case("trtllm-serve serve X", Some("tensorrt_llm"));
        case("spark serve X", Some("atlas"));
        case("pip install vllm", None);
    }

    #[test]
    fn tags_state_versions() {
        assert_eq!(version_of_image("vllm/vllm-openai:v0.10.2"), Some("0.10.2"));
        assert_eq!(version_of_image("vllm/vllm-openai:latest"), None);
        assert_eq!(version_of_image("lmsysorg/sglang:v0.5.7-cu129"), Some("0.5.7-cu129"));
        assert_eq!(version_of_image("host:5000/vllm"), None);
    }
}
