//! Suites: TOML → [`Suite`], with every error placed; the built-in ones; the lint.

mod model;

pub use model::StreamMode;
