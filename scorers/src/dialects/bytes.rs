//! Which bytes a text holds: [`ByteSet`]. Most answers hold no markup at all, and this tells so for every literal of every
//! family after one pass over the text.

use std::ops::BitOr;

/// The bytes that occur in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The bytes of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut set = Self::default();
        for byte in text.bytes() {
            set.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        set
    }

    /// Whether all the other's bytes are in this one too. Where a literal's are not in a text's, the text cannot hold it.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(own, other)| other & !own == 0)
    }
}

impl BitOr for ByteSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_holds_is_never_denied() {
        let text = "a <tool_call> 東京\u{ff5c}";
        let bytes = ByteSet::of(text);
        for (at, _) in text.char_indices() {
            assert!(bytes.covers(&ByteSet::of(&text[at..])));
        }
        assert!(!bytes.covers(&ByteSet::of("[TOOL_CALLS]")));
        assert!(bytes.covers(&ByteSet::of("")) && !ByteSet::of("").covers(&ByteSet::of("<")));
        assert!((ByteSet::of("ab") | ByteSet::of("東")).covers(&ByteSet::of("b東")));
    }
}
