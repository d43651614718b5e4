//! The grammar that nearly every family is written in: [`Pattern`], a list of [`Form`]s over one text.
//!
//! A form is anchored at the literal it begins with, or, without one, at the beginning of a line; then it needs a declared
//! tool, known arguments, and nothing after it.

use std::ops::Range;

use super::super::{ByteSet, Call, Grammar, Hints, Need, Scan, Strength};
use super::cx::{Cx, Miss};
use super::form::Form;
use super::stand::{Stand, is_word_of_sentence};
use super::{step, write};

/// Damaged markup names its tool within this many characters.
const NEAR: usize = 400;

/// A family's grammar as data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    /// The ways to read it; the first one is written.
    pub(crate) forms: &'static [Form],
    /// Written before all calls, between two, after all.
    pub(crate) around: [&'static str; 3],
    /// Further bytes that belong to the markup where they stand next to a call.
    pub(crate) glue: &'static [&'static str],
    /// One body holds all the calls.
    pub(crate) block: bool,
}

impl Grammar for Pattern {
    fn scan(&self, text: &str, hints: &Hints<'_>) -> Option<Scan> {
        let mut damaged = None;
        for form in self.forms {
            match self.scan_form(form, text, hints) {
                Some(scan) if !scan.calls.is_empty() => return Some(scan),
                Some(scan) => damaged = damaged.or(Some(scan)),
                None => {}
            }
        }
        damaged
    }

    fn needs(&self) -> Vec<Need> {
        let of = |form: &Form| {
            let (anchor, tools) = (ByteSet::of(form.anchor().unwrap_or_default()), form.strength != Strength::Strong);
            let signs = if form.signs.is_empty() { &[""] } else { form.signs };
            signs.iter().map(move |sign| Need { bytes: anchor | ByteSet::of(sign), tools }).collect::<Vec<_>>()
        };
        self.forms.iter().flat_map(of).collect()
    }

    fn render(&self, calls: &[Call]) -> String {
        write::write(self, calls)
    }
}

/// What one form finds.
#[derive(Default)]
struct Found {
    calls: Vec<Call>,
    cuts: Vec<Range<usize>>,
    damage: Option<String>,
}

impl Pattern {
    fn scan_form(&self, form: &Form, text: &str, hints: &Hints<'_>) -> Option<Scan> {
        let tools = hints.request.is_some_and(|request| !request.tools.is_empty());
        let anchor = form.anchor();
        let absent = |literal: &str| !text.contains(literal);
        if (form.strength != Strength::Strong && !tools)
            || anchor.is_some_and(absent)
            || (!form.signs.is_empty() && form.signs.iter().all(|sign| absent(sign)))
        {
            return None;
        }
        let mut cx = Cx::new(text, hints);
        cx.strict = form.strength == Strength::Weak;
        let stand = Stand::of(text);
        let mut found = Found::default();
        match anchor {
            Some(anchor) => self.anchored(form, anchor, &mut cx, &stand, &mut found),
            None => self.at_lines(form, &mut cx, &stand, &mut found),
        }
        self.finish(form, &cx, &stand, found)
    }

    fn anchored(&self, form: &Form, anchor: &'static str, cx: &mut Cx<'_>, stand: &Stand, found: &mut Found) {
        let mut from = 0;
        while let Some(at) = cx.find(anchor, from) {
            if cx.is_exhausted() {
                return;
            }
            let quoted = found.calls.is_empty() && stand.is_quoted(cx.text, at);
            from = if quoted { at + anchor.len() } else { self.attempt(form, cx, at, found) };
            from = from.max(at + 1);
            while !cx.text.is_char_boundary(from) {
                from += 1;
            }
        }
    }

    fn at_lines(&self, form: &Form, cx: &mut Cx<'_>, stand: &Stand, found: &mut Found) {
        let mut at = stand.whole_fence.as_ref().map_or(0, |inner| inner.start);
        loop {
            at = cx.skip_space(at);
            if cx.is_exhausted() || at >= cx.text.len() {
                return;
            }
            // Most lines are prose: they are passed over at their first byte.
            let left = &cx.text.as_bytes()[at..];
            let fits = form.parts.first().is_none_or(|part| part.may_begin(left[0]));
            let next = if !fits || stand.is_quoted(cx.text, at) { at } else { self.attempt(form, cx, at, found) };
            if next > at {
                at = self.past_glue(cx, next);
                continue;
            }
            let Some(line) = memchr::memchr(b'\n', left) else { return };
            at += line + 1;
        }
    }

    /// Tries the form at a position and says where to go on.
    fn attempt(&self, form: &Form, cx: &mut Cx<'_>, at: usize, found: &mut Found) -> usize {
        let notes = cx.notes.len();
        match step::read(cx, form.parts, at) {
            Ok((calls, end)) if self.fits(form, cx, &calls) => {
                found.calls.extend(calls);
                found.cuts.push(at..end);
                end
            }
            Ok((_, end)) if form.strength == Strength::Strong && is_mention(cx.text, at, end) => {
                cx.notes.truncate(notes);
                end
            }
            Ok((calls, end)) if form.strength == Strength::Strong => {
                cx.notes.truncate(notes);
                let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
                found.damage.get_or_insert(format!("names no declared tool: {}", names.join(", ")));
                found.cuts.push(at..end);
                end
            }
            Ok((_, end)) => {
                cx.spend(end - at);
                cx.notes.truncate(notes);
                at
            }
            Err(miss) => {
                let stop = if let Miss::Broken { at, .. } = &miss { *at } else { at };
                cx.spend(stop.max(cx.reached).saturating_sub(at));
                cx.notes.truncate(notes);
                self.missed(form, cx, at, miss, found);
                at
            }
        }
    }

