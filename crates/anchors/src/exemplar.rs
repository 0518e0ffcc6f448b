//! Likeness of texts, measured: runs of three characters, and the habits of a style.

use crate::anchor::Exemplars;

/// Closer than this, in millionths, is too close to call: a model decides.
pub const NEAR_TIE: u64 = 10_000;

/// Of the likeness, in hundredths, what the characters say; habits say the rest.
const GRAMS: u64 = 60;
const ONE: u64 = 1_000_000;

/// How like the exemplars a draft is, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Likeness {
    /// To the positives, on average.
    pub positive: u64,
    /// To the nearest of the negatives; 0 without any.
    pub negative: u64,
}

/// Measures a draft against both lists.
pub fn likeness(exemplars: &Exemplars, draft: &str) -> Likeness {
    let profile = Profile::of(draft);
    let to =
        |texts: &[String]| -> Vec<u64> { texts.iter().map(|text| profile.similarity(&Profile::of(text))).collect() };
    let (positive, negative) = (to(&exemplars.positive), to(&exemplars.negative));
    let count = positive.len().max(1) as u64;
    Likeness { positive: positive.iter().sum::<u64>() / count, negative: negative.into_iter().max().unwrap_or(0) }
}

/// How alike two texts are, in millionths: 1,000,000 for the same text.
pub fn similarity(a: &str, b: &str) -> u64 {
    Profile::of(a).similarity(&Profile::of(b))
}

/// What of a text is compared. Whole numbers only, so that every machine gets the same.
#[derive(Debug)]
struct Profile {
    /// Every run of three characters with its count, in order.
    grams: Vec<(u64, u64)>,
    /// Sentence length in words, word length in characters, and marks per thousand characters; all in thousandths.
    habits: [u64; 7],
}

impl Profile {
    fn of(text: &str) -> Self {
        Self { grams: grams(text), habits: habits(text) }
    }

    fn similarity(&self, other: &Self) -> u64 {
        let grams = self.cosine(other);
        let habits: u64 = self.habits.iter().zip(other.habits).map(|(a, b)| closeness(*a, b)).sum();
        let habits = habits / self.habits.len() as u64;
        (grams * GRAMS + habits * (100 - GRAMS)) / 100
    }

    fn cosine(&self, other: &Self) -> u64 {
        let (mut dot, mut left, mut right) = (0_u128, self.grams.iter().peekable(), other.grams.iter().peekable());
        while let (Some((a, n)), Some((b, m))) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => drop(left.next()),
                std::cmp::Ordering::Greater => drop(right.next()),
                std::cmp::Ordering::Equal => {
                    dot += u128::from(*n) * u128::from(*m);
                    left.next();
                    right.next();
                }
            }
        }
        let square =
            |grams: &[(u64, u64)]| -> u128 { grams.iter().map(|(_, n)| u128::from(*n) * u128::from(*n)).sum() };
        let product = square(&self.grams) * square(&other.grams);
        if product == 0 {
            return if self.grams.is_empty() && other.grams.is_empty() { ONE } else { 0 };
        }
        u64::try_from(dot * u128::from(ONE) / product.isqrt()).unwrap_or(ONE).min(ONE)
    }
}

/// Three characters fit into one number, so nothing is hashed and nothing collides.
fn grams(text: &str) -> Vec<(u64, u64)> {
    let mut runs = Vec::with_capacity(text.len());
    let (mut window, mut seen, mut blank) = (0_u64, 0_u32, true);
    for c in text.chars().flat_map(char::to_lowercase) {
        let c = if c.is_whitespace() { ' ' } else { c };
        if c == ' ' && blank {
            continue;
        }
        blank = c == ' ';
        window = (window << 21 | u64::from(u32::from(c))) & ((1 << 63) - 1);
        seen += 1;
        if seen >= 3 {
            runs.push(window);
            seen = 3;
        }
    }
    runs.sort_unstable();
    let mut counted: Vec<(u64, u64)> = Vec::new();
    for run in runs {
        match counted.last_mut() {
            Some((last, count)) if *last == run => *count += 1,
            _ => counted.push((run, 1)),
        }
    }
    counted
}

fn habits(text: &str) -> [u64; 7] {
    let (mut words, mut letters, mut sentences, mut characters) = (0_u64, 0_u64, 0_u64, 0_u64);
    let mut marks = [0_u64; 5];
    let (mut in_word, mut in_sentence) = (false, false);
    for c in text.chars() {
        characters += 1;
        let is_letter = c.is_alphanumeric() || c == '\'' || c == '’';
        if is_letter {
            words += u64::from(!in_word);
            letters += 1;
            in_sentence = true;
        } else if matches!(c, '.' | '!' | '?') && in_sentence {
            sentences += 1;
            in_sentence = false;
        }
        in_word = is_letter;
        match c {
            ',' => marks[0] += 1,
            ';' | ':' => marks[1] += 1,
            '!' => marks[2] += 1,
            '?' => marks[3] += 1,
            '–' | '—' | '(' | ')' => marks[4] += 1,
            _ => {}
        }
    }
    sentences += u64::from(in_sentence);
    let rate = |count: u64, of: u64, scale: u64| (count * scale).checked_div(of).unwrap_or(0);
    let [comma, colon, cry, question, aside] = marks.map(|count| rate(count, characters, 1_000_000));
    [rate(words, sentences, 1000), rate(letters, words, 1000), comma, colon, cry, question, aside]
}

/// 1 for the same, down to 0 where one has it and the other does not at all.
fn closeness(a: u64, b: u64) -> u64 {
    match a.max(b) {
        0 => ONE,
        larger => ONE - a.abs_diff(b) * ONE / larger,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERSE: &str = "Buy it. Use it. Throw it away. It is cheap. It works. That is all.";
    const ORNATE: &str = "Consider, if you will, the unhurried lamp: a thing of brass, of patience (and of some small \
                          vanity), which, when evening gathers at the window, answers; it always answers.";

    #[test]
    fn likeness_is_measured() {
        assert_eq!(similarity(TERSE, TERSE), ONE);
        assert_eq!(similarity("", ""), ONE);
        assert_eq!(similarity(TERSE, ORNATE), similarity(ORNATE, TERSE));
        let terse_too = "Take it. Keep it. It is small. It works. That is it.";
        assert!(similarity(TERSE, terse_too) > similarity(TERSE, ORNATE) + 100_000);
    }

    #[test]
    fn a_draft_lies_between_its_exemplars() {
        let exemplars = Exemplars { positive: vec![TERSE.to_owned()], negative: vec![ORNATE.to_owned()] };
        let likeness = likeness(&exemplars, "Take it. Keep it. It works.");
        assert!(likeness.positive > likeness.negative + NEAR_TIE, "{likeness:?}");
    }
}
