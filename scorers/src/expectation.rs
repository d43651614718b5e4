//! One line of a task's `expect`: [`Expectation::parse`] at plan time, [`Expectation::evaluate`] for every answer.
//!
//! What was not scored stays so through `not`, `any` and `all`, as the unknown does in Kleene's three-valued logic
//! (S. C. Kleene, *Introduction to Metamathematics*, 1952, §64). Nothing passes on an answer that is not there.

use serde_json::{Map, Value};

use crate::args::{kind, nearest, unknown_key};
use crate::scorer::{ArgError, Args, Expectation, Registry, Subject, Verdict};
use crate::text::excerpt;

/// How deep combinations may nest.
const MAX_DEPTH: usize = 16;
/// How long a composed reason may get, characters.
const MAX_REASON: usize = 600;

impl Expectation {
    /// Reads one table of `expect`: `{ scorer = "…", … }`, `{ any = [ … ] }` or `{ all = [ … ] }`, each with `not`.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with a JSON pointer into the table.
    ///
    /// ```
    /// use monban_scorers::{Expectation, Registry};
    ///
    /// let table = serde_json::from_str(r#"{"any": [{"scorer": "contains", "text": "Tokyo"}, {"scorer": "cotnains"}]}"#);
    /// let errors = Expectation::parse(&table.unwrap(), &Registry::builtin()).unwrap_err();
    /// assert_eq!(errors[0].pointer, "/any/1/scorer");
    /// ```
    pub fn parse(table: &Map<String, Value>, registry: &Registry) -> Result<Self, Vec<ArgError>> {
        parse_at(table, registry, 0)
    }

    /// What the expectation is called in a report: `contains`, `not contains`, `any(contains, regex)`.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::One { name, .. } => name.clone(),
            Self::Not(inner) => format!("not {}", inner.label()),
            Self::Any(inner) => format!("any({})", labels(inner)),
            Self::All(inner) => format!("all({})", labels(inner)),
        }
    }

    /// Whether it asks for something to be **absent**, so that an answer that is not there would meet it: such an
    /// expectation says something about a healthy, non-empty answer only.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match self {
            Self::One { scorer, .. } => scorer.is_negative(),
            Self::Not(inner) => !inner.is_negative(),
            Self::Any(inner) => inner.iter().any(Self::is_negative),
            Self::All(inner) => inner.iter().all(Self::is_negative),
        }
    }

    /// Judges an answer.
    #[must_use]
    pub fn evaluate(&self, subject: &Subject<'_>) -> Verdict {
        match self {
            Self::One { scorer, .. } => scorer.score(subject),
            Self::Not(inner) => not(inner, subject),
            Self::Any(inner) => any(inner, subject),
            Self::All(inner) => all(inner, subject),
        }
    }
}

fn parse_at(table: &Map<String, Value>, registry: &Registry, depth: usize) -> Result<Expectation, Vec<ArgError>> {
    let mut errors = Vec::new();
    let mut args = table.clone();
    let negated = match args.remove("not") {
        None => false,
        Some(Value::Bool(flag)) => flag,
        Some(other) => {
            errors.push(
                ArgError::at("/not", format!("expected true or false, found {}", kind(&other)))
                    .help("`not = true` beside `scorer` negates it"),
            );
            false
        }
    };
    let parsed = match args.remove("scorer") {
        Some(name) => one(&name, args, registry),
        None => combination(&args, registry, depth),
    };
    match parsed {
        Ok(inner) if errors.is_empty() => Ok(if negated { Expectation::Not(Box::new(inner)) } else { inner }),
        Ok(_) => Err(errors),
        Err(more) => {
            errors.extend(more);
            Err(errors)
        }
    }
}

