//! How the scorers' tests speak: an expectation as JSON, an answer as text, the verdict that must come out.

use crate::completion::Arguments;
use crate::{Completion, Expectation, Registry, Request, Subject, ToolCall, Verdict};

pub(super) fn parsed(expectation: &str) -> Expectation {
    Expectation::parse(&serde_json::from_str(expectation).unwrap(), &Registry::builtin()).unwrap()
}

pub(super) fn answered(text: &str) -> Completion {
    Completion { text: Some(text.to_owned()), finish_reason: Some("stop".to_owned()), ..Completion::default() }
}

pub(super) fn judge(expectation: &Expectation, completion: &Completion) -> Verdict {
    expectation.evaluate(&Subject { request: &Request::default(), completion, other: None })
}

#[track_caller]
pub(super) fn passes(expectation: &str, text: &str) {
    assert_eq!(judge(&parsed(expectation), &answered(text)), Verdict::Pass, "{expectation} on {text:?}");
}

#[track_caller]
pub(super) fn fails(expectation: &str, text: &str, reason: &str) {
    match judge(&parsed(expectation), &answered(text)) {
        Verdict::Fail(got) => assert!(got.contains(reason), "{got:?} does not hold {reason:?}"),
        other => panic!("{expectation} on {text:?}: {other:?}"),
    }
}

#[track_caller]
pub(super) fn not_scored(expectation: &str, text: &str, reason: &str) {
    match judge(&parsed(expectation), &answered(text)) {
        Verdict::NotScored(got) => assert!(got.contains(reason), "{got:?} does not hold {reason:?}"),
        other => panic!("{expectation} on {text:?}: {other:?}"),
    }
}

/// The first error stands at `pointer`, and says (or helps with) `message`.
#[track_caller]
pub(super) fn refused(expectation: &str, pointer: &str, message: &str) {
    let errors = Expectation::parse(&serde_json::from_str(expectation).unwrap(), &Registry::builtin()).unwrap_err();
    let error = &errors[0];
    assert_eq!(error.pointer, pointer, "{errors:?}");
    assert!(error.message.contains(message), "{:?} does not hold {message:?}", error.message);
}

/// A call as a conforming server delivers it.
pub(super) fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: Some(format!("call_{name}")),
        kind: Some("function".to_owned()),
        index: None,
        name: name.to_owned(),
        arguments: Arguments::Text(arguments.to_owned()),
    }
}
