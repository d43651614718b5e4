//! An engine's version, read from whatever people and servers write for one.
//!
//! Only ordered, never printed: messages use the catalogue's own spelling.

/// A version that can be compared: `0.11.2rc1 < 0.11.2 < 0.11.2.post1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    release: [u32; 4],
    /// 0 for the release itself; pre-releases below, post-releases above.
    phase: i32,
}

/// Words that may stand before a version without making it another product's, or a bound.
const LEADING_WORDS: &[&str] = &[
    "v", "b", "version", "ver", "release", "vllm", "sglang", "tensorrt", "llm", "trtllm", "trt", "llama", "cpp",
    "llamacpp", "litellm", "ollama", "atlas", "spark", "engine", "openai",
];

impl Version {
    /// Reads the first dotted number: `0.5.3.post3`, `0.20.1 (maintainer check)`, `v0.11.2rc1`, `vllm 0.23`, `0.13+`.
    ///
    /// `None` where there is none, where a word before it says that it is something else (`before 1.82.3`), or where it is a date.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let start = (0..bytes.len()).find(|&at| starts_dotted_number(bytes, at))?;
        let known = text[..start]
            .split(|c: char| !c.is_ascii_alphabetic())
            .all(|word| word.is_empty() || LEADING_WORDS.contains(&word.to_ascii_lowercase().as_str()));
        if !known {
            return None;
        }
        let (release, rest) = release(&text[start..]);
        (release[0] < 1900).then(|| Self { release, phase: phase(rest) })
    }

    /// What a pre-release leads to: `0.11.2rc1` counts as `0.11.2`.
    #[must_use]
    pub fn released(self) -> Self {
        Self { phase: self.phase.max(0), ..self }
    }
}

fn starts_dotted_number(bytes: &[u8], at: usize) -> bool {
    let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
    if !digit(at) || (at > 0 && (digit(at - 1) || bytes[at - 1] == b'.')) {
        return false;
    }
    let end = (at..bytes.len()).find(|&i| !digit(i)).unwrap_or(bytes.len());
    bytes.get(end) == Some(&b'.') && digit(end + 1)
}

/// The dotted numbers a text begins with, and what follows them.
fn release(text: &str) -> ([u32; 4], &str) {
    let mut numbers = [0; 4];
    let mut rest = text;
    for number in &mut numbers {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        *number = rest[..end].parse().unwrap_or(u32::MAX);
        rest = &rest[end..];
        match rest.strip_prefix('.') {
            Some(after) if after.starts_with(|c: char| c.is_ascii_digit()) => rest = after,
            _ => break,
        }
    }
    (numbers, rest)
}

/// Where a suffix stands beside its release (PEP 440): dev < a < b < rc < release < post.
fn phase(suffix: &str) -> i32 {
    let suffix = suffix.trim_start_matches(['.', '-', '_']);
    let letters = suffix.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(suffix.len());
    let digits = suffix[letters..].trim_start_matches('.');
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number = digits[..end].parse::<i32>().unwrap_or(0).clamp(0, 9_999);
    match &suffix[..letters] {
        "dev" => -40_000 + number,
        "a" | "alpha" => -30_000 + number,
        "b" | "beta" => -20_000 + number,
        "rc" | "pre" => -10_000 + number,
        "post" => 1 + number,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    fn parse(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn reads_what_people_write() {
        for (text, plain) in [
            ("0.20.1 (maintainer check)", "0.20.1"),
            ("v0.11.2", "0.11.2"),
            ("vllm 0.23", "0.23.0"),
            ("0.13+", "0.13.0"),
            ("0.8.x", "0.8"),
            ("0.19.0 (transformers 5.5.0)", "0.19.0"),
            ("0.11.2+cu128", "0.11.2"),
            (">=0.11", "0.11.0"),
            ("vllm-0.33.0-tp2-ab12", "0.33.0"),
        ] {
            assert_eq!(parse(text), parse(plain), "{text}");
        }
    }

    #[test]
    fn leaves_what_is_no_version() {
        for text in [
            "not reported",
            "not reported (2025-07)",
            "2026-08",
            "",
            "4369 (21ae3b9b)",
            "main 2026-06 (6314de8ba)",
            "before 1.82.3",
            "ghcr dspark 0.1.1",
            "2026.01",
            "nightly",
            "...",
            "1.",
            ".5",
        ] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn orders_as_pep_440_does() {
        let ordered = [
            "0.4.6.post5",
            "0.5.3",
            "0.5.3.post3",
            "0.5.12",
            "0.5.12.post1",
            "0.11.2.dev4",
            "0.11.2rc1",
            "0.11.2rc1.dev113",
            "0.11.2rc2",
            "0.11.2",
            "0.11.2.post1",
            "0.11.3",
            "1.3.0rc23",
            "1.3.0",
        ];
        for pair in ordered.windows(2) {
            assert!(parse(pair[0]) <= parse(pair[1]), "{pair:?}");
        }
        assert!(parse("0.9.2") < parse("0.10.0"));
        assert_eq!(parse("0.11.2rc1").released(), parse("0.11.2"));
        assert_eq!(parse("0.11.2.post1").released(), parse("0.11.2.post1"));
    }
}
