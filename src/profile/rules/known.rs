//! What is known beside the file: [`Known`].

use crate::plan::Needs;

/// What is known beside the file. All optional.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Known {
    /// The engine's version, as anybody wrote it: `0.19.0`, `not reported (2026-05)`.
    pub engine_version: Option<String>,
    /// The model, where the file does not tell.
    pub model: Option<String>,
    /// What will be asked of the endpoint.
    pub needs: Option<Needs>,
}

impl Known {
    /// Nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// The engine's version.
    #[must_use]
    pub fn engine_version(mut self, version: Option<impl Into<String>>) -> Self {
        self.engine_version = version.map(Into::into);
        self
    }

    /// The model.
    #[must_use]
    pub fn model(mut self, model: Option<impl Into<String>>) -> Self {
        self.model = model.map(Into::into);
        self
    }

    /// What will be asked.
    #[must_use]
    pub fn needs(mut self, needs: Option<Needs>) -> Self {
        self.needs = needs;
        self
    }
}
