//! What a rule may look at: [`AttemptView`], one attempt after scoring. It owns nothing.

use super::Context;
use crate::completion::{Answer, Completion, Exchange, Mode};
use crate::dialects::Reread;
use crate::judge::Scored;
use crate::request::Request;

/// One attempt, read and scored. The slices `exchanges`, `answers` and `rereads` run in parallel.
#[derive(Clone, Copy, Debug)]
pub struct AttemptView<'a> {
    /// The task's id, for the evidence.
    pub task: &'a str,
    /// What was asked.
    pub request: &'a Request,
    /// The wire.
    pub exchanges: &'a [Exchange],
    /// Each exchange as read.
    pub answers: &'a [Answer],
    /// Each completion as the model meant it; `None` where nothing called for another reading.
    pub rereads: &'a [Option<Reread>],
    /// The verdicts; empty in `diagnose` without a task.
    pub scored: &'a [Scored],
    /// What is known of the endpoint.
    pub context: &'a Context,
}

impl<'a> AttemptView<'a> {
    /// The completion that arrived in a mode, with its re-reading.
    #[must_use]
    pub fn completion(&self, mode: Mode) -> Option<(&'a Completion, Option<&'a Reread>)> {
        let at = self.exchanges.iter().position(|exchange| exchange.mode == mode)?;
        let completion = self.answers.get(at)?.completion()?;
        Some((completion, self.rereads.get(at).and_then(Option::as_ref)))
    }
}
