//! How thoughts begin where no marker says so. Looks at words alone: whether the model thinks at all is asked elsewhere.

/// How thoughts speak of the user and answers do not. Source: Qwen3.5-3.6, `DeepSeek`-R1, gpt-oss, GLM-4.5.
const OF_THE_USER: &[&str] =
    &["The user ", "Okay, the user ", "Okay, so the user ", "Alright, the user ", "Hmm, the user "];

/// What the user does there.
const DOES: &[&str] = &["is ", "wants ", "asks ", "asked ", "says ", "said ", "has asked", "just ", "sent ", "greets "];

/// Beginnings that need no more.
const THOUGHTS_BEGIN: &[&str] = &[
    "Thinking Process",
    "Here's a thinking process",
    "用户问",
    "用户想",
    "用户要",
    "用户让",
    "好的，用户",
    "嗯，用户",
];

/// The text begins as thoughts do.
#[must_use]
pub(super) fn begins_as_thoughts(text: &str) -> bool {
    let text = text.trim_start();
    let rest = OF_THE_USER.iter().find_map(|words| text.strip_prefix(words));
    rest.is_some_and(|rest| DOES.iter().any(|verb| rest.starts_with(verb)))
        || THOUGHTS_BEGIN.iter().any(|words| text.starts_with(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_told_by_how_they_begin() {
        assert!(begins_as_thoughts("The user wants me to say OK."));
        assert!(begins_as_thoughts("\nThinking Process:\n\n1."));
        assert!(!begins_as_thoughts("The user interface is simple"));
        assert!(!begins_as_thoughts("用户数据应当加密"));
    }
}
