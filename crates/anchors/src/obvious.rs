//! Plain words that make a pattern obvious.
//!
//! Only whole sentences of a few shapes count. Whatever says more than that is left to a model: a rule that is half
//! understood would be a rule that nobody wrote.

use crate::{
    pattern::{Pattern, Scope},
    predicate::{Predicate, Range},
    rule::Test,
};

/// Whether a sentence says what must hold, or stands in a list of what must not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Polarity {
    MustHold,
    MustNotBe,
}

/// What the words say, if a machine can tell. Case is ignored in what they ask for.
pub(crate) fn test(text: &str, polarity: Polarity) -> Option<Test> {
    let sentence = text.trim().trim_end_matches('.').trim_end();
    let (rest, negated) = duty(sentence);
    // "must not mention X" says the same in both lists.
    let absent = negated || polarity == Polarity::MustNotBe;
    let (verb, object) = rest.split_once(' ')?;
    let object = object.trim();
    match verb.to_ascii_lowercase().as_str() {
        "contain" | "contains" | "include" | "includes" => contain(object, absent),
        "mention" | "mentions" | "say" | "says" | "use" | "uses" => mention(object, absent),
        "have" | "has" => heading(object, absent).or_else(|| length(object, absent)),
        "match" | "matches" => matching(object, absent),
        "be" | "is" => being(object, absent),
        _ => None,
    }
}

/// Takes the duty off a sentence, and says whether it forbids.
fn duty(sentence: &str) -> (&str, bool) {
    let mut rest = sentence;
    for subject in ["the draft ", "the document ", "the text ", "it "] {
        rest = strip(rest, subject).unwrap_or(rest);
    }
    for (words, negated) in [
        ("must not ", true),
        ("should not ", true),
        ("may not ", true),
        ("never ", true),
        ("does not ", true),
        ("do not ", true),
        ("must never ", true),
        ("must ", false),
        ("should ", false),
    ] {
        if let Some(rest) = strip(rest, words) {
            return (rest.trim_start(), negated);
        }
    }
    (rest, false)
}

fn contain(object: &str, absent: bool) -> Option<Test> {
    if let Some(test) = heading(object, absent) {
        return Some(test);
    }
    let named = ["the phrase ", "the words ", "the word ", "the text ", "the string "];
    let words = match named.iter().find_map(|prefix| strip(object, prefix)) {
        Some(words) => unquoted(words).unwrap_or(words),
        // Without such a word only quotes make it clear where the words end.
        None => unquoted(object)?,
    };
    let text = Some(words.trim().to_owned()).filter(|text| !text.is_empty())?;
    Some(Test::Predicate(if absent {
        Predicate::NotContains { text, ignore_case: true }
    } else {
        Predicate::Contains { text, ignore_case: true }
    }))
}

