//! A shell text as commands of words that know their bytes: [`commands`], [`Word`].
//!
//! POSIX quoting, line continuations (also with CRLF, and those of cmd and PowerShell), comments and the operators that
//! end a command. Nothing is run: `$NAME` is replaced only where the text itself assigns it, else it is kept and named.

use std::collections::BTreeMap;
use std::ops::Range;

/// More words than this are not read: no command line has them.
const MOST_WORDS: usize = 20_000;

/// One word after quote removal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) span: Range<usize>,
    /// Variables in it that nothing here defines.
    pub(super) unresolved: Vec<String>,
    /// Where blanks of a variable that is not quoted part it into several.
    cuts: Vec<usize>,
}

impl Word {
    /// A word that stands at some bytes.
    pub(super) fn new(text: impl Into<String>, span: Range<usize>) -> Self {
        Self { text: text.into(), span, ..Self::default() }
    }

    /// The words that a shell makes of it. An assignment stays one.
    fn parted(self) -> Vec<Self> {
        if self.cuts.is_empty() || assignment(&self.text).is_some() {
            return vec![Self { cuts: Vec::new(), ..self }];
        }
        let mut parts = Vec::with_capacity(self.cuts.len() + 1);
        let mut from = 0;
        for at in self.cuts.iter().copied().chain([self.text.len()]) {
            let part = self.text.get(from..at).unwrap_or_default().trim();
            if !part.is_empty() {
                parts.push(Self::new(part, self.span.clone()));
            }
            from = at;
        }
        if let Some(first) = parts.first_mut() {
            first.unresolved = self.unresolved;
        }
        parts
    }
}

/// What a text holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexed {
    /// Each command's words, without those that are empty.
    pub(super) commands: Vec<Vec<Word>>,
    /// `\` with blanks before the line's end: it continues nothing.
    pub(super) broken_continuations: Vec<Range<usize>>,
    /// Comments, without `#`.
    pub(super) comments: Vec<Range<usize>>,
    /// A quote that is never closed.
    pub(super) unclosed: Option<Range<usize>>,
}

/// Splits a text into commands. Spans are offset by `base`.
pub(super) fn commands(text: &str, base: usize) -> Lexed {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), base, ..Lexer::default() };
    lexer.run();
    lexer.out
}

