//! JSON that says one thing to everybody who reads it.
//!
//! Of two values under one key most readers take the last one, some the first, and a few refuse. What is signed must not
//! mean one thing here and another thing elsewhere.

use serde::Deserializer;
use serde::de::{DeserializeOwned, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// Reads one value and nothing behind it; a key that is there twice, wherever, is an error.
pub(crate) fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    reader.deserialize_any(OnceEach)?;
    reader.end()?;
    serde_json::from_slice(json)
}

/// Goes through a value and keeps nothing of it.
struct OnceEach;

impl<'de> Visitor<'de> for OnceEach {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON in which no key is there twice")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if keys.contains(&key) {
                return Err(A::Error::custom(format!("the key `{key}` is there twice")));
            }
            keys.insert(key);
            map.next_value_seed(Seed)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Seed)?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

struct Seed;

impl<'de> serde::de::DeserializeSeed<'de> for Seed {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(OnceEach)
    }
}

/// Whether every line is such a value.
pub(super) fn check_lines(text: &str) -> Result<(), String> {
    for (number, line) in (1..).zip(text.lines()) {
        read::<IgnoredAny>(line.as_bytes()).map_err(|error| format!("line {number}: {error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_says_two_things_is_refused() {
        let text = r#"{"a":[1,-2,0.5,true,null,{"b":"x"}],"c":{"b":1}}"#;
        assert_eq!(read::<Value>(text.as_bytes()).unwrap(), json!({"a":[1,-2,0.5,true,null,{"b":"x"}],"c":{"b":1}}));
        for (what, text) in [
            ("at the top", r#"{"a":1,"a":1}"#),
            ("inside of a list", r#"{"a":[{"b":1,"b":2}]}"#),
            ("written in another way", r#"{"a":{"b":1,"\u0062":2}}"#),
        ] {
            let error = read::<Value>(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("is there twice"), "{what}: {error}");
        }
        assert!(read::<Value>(b"{} {}").is_err(), "something behind it");
        assert!(read::<Value>(b"{}\0").is_err());
        assert!(
            read::<Value>(&[b"[".repeat(100_000), b"]".repeat(100_000)].concat()).is_err(),
            "too deep to go through"
        );
        assert!(check_lines("{\"a\":1}\n{\"a\":1}\n").is_ok());
        assert!(check_lines("{\"a\":1}\n{\"a\":1,\"a\":2}\n").unwrap_err().contains("line 2"));
    }
}
