//! JSON with places. `serde_json` says whether a text is JSON; this walks what it has accepted once more.

use crate::node::{Key, Node, Value};

/// Where and why a text is not JSON. Line and column count from 1, the column in bytes.
#[derive(Debug)]
pub(crate) struct Malformed {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) message: String,
}

pub(crate) fn parse(text: &str) -> Result<Node, Malformed> {
    // The whole value, not a skipped one: only that way is the depth limited.
    if let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
        let whole = error.to_string();
        let message = whole.split(" at line ").next().unwrap_or_default().to_owned();
        return Err(Malformed { line: error.line(), column: error.column(), message });
    }
    Ok(Walk { text, bytes: text.as_bytes(), at: 0 }.value())
}

/// Walks a text that is known to be JSON, so nothing here can fail.
struct Walk<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

impl Walk<'_> {
    fn value(&mut self) -> Node {
        self.blank();
        let at = self.at;
        let value = match self.peek() {
            b'{' => self.table(),
            b'[' => self.list(),
            b'"' => Value::Text(self.string()),
            b't' | b'f' | b'n' => match self.word() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => Value::Null,
            },
            _ => {
                let number = self.word().to_owned();
                if number.contains(['.', 'e', 'E']) { Value::Float(number) } else { Value::Integer(number) }
            }
        };
        Node { at, end: self.at, value }
    }

    fn table(&mut self) -> Value {
        let mut entries = Vec::new();
        self.at += 1;
        loop {
            self.blank();
            match self.peek() {
                b'"' => {
                    let key = Key { at: self.at, name: self.string() };
                    self.blank();
                    self.at += 1; // the colon
                    entries.push((key, self.value()));
                }
                b',' => self.at += 1,
                _ => {
                    self.at += 1;
                    return Value::Table(entries);
                }
            }
        }
    }

    fn list(&mut self) -> Value {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.blank();
            match self.peek() {
                b',' => self.at += 1,
                b']' | 0 => {
                    self.at += 1;
                    return Value::List(items);
                }
                _ => items.push(self.value()),
            }
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while self.peek() != b'"' {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        serde_json::from_str(self.text.get(start..self.at).unwrap_or_default()).unwrap_or_default()
    }

    fn word(&mut self) -> &str {
        let start = self.at;
        while !matches!(self.peek(), 0 | b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    /// 0 past the end, which no accepted text has inside.
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_agrees_with_the_parser() {
        for (name, text) in [
            ("empty things", r#"{"a": {}, "b": [], "c": ""}"#),
            ("escapes", r#"["\"}", "\\", "\u00e9", "a,b]"]"#),
            ("numbers", "[1, -2, 3.5, 4e2]"),
            ("words", "[true, false, null]"),
            ("blanks", " \n\t{ \"a\" :\r\n[ 1 , 2 ] } \n"),
            ("a bare string", "\"x\""),
        ] {
            let expected: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(parse(text).unwrap().to_json(), expected, "{name}");
        }
    }

    #[test]
    fn depth_is_limited() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(parse(&deep).unwrap_err().message, "recursion limit exceeded");
    }
}