#[derive(Default)]
struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    base: usize,
    at: usize,
    out: Lexed,
    vars: BTreeMap<String, String>,
    /// `NAME=(…)`: what `"${NAME[@]}"` stands for.
    arrays: BTreeMap<String, Vec<Word>>,
    /// How many `if`, `for`, `while` and `case` are open: what is added to an array there may not be.
    nested: usize,
    count: usize,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let mut command = Vec::new();
        while self.at < self.bytes.len() && self.count < MOST_WORDS {
            if self.continuation() || self.redirection() || self.array() {
                continue;
            }
            match self.bytes[self.at] {
                b'\n' | b';' | b'&' | b'|' => {
                    self.at += 1;
                    self.end(&mut command);
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'#' => self.comment(),
                _ => {
                    let word = self.word();
                    self.count += 1;
                    if command.is_empty() {
                        self.nest(&word.text);
                    }
                    self.expand(word, &mut command);
                }
            }
        }
        self.end(&mut command);
    }

    fn nest(&mut self, word: &str) {
        match word {
            "if" | "for" | "while" | "until" | "case" => self.nested += 1,
            "fi" | "done" | "esac" => self.nested = self.nested.saturating_sub(1),
            _ => {}
        }
    }

    /// A word, the words of an array, or nothing: what `"$@"` holds is not in the text.
    fn expand(&mut self, word: Word, command: &mut Vec<Word>) {
        let name =
            word.text.strip_prefix("${").and_then(|rest| rest.strip_suffix("[@]}").or(rest.strip_suffix("[*]}")));
        match name.and_then(|name| self.arrays.get(name)) {
            Some(items) => {
                self.count += items.len();
                command.extend(items.iter().cloned());
            }
            None if matches!(word.text.as_str(), "$@" | "$*") || word.text.starts_with("${@") => {}
            None => command.extend(word.parted()),
        }
    }

    /// Steps over `> FILE`, `2>&1`, `&> FILE`, `< FILE`, `<<END`: they are the shell's, not the command's. `<model>` is what
    /// somebody has yet to fill in.
    fn redirection(&mut self) -> bool {
        let Some(rest) = self.text.get(self.at..) else { return false };
        let told = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let told = if told.len() == rest.len() { rest.strip_prefix('&').unwrap_or(rest) } else { told };
        let operators = [">>", ">|", ">&", ">", "<<<", "<<-", "<<"];
        let after = operators.iter().find_map(|operator| told.strip_prefix(operator));
        let Some(after) =
            after.or_else(|| told.strip_prefix('<').filter(|rest| rest.starts_with([' ', '/', '&', '('])))
        else {
            return false;
        };
        self.at = self.text.len() - after.trim_start_matches([' ', '\t', '&']).len();
        let target = self.word();
        self.count += 1;
        drop(target);
        true
    }

    /// Steps over `NAME=(…)` or `NAME+=(…)` and keeps the words.
    fn array(&mut self) -> bool {
        let Some(rest) = self.text.get(self.at..) else { return false };
        let name_end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, told) = rest.split_at(name_end);
        let added = told.starts_with("+=(");
        if assignment(&format!("{name}=")).is_none() || !(added || told.starts_with("=(")) {
            return false;
        }
        self.at += name_end + if added { 3 } else { 2 };
        let mut items = Vec::new();
        while self.at < self.bytes.len() && self.count < MOST_WORDS && self.bytes[self.at] != b')' {
            if self.continuation() {
                continue;
            }
            match self.bytes[self.at] {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' => self.at += 1,
                b'#' => self.comment(),
                _ => {
                    let word = self.bare(b")");
                    self.count += 1;
                    self.expand(word, &mut items);
                }
            }
        }
        self.at = (self.at + 1).min(self.text.len());
        match (added, self.nested) {
            (true, 0) => self.arrays.entry(name.to_owned()).or_default().extend(items),
            (true, _) => {}
            (false, _) => drop(self.arrays.insert(name.to_owned(), items)),
        }
        true
    }

    fn end(&mut self, command: &mut Vec<Word>) {
        if command.is_empty() {
            return;
        }
        let words = std::mem::take(command);
        let exported = words.first().is_some_and(|word| word.text == "export");
        for word in words.iter().skip(usize::from(exported)) {
            match assignment(&word.text) {
                // What is set in a branch may not be.
                Some((name, _)) if self.nested > 0 && self.vars.contains_key(name) => {}
                Some((name, value)) => drop(self.vars.insert(name.to_owned(), value.to_owned())),
                None => break,
            }
        }
        self.out.commands.push(words);
    }

    fn comment(&mut self) {
        let end = self.text[self.at..].find('\n').map_or(self.text.len(), |n| self.at + n);
        self.out.comments.push(self.base + self.at + 1..self.base + end);
        self.at = end;
    }

    /// Steps over `\` + line end. cmd's `^` and PowerShell's backtick count when they stand alone before the line's end.
    fn continuation(&mut self) -> bool {
        if !matches!(self.bytes[self.at], b'\\' | b'^' | b'`') {
            return false;
        }
        let rest = &self.text[self.at + 1..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        if !rest[blanks..].starts_with('\n') {
            return self.bytes[self.at] == b'\\' && rest.trim().is_empty() && {
                self.at = self.bytes.len();
                true
            };
        }
        if rest[..blanks].contains([' ', '\t']) {
            self.out.broken_continuations.push(self.base + self.at..self.base + self.at + 1 + blanks);
        }
        self.at += 1 + blanks + 1;
        true
    }

    fn word(&mut self) -> Word {
        self.bare(b"")
    }

    /// A word that also ends before one of these bytes.
    fn bare(&mut self, ends: &[u8]) -> Word {
        let start = self.at;
        let mut word = Word::default();
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                byte if ends.contains(&byte) => break,
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' => break,
                b'\'' => self.single(&mut word),
                b'"' => self.double(&mut word),
                b'\\' => {
                    if self.continuation() {
                        break;
                    }
                    self.at += 1;
                    self.take(&mut word);
                }
                b'$' => {
                    let (before, unknown) = (word.text.len(), word.unresolved.len());
                    self.variable(&mut word);
                    let added = word.text.get(before..).unwrap_or_default();
                    let known = word.unresolved.len() == unknown;
                    let blanks = added.char_indices().filter(|(_, c)| known && c.is_ascii_whitespace());
                    word.cuts.extend(blanks.map(|(at, _)| before + at));
                }
                _ => self.take(&mut word),
            }
        }
        word.span =
            self.base + start..self.base + self.at.min(self.text.trim_end().len().max(start + 1)).min(self.text.len());
        if let Some(slice) = self.text.get(start..self.at) {
            word.span.end = self.base + start + slice.trim_end_matches(['\\', '\n', '\r', ' ', '\t']).len().max(1);
        }
        word
    }

    /// One character as it stands.
    fn take(&mut self, word: &mut Word) {
        if let Some(c) = self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            word.text.push(c);
            self.at += c.len_utf8();
        } else {
            self.at += 1;
        }
    }

    fn single(&mut self, word: &mut Word) {
        let open = self.at;
        let end = self.text[open + 1..].find('\'').map(|n| open + 1 + n);
        if end.is_none() {
            self.out.unclosed.get_or_insert(self.base + open..self.base + open + 1);
        }
        let end = end.unwrap_or(self.text.len());
        word.text.push_str(&self.text[open + 1..end]);
        self.at = (end + 1).min(self.text.len());
    }

    fn double(&mut self, word: &mut Word) {
        let open = self.at;
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\\' => match self.bytes.get(self.at + 1) {
                    Some(b'"' | b'\\' | b'$' | b'`') => {
                        self.at += 1;
                        self.take(word);
                    }
                    Some(b'\n') => self.at += 2,
                    _ => self.take(word),
                },
                b'$' => self.variable(word),
                _ => self.take(word),
            }
        }
        self.out.unclosed.get_or_insert(self.base + open..self.base + open + 1);
    }

    /// `$NAME`, `${NAME}`, `${NAME:-default}`; anything else after `$` stays as written.
    fn variable(&mut self, word: &mut Word) {
        let rest = &self.text[self.at + 1..];
        let (inside, length) = if let Some(braced) = rest.strip_prefix('{') {
            let Some(end) = braced.find('}') else { return self.take(word) };
            (&braced[..end], end + 2)
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            (&rest[..end], end)
        };
        let name_end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inside.len());
        let (name, default) = inside.split_at(name_end);
        let positional = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        if name.is_empty() || (name.starts_with(|c: char| c.is_ascii_digit()) && !positional) {
            return self.take(word);
        }
        if let Some(value) = self.vars.get(name) {
            word.text.push_str(value);
        } else if let Some(value) = default.strip_prefix(":-").or_else(|| default.strip_prefix('-')) {
            word.text.push_str(value);
        } else {
            word.unresolved.push(name.to_owned());
            word.text.push_str(&self.text[self.at..self.at + 1 + length]);
        }
        self.at += 1 + length;
    }
}

