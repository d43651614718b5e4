//! A reading as text for people. What came from the file is escaped.

use std::fmt;

use super::{Reading, word};
use crate::diagnostic::escape;

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |key: &str| word(self.words, key);
        writeln!(f, "{} ({})", escape(&self.title), escape(&self.engine))?;
        for group in &self.groups {
            writeln!(f, "\n{}", group.title)?;
            for item in &group.items {
                let line = item.line.map(|line| format!("  [{line}]")).unwrap_or_default();
                writeln!(f, "  {}: {}{line}", item.name, escape(&item.value))?;
                writeln!(f, "      {}: {}", text("decides"), item.decides)?;
                writeln!(f, "      {}: {}", text("costs"), item.costs)?;
                writeln!(f, "      {}: {}", text("trap"), item.trap)?;
            }
        }
        writeln!(f, "\n{}", text("layers"))?;
        for layer in &self.layers {
            writeln!(f, "  {}: {}\n      {}", layer.name, escape(&layer.value), layer.note)?;
        }
        if !self.others.is_empty() {
            writeln!(f, "\n+ {}", escape(&self.others.join(", ")))?;
        }
        writeln!(f, "\n{}\n  {}", text("trade"), escape(&self.trade_off))?;
        writeln!(f, "\n{}", text("questions"))?;
        for (number, question) in self.questions.iter().enumerate() {
            let open = if question.open { format!("[{}] ", text("open")) } else { String::new() };
            writeln!(f, "  {}. {}\n     {open}{}", number + 1, question.question, escape(&question.answer))?;
        }
        Ok(())
    }
}
