//! YAML as a tree in which every node knows its bytes: [`Node`].
//!
//! Aliases and merge keys are resolved by the reader (a node then stands where it is used). What is read is hostile:
//! size, depth, nodes and alias replay are bounded. Scalars keep the text as written: `0.40` stays `0.40`.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

/// Profiles are small; a larger text is not read as one.
pub(super) const LARGEST: usize = 1 << 20;

/// A value and the bytes it stands at; quotes are part of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Null,
    /// `true`, `yes`, …
    Bool(bool),
    /// A number, as written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// A mapping's key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// Why a text is no YAML.
#[derive(Debug)]
pub(super) struct Broken {
    /// In the reader's words, without the place.
    pub(super) message: String,
    /// The byte at which the reader gave up, where it says.
    pub(super) at: Option<usize>,
}

impl Broken {
    fn of(error: &serde_saphyr::Error, text: &str) -> Self {
        let said = error.to_string();
        let said = said.lines().next().unwrap_or_default();
        let at = error.location().map(|location| {
            let line = usize::try_from(location.line()).unwrap_or(1).saturating_sub(1);
            let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            let column = usize::try_from(location.column()).unwrap_or(1).saturating_sub(1);
            let rest = text.get(before..).unwrap_or_default();
            before + rest.chars().take_while(|c| *c != '\n').take(column).map(char::len_utf8).sum::<usize>()
        });
        // The place is said beside it; what to call in the reader's library is nobody's remedy.
        let message = [" at line ", ", set DuplicateKeyPolicy", "; use from_str"]
            .iter()
            .fold(said, |said, end| said.split_once(end).map_or(said, |(said, _)| said));
        Self { message: message.to_owned(), at }
    }
}

/// Reads one document.
pub(super) fn parse(text: &str) -> Result<Node, Broken> {
    if text.len() > LARGEST {
        return Err(Broken { message: format!("larger than {LARGEST} bytes: no launch profile is"), at: None });
    }
    let mut options = serde_saphyr::options! {
        with_snippet: false,
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::Error,
    };
    if let Some(budget) = &mut options.budget {
        (budget.max_nodes, budget.max_events, budget.max_depth) = (50_000, 100_000, 64);
    }
    options.alias_limits.max_total_replayed_events = 50_000;
    serde_saphyr::from_str_with_options::<Spanned<Raw>>(text, options)
        .map(|raw| place(raw, text))
        .map_err(|error| Broken::of(&error, text))
}

impl Node {
    /// A scalar's text; `true`/`false` for switches, empty for null.
    pub(super) fn scalar(&self) -> Option<String> {
        match &self.kind {
            Kind::Null => Some(String::new()),
            Kind::Bool(value) => Some(value.to_string()),
            Kind::Number(text) | Kind::Text(text) => Some(text.clone()),
            Kind::List(_) | Kind::Map(_) => None,
        }
    }

    /// The entries of a mapping; none for anything else.
    pub(super) fn entries(&self) -> &[(Key, Node)] {
        if let Kind::Map(entries) = &self.kind { entries } else { &[] }
    }

    /// The items of a list; none for anything else.
    pub(super) fn items(&self) -> &[Node] {
        if let Kind::List(items) = &self.kind { items } else { &[] }
    }

    /// The entry of a key.
    pub(super) fn entry(&self, key: &str) -> Option<(&Key, &Node)> {
        self.entries().iter().find(|(name, _)| name.text == key).map(|(name, node)| (name, node))
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, node)| node)
    }

    /// The same as JSON, for values that are passed on as JSON.
    pub(super) fn json(&self) -> serde_json::Value {
        match &self.kind {
            Kind::Null => serde_json::Value::Null,
            Kind::Bool(value) => (*value).into(),
            Kind::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| text.clone().into()),
            Kind::Text(text) => text.clone().into(),
            Kind::List(items) => items.iter().map(Node::json).collect(),
            Kind::Map(entries) => entries.iter().map(|(key, node)| (key.text.clone(), node.json())).collect(),
        }
    }

    /// From the key to the end of the value.
    pub(super) fn span_with(&self, key: &Key) -> Range<usize> {
        key.span.start..self.end().max(key.span.end)
    }

    /// Where the last thing in it ends.
    fn end(&self) -> usize {
        match &self.kind {
            Kind::List(items) => items.last().map_or(self.span.end, Node::end),
            Kind::Map(entries) => entries.last().map_or(self.span.end, |(_, node)| node.end()),
            _ => self.span.end,
        }
    }
}

