//! Finding the answer in what an agent said. The one place where answers are parsed.
//!
//! Agents talk: there is prose, a code fence, an example, and somewhere the JSON object that was asked for. Every
//! complete object in the text is looked at; the last one that fits the schema is the answer, because a model that
//! thinks aloud corrects itself towards the end. Nothing fits: the turn is an error, and the agent is told why. An object
//! that says one thing twice says nothing, and a ballot is given once.

use schemars::JsonSchema;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

use crate::ballot::SingleBallot;
use crate::turn::TurnErrorKind;

/// Why an answer could not be used; worded for the agent that is asked again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error("the answer holds no complete JSON object")]
    NoObject,
    #[error("no JSON object in the answer fits the schema: {0}")]
    NoFit(String),
    /// A program of ours does not say this.
    #[error("the answer is not the one JSON value that it should be: {0}")]
    NotOurs(String),
    /// A judge who got wrong what is known: it has not looked, and is not told what it got wrong.
    #[error("the judge got wrong what is known of the draft{}, so its vote does not count", if *is_false_alarm { " (it misses words that are there)" } else { "" })]
    Inattentive { is_false_alarm: bool },
    #[error("{0}")]
    Unacceptable(String),
}

impl Misfit {
    /// The failure of the turn that brought it.
    pub fn kind(&self) -> TurnErrorKind {
        match self {
            Self::Inattentive { .. } => TurnErrorKind::Inattentive,
            Self::NoObject | Self::NoFit(_) | Self::NotOurs(_) | Self::Unacceptable(_) => TurnErrorKind::Misfit,
        }
    }
}

/// The answer of type `T` in `text`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Misfit> {
    let mut misfit = Misfit::NoObject;
    let mut found = None;
    let mut ballot = SingleBallot::default();
    for piece in pieces(text) {
        let object = match piece {
            Piece::Object(object) => object,
            Piece::Prose(prose) => {
                ballot.take_prose(prose);
                continue;
            }
            Piece::Repeating(key) => return Err(Misfit::NoFit(format!("the key `{key}` is there twice"))),
        };
        match serde_json::from_value(object.clone()) {
            Ok(answer) => {
                ballot.take(&object);
                found = Some(answer);
            }
            Err(error) => {
                ballot.take_misfit(&object);
                misfit = Misfit::NoFit(error.to_string());
            }
        }
    }
    ballot.check()?;
    found.ok_or(misfit)
}

/// The answer of a program of ours: one JSON value, and nothing else. There is nothing to search for.
pub fn own<T: DeserializeOwned>(text: &str) -> Result<T, Misfit> {
    serde_json::from_str(text).map_err(|error| Misfit::NotOurs(error.to_string()))
}

/// The schema of `T`, as it goes into prompts. Sorted, so that a prompt is the same whatever else is built along.
pub fn schema<T: JsonSchema>() -> String {
    let schema = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator()
        .into_root_schema_for::<T>();
    let mut schema = schema.to_value();
    schema.sort_all_objects();
    let schema = schemars::Schema::try_from(schema).expect("a sorted schema is still one");
    serde_json::to_string_pretty(&schema).expect("a schema is plain JSON")
}

/// Every complete JSON object in `text` that is not part of another one, in order.
pub fn objects(text: &str) -> impl Iterator<Item = Value> {
    pieces(text).filter_map(|piece| match piece {
        Piece::Object(object) => Some(object),
        Piece::Prose(_) | Piece::Repeating(_) => None,
    })
}

/// What an answer is made of.
enum Piece<'t> {
    /// A complete JSON object that is not part of another one.
    Object(Value),
    /// One that has this key twice, somewhere: nobody knows which of the two is meant.
    Repeating(String),
    /// What is between the objects.
    Prose(&'t str),
}

/// An answer, piece by piece.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let (mut rest, mut next) = (text, None);
    std::iter::from_fn(move || {
        if next.is_some() {
            return next.take();
        }
        let mut from = 0;
        while let Some(start) = rest[from..].find('{').map(|at| from + at) {
            let (before, tail) = rest.split_at(start);
            let mut skims = serde_json::Deserializer::from_str(tail).into_iter::<Skim>();
            match skims.next() {
                Some(Ok(Skim { repeated })) => {
                    let (object, after) = tail.split_at(skims.byte_offset());
                    rest = after;
                    next = match repeated {
                        Some(key) => Some(Piece::Repeating(key)),
                        None => serde_json::from_str(object).ok().map(Piece::Object),
                    };
                    return Some(Piece::Prose(before));
                }
                // An object that is open to the very end: what is left lies inside it.
                Some(Err(error)) if error.is_eof() => break,
                // Not JSON: the next brace may begin something better.
                Some(Err(_)) | None => from = start + 1,
            }
        }
        (!rest.is_empty()).then(|| Piece::Prose(std::mem::take(&mut rest)))
    })
}

