//! One element of a list in a JSON file, such as a hook among others: put in and taken out without touching a byte of the rest.
//!
//! It works as entries do (see [`super::json`]): a list that was empty gets the element right behind its bracket, and a list
//! that we add begins with a line break.

use serde_json::{Value, json};

use super::json::{self, Place, Refused, odd, pretty, root, scanned_table, value_end};

/// The file with the element at the end of the list; as it is if the list has one that `is_ours`.
pub(super) fn put(
    text: Option<&str>,
    place: Place,
    element: &Value,
    is_ours: impl Fn(&Value) -> bool,
) -> Result<String, Refused> {
    let new = || json::put(text, place, &json!([element]));
    let Some(there) = text else { return new() };
    let list = match root(there)?.get(place.table).and_then(|table| table.get(place.name)).cloned() {
        None => return new(),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(Refused::Unreadable(format!("`{}.{}` is not a list", place.table, place.name))),
    };
    if list.iter().any(is_ours) {
        return Ok(there.to_owned());
    }
    let (open, elements, indent) = elements(there, place)?;
    let (at, added) = match elements.last() {
        Some(last) => {
            let line = there[..elements[0].start].rsplit_once('\n').map(|(_, line)| line);
            match line.filter(|line| line.trim().is_empty()) {
                Some(depth) => (last.end, format!(",\n{depth}{}", pretty(element, depth, &indent))),
                None => (last.end, format!(", {element}")),
            }
        }
        None => (open + 1, element.to_string()),
    };
    Ok(format!("{}{added}{}", &there[..at], &there[at..]))
}

/// The file without the element; nothing if nothing else was in it and we had made it.
pub(super) fn take(
    text: &str,
    place: Place,
    element: &Value,
    is_ours: impl Fn(&Value) -> bool,
) -> Result<Option<String>, Refused> {
    let root = root(text)?;
    let Some(Value::Array(list)) = root.get(place.table).and_then(|table| table.get(place.name)) else {
        return Ok(Some(text.to_owned()));
    };
    let Some(at) = list.iter().position(|there| there == element) else {
        return if list.iter().any(is_ours) { Err(Refused::Other) } else { Ok(Some(text.to_owned())) };
    };
    let (open, elements, _) = elements(text, place)?;
    if elements.len() == 1 && text[open + 1..].starts_with('\n') {
        return json::take(text, place, &json!([element]));
    }
    let range = match (at.checked_sub(1).map(|before| &elements[before]), elements.get(at + 1)) {
        (Some(before), _) => before.end..elements[at].end,
        (None, Some(after)) => elements[at].start..after.start,
        (None, None) => elements[at].clone(),
    };
    Ok(Some(format!("{}{}", &text[..range.start], &text[range.end..])))
}

/// Where the list begins, where its elements are, and how far the file is indented.
fn elements(text: &str, place: Place) -> Result<(usize, Vec<std::ops::Range<usize>>, String), Refused> {
    let (open, indent) = scanned_table(text, place)?;
    let bytes = text.as_bytes();
    let mut elements = Vec::new();
    let mut at = open + 1;
    loop {
        match bytes.get(at).ok_or_else(odd)? {
            b']' => return Ok((open, elements, indent)),
            byte if byte.is_ascii_whitespace() || *byte == b',' => at += 1,
            _ => {
                let end = value_end(bytes, at).ok_or_else(odd)?;
                elements.push(at..end);
                at = end;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place { table: "hooks", name: "Stop" };

    fn ours() -> Value {
        json!({ "hooks": [{ "type": "command", "command": "tribunal judge --stop-hook claude" }] })
    }

    fn is_ours(value: &Value) -> bool {
        value.to_string().contains("tribunal judge --stop-hook")
    }

    #[test]
    fn what_was_put_in_is_taken_out_to_the_byte() {
        for text in [
            "{}",
            "{\n}\n",
            "{\"hooks\": {}}",
            "{\"hooks\": {\"Stop\": []}}",
            "{\"hooks\": {\"Stop\": [ ], \"PreToolUse\": [{\"matcher\": \"]\"}]}, \"z\": 1}\n",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [{\"command\": \"x, ]\"}]\n      }\n    ]\n  }\n}\n",
            "{\"hooks\": {\"Stop\": [{\"hooks\": []}, {\"hooks\": [[1, 2], {}]}]}}",
        ] {
            let with = put(Some(text), PLACE, &ours(), is_ours).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            let value: Value = serde_json::from_str(&with).unwrap_or_else(|error| panic!("{error}: {with}"));
            let list = value["hooks"]["Stop"].as_array().unwrap();
            assert_eq!(list.last(), Some(&ours()), "{with}");
            assert_eq!(put(Some(&with), PLACE, &ours(), is_ours), Ok(with.clone()), "a second time changes nothing");
            assert_eq!(take(&with, PLACE, &ours(), is_ours), Ok(Some(text.to_owned())), "{with}");
        }
        let made = put(None, PLACE, &ours(), is_ours).unwrap();
        assert_eq!(take(&made, PLACE, &ours(), is_ours), Ok(None));
    }

    #[test]
    fn others_in_the_list_stay_wherever_they_stand() {
        let text = format!("{{\"hooks\": {{\"Stop\": [{}, {{\"a\": 1}}]}}}}", ours());
        let rest = take(&text, PLACE, &ours(), is_ours).unwrap().unwrap();
        assert_eq!(rest, "{\"hooks\": {\"Stop\": [{\"a\": 1}]}}");
        assert_eq!(take(&rest, PLACE, &ours(), is_ours), Ok(Some(rest.clone())), "nothing of ours is there");
    }

    #[test]
    fn one_of_ours_that_somebody_changed_is_theirs() {
        let text =
            r#"{"hooks": {"Stop": [{"hooks": [{"command": "tribunal judge --stop-hook claude --mutants 3"}]}]}}"#;
        assert_eq!(put(Some(text), PLACE, &ours(), is_ours), Ok(text.to_owned()), "it is there");
        assert_eq!(take(text, PLACE, &ours(), is_ours), Err(Refused::Other));
        for odd in ["{\"hooks\": {\"Stop\": {}}}", "{\"hooks\": 1}", "[]", ""] {
            assert!(matches!(put(Some(odd), PLACE, &ours(), is_ours), Err(Refused::Unreadable(_))), "{odd}");
        }
    }
}
