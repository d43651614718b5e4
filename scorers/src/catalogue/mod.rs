//! What engines are called, which parser names exist in which version, which model wants which parser: data.
//!
//! The facts are the TOML files of `scorers/catalogue/`, embedded and parsed once; [`catalogue`] answers questions of them.
