//! [`Done`]: which attempts need not be asked again, one bit each.

/// A set of attempts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done(Vec<Vec<u64>>);

impl Done {
    /// Whether an attempt is in it.
    #[must_use]
    pub fn has(&self, task: usize, attempt: u32) -> bool {
        let (word, bit) = place(attempt);
        self.0.get(task).and_then(|words| words.get(word)).is_some_and(|word| word & bit != 0)
    }

    /// How many attempts are in it.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.iter().flatten().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether none is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts an attempt into it.
    pub fn set(&mut self, task: usize, attempt: u32) {
        let (word, bit) = place(attempt);
        if self.0.len() <= task {
            self.0.resize_with(task + 1, Vec::new);
        }
        let words = &mut self.0[task];
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        words[word] |= bit;
    }
}

fn place(attempt: u32) -> (usize, u64) {
    (attempt as usize / 64, 1 << (attempt % 64))
}
