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
    for subject in ["the draft ", "draft ", "the document ", "document ", "the text ", "it "] {
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
        Some(words) => unquoted(words).or_else(|| is_phrase(words).then_some(words))?,
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
    let parts = match unquoted(words) {
        Some(words) => vec![words],
        // A name, a date or a number is clear without quotes; "mention the costs of it" is for a model.
        None if is_name(words) => listed(words),
        None if words.len() < object.len() && words.split_whitespace().count() == 1 => vec![words],
        None => return None,
    };
    // Several of them, of which none may be there, are one pattern; which of them are wanted is for a model.
    if !absent && parts.len() > 1 {
        return None;
    }
    let patterns: Vec<String> = parts.into_iter().map(whole).collect();
    let pattern = format!("(?i){}", patterns.join("|"));
    Some(Test::Pattern(Pattern { pattern, must_match: !absent, scope: Scope::Document }))
}

/// These words, not as part of others.
fn whole(words: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let edge = |c: Option<char>| if c.is_some_and(is_word) { r"\b" } else { "" };
    let (before, after) = (edge(words.chars().next()), edge(words.chars().last()));
    // At the end of a line a name goes on in the next one.
    let words: Vec<String> = words.split_whitespace().map(regex::escape).collect();
    format!("{before}{}{after}", words.join(r"[\s*_]+"))
}

/// Words that say more than a phrase does: where it stands, how often, what else there is.
const MORE: [&str; 26] = [
    "and",
    "anywhere",
    "at",
    "but",
    "document",
    "draft",
    "either",
    "every",
    "everywhere",
    "except",
    "exactly",
    "if",
    "least",
    "more",
    "most",
    "nor",
    "once",
    "or",
    "than",
    "text",
    "times",
    "twice",
    "unless",
    "when",
    "with",
    "without",
];

/// Whether words without quotes are a phrase, and nothing but that. A heading, a place or a second phrase behind it would
/// become part of it, and a rule that nobody wrote would hold for ever.
fn is_phrase(words: &str) -> bool {
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_more = |word: &str| MORE.contains(&plain(word).as_str()) || plain(word).starts_with("heading");
    let has_marks = words.contains(|c: char| "\"'`“”‘’«»„#;!?/|()[]{}".contains(c));
    !words.trim().is_empty() && !has_marks && !words.split_whitespace().any(is_more)
}

/// The longest name, date or amount that is taken for one without quotes.
const NAME_WORDS: usize = 5;

/// Whether words are a name, a date or an amount, or a list of them: each begins with a capital letter or has a digit.
fn is_name(words: &str) -> bool {
    let is_plain = |word: &str| {
        let mut letters = word.chars().skip_while(|c| !c.is_alphanumeric());
        let is_one = word.chars().all(|c| c.is_alphanumeric() || "$€£¥%.,:'’&+-_".contains(c));
        let is_closed = word.ends_with(|c: char| c.is_alphanumeric() || "%€+".contains(c));
        is_one
            && is_closed
            && (word.chars().any(|c| c.is_ascii_digit()) || letters.next().is_some_and(char::is_uppercase))
    };
    let parts = listed(words);
    let is_name = |part: &&str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        (1..=NAME_WORDS).contains(&words.len()) && words.into_iter().all(is_plain)
    };
    parts.iter().all(is_name)
}

/// `X`, `X or Y`, `X, Y or Z`.
fn listed(words: &str) -> Vec<&str> {
    words.split(", ").flat_map(|part| part.split(" or ")).map(|part| part.trim().trim_start_matches("or ")).collect()
}

fn heading(object: &str, absent: bool) -> Option<Test> {
    let named =
        ["a section heading ", "the section heading ", "a heading ", "the heading ", "a section ", "the section "];
    let found = named.iter().find_map(|prefix| strip(object, prefix));
    // With its marks it is a heading, whatever it is called.
    let mut words = match found {
        Some(words) => words,
        None => unquoted(object).unwrap_or(object).strip_prefix('#').map(|_| object)?,
    };
    for prefix in ["called ", "named ", "titled "] {
        words = strip(words, prefix).unwrap_or(words);
    }
    let is_clear = words.starts_with(|c: char| c.is_uppercase() || c == '#');
    let clear = unquoted(words).or_else(|| (is_clear && is_phrase(words.trim_start_matches('#'))).then_some(words))?;
    let text = clear.trim_start_matches('#');
    let level = u8::try_from(clear.len() - text.len()).ok().filter(|level| (1..=6).contains(level));
    let text = Some(text.trim().to_owned()).filter(|text| !text.is_empty())?;
    Some(heading_test(text, level, absent))
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
    // A slash that is not part of the expression ends it: what follows is another one.
    if pattern.replace("\\\\", "").replace("\\/", "").contains('/') {
        return None;
    }
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
        let second = r#"{"kind":"predicate","predicate":"heading","text":"Risks","level":2}"#;
        let new_york =
            r#"{"kind":"pattern","pattern":"(?i)\\bNew[\\s*_]+York\\b","must_match":true,"scope":"document"}"#;
        let date = r#"{"kind":"pattern","pattern":"(?i)\\b12[\\s*_]+March[\\s*_]+2026\\b","must_match":true,"scope":"document"}"#;
        let none_of = r#"{"kind":"pattern","pattern":"(?i)\\bAcme\\b|\\bBolt\\b|\\bCobalt\\b","must_match":false,"scope":"document"}"#;
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
            ("must have a heading ## Risks", hold, second),
            ("draft MUST contain a section heading ## Risks", hold, second),
            ("must contain ## Risks", hold, second),
            ("must contain `## Risks`", hold, second),
            ("must contain ##", hold, "semantic"),
            ("must mention New York", hold, new_york),
            ("must mention 12 March 2026", hold, date),
            ("must mention New York and Boston", hold, "semantic"),
            ("must mention Acme, Bolt and Cobalt", hold, "semantic"),
            ("must not mention Acme, Bolt or Cobalt", hold, none_of),
            ("must mention New features", hold, "semantic"),
            ("must not contain the phrase \"best in class\" or \"world class\"", hold, "semantic"),
            ("must not contain the phrase \"in June\" anywhere", hold, "semantic"),
            ("must not contain the phrase best in class anywhere", hold, "semantic"),
            ("must not contain the phrase in June or in July", hold, "semantic"),
            ("must contain the phrase free trial at most twice", hold, "semantic"),
            ("must not have a heading Risks or Costs", hold, "semantic"),
            ("must have a heading Risks and a heading Costs", hold, "semantic"),
            ("must contain ## Risks and ## Costs", hold, "semantic"),
            ("must contain ## Risks with three items", hold, "semantic"),
            ("must not mention Acme/Globex", hold, "semantic"),
            ("must not mention Acme; Globex", hold, "semantic"),
            ("must mention Alice!", hold, "semantic"),
            (r"must not match /v\d+/ or /w\d+/", hold, "semantic"),
            (
                r"must match /a\/b/",
                hold,
                r#"{"kind":"pattern","pattern":"a\\/b","must_match":true,"scope":"document"}"#,
            ),
            ("must contain the phrase don't panic", hold, "semantic"),
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
