//! Many expressions over one text: one pass finds out which of them can match at all.

use std::ops::Range;

use regex_automata::{Input, MatchKind, PatternSet, hybrid::dfa::DFA};

use crate::pattern::{Compiled, thompson};

/// Texts shorter than this are searched expression by expression: building one machine of all would take longer.
const ONE_PASS_FROM: usize = 256 << 10;
/// More expressions than this in one machine make it large and slow.
const GROUP: usize = 100;
const GROUP_CACHE_BYTES: usize = 8 << 20;
/// States times bytes that a search may take in the worst case; about a second.
const MAX_STEPS: u64 = 1 << 28;
/// The same where only few of the states are alive at once, as with word boundaries beside letters beyond ASCII.
const MAX_BOUNDARY_STEPS: u64 = 1 << 32;
/// Matches of one expression that are reported.
pub(crate) const MAX_MATCHES: usize = 10;

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    /// At least one match; where, up to [`MAX_MATCHES`], if that was asked for.
    Matches {
        ranges: Vec<Range<usize>>,
        more: bool,
    },
    /// The expression would take too long on a text of this size.
    TooCostly,
}

/// One expression of a search. Where matches are matters only to some.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'q> {
    pub(crate) compiled: &'q Compiled,
    pub(crate) places: bool,
}

/// Answers all queries over one text, in their order.
pub(crate) fn search(queries: &[Query<'_>], text: &str) -> Vec<Found> {
    let is_ascii = text.is_ascii();
    let outlooks = outlooks(queries, text);
    queries.iter().zip(outlooks).map(|(query, outlook)| settle(query, outlook, text, is_ascii)).collect()
}

/// What is known of an expression before it is searched for by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outlook {
    Open,
    No,
    /// It matches, or would without its word boundaries.
    Yes,
    TooCostly,
}

fn settle(query: &Query<'_>, outlook: Outlook, text: &str, is_ascii: bool) -> Found {
    let Compiled { regex, states, relaxed } = query.compiled;
    let steps = states.saturating_mul(text.len() as u64);
    match outlook {
        Outlook::No => Found::Nothing,
        Outlook::TooCostly => Found::TooCostly,
        Outlook::Yes if relaxed.is_none() && !query.places => Found::Matches { ranges: Vec::new(), more: false },
        Outlook::Yes if relaxed.is_some() && !is_ascii && steps > MAX_BOUNDARY_STEPS => Found::TooCostly,
        Outlook::Open | Outlook::Yes => {
            if !query.places {
                return if regex.is_match(text) {
                    Found::Matches { ranges: Vec::new(), more: false }
                } else {
                    Found::Nothing
                };
            }
            let mut ranges: Vec<Range<usize>> =
                regex.find_iter(text).take(MAX_MATCHES + 1).map(|found| found.range()).collect();
            let more = ranges.len() > MAX_MATCHES;
            ranges.truncate(MAX_MATCHES);
            if ranges.is_empty() { Found::Nothing } else { Found::Matches { ranges, more } }
        }
    }
}