/// A word that is mentioned is a whole one: `Java` is not in `JavaScript`.
fn mention(object: &str, absent: bool) -> Option<Test> {
    let named = ["the phrase ", "the words ", "the word "];
    let words = named.iter().find_map(|prefix| strip(object, prefix)).unwrap_or(object);
    let words = match unquoted(words) {
        Some(words) => words,
        // A name is clear without quotes; "mention the costs of it" is for a model.
        None if words.split_whitespace().count() == 1 && words.starts_with(char::is_uppercase) => words,
        None if words.len() < object.len() && words.split_whitespace().count() == 1 => words,
        None => return None,
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let edge = |c: Option<char>| if c.is_some_and(is_word) { r"\b" } else { "" };
    let (before, after) = (edge(words.chars().next()), edge(words.chars().last()));
    let pattern = format!("(?i){before}{}{after}", regex::escape(words));
    Some(Test::Pattern(Pattern { pattern, must_match: !absent, scope: Scope::Document }))
}

fn heading(object: &str, absent: bool) -> Option<Test> {
    let named = ["a heading ", "the heading ", "a section ", "the section ", "a section called ", "a heading called "];
    let mut words = named.iter().find_map(|prefix| strip(object, prefix))?;
    for prefix in ["called ", "named ", "titled "] {
        words = strip(words, prefix).unwrap_or(words);
    }
    let clear = unquoted(words).or_else(|| words.starts_with(char::is_uppercase).then_some(words))?;
    let text = clear.trim_start_matches('#').trim().to_owned();
    Some(heading_test(text, None, absent))
}

/// A heading that must or must not be there.
pub(crate) fn heading_test(text: String, level: Option<u8>, absent: bool) -> Test {
    if !absent {
        return Test::Predicate(Predicate::Heading { text, level });
    }
    let pattern = format!("(?i)^{}$", regex::escape(&text));
    Test::Pattern(Pattern { pattern, must_match: false, scope: Scope::Heading })
}

/// "at most 500 words", "at least 3 lines".
fn length(object: &str, absent: bool) -> Option<Test> {
    if absent {
        return None;
    }
    let words: Vec<String> = object.split_whitespace().map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (range, unit) = match words.as_slice() {
        ["at", "most", number, unit] => (Range { min: None, max: Some(count(number)?) }, *unit),
        ["at", "least", number, unit] => (Range { min: Some(count(number)?), max: None }, *unit),
        ["fewer" | "less", "than", number, unit] => (Range { min: None, max: count(number)?.checked_sub(1) }, *unit),
        ["more", "than", number, unit] => (Range { min: Some(count(number)? + 1), max: None }, *unit),
        _ => return None,
    };
    match unit {
        "word" | "words" => Some(Test::Predicate(Predicate::WordCount(range))),
        "line" | "lines" => Some(Test::Predicate(Predicate::LineCount(range))),
        _ => None,
    }
}

fn count(text: &str) -> Option<u64> {
    let digits: String = text.chars().filter(|c| *c != ',').collect();
    digits.parse().ok().filter(|number| *number < u64::from(u32::MAX))
}

/// "match /…/": an expression between slashes that can be used.
fn matching(object: &str, absent: bool) -> Option<Test> {
    let pattern = object.strip_prefix('/')?.strip_suffix('/')?.to_owned();
    let pattern = Pattern { pattern, must_match: !absent, scope: Scope::Document };
    pattern.compile().is_ok().then_some(Test::Pattern(pattern))
}

fn being(object: &str, absent: bool) -> Option<Test> {
    match object.to_ascii_lowercase().as_str() {
        "well-formed html" | "well formed html" if !absent => Some(Test::Predicate(Predicate::WellFormedHtml)),
        _ => None,
    }
}

/// What stands between quotes, if the quotes are all around.
fn unquoted(text: &str) -> Option<&str> {
    let pairs = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('«', '»'), ('„', '“')];
    pairs.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(*open)?.strip_suffix(*close)?;
        (!inner.trim().is_empty() && !inner.contains([*open, *close])).then_some(inner)
    })
}

fn strip<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, polarity: Polarity) -> String {
        test(text, polarity).map_or("semantic".to_owned(), |test| serde_json::to_string(&test).unwrap())
    }

    #[test]
    fn words_become_rules_only_where_they_are_obvious() {
        let hold = Polarity::MustHold;
        let contains = r#"{"kind":"predicate","predicate":"contains","text":"free trial","ignore_case":true}"#;
        let lacks = r#"{"kind":"predicate","predicate":"not_contains","text":"free trial","ignore_case":true}"#;
        let risks = r#"{"kind":"predicate","predicate":"heading","text":"Risks"}"#;
        let no_acme = r#"{"kind":"pattern","pattern":"(?i)\\bAcme\\b","must_match":false,"scope":"document"}"#;
        let short = r#"{"kind":"predicate","predicate":"word_count","max":500}"#;
        for (text, polarity, want) in [
            ("must contain the phrase free trial", hold, contains),
            ("Must contain the phrase “free trial”.", hold, contains),
            ("contains \"free trial\"", hold, contains),
            ("The draft must not contain the phrase free trial", hold, lacks),
            ("contain the phrase free trial", Polarity::MustNotBe, lacks),
            ("must not contain the phrase free trial", Polarity::MustNotBe, lacks),
            ("must have a heading Risks", hold, risks),
            ("must contain a section called `Risks`", hold, risks),
            ("must have a heading ## Risks", hold, "semantic"),
            ("must not mention Acme", hold, no_acme),
            ("mention Acme", Polarity::MustNotBe, no_acme),
            ("should have at most 500 words", hold, short),
            ("must be well-formed HTML", hold, r#"{"kind":"predicate","predicate":"well_formed_html"}"#),
            ("must mention the costs of migration", hold, "semantic"),
            ("must contain a fair comparison", hold, "semantic"),
            ("must not use passive voice", hold, "semantic"),
            ("is honest", hold, "semantic"),
            ("", hold, "semantic"),
        ] {
            assert_eq!(shown(text, polarity), want, "{text}");
        }
    }
}
