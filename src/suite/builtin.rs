//! The suites that come with the program. They have no privileges: their text goes the way of any file's.

/// A built-in suite.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name, and the name of its file.
    pub name: &'static str,
    /// The file's text.
    pub text: &'static str,
}

/// Every built-in suite, in the order of `monban suite list`.
pub static BUILTIN: &[Builtin] = &[
    Builtin { name: "smoke", text: include_str!("../../suites/smoke.toml") },
    Builtin { name: "tool-calling", text: include_str!("../../suites/tool-calling.toml") },
    Builtin { name: "coding-agent", text: include_str!("../../suites/coding-agent.toml") },
    Builtin { name: "reasoning", text: include_str!("../../suites/reasoning.toml") },
];
