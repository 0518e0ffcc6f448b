//! One entry of an object in a JSON file: put in and taken out without touching a byte of the rest.
//!
//! Putting in adds one run of bytes, and taking out removes the same run. What was an empty object before gets the
//! entry right behind its brace; an object that we add begins with a line break. That is how the two are told apart.

use serde_json::Value;
use std::ops::Range;

/// Where an entry belongs: `"mcpServers"`, `"tribunal"`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) table: &'static str,
    pub(super) name: &'static str,
}

/// Why a file is left alone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is not JSON, or not an object where there must be one.
    Unreadable(String),
    /// There is an entry of this name, and it is not the one that we write.
    Other,
}

/// The file with the entry.
pub(super) fn put(text: Option<&str>, place: Place, entry: &Value) -> Result<String, Refused> {
    let Some(text) = text else { return Ok(fresh(place, entry)) };
    let root = root(text)?;
    match root.get(place.table) {
        Some(Value::Object(table)) => match table.get(place.name) {
            Some(there) if there == entry => return Ok(text.to_owned()),
            Some(_) => return Err(Refused::Other),
            None => {}
        },
        Some(_) => return Err(Refused::Unreadable(format!("`{}` is not an object", place.table))),
        None => {}
    }
    let top = Object::scan(text, 0).ok_or_else(odd)?;
    let indent = top.indent(text);
    let (object, depth, member) = if let Some(table) = top.find(text, place.table) {
        let table = Object::scan(text, table.value.start).ok_or_else(odd)?;
        let depth = if table.members.is_empty() { format!("{indent}{indent}") } else { table.indent(text) };
        let entry = format!("\"{}\": {}", place.name, pretty(entry, &depth, &indent));
        (table, depth, entry)
    } else {
        let depth = format!("{indent}{indent}");
        let entry = pretty(entry, &depth, &indent);
        let table = format!("\"{}\": {{\n{depth}\"{}\": {entry}\n{indent}}}", place.table, place.name);
        (top, indent, table)
    };
    let (at, added) = match object.members.last() {
        Some(last) => (last.value.end, format!(",\n{depth}{member}")),
        None => (object.open + 1, member),
    };
    Ok(format!("{}{added}{}", &text[..at], &text[at..]))
}

/// The file without the entry; nothing if nothing else was in it and we had made it.
pub(super) fn take(text: &str, place: Place, entry: &Value) -> Result<Option<String>, Refused> {
    if text == fresh(place, entry) {
        return Ok(None);
    }
    let root = root(text)?;
    match root.get(place.table).and_then(|table| table.get(place.name)) {
        None => return Ok(Some(text.to_owned())),
        Some(there) if there != entry => return Err(Refused::Other),
        Some(_) => {}
    }
    let top = Object::scan(text, 0).ok_or_else(odd)?;
    let table = top.find(text, place.table).ok_or_else(odd)?;
    let inner = Object::scan(text, table.value.start).ok_or_else(odd)?;
    let is_ours = inner.members.len() == 1 && text[inner.open + 1..].starts_with('\n');
    let range = if is_ours { top.span(text, place.table) } else { inner.span(text, place.name) };
    let range = range.ok_or_else(odd)?;
    Ok(Some(format!("{}{}", &text[..range.start], &text[range.end..])))
}

/// Where the value of an entry that is there begins, and how far the file is indented.
pub(super) fn scanned_table(text: &str, place: Place) -> Result<(usize, String), Refused> {
    let top = Object::scan(text, 0).ok_or_else(odd)?;
    let table = top.find(text, place.table).ok_or_else(odd)?;
    let table = Object::scan(text, table.value.start).ok_or_else(odd)?;
    let entry = table.find(text, place.name).ok_or_else(odd)?;
    Ok((entry.value.start, top.indent(text)))
}

fn fresh(place: Place, entry: &Value) -> String {
    let entry = pretty(entry, "    ", "  ");
    format!("{{\n  \"{}\": {{\n    \"{}\": {entry}\n  }}\n}}\n", place.table, place.name)
}

pub(super) fn root(text: &str) -> Result<Value, Refused> {
    let root: Value = serde_json::from_str(text).map_err(|error| Refused::Unreadable(error.to_string()))?;
    if root.is_object() { Ok(root) } else { Err(Refused::Unreadable("it is not an object".into())) }
}

pub(super) fn odd() -> Refused {
    Refused::Unreadable("its objects are not where they seem to be".into())
}

/// A value over several lines, as it stands at this depth.
pub(super) fn pretty(value: &Value, depth: &str, indent: &str) -> String {
    let text = format!("{value:#}");
    let mut lines = text.lines();
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let bare = line.trim_start_matches(' ');
        let levels = (line.len() - bare.len()) / 2;
        out.push('\n');
        out.push_str(depth);
        out.push_str(&indent.repeat(levels));
        out.push_str(bare);
    }
    out
}

/// An object in a text: where its brace is, and where its members are.
#[derive(Debug)]
struct Object {
    open: usize,
    members: Vec<Member>,
}

#[derive(Debug, Clone)]
struct Member {
    key: Range<usize>,
    value: Range<usize>,
}

