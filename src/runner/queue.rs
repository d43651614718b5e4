//! [`Queue`]: which attempt is next. Lazy: a position, not a list.

use crate::record::Done;

/// The attempts to ask: every task once, then every task again.
#[derive(Debug)]
pub(super) struct Queue {
    repeats: Vec<u32>,
    rounds: u32,
    round: u32,
    task: usize,
    done: Done,
}

impl Queue {
    /// All attempts but those that are done.
    pub(super) fn new(repeats: Vec<u32>, done: Done) -> Self {
        let rounds = repeats.iter().copied().max().unwrap_or(0);
        Self { repeats, rounds, round: 0, task: 0, done }
    }

    /// How many attempts there are to ask.
    pub(super) fn len(&self) -> u64 {
        let open = |(task, repeat): (usize, &u32)| (0..*repeat).filter(|n| !self.done.has(task, *n)).count() as u64;
        self.repeats.iter().enumerate().map(open).sum()
    }
}

impl Iterator for Queue {
    type Item = (usize, u32);

    fn next(&mut self) -> Option<Self::Item> {
        while self.round < self.rounds {
            while let Some(repeat) = self.repeats.get(self.task) {
                let at = (self.task, self.round);
                self.task += 1;
                if at.1 < *repeat && !self.done.has(at.0, at.1) {
                    return Some(at);
                }
            }
            self.task = 0;
            self.round += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_once_and_then_again_without_what_is_done() {
        let mut done = Done::default();
        done.set(1, 1);
        let queue = Queue::new(vec![1, 3, 0, 2], done);
        assert_eq!(queue.len(), 5);
        assert_eq!(queue.collect::<Vec<_>>(), [(0, 0), (1, 0), (3, 0), (3, 1), (1, 2)]);
    }
}
