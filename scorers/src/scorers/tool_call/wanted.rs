//! What calls are wanted: the arguments of `tool_call`, read once.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::args::{ArgReader, escape, kind};
use crate::scorer::{ArgDef, ArgError, Args};
use crate::text::excerpt;

/// How many calls one expectation may want.
const MAX_WANTED: usize = 64;

const NAME: ArgDef = ArgDef { name: "name", schema: r#"{"type":"string"}"#, help: "The function to be called." };
const VALUES: ArgDef = ArgDef {
    name: "arguments",
    schema: r#"{"type":"object"}"#,
    help: "The right arguments. Left out: any that are valid.",
};
const MATCH: ArgDef = ArgDef {
    name: "match",
    schema: r#"{"enum":["exact","subset","schema"]}"#,
    help: "`exact`: those listed and no others; `subset`: at least those; `schema`: any that are valid.",
};
const ACCEPT: ArgDef = ArgDef {
    name: "accept",
    schema: r#"{"type":"object","additionalProperties":{"type":"array","minItems":1}}"#,
    help: "Further right values, by argument.",
};
const OPTIONAL: ArgDef = ArgDef {
    name: "optional",
    schema: r#"{"type":"array","items":{"type":"string"}}"#,
    help: "Arguments that may be left out.",
};

/// The arguments of the scorer.
pub(super) static ARGUMENTS: &[ArgDef] = &[
    NAME,
    VALUES,
    ArgDef {
        name: "calls",
        schema: r#"{"type":"array","minItems":1,"items":{"type":"object","required":["name"]}}"#,
        help: "Several calls, each `{ name, arguments, match, accept, optional }`.",
    },
    ArgDef { name: "none", schema: r#"{"const":true}"#, help: "No call may be made." },
    MATCH,
    ACCEPT,
    OPTIONAL,
    ArgDef {
        name: "order",
        schema: r#"{"enum":["any","strict"]}"#,
        help: "`strict`: the calls must come in the order listed. Default `any`.",
    },
];

/// The arguments of one of `calls`.
static CALL: &[ArgDef] = &[NAME, VALUES, MATCH, ACCEPT, OPTIONAL];

/// What is wanted.
#[derive(Debug)]
pub(super) enum Calls {
    /// No call.
    None,
    /// These and no others.
    Wanted { wanted: Vec<Wanted>, strict: bool },
}

/// How arguments are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    Exact,
    Subset,
    Schema,
}

/// A wanted call.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) matching: Match,
    /// By JSON pointer.
    accept: BTreeMap<String, Vec<Value>>,
    /// JSON pointers.
    optional: Vec<String>,
}

impl Wanted {
    /// Whether what stands there may be left out, or have any value.
    pub(super) fn is_optional(&self, pointer: &str) -> bool {
        self.optional.iter().any(|optional| optional == pointer)
    }

    /// The further right values of what stands there.
    pub(super) fn accepted(&self, pointer: &str) -> Option<&[Value]> {
        self.accept.get(pointer).map(Vec::as_slice)
    }

    /// The arguments (not what is nested in them) that have further right values.
    pub(super) fn top_accepted(&self) -> impl Iterator<Item = (String, &[Value])> {
        self.accept.iter().filter_map(|(pointer, values)| {
            let key = pointer.strip_prefix('/').filter(|key| !key.contains('/'))?;
            Some((key.replace("~1", "/").replace("~0", "~"), values.as_slice()))
        })
    }

    pub(super) fn shown(&self) -> String {
        let arguments = match self.matching {
            Match::Schema => "…".to_owned(),
            _ => excerpt(&Value::Object(self.arguments.clone()).to_string(), 80),
        };
        format!("`{}`({arguments})", excerpt(&self.name, 60))
    }
}

/// What stands beside `calls` and holds for each that does not say otherwise.
#[derive(Clone, Default)]
struct Common {
    matching: Option<Match>,
    accept: BTreeMap<String, Vec<Value>>,
    optional: Vec<String>,
}

/// Reads the arguments.
pub(super) fn read(mut reader: ArgReader) -> Result<Calls, Vec<ArgError>> {
    let forms: Vec<&str> = ["name", "calls", "none"].into_iter().filter(|key| reader.has(key)).collect();
    if let [first, second, ..] = forms[..] {
        reader.fail(second, format!("`{first}` and `{second}` say two things: one of `name`, `calls`, `none`"));
    }
    if reader.has("none") {
        for key in ["arguments", "match", "accept", "optional", "order"] {
            if reader.value(key).is_some() {
                reader.fail(key, "says nothing beside `none`");
            }
        }
        if !reader.flag("none", true) {
            reader.fail("none", "`none` can only be true: say which calls are wanted instead");
        }
        return reader.finish(|| Calls::None);
    }
    let strict = reader.word("order", &["any", "strict"]) == "strict";
    let wanted = if reader.has("calls") {
        several(&mut reader)
    } else {
        one(&mut reader, &Common::default()).into_iter().collect()
    };
    reader.finish(|| Calls::Wanted { wanted, strict })
}

