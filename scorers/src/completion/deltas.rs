//! Do the deltas of a stream repeat each other? [`Watch`] looks at the first of them.

/// So many deltas are looked at, and so many must agree.
const WATCHED: usize = 64;
const ENOUGH: usize = 4;

/// The first text deltas, shortened.
#[derive(Debug, Default)]
pub(super) struct Watch {
    seen: Vec<String>,
}

impl Watch {
    /// One more delta of the text.
    pub(super) fn take(&mut self, delta: &str) {
        if self.seen.len() < WATCHED && !delta.is_empty() {
            self.seen.push(delta.chars().take(400).collect());
        }
    }

    /// The kind of departure the deltas show together.
    pub(super) fn verdict(&self) -> Option<&'static str> {
        let seen = &self.seen;
        let pairs = seen.len() / 2;
        let in_pairs = pairs * 2 == seen.len() && seen.chunks_exact(2).all(|pair| pair[0] == pair[1]);
        let differing = seen.chunks_exact(2).collect::<Vec<_>>().windows(2).filter(|two| two[0] != two[1]).count();
        if in_pairs && pairs >= 3 && differing >= 2 {
            return Some("deltas_in_pairs");
        }
        // The last delta may be the rest of a cut window: each holds the one before, and more.
        let piles =
            seen.windows(2).filter(|two| two[1].len() > two[0].len() && two[1].starts_with(two[0].as_str())).count();
        (seen.len() >= ENOUGH && piles + 1 == seen.len()).then_some("deltas_cumulative")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(deltas: &[&str], expect: Option<&str>) {
        let mut watch = Watch::default();
        deltas.iter().for_each(|delta| watch.take(delta));
        assert_eq!(watch.verdict(), expect, "{deltas:?}");
    }

    #[test]
    fn tells_repeats_from_repetitive_text() {
        case(&["He", "He", "llo", "llo", "!", "!"], Some("deltas_in_pairs"));
        case(&["He", "Hello", "Hello there", "Hello there!"], Some("deltas_cumulative"));
        case(&["ha", "ha", "ha", "ha", "ha", "ha"], None);
        case(&["ha ", "ha ", "ho ", "ho "], None);
        case(&["a", "ab", "c", "cd", "e"], None);
        case(&["Hello", " there"], None);
    }
}
