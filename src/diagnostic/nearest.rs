//! The nearest right name for a wrong one.

/// Longer words are not compared: nobody mistypes them, and the comparison is quadratic.
const LONGEST: usize = 64;

/// The known name a word most likely stands for; `None` when none is near.
///
/// Near is an edit distance (with transpositions) of at most a third of the longer word, or one word being the
/// beginning of the other.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST || word.is_empty() {
        return None;
    }
    let plain = fold(word);
    known
        .into_iter()
        .filter(|name| name.len() <= LONGEST)
        .filter_map(|name| {
            let other = fold(name);
            let distance = strsim::damerau_levenshtein(&plain, &other);
            let allowed = plain.chars().count().max(other.chars().count()).div_ceil(3);
            let begins =
                plain.len() >= 3 && (other.starts_with(&plain) || plain.starts_with(&other)) && other.len() >= 3;
            (distance <= allowed || begins).then_some((distance, name))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// `did you mean `x`?`, where a name is near.
#[must_use]
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, known).map(|name| format!("did you mean `{name}`?"))
}

fn fold(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_near_and_only_the_near() {
        let known = ["max_tokens", "temperature", "tool_choice", "tools"];
        assert_eq!(nearest("max-token", known), Some("max_tokens"));
        assert_eq!(nearest("temprature", known), Some("temperature"));
        assert_eq!(nearest("toolchoice", known), Some("tool_choice"));
        assert_eq!(nearest("tool", known), Some("tools"));
        assert_eq!(nearest("zzz", known), None);
        assert_eq!(nearest(&"t".repeat(10_000), known), None);
    }
}
