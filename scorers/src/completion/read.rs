//! Exchange → Answer.

use super::{Answer, Exchange, Fault, FaultKind};

/// Reads an exchange. Never fails, never panics: what cannot be read is a [`Fault`].
#[must_use]
pub fn read(exchange: &Exchange) -> Answer {
    Answer::Fault(Fault {
        kind: FaultKind::EmptyBody,
        status: exchange.status,
        message: String::new(),
        error_type: None,
        code: None,
        param: None,
        deviations: Vec::new(),
    })
}
