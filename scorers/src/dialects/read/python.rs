//! Python literals and calls: `[get_weather(city='Tokyo', days=3)]`. Read with a bounded depth.

use serde_json::{Map, Number, Value};

use super::super::Call;
use super::cx::{Cx, Miss};

/// Lists and dictionaries nest this deep, not deeper.
const DEEPEST: usize = 64;

/// The literal that a whole text is.
pub(in crate::dialects) fn whole(text: &str) -> Option<Value> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(DEEPEST)?;
    reader.space();
    (reader.at == text.len()).then_some(value)
}

/// A list of calls (`brackets`), or calls one a line, at a position.
pub(super) fn calls(cx: &mut Cx<'_>, at: usize, brackets: bool) -> Result<(Vec<Call>, usize), Miss> {
    let mut reader = Reader { text: cx.text, at };
    reader.space();
    if brackets && !reader.eat("[") {
        return Err(Miss::Not);
    }
    let mut out = Vec::new();
    loop {
        reader.space();
        if brackets && reader.eat("]") {
            break;
        }
        let start = reader.at;
        match call(cx, &mut reader) {
            Some(call) => out.push(call),
            None if !brackets && !out.is_empty() && reader.at == start => break,
            None if out.is_empty() && !opens_call(cx, start) => return Err(Miss::Not),
            None => return Err(cx.broken(at, reader.at, "the call is unfinished or not a Python literal")),
        }
        reader.space();
        if !reader.eat(",") && brackets && !reader.rest().starts_with(']') {
            return Err(cx.broken(at, reader.at, "the list of calls is not closed"));
        }
    }
    if out.is_empty() { Err(Miss::Not) } else { Ok((out, reader.at)) }
}

fn opens_call(cx: &Cx<'_>, at: usize) -> bool {
    cx.name(at).is_some_and(|(_, end)| cx.rest(end).starts_with('('))
}

fn call(cx: &Cx<'_>, reader: &mut Reader<'_>) -> Option<Call> {
    let (name, end) = cx.name(reader.at)?;
    if !cx.rest(end).starts_with('(') {
        return None;
    }
    reader.at = end + 1;
    let mut arguments = Map::new();
    loop {
        reader.space();
        if reader.eat(")") {
            return Some(Call { name: name.to_owned(), arguments, id: None });
        }
        let (key, end) = cx.name(reader.at)?;
        reader.at = end;
        reader.space();
        if !reader.eat("=") {
            return None;
        }
        let value = reader.value(DEEPEST)?;
        arguments.insert(key.to_owned(), value);
        reader.space();
        if !reader.eat(",") && !reader.rest().starts_with(')') {
            return None;
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, literal: &str) -> bool {
        let eaten = self.rest().starts_with(literal);
        if eaten {
            self.at += literal.len();
        }
        eaten
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth == 0 {
            return None;
        }
        self.space();
        match self.rest().as_bytes().first()? {
            b'"' | b'\'' => self.string().map(Value::String),
            b'[' => self.list("[", "]", depth),
            b'(' => self.list("(", ")", depth),
            b'{' => self.dict(depth),
            _ => self.word(),
        }
    }

    fn list(&mut self, open: &str, close: &str, depth: usize) -> Option<Value> {
        self.eat(open);
        let mut items = Vec::new();
        loop {
            self.space();
            if self.eat(close) {
                return Some(Value::Array(items));
            }
            items.push(self.value(depth - 1)?);
            self.space();
            if !self.eat(",") && !self.rest().starts_with(close) {
                return None;
            }
        }
    }

    fn dict(&mut self, depth: usize) -> Option<Value> {
        self.eat("{");
        let mut map = Map::new();
        loop {
            self.space();
            if self.eat("}") {
                return Some(Value::Object(map));
            }
            let key = match self.value(depth - 1)? {
                Value::String(key) => key,
                other => other.to_string(),
            };
            self.space();
            if !self.eat(":") {
                return None;
            }
            let value = self.value(depth - 1)?;
            map.insert(key, value);
            self.space();
            if !self.eat(",") && !self.rest().starts_with('}') {
                return None;
            }
        }
    }

    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let len = rest
            .bytes()
            .take(64)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_'))
            .count();
        let word = &rest[..len];
        self.at += len;
        match word {
            "True" | "true" => Some(Value::Bool(true)),
            "False" | "false" => Some(Value::Bool(false)),
            "None" | "null" => Some(Value::Null),
            _ => serde_json::from_str::<Number>(word)
                .ok()
                .or_else(|| word.parse::<f64>().ok().filter(|_| len > 0).and_then(Number::from_f64))
                .map(Value::Number),
        }
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.rest().chars().next()?;
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let long = self.rest().starts_with(&triple);
        let end = if long { triple.as_str() } else { &triple[..1] };
        self.at += end.len();
        let mut out = String::new();
        loop {
            if self.rest().starts_with(end) {
                self.at += end.len();
                return Some(out);
            }
            let c = self.rest().chars().next()?;
            self.at += c.len_utf8();
            if c == '\\' { self.escape(&mut out)? } else { out.push(c) }
        }
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '0' => out.push('\0'),
            '\n' => {}
            '\\' | '\'' | '"' => out.push(c),
            'x' => out.push(self.code(2)?),
            'u' => out.push(self.code(4)?),
            'U' => out.push(self.code(8)?),
            other => {
                out.push('\\');
                out.push(other);
            }
        }
        Some(())
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let code = u32::from_str_radix(self.rest().get(..digits)?, 16).ok()?;
        self.at += digits;
        char::from_u32(code)
    }
}