fn several(reader: &mut ArgReader) -> Vec<Wanted> {
    if reader.value("arguments").is_some() {
        reader.fail("arguments", "stands beside `calls`: each call has its own");
    }
    let common = common(reader);
    let items = match reader.value("calls") {
        Some(Value::Array(items)) if (1..=MAX_WANTED).contains(&items.len()) => items,
        Some(Value::Array(items)) if items.is_empty() => {
            reader
                .push(ArgError::at("/calls", "the list is empty").help("`none = true` says that no call may be made"));
            return Vec::new();
        }
        Some(Value::Array(_)) => {
            reader.fail("calls", format!("more than {MAX_WANTED} calls"));
            return Vec::new();
        }
        other => {
            let found = other.as_ref().map_or("nothing", kind);
            reader.fail("calls", format!("expected a list of calls, found {found}"));
            return Vec::new();
        }
    };
    let mut wanted = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let place = format!("calls/{index}");
        match item {
            Value::Object(map) => {
                let mut inner = ArgReader::new(&mut Args(map), CALL);
                let call = one(&mut inner, &common);
                wanted.extend(reader.absorb(&place, inner.finish_with(call, |call| call)));
            }
            other => reader.fail(&place, format!("expected a call, found {}", kind(&other))),
        }
    }
    wanted
}

fn common(reader: &mut ArgReader) -> Common {
    let matching = reader.has("match").then(|| reader.word("match", &["exact", "subset", "schema"]));
    let matching = matching.map(|word| match word {
        "subset" => Match::Subset,
        "schema" => Match::Schema,
        _ => Match::Exact,
    });
    Common { matching, accept: accept(reader), optional: optional(reader) }
}

/// One call. `None` when its name is wrong, which is reported.
fn one(reader: &mut ArgReader, outer: &Common) -> Option<Wanted> {
    let name = reader.required_text("name");
    let own = common(reader);
    let listed = reader.has("arguments");
    let arguments = match reader.value("arguments") {
        None => Map::new(),
        Some(Value::Object(map)) => map,
        Some(other) => {
            reader.fail("arguments", format!("expected a table, found {}", kind(&other)));
            Map::new()
        }
    };
    let compared = listed || !own.accept.is_empty() || !own.optional.is_empty();
    let default = if compared { Match::Exact } else { Match::Schema };
    let matching = own.matching.or(outer.matching).unwrap_or(default);
    if matching == Match::Schema && !arguments.is_empty() {
        reader.push(
            ArgError::at("/arguments", "with `match = \"schema\"` the arguments are not compared")
                .help("leave `arguments` out, or take \"exact\" or \"subset\""),
        );
    }
    // What is accepted for all calls concerns those that have the argument.
    let concerns = |pointer: &str| {
        let first = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
        arguments.keys().any(|key| escape(key) == first)
    };
    let mut accept = outer.accept.clone();
    accept.retain(|pointer, _| concerns(pointer));
    accept.extend(own.accept);
    let optional = outer.optional.iter().cloned().chain(own.optional).collect();
    (!name.is_empty()).then_some(Wanted { name, arguments, matching, accept, optional })
}

fn accept(reader: &mut ArgReader) -> BTreeMap<String, Vec<Value>> {
    let map = match reader.value("accept") {
        None => return BTreeMap::new(),
        Some(Value::Object(map)) => map,
        Some(other) => {
            reader.fail("accept", format!("expected a table of lists, found {}", kind(&other)));
            return BTreeMap::new();
        }
    };
    let mut accept = BTreeMap::new();
    for (key, values) in map {
        match values {
            Value::Array(values) if !values.is_empty() => {
                accept.insert(pointer(&key), values);
            }
            other => {
                let found = if other.is_array() { "an empty list" } else { kind(&other) };
                reader.fail(
                    &format!("accept/{}", escape(&key)),
                    format!("expected a list of right values, found {found}"),
                );
            }
        }
    }
    accept
}

fn optional(reader: &mut ArgReader) -> Vec<String> {
    reader.texts("optional").unwrap_or_default().iter().map(|key| pointer(key)).collect()
}

/// A name as a pointer; what begins with `/` is one already.
fn pointer(key: &str) -> String {
    if key.starts_with('/') { key.to_owned() } else { format!("/{}", escape(key)) }
}
