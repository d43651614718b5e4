//! Which bytes a text holds: [`ByteSet`]. Most answers hold no markup at all, and this tells so for every literal of every
//! family after one pass over the text.

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

    /// Whether the text can hold a literal: `false` is certain, `true` is not.
    #[must_use]
    pub fn may_hold(&self, literal: &str) -> bool {
        literal.bytes().all(|byte| self.0[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0)
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
            assert!(bytes.may_hold(&text[at..]));
        }
        assert!(!bytes.may_hold("[TOOL_CALLS]"));
        assert!(bytes.may_hold("") && !ByteSet::of("").may_hold("<"));
    }
}