/// The bytes of a command. Words of an array stand where it is written, before the command that uses it.
pub(super) fn span(command: &[Word]) -> Option<Range<usize>> {
    let start = command.iter().map(|word| word.span.start).min()?;
    Some(start..command.iter().map(|word| word.span.end).max()?)
}

/// `NAME=value` at the front of a command.
pub(super) fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let first = name.chars().next()?;
    ((first.is_ascii_alphabetic() || first == '_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        .then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn case(text: &str, expected: &[&[&str]]) {
        let lexed = commands(text, 0);
        let texts: Vec<Vec<&str>> =
            lexed.commands.iter().map(|words| words.iter().map(|word| word.text.as_str()).collect()).collect();
        assert_eq!(texts, expected, "{text:?}");
    }

    #[test]
    fn splits_as_a_shell_does() {
        case("a  'b c' \"d \\\"e\\\"\" f\\ g", &[&["a", "b c", "d \"e\"", "f g"]]);
        case("a \\\n  b \\\r\n c\nd", &[&["a", "b", "c"], &["d"]]);
        case("a b# # c\n# d\ne", &[&["a", "b#"], &["e"]]);
        case("M=x/y\nrun $M ${N:-4} \"$M\" '$M' $O", &[&["M=x/y"], &["run", "x/y", "4", "x/y", "$M", "$O"]]);
        case("a && b; c &", &[&["a"], &["b"], &["c"]]);
        case("a --j '{\"image\":2}' \\", &[&["a", "--j", "{\"image\":2}"]]);
        case("a ^\r\n b `\n c", &[&["a", "b", "c"]]);
        case("", &[]);
    }

    #[test]
    fn what_is_the_shells_is_none_of_the_commands() {
        case("a > x.log 2>&1 &\nb", &[&["a"], &["b"]]);
        case("nohup a -x 1 >>x 2>/dev/null </dev/null | tee y", &[&["nohup", "a", "-x", "1"], &["tee", "y"]]);
        case("a &> x && b 2> 'y z' -v; c <<EOF", &[&["a"], &["b", "-v"], &["c"]]);
        case("a --model <model> 'x > y' \"2>&1\" b>c", &[&["a", "--model", "<model>", "x > y", "2>&1", "b>c"]]);
        case("a --n 2 > x", &[&["a", "--n", "2"]]);
        case("run \"$@\" $* ${@:2} -v", &[&["run", "-v"]]);
    }

    #[test]
    fn an_array_stands_where_it_is_used() {
        let text = "A=(\n  --m 'x y' # why\n  --n=2)\nA+=( -v )\nrun \"${A[@]}\" ${B[@]} -w";
        case(text, &[&["run", "--m", "x y", "--n=2", "-v", "${B[@]}", "-w"]]);
        case("E=\"-a b\"\nrun $E \"$E\" -c$E X=$E", &[&["E=-a b"], &["run", "-a", "b", "-a b", "-c-a", "b", "X=-a b"]]);
        case(
            "E=a\nif x; then\nE=\"$E b\"; F=1\nfi\nrun $E $F",
            &[&["E=a"], &["if", "x"], &["then"], &["E=a b"], &["F=1"], &["fi"], &["run", "a", "1"]],
        );
        case("run ${M:?must be set}", &[&["run", "${M:?must be set}"]]);
        case("M=${1:-x/y}\nrun $M $2", &[&["M=x/y"], &["run", "x/y", "$2"]]);
        case("A=()\nif x; then A+=(-v); fi\nrun ${A[*]}", &[&["if", "x"], &["then"], &["fi"], &["run"]]);
        let lexed = commands(text, 0);
        assert_eq!(&text[lexed.commands[0][2].span.clone()], "'x y'");
    }

    #[test]
    fn words_know_their_bytes() {
        let text = "vllm serve 'a b' \\\n --x=日本 # c";
        let lexed = commands(text, 0);
        let at: Vec<&str> = lexed.commands[0].iter().map(|word| &text[word.span.clone()]).collect();
        assert_eq!(at, ["vllm", "serve", "'a b'", "--x=日本"]);
        assert_eq!(&text[lexed.comments[0].clone()], " c");
    }

    #[test]
    fn names_what_it_cannot_know() {
        let lexed = commands("a $MODEL 'x", 0);
        assert_eq!(lexed.commands[0][1].unresolved, ["MODEL"]);
        assert!(lexed.unclosed.is_some());
        assert_eq!(commands("a \\  \n b", 0).broken_continuations.len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_spans_hold(text in "\\PC*|[a'\"\\\\ \n\r$\\{\\}#;-]*") {
            let lexed = commands(&text, 0);
            for word in lexed.commands.iter().flatten() {
                proptest::prop_assert!(text.get(word.span.clone()).is_some());
            }
        }
    }
}