    /// Notes damage where a declared tool is named in it, or where the text ends with the marker.
    fn missed(&self, form: &Form, cx: &mut Cx<'_>, at: usize, miss: Miss, found: &mut Found) {
        let Miss::Broken { at: stop, why, unfinished } = miss else { return };
        if form.anchor().is_none() || found.damage.is_some() {
            return;
        }
        cx.spend(NEAR);
        let anchor = form.anchor().unwrap_or_default();
        if is_word_of_sentence(cx.text, at..at + anchor.len()) {
            return;
        }
        let stop = stop.max(at);
        let near = cx.rest(at);
        let near = near.char_indices().nth(NEAR).map_or(near, |(end, _)| &near[..end]);
        let tools = cx.hints.request.map(|request| request.tools.as_slice()).unwrap_or_default();
        let named = tools.iter().any(|tool| near.contains(&tool.name)) || (tools.is_empty() && near.len() > 24);
        if named || unfinished {
            found.damage = Some(why);
            found.cuts.push(at..stop);
        }
    }

    fn fits(&self, form: &Form, cx: &Cx<'_>, calls: &[Call]) -> bool {
        match cx.hints.request {
            Some(request) if !request.tools.is_empty() => {
                if form.strength == Strength::Weak {
                    calls.iter().all(|call| known(cx, call))
                } else {
                    calls.iter().any(|call| cx.tool(&call.name).is_some())
                }
            }
            _ => form.strength == Strength::Strong,
        }
    }

    fn past_glue(&self, cx: &Cx<'_>, at: usize) -> usize {
        let mut at = cx.skip_space(at);
        while let Some(end) = self.tokens().find_map(|token| cx.literal(at, token)) {
            at = cx.skip_space(end);
        }
        at
    }

    fn tokens(&self) -> impl Iterator<Item = &'static str> {
        self.around.into_iter().chain(self.glue.iter().copied()).map(str::trim).filter(|token| !token.is_empty())
    }

    fn finish(&self, form: &Form, cx: &Cx<'_>, stand: &Stand, mut found: Found) -> Option<Scan> {
        if found.cuts.is_empty() {
            return None;
        }
        self.widen(cx.text, stand, &mut found.cuts);
        let span = found.cuts.first()?.start..found.cuts.last()?.end;
        // What closes the fence around the call is no more text.
        if form.strength == Strength::Weak && !matches!(cx.left(span.end).trim_start(), "" | "```") {
            return None;
        }
        if form.whole && !cx.text.get(..span.start)?.trim().is_empty() {
            return None;
        }
        Some(Scan {
            span,
            strength: form.strength,
            stripped: form.stripped,
            damage: found.damage,
            calls: found.calls,
            cuts: found.cuts,
            repairs: cx.notes.clone(),
        })
    }

    /// Lets each cut take the tokens around it that belong to the markup.
    fn widen(&self, text: &str, stand: &Stand, cuts: &mut [Range<usize>]) {
        let mut floor = 0;
        for cut in cuts.iter_mut() {
            loop {
                let before = text.get(floor..cut.start).unwrap_or_default().trim_end();
                let Some(token) = self.tokens().find(|token| before.ends_with(token)) else { break };
                cut.start = floor + before.len() - token.len();
            }
            loop {
                let after = text.get(cut.end..).unwrap_or_default();
                let trimmed = after.trim_start();
                let Some(token) = self.tokens().find(|token| trimmed.starts_with(token)) else { break };
                cut.end += after.len() - trimmed.len() + token.len();
            }
            floor = cut.end;
        }
        for at in 1..cuts.len() {
            cuts[at].start = cuts[at].start.max(cuts[at - 1].end);
            cuts[at].end = cuts[at].end.max(cuts[at].start);
        }
        if stand.whole_fence.is_some() {
            if let Some(first) = cuts.first_mut() {
                first.start = 0;
            }
            if let Some(last) = cuts.last_mut() {
                last.end = text.len();
            }
        }
    }
}

/// Prose stands before and behind it on its line: a sample within a sentence.
fn is_mention(text: &str, at: usize, end: usize) -> bool {
    let (Some(before), Some(after)) = (text.get(..at), text.get(end..)) else { return false };
    // Up to the nearest letter only: all the markup of a long text may stand on one line.
    before.chars().rev().take_while(|c| *c != '\n').any(char::is_alphabetic)
        && after.chars().take_while(|c| *c != '\n').any(char::is_alphabetic)
}

/// A declared tool, called with at least one key that it declares (or with none).
fn known(cx: &Cx<'_>, call: &Call) -> bool {
    let Some(tool) = cx.tool(&call.name) else { return false };
    match tool.properties() {
        Some(declared) if !declared.is_empty() && !call.arguments.is_empty() => {
            call.arguments.keys().any(|key| declared.contains_key(key))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_has_prose_on_both_sides_of_its_line() {
        let case = |text: &str| {
            let at = text.find('<').unwrap();
            is_mention(text, at, text.rfind('>').unwrap() + 1)
        };
        assert!(case("It writes <a> here."));
        assert!(case("It: 1. <a>, 2. here"));
        assert!(!case("It writes\n<a> here."));
        assert!(!case("It writes <a>\nhere."));
        assert!(!case("<a>"));
    }
}