impl Object {
    /// The object that begins at or behind `from`, in a text that is known to be JSON.
    fn scan(text: &str, from: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let open = from + bytes[from..].iter().position(|byte| *byte == b'{')?;
        let mut members = Vec::new();
        let mut at = open + 1;
        loop {
            at = blank(bytes, at);
            match bytes.get(at)? {
                b'}' => return Some(Self { open, members }),
                b',' => at += 1,
                _ => {
                    let key = at..value_end(bytes, at)?;
                    at = blank(bytes, key.end);
                    at = blank(bytes, at + 1); // the colon
                    let value = at..value_end(bytes, at)?;
                    at = value.end;
                    members.push(Member { key, value });
                }
            }
        }
    }

    /// The last one of this name: that is the one that counts.
    fn find(&self, text: &str, name: &str) -> Option<&Member> {
        self.members
            .iter()
            .rev()
            .find(|member| serde_json::from_str::<String>(&text[member.key.clone()]).is_ok_and(|key| key == name))
    }

    /// The bytes of a member with the comma that came with it.
    fn span(&self, text: &str, name: &str) -> Option<Range<usize>> {
        let member = self.find(text, name)?;
        let at = self.members.iter().position(|other| other.key == member.key)?;
        Some(match (at.checked_sub(1).map(|before| &self.members[before]), self.members.get(at + 1)) {
            (Some(before), _) => before.value.end..member.value.end,
            (None, Some(after)) => member.key.start..after.key.start,
            (None, None) => member.key.start..member.value.end,
        })
    }

    /// How far the members are indented; two blanks if that cannot be seen.
    fn indent(&self, text: &str) -> String {
        let usual = "  ".to_owned();
        let Some(first) = self.members.first() else { return usual };
        let line = text[..first.key.start].rsplit_once('\n').map(|(_, line)| line);
        line.filter(|line| !line.is_empty() && line.trim().is_empty()).map_or(usual, str::to_owned)
    }
}

fn blank(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The end of the value that begins at `at`.
pub(super) fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => {
                // A number or a word: it ends where something else begins.
                while bytes.get(at).is_some_and(|byte| !b",}] \t\r\n".contains(byte)) {
                    at += 1;
                }
                return Some(at);
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PLACE: Place = Place { table: "mcpServers", name: "tribunal" };

    fn entry() -> Value {
        json!({ "command": "tribunal", "args": ["mcp"] })
    }

    /// Files as people write them.
    const TEXTS: [&str; 11] = [
        "{}",
        "{ }\n",
        "{\n}\n",
        "{\"a\":1}",
        "{\"mcpServers\":{}}",
        "{\"mcpServers\": { }, \"z\": [1, {\"b\": \"}\"}]}\n",
        "{\n  \"mcpServers\": {\n  },\n  \"theme\": \"dark\"\n}\n",
        "{\n\t\"z\": true,\n\t\"a\": \"x\\\"}{\",\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\"}\n\t}\n}",
        "{\"mcpServers\": {\"a\": null, \"b\": -1.5e3}, \"n\": 1 }",
        "{\r\n  \"u\": \"\\u007b ü\",\r\n  \"l\": []\r\n}\r\n",
        "  {\"tribunal\": {\"mcpServers\": 1}}  ",
    ];

    #[test]
    fn what_was_put_in_is_taken_out_to_the_byte() {
        for text in TEXTS {
            let with = put(Some(text), PLACE, &entry()).unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
            let value: Value = serde_json::from_str(&with).unwrap_or_else(|error| panic!("{error}: {with}"));
            assert_eq!(value["mcpServers"]["tribunal"], entry(), "{with}");
            let mut rest = value.clone();
            rest["mcpServers"].as_object_mut().map(|table| table.remove("tribunal"));
            let mut before: Value = serde_json::from_str(text).expect("it is JSON");
            if before.get("mcpServers").is_none() {
                before["mcpServers"] = json!({});
            }
            assert_eq!(rest, before, "the rest means the same: {with}");
            assert_eq!(put(Some(&with), PLACE, &entry()), Ok(with.clone()), "a second time changes nothing");
            assert_eq!(take(&with, PLACE, &entry()), Ok(Some(text.to_owned())));
        }
    }

    #[test]
    fn a_file_of_our_own_comes_and_goes() {
        let made = put(None, PLACE, &entry()).expect("there is nothing in the way");
        insta::assert_snapshot!(made, @r#"
        {
          "mcpServers": {
            "tribunal": {
              "command": "tribunal",
              "args": [
                "mcp"
              ]
            }
          }
        }
        "#);
        assert_eq!(take(&made, PLACE, &entry()), Ok(None));
        // Somebody added to it: what is theirs stays.
        let more = put(Some(&made), Place { name: "other", ..PLACE }, &json!(1)).expect("it is an object");
        let rest = take(&more, PLACE, &entry()).expect("it is ours").expect("something is left");
        assert_eq!(serde_json::from_str::<Value>(&rest).ok(), Some(json!({ "mcpServers": { "other": 1 } })), "{rest}");
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let other = r#"{"mcpServers": {"tribunal": {"command": "/opt/tribunal"}}}"#;
        assert_eq!(put(Some(other), PLACE, &entry()), Err(Refused::Other));
        assert_eq!(take(other, PLACE, &entry()), Err(Refused::Other));
        for text in ["", "[]", "{\"a\": 1,}", "// note\n{}", "{\"mcpServers\": 1}"] {
            assert!(matches!(put(Some(text), PLACE, &entry()), Err(Refused::Unreadable(_))), "{text:?}");
        }
    }
}
