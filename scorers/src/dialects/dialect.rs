//! From a grammar's [`Scan`] to what callers ask of a dialect: [`recognise`], and the methods of the dialect types.

use std::cmp::Reverse;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{ByteSet, Call, Hints, Need, Parsed, ReasoningDialect, Recognition, Scan, Split, Strength, ToolDialect};
use super::{REASONING_DIALECTS, TOOL_DIALECTS};

impl ToolDialect {
    /// Finds the markup in a text. Linear, never panics.
    #[must_use]
    pub fn recognise(&self, text: &str, hints: &Hints<'_>) -> Option<Recognition> {
        self.grammar.scan(text, hints).map(|scan| self.recognition(&scan))
    }

    /// Reads every call in a text. Linear, never panics. `None` when there is none to read.
    #[must_use]
    pub fn parse(&self, text: &str, hints: &Hints<'_>) -> Option<Parsed> {
        self.read(text, hints).map(|(_, parsed)| parsed)
    }

    /// Both, with one scan.
    pub(super) fn read(&self, text: &str, hints: &Hints<'_>) -> Option<(Recognition, Parsed)> {
        self.read_of(text, self.grammar.scan(text, hints)?)
    }

    fn read_of(&self, text: &str, scan: Scan) -> Option<(Recognition, Parsed)> {
        let found = self.recognition(&scan);
        (!scan.calls.is_empty())
            .then(|| (found, Parsed { text: outside(text, &scan.cuts), calls: scan.calls, repairs: scan.repairs }))
    }

    fn recognition(&self, scan: &Scan) -> Recognition {
        Recognition {
            family: self.family,
            span: scan.span.clone(),
            strength: scan.strength,
            stripped: scan.stripped,
            damage: scan.damage.clone(),
        }
    }

    /// What a model of the family writes for these calls.
    #[must_use]
    pub fn render(&self, calls: &[Call]) -> String {
        self.grammar.render(calls)
    }
}

impl ReasoningDialect {
    /// Splits a text into reasoning and answer. `None` when the family's markers are not in it.
    #[must_use]
    pub fn split(&self, text: &str) -> Option<Split> {
        self.grammar.split(text).map(|split| Split { family: self.family, ..split })
    }

    /// What a model of the family writes; `prefilled` when the opening marker stands in the prompt.
    #[must_use]
    pub fn render(&self, reasoning: &str, answer: &str, prefilled: bool) -> String {
        self.grammar.render(reasoning, answer, prefilled)
    }
}

/// Whether a family writes text in quotes and numbers without, as JSON and Python do. Where it does not, a parser has to see
/// to the types itself, and may heed neither the schema, nor a tag's attribute (`DeepSeek`'s `string="false"`: vllm#41122,
/// xinference#5372), nor the marks around text (Gemma 4: vllm#47906). `None` for an unknown family.
#[must_use]
pub fn writes_types(family: &str) -> Option<bool> {
    const TEXT: &str = "7351";
    let dialect = tool_dialect(family)?;
    let arguments = Map::from_iter([("a".to_owned(), Value::from(TEXT))]);
    let written = dialect.render(&[Call { name: "f".to_owned(), arguments, id: None }]);
    let (before, _) = written.rsplit_once(TEXT)?;
    Some(before.ends_with(['"', '\'']))
}

/// The text outside the cuts; where markup stood between two texts, one line break is left.
fn outside(text: &str, cuts: &[std::ops::Range<usize>]) -> String {
    let mut out = String::new();
    let mut at = 0;
    let ends = cuts.iter().map(|cut| (cut.start, cut.end)).chain([(text.len(), text.len())]);
    for (start, end) in ends {
        let piece = text.get(at..start).unwrap_or_default().trim();
        if !piece.is_empty() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(piece);
        }
        at = end;
    }
    out
}

/// The dialect called `family`.
#[must_use]
pub fn tool_dialect(family: &str) -> Option<&'static ToolDialect> {
    TOOL_DIALECTS.iter().find(|dialect| dialect.family == family).copied()
}

