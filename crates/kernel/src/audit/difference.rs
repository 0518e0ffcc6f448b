//! Where two values differ, in words.

use serde::Serialize;
use serde_json::Value;

/// The longest piece of a value that is shown.
const MAX_SHOWN: usize = 80;

/// The first place at which the log has something else than what follows.
pub fn difference(recorded: &impl Serialize, follows: &impl Serialize) -> String {
    let value = |json: Result<Value, serde_json::Error>| json.unwrap_or(Value::Null);
    let (recorded, follows) = (value(serde_json::to_value(recorded)), value(serde_json::to_value(follows)));
    let mut path = Vec::new();
    match first(&recorded, &follows, &mut path) {
        Some((recorded, follows)) => {
            // The envelope of an event is not what differs.
            let path: Vec<String> = path.into_iter().filter(|part| part != "data").collect();
            format!("the log says {} is {}, but {} follows", path.join("."), shown(recorded), shown(follows))
        }
        None => "it differs in its form alone".to_owned(),
    }
}

/// `None` for a value stands for a key that is not there.
type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);

fn first<'v>(recorded: &'v Value, follows: &'v Value, path: &mut Vec<String>) -> Option<Pair<'v>> {
    match (recorded, follows) {
        (Value::Object(one), Value::Object(other)) => {
            let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
            for key in keys {
                path.push(key.clone());
                if let Some(found) = either(one.get(key), other.get(key), path) {
                    return Some(found);
                }
                path.pop();
            }
            None
        }
        (Value::Array(one), Value::Array(other)) => {
            for index in 0..one.len().max(other.len()) {
                path.push((index + 1).to_string());
                if let Some(found) = either(one.get(index), other.get(index), path) {
                    return Some(found);
                }
                path.pop();
            }
            None
        }
        (one, other) => (one != other).then_some((Some(one), Some(other))),
    }
}

fn either<'v>(one: Option<&'v Value>, other: Option<&'v Value>, path: &mut Vec<String>) -> Option<Pair<'v>> {
    match (one, other) {
        (Some(one), Some(other)) => first(one, other, path),
        (None, None) => None,
        pair => Some(pair),
    }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".to_owned() };
    let text = value.to_string();
    if text.chars().count() <= MAX_SHOWN {
        return format!("`{text}`");
    }
    let cut: String = text.chars().take(MAX_SHOWN).collect();
    format!("`{cut}…`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named_with_its_place() {
        let rows = [
            (json!({"a": 1}), json!({"a": 2}), "the log says a is `1`, but `2` follows"),
            (
                json!({"a": [1, {"b": "x"}]}),
                json!({"a": [1, {"b": "y"}]}),
                r#"the log says a.2.b is `"x"`, but `"y"` follows"#,
            ),
            (json!({}), json!({"a": 1}), "the log says a is nothing, but `1` follows"),
            (json!([1]), json!([]), "the log says 1 is `1`, but nothing follows"),
            (json!({"data": {"a": 1}}), json!({"data": {"a": null}}), "the log says a is `1`, but `null` follows"),
            (json!(1), json!(1), "it differs in its form alone"),
        ];
        for (recorded, follows, told) in rows {
            assert_eq!(difference(&recorded, &follows), told);
        }
    }
}