fn one(name: &Value, args: Map<String, Value>, registry: &Registry) -> Result<Expectation, Vec<ArgError>> {
    let Value::String(name) = name else {
        return Err(vec![ArgError::at("/scorer", format!("expected a scorer's name, found {}", kind(name)))]);
    };
    let Some(def) = registry.get(name) else {
        let error = ArgError::at("/scorer", format!("unknown scorer `{}`", excerpt(name, 60)));
        let help = match nearest(name, registry.iter().map(|def| def.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", registry.iter().map(|def| def.name).collect::<Vec<_>>().join(", ")),
        };
        return Err(vec![error.help(help)]);
    };
    let scorer = (def.parse)(&mut Args(args))?;
    Ok(Expectation::One { name: name.clone(), scorer })
}

fn combination(args: &Map<String, Value>, registry: &Registry, depth: usize) -> Result<Expectation, Vec<ArgError>> {
    let mut errors: Vec<ArgError> = args
        .keys()
        .filter(|key| !matches!(key.as_str(), "any" | "all"))
        .map(|key| unknown_key(key, ["scorer", "not", "any", "all"].into_iter()))
        .collect();
    let (key, items) = match (args.get("any"), args.get("all")) {
        (Some(items), None) => ("any", items),
        (None, Some(items)) => ("all", items),
        (Some(_), Some(_)) => {
            errors.push(ArgError::at("/all", "`any` and `all` stand in one table").help("nest one in the other"));
            return Err(errors);
        }
        (None, None) => {
            errors.push(
                ArgError::at("", "`scorer` is missing").help("`{ scorer = \"contains\", … }` or `{ any = [ … ] }`"),
            );
            return Err(errors);
        }
    };
    match list(key, items, registry, depth) {
        Ok(inner) if errors.is_empty() => {
            Ok(if key == "any" { Expectation::Any(inner) } else { Expectation::All(inner) })
        }
        Ok(_) => Err(errors),
        Err(more) => {
            errors.extend(more);
            Err(errors)
        }
    }
}

fn list(key: &str, items: &Value, registry: &Registry, depth: usize) -> Result<Vec<Expectation>, Vec<ArgError>> {
    let at = format!("/{key}");
    let Value::Array(items) = items else {
        return Err(vec![ArgError::at(at, format!("expected a list of expectations, found {}", kind(items)))]);
    };
    if items.is_empty() {
        return Err(vec![ArgError::at(at, "the list is empty, so nothing would be judged")]);
    }
    if depth >= MAX_DEPTH {
        return Err(vec![ArgError::at(at, format!("combinations nest deeper than {MAX_DEPTH}"))]);
    }
    let mut inner = Vec::with_capacity(items.len());
    let mut errors = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let place = format!("/{key}/{index}");
        match item {
            Value::Object(table) => match parse_at(table, registry, depth + 1) {
                Ok(expectation) => inner.push(expectation),
                Err(more) => errors.extend(more.into_iter().map(|mut error| {
                    error.pointer.insert_str(0, &place);
                    error
                })),
            },
            other => errors.push(ArgError::at(place, format!("expected an expectation, found {}", kind(other)))),
        }
    }
    if errors.is_empty() { Ok(inner) } else { Err(errors) }
}

fn labels(inner: &[Expectation]) -> String {
    inner.iter().map(Expectation::label).collect::<Vec<_>>().join(", ")
}

fn not(inner: &Expectation, subject: &Subject<'_>) -> Verdict {
    if subject.completion.is_empty_answer() {
        return Verdict::Fail("the answer is empty: that something is absent from it shows nothing".to_owned());
    }
    match inner {
        Expectation::One { scorer, .. } => scorer.score_not(subject),
        _ => match inner.evaluate(subject) {
            Verdict::Pass => Verdict::Fail(format!("`{}` holds and must not", inner.label())),
            Verdict::Fail(_) => Verdict::Pass,
            not_scored @ Verdict::NotScored(_) => not_scored,
        },
    }
}

fn any(inner: &[Expectation], subject: &Subject<'_>) -> Verdict {
    let mut reasons = Reasons::default();
    let mut unknown = Reasons::default();
    for expectation in inner {
        match expectation.evaluate(subject) {
            Verdict::Pass => return Verdict::Pass,
            Verdict::Fail(reason) => reasons.add(expectation, &reason),
            Verdict::NotScored(reason) => unknown.add(expectation, &reason),
        }
    }
    if unknown.count > 0 {
        return Verdict::NotScored(unknown.text);
    }
    Verdict::Fail(format!("none of {} holds: {}", inner.len(), reasons.text))
}

fn all(inner: &[Expectation], subject: &Subject<'_>) -> Verdict {
    let mut reasons = Reasons::default();
    let mut unknown = Reasons::default();
    for expectation in inner {
        match expectation.evaluate(subject) {
            Verdict::Pass => {}
            Verdict::Fail(reason) => reasons.add(expectation, &reason),
            Verdict::NotScored(reason) => unknown.add(expectation, &reason),
        }
    }
    match (reasons.count, unknown.count) {
        (0, 0) => Verdict::Pass,
        (0, _) => Verdict::NotScored(unknown.text),
        _ => Verdict::Fail(reasons.text),
    }
}

/// Reasons joined, bounded.
#[derive(Default)]
struct Reasons {
    text: String,
    count: usize,
}

impl Reasons {
    fn add(&mut self, expectation: &Expectation, reason: &str) {
        if self.count > 0 {
            self.text.push_str("; ");
        }
        self.count += 1;
        self.text.push_str(&format!("{}: {reason}", expectation.label()));
        if self.text.len() > MAX_REASON {
            self.text = excerpt(&self.text, MAX_REASON);
        }
    }
}