/// The reasoning dialect called `family`.
#[must_use]
pub fn reasoning_dialect(family: &str) -> Option<&'static ReasoningDialect> {
    REASONING_DIALECTS.iter().find(|dialect| dialect.family == family).copied()
}

/// The tool markup of a text: the strongest recognition over all dialects, of equals the one that begins first. Of
/// families that write the same bytes the first listed stands for all, unless the model settles it.
#[must_use]
pub fn recognise(text: &str, hints: &Hints<'_>) -> Option<Recognition> {
    strongest(text, hints).map(|(dialect, scan)| dialect.recognition(&scan))
}

/// The tool markup of a text, and every call in it. `None` when there is none to read.
pub(super) fn read_calls(text: &str, hints: &Hints<'_>) -> Option<(Recognition, Parsed)> {
    let (dialect, scan) = strongest(text, hints)?;
    dialect.read_of(text, scan)
}

fn strongest(text: &str, hints: &Hints<'_>) -> Option<(&'static ToolDialect, Scan)> {
    let tools = hints.request.is_some_and(|request| !request.tools.is_empty());
    let mut best: Option<(&'static ToolDialect, Scan, bool)> = None;
    for index in TOOL_GATE.passed(text, tools) {
        let dialect = TOOL_DIALECTS[index];
        let settled = is_model(dialect, hints);
        if !settled && is_alias(index, dialect) {
            continue;
        }
        if let Some(scan) = dialect.grammar.scan(text, hints)
            && best.as_ref().is_none_or(|best| rank(&scan, settled) > rank(&best.1, best.2))
        {
            best = Some((dialect, scan, settled));
        }
    }
    best.map(|(dialect, scan, _)| (dialect, scan))
}

fn rank(scan: &Scan, settled: bool) -> (Strength, bool, Reverse<usize>, bool) {
    (scan.strength, scan.damage.is_none(), Reverse(scan.span.start), settled)
}

/// The model's id names this family.
fn is_model(dialect: &ToolDialect, hints: &Hints<'_>) -> bool {
    let served = hints.request.map(|request| request.model.as_str()).unwrap_or_default();
    let model = hints.model.unwrap_or(served).to_ascii_lowercase();
    dialect.models.iter().any(|word| model.contains(word))
}

/// A family listed earlier writes the same bytes.
fn is_alias(index: usize, dialect: &ToolDialect) -> bool {
    TOOL_DIALECTS.iter().take(index).any(|earlier| dialect.same_as.contains(&earlier.family))
}

/// The reasoning markup of a text: the first dialect that splits it.
#[must_use]
pub fn split_reasoning(text: &str) -> Option<Split> {
    REASONING_GATE.passed(text, false).find_map(|index| REASONING_DIALECTS[index].split(text))
}

static TOOL_GATE: LazyLock<Gate> = LazyLock::new(|| Gate::of(TOOL_DIALECTS.iter().map(|it| it.grammar.needs())));
static REASONING_GATE: LazyLock<Gate> =
    LazyLock::new(|| Gate::of(REASONING_DIALECTS.iter().map(|it| it.grammar.needs())));

/// What each dialect of a list needs, by its place there: most texts are turned away by nearly all of them.
struct Gate(Vec<(Need, usize)>);

impl Gate {
    fn of(needs: impl Iterator<Item = Vec<Need>>) -> Self {
        Self(needs.enumerate().flat_map(|(index, needs)| needs.into_iter().map(move |need| (need, index))).collect())
    }

    /// The places of the dialects that a text may hold, in order.
    fn passed(&self, text: &str, tools: bool) -> impl Iterator<Item = usize> {
        let bytes = ByteSet::of(text);
        let mut last = None;
        self.0.iter().filter_map(move |(need, index)| {
            let opens = (tools || !need.tools) && last != Some(*index) && bytes.covers(&need.bytes);
            opens.then(|| *last.insert(*index))
        })
    }
}