/// What the reader hands over, before the text as written is looked up.
enum Raw {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

fn bytes(location: serde_saphyr::Location, text: &str) -> Range<usize> {
    let span = location.span();
    let start = span.byte_offset().and_then(|at| usize::try_from(at).ok()).unwrap_or(0).min(text.len());
    let len = span.byte_len().and_then(|len| usize::try_from(len).ok()).unwrap_or(0);
    let end = start.saturating_add(len).min(text.len());
    let trimmed = text.get(start..end).map_or(0, |slice| slice.trim_end().len());
    start..start + trimmed
}

fn place(raw: Spanned<Raw>, text: &str) -> Node {
    let span = bytes(raw.referenced, text);
    let written = |fallback: String| {
        let defined = bytes(raw.defined, text);
        text.get(defined).filter(|slice| !slice.is_empty()).map_or(fallback, str::to_owned)
    };
    let kind = match raw.value {
        Raw::Null => Kind::Null,
        Raw::Bool(value) => Kind::Bool(value),
        Raw::Number(value) => Kind::Number(written(value)),
        Raw::Text(value) => Kind::Text(value),
        Raw::List(items) => Kind::List(items.into_iter().map(|item| place(item, text)).collect()),
        Raw::Map(entries) => Kind::Map(
            entries
                .into_iter()
                .map(|(key, node)| (Key { span: bytes(key.referenced, text), text: key.value }, place(node, text)))
                .collect(),
        ),
    };
    Node { span, kind }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_keep_their_text_and_place() {
        let text = "# 日本\na: 0.40\nb: 'it''s'\nc: [1, \"x\"]\nd: 128k\n";
        let root = parse(text).unwrap();
        let at = |key: &str| &text[root.get(key).unwrap().span.clone()];
        assert_eq!(root.get("a").unwrap().scalar().unwrap(), "0.40");
        assert_eq!(at("a"), "0.40");
        assert_eq!(root.get("b").unwrap().scalar().unwrap(), "it's");
        assert_eq!(at("b"), "'it''s'");
        assert_eq!(&text[root.get("c").unwrap().items()[1].span.clone()], "\"x\"");
        assert_eq!(root.get("d").unwrap().scalar().unwrap(), "128k");
    }

    #[test]
    fn what_is_broken_says_where() {
        #[track_caller]
        fn case(text: &str, at: &str, message: &str) {
            let broken = parse(text).unwrap_err();
            assert_eq!((text.get(broken.at.unwrap()..), broken.message.as_str()), (Some(at), message), "{text}");
        }
        case("a: 1\n  b: 2\n", ": 2\n", "mapping values are not allowed in this context");
        case("é: 1\nk: {é: 1, a: 2, a: 3}\n", "a: 3}\n", "duplicate mapping key: a");
        case("a: b\nc: \"x\n", "\"x\n", "unclosed quote");
        case("a: *x\n", "*x\n", "alias references unknown anchor");
        case("a: 1\n---\nb: 2\n", "b: 2\n", "multiple YAML documents detected");
    }

    #[test]
    fn what_is_hostile_is_refused() {
        use std::fmt::Write as _;
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..9 {
            let _ = writeln!(bomb, "a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 9].join(","));
        }
        assert!(parse(&bomb).is_err());
        assert!(parse(&"[".repeat(10_000)).is_err());
        assert!(parse("a: 1\na: 2\n").is_err());
        assert!(parse(&" ".repeat(LARGEST + 1)).is_err());
    }
}