fn outlooks(queries: &[Query<'_>], text: &str) -> Vec<Outlook> {
    let cheap = |query: &Query<'_>| query.compiled.states.saturating_mul(text.len() as u64) <= MAX_STEPS;
    if text.len() < ONE_PASS_FROM {
        return queries.iter().map(|query| if cheap(query) { Outlook::Open } else { alone(query, text) }).collect();
    }
    queries.chunks(GROUP).flat_map(|group| together(group, text)).collect()
}

/// One of a group can spoil it for all: halves show which one it is, and the others stay together.
fn together(group: &[Query<'_>], text: &str) -> Vec<Outlook> {
    match (pass(group, text), group) {
        (Some(known), _) => known,
        (None, [query]) => vec![gave_up(query, text)],
        (None, group) => {
            let (left, right) = group.split_at(group.len() / 2);
            let mut known = together(left, text);
            known.extend(together(right, text));
            known
        }
    }
}

fn alone(query: &Query<'_>, text: &str) -> Outlook {
    together(std::slice::from_ref(query), text).first().copied().unwrap_or(Outlook::TooCostly)
}

/// The slow way is left, if the text is short enough for it.
fn gave_up(query: &Query<'_>, text: &str) -> Outlook {
    let steps = query.compiled.states.saturating_mul(text.len() as u64);
    if steps <= MAX_STEPS { Outlook::Open } else { Outlook::TooCostly }
}

/// One pass of a machine made of all; `None` when it gave up because it had to forget too much.
fn pass(queries: &[Query<'_>], text: &str) -> Option<Vec<Outlook>> {
    let patterns: Vec<&str> = queries
        .iter()
        .map(|query| query.compiled.relaxed.as_deref().unwrap_or_else(|| query.compiled.regex.as_str()))
        .collect();
    let config = DFA::config()
        .match_kind(MatchKind::All)
        .cache_capacity(GROUP_CACHE_BYTES)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(1))
        .minimum_bytes_per_state(Some(10));
    let dfa = DFA::builder().configure(config).build_from_nfa(thompson(&patterns).ok()?).ok()?;
    let mut matched = PatternSet::new(dfa.pattern_len());
    dfa.try_which_overlapping_matches(&mut dfa.create_cache(), &Input::new(text), &mut matched).ok()?;
    let outlook = |at: usize| {
        let id = regex_automata::PatternID::new(at).ok()?;
        Some(if matched.contains(id) { Outlook::Yes } else { Outlook::No })
    };
    (0..queries.len()).map(outlook).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::compile;

    fn found(pattern: &str, text: &str, places: bool) -> Found {
        let compiled = compile(pattern).unwrap();
        search(&[Query { compiled: &compiled, places }], text).remove(0)
    }

    #[test]
    fn one_pass_and_single_searches_agree() {
        let filler = "a quiet line of words, naïve as can be\n".repeat(10_000);
        for (name, pattern, tail, matches) in [
            ("a literal", "zebra", "zebra", true),
            ("no literal", "zebra", "cobra", false),
            ("a whole word", r"\bzebra\b", "a zebra.", true),
            ("part of a word", r"\bzebra\b", "zebras", false),
            ("beside an umlaut", r"\bzebra\b", "üzebra", false),
            ("a line", "^## Risks$", "\n## Risks\n", true),
            ("a line with a carriage return", "^## Risks$", "\n## Risks\r\n", true),
            ("not the whole line", "^## Risks$", "\n## Risks and more", false),
        ] {
            for (size, text) in [("small", tail.to_owned()), ("large", format!("{filler}{tail}"))] {
                for places in [false, true] {
                    let result = found(pattern, &text, places);
                    assert_eq!(result != Found::Nothing, matches, "{name}, {size}: {result:?}");
                }
            }
        }
    }

    #[test]
    fn a_pathological_expression_ends_soon() {
        // No rhythm in it, so that no machine can learn one.
        let mut state = 1_u32;
        let letters = (0..1 << 21).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if state >> 31 == 0 { 'a' } else { 'b' }
        });
        let text: String = letters.collect();
        for (name, pattern, want) in [
            ("exponential elsewhere", "(?:a+)+$x", Found::Nothing),
            ("a machine of too many states", "(?:a|b)*a(?:a|b){400}c", Found::TooCostly),
            ("nested counts", "(?:(?:a?){40}){40}c", Found::Nothing),
        ] {
            assert_eq!(found(pattern, &text, true), want, "{name}");
        }
    }

    #[test]
    fn matches_are_listed_up_to_a_limit() {
        let Found::Matches { ranges, more } = found("x", &"x".repeat(30), true) else { panic!("it matches") };
        assert_eq!((ranges.len(), more), (MAX_MATCHES, true));
    }
}
