//! Counting and adding up: how [`Counts`] and [`Performance`] take in attempts and each other.

use monban_scorers::Outcome;

use super::event::Measure;
use super::summary::{Counts, Performance};

impl Counts {
    /// Counts one attempt.
    pub fn count(&mut self, outcome: Outcome) {
        self.attempts += 1;
        *match outcome {
            Outcome::Passed => &mut self.passed,
            Outcome::Failed => &mut self.failed,
            Outcome::Truncated => &mut self.truncated,
            Outcome::ServerFault => &mut self.server_fault,
            Outcome::Error => &mut self.error,
            Outcome::Skipped => &mut self.skipped,
        } += 1;
    }

    /// Adds the counts of other tasks.
    pub fn add(&mut self, other: &Self) {
        self.tasks += other.tasks;
        self.attempts += other.attempts;
        self.passed += other.passed;
        self.failed += other.failed;
        self.truncated += other.truncated;
        self.server_fault += other.server_fault;
        self.error += other.error;
        self.skipped += other.skipped;
    }
}

impl Performance {
    /// Takes in the figures of one exchange.
    pub(super) fn add(&mut self, measure: &Measure) {
        self.exchanges += 1;
        if !measure.answered {
            self.errors += 1;
            return;
        }
        let timing = &measure.timing;
        self.latency_us.add(timing.latency_us);
        let ttft = timing.ttft_us().filter(|_| measure.streamed);
        for (histogram, at) in [
            (&mut self.ttft_us, ttft),
            (&mut self.ttft_reasoning_us, timing.first_reasoning_us.filter(|_| measure.streamed)),
            (&mut self.ttft_text_us, timing.first_text_us.filter(|_| measure.streamed)),
            (&mut self.ttft_tool_us, timing.first_tool_us.filter(|_| measure.streamed)),
        ] {
            if let Some(at) = at {
                histogram.add(at);
            }
        }
        self.prompt_tokens = self.prompt_tokens.saturating_add(measure.usage.prompt_tokens.unwrap_or(0));
        if let Some(tokens) = measure.usage.completion_tokens {
            self.completion_tokens = self.completion_tokens.saturating_add(tokens);
            let spent = timing.latency_us.saturating_sub(ttft.unwrap_or(0));
            self.generation_us = self.generation_us.saturating_add(spent);
        }
    }

    /// Takes in all of another but its wall time.
    pub(super) fn merge(&mut self, other: &Self) {
        self.latency_us.merge(&other.latency_us);
        self.ttft_us.merge(&other.ttft_us);
        self.ttft_reasoning_us.merge(&other.ttft_reasoning_us);
        self.ttft_text_us.merge(&other.ttft_text_us);
        self.ttft_tool_us.merge(&other.ttft_tool_us);
        self.exchanges += other.exchanges;
        self.errors += other.errors;
        self.retries += other.retries;
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.generation_us = self.generation_us.saturating_add(other.generation_us);
    }
}