/// Any JSON value, read and forgotten, but for a key that is there twice. Unlike `IgnoredAny` it is subject to the parser's
/// depth limit of 128, which bounds the work on a text that is made to look like JSON at every brace.
#[derive(Default)]
struct Skim {
    repeated: Option<String>,
}

impl<'de> Deserialize<'de> for Skim {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self::default())
    }
}

impl<'de> Visitor<'de> for Skim {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Self, A::Error> {
        while let Some(item) = items.next_element::<Self>()? {
            self.repeated = self.repeated.or(item.repeated);
        }
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Self, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some((key, value)) = entries.next_entry::<String, Self>()? {
            self.repeated = self.repeated.or(value.repeated).or_else(|| keys.contains(&key).then(|| key.clone()));
            keys.insert(key);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Answer {
        verdict: String,
    }

    #[test]
    fn the_object_that_fits_is_found_wherever_it_is() {
        for (name, text, expected) in [
            ("bare", r#"{"verdict":"ok"}"#, "ok"),
            ("fenced", "Sure!\n```json\n{\"verdict\": \"ok\"}\n```\nDone.", "ok"),
            ("empty object first", r#"{} then {"verdict":"ok"}"#, "ok"),
            ("object that does not fit after it", r#"{"verdict":"ok"} {"usage":{}}"#, "ok"),
            ("braces in prose", r#"use {curly} braces {"verdict":"ok"} {"#, "ok"),
            ("corrects itself", r#"{"verdict":"ok"} no, wait: {"verdict":"no"}"#, "no"),
            ("braces in a string", r#"{"verdict":"a } b { c"}"#, "a } b { c"),
            ("cut off afterwards", r#"{"verdict":"ok"} {"verdict":"n"#, "ok"),
        ] {
            assert_eq!(read::<Answer>(text).map(|answer| answer.verdict).as_deref(), Ok(expected), "{name}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error_that_says_why() {
        for (text, expected) in [
            ("no idea", "the answer holds no complete JSON object"),
            (r#"{"verdict":"#, "the answer holds no complete JSON object"),
            ("{}", "no JSON object in the answer fits the schema: missing field `verdict`"),
            (
                r#"{"verdict":3}"#,
                "no JSON object in the answer fits the schema: invalid type: integer `3`, expected a string",
            ),
            (
                r#"{"verdict":"no","verdict":"ok"}"#,
                "no JSON object in the answer fits the schema: the key `verdict` is there twice",
            ),
            (
                r#"{"wrapped":{"verdict":"ok"}}"#,
                "no JSON object in the answer fits the schema: missing field `verdict`",
            ),
        ] {
            assert_eq!(read::<Answer>(text).unwrap_err().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn a_program_of_ours_says_one_value_and_nothing_else() {
        assert_eq!(own::<Answer>(" {\"verdict\":\"ok\"}\n").unwrap().verdict, "ok");
        for text in [r#"Here: {"verdict":"ok"}"#, r#"{"verdict":"ok"} {"verdict":"no"}"#, "{}", ""] {
            assert!(matches!(own::<Answer>(text), Err(Misfit::NotOurs(_))), "{text}");
        }
    }

    #[test]
    fn a_wall_of_braces_is_no_trouble() {
        assert_eq!(read::<Answer>(&"{".repeat(20_000)).unwrap_err(), Misfit::NoObject);
        assert_eq!(read::<Answer>(&"{\"a\":".repeat(5_000)).unwrap_err(), Misfit::NoObject);
    }

    proptest::proptest! {
        #[test]
        fn noise_around_the_answer_does_not_matter(before in "[^{]*", after in "[^{]*") {
            let text = format!("{before}{{\"verdict\":\"ok\"}}{after}");
            proptest::prop_assert_eq!(read::<Answer>(&text).unwrap().verdict, "ok");
        }
    }
}
