//! [`Done`]: which attempts need not be asked again, one bit each.

/// A set of attempts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done(Vec<Bits>);

/// The attempts of one task: most have at most 64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bits {
    first: u64,
    more: Vec<u64>,
}

impl Done {
    /// Whether an attempt is in it.
    #[must_use]
    pub fn has(&self, task: usize, attempt: u32) -> bool {
        let (word, bit) = place(attempt);
        let Some(bits) = self.0.get(task) else { return false };
        let word = if word == 0 { Some(&bits.first) } else { bits.more.get(word - 1) };
        word.is_some_and(|word| word & bit != 0)
    }

    /// How many attempts are in it.
    #[must_use]
    pub fn len(&self) -> u64 {
        let ones = |word: &u64| u64::from(word.count_ones());
        self.0.iter().map(|bits| ones(&bits.first) + bits.more.iter().map(ones).sum::<u64>()).sum()
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
            self.0.resize_with(task + 1, Bits::default);
        }
        let bits = &mut self.0[task];
        if word == 0 {
            bits.first |= bit;
            return;
        }
        if bits.more.len() < word {
            bits.more.resize(word, 0);
        }
        bits.more[word - 1] |= bit;
    }
}

fn place(attempt: u32) -> (usize, u64) {
    (attempt as usize / 64, 1 << (attempt % 64))
}
