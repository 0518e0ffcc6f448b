//! What was probably meant: the known word that is nearest to an unknown one.

/// The nearest of a few words, if any is near enough to be worth naming.
pub fn nearest<'w>(asked: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let priced = words.into_iter().filter_map(|word| Some((distance(asked, word)?, word)));
    priced.min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}

/// How far one word is from another, in slips of the finger; nothing if it was hardly meant.
pub fn distance(asked: &str, known: &str) -> Option<usize> {
    let plain = |word: &str| word.replace(['_', '-', ' '], "").to_lowercase();
    let (asked, known) = (plain(asked), plain(known));
    let distance = strsim::damerau_levenshtein(&asked, &known);
    let (shorter, longer) = (asked.len().min(known.len()), asked.chars().count().max(known.chars().count()));
    // `item` for `items`, `star` for `north_star`: one inside the other is close, however long the rest.
    if shorter >= 3 && (asked.contains(&known) || known.contains(&asked)) {
        return Some(distance.min(2));
    }
    (distance * 2 <= longer).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found() {
        let words = ["invariants", "acceptance", "exemplars", "MUST", "MUST_NOT", "north_star"];
        for (asked, expected) in [
            ("invariant", Some("invariants")),
            ("must_not", Some("MUST_NOT")),
            ("MUSTNOT", Some("MUST_NOT")),
            ("must", Some("MUST")),
            ("examplars", Some("exemplars")),
            ("northstar", Some("north_star")),
            ("zebra", None),
        ] {
            assert_eq!(nearest(asked, words), expected, "{asked}");
        }
        for (asked, expected) in
            [("cluade", Some("claude")), ("Codex", Some("codex")), ("open-code", Some("opencode")), ("perl", None)]
        {
            assert_eq!(nearest(asked, ["claude", "codex", "opencode", "house"]), expected, "{asked}");
        }
    }
}
