//! The passive voice: sentences that leave out who acts.

use super::{
    guard::is_plain_gap,
    words::{Language, words},
};

/// The participles of a language, and the words that only look like them.
#[derive(Debug)]
pub(crate) struct Voice {
    language: Language,
    participles: Vec<&'static str>,
    adjectives: Vec<&'static str>,
}

/// Adverbs that no rule of spelling finds.
const ADVERBS: &[&str] = &[
    "not",
    "also",
    "always",
    "never",
    "often",
    "still",
    "now",
    "then",
    "already",
    "just",
    "only",
    "sometimes",
    "soon",
    "both",
    "all",
    "either",
];

/// What may follow a participle that is part of the verb. Before any other word it describes that word: *are shared files*.
const AFTER: &[&str] = &[
    "a",
    "about",
    "above",
    "according",
    "across",
    "after",
    "again",
    "against",
    "ago",
    "all",
    "along",
    "already",
    "also",
    "always",
    "among",
    "an",
    "and",
    "any",
    "anymore",
    "anywhere",
    "around",
    "as",
    "at",
    "away",
    "back",
    "because",
    "before",
    "behind",
    "below",
    "beneath",
    "beside",
    "between",
    "beyond",
    "both",
    "but",
    "by",
    "down",
    "due",
    "during",
    "each",
    "either",
    "elsewhere",
    "even",
    "every",
    "everywhere",
    "except",
    "first",
    "for",
    "forward",
    "from",
    "here",
    "his",
    "how",
    "however",
    "if",
    "in",
    "inside",
    "instead",
    "into",
    "is",
    "it",
    "its",
    "last",
    "later",
    "like",
    "multiple",
    "my",
    "near",
    "next",
    "no",
    "nor",
    "of",
    "off",
    "on",
    "once",
    "one",
    "only",
    "onto",
    "or",
    "our",
    "out",
    "outside",
    "over",
    "per",
    "rather",
    "separately",
    "since",
    "so",
    "some",
    "somewhere",
    "such",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "this",
    "those",
    "through",
    "throughout",
    "to",
    "today",
    "together",
    "too",
    "toward",
    "towards",
    "twice",
    "two",
    "under",
    "unless",
    "until",
    "up",
    "upon",
    "using",
    "via",
    "what",
    "when",
    "whenever",
    "where",
    "whereas",
    "wherever",
    "whether",
    "which",
    "while",
    "who",
    "why",
    "with",
    "within",
    "without",
    "yet",
    "you",
    "your",
];

/// Participles that take a word of their own: *is called Anna*, *was left open*.
const TAKES: &[&str] = &[
    "asked",
    "assigned",
    "called",
    "considered",
    "declared",
    "deemed",
    "denied",
    "given",
    "granted",
    "held",
    "labeled",
    "labelled",
    "made",
    "marked",
    "named",
    "offered",
    "paid",
    "rendered",
    "sent",
    "set",
    "shown",
    "taught",
    "told",
];

impl Voice {
    pub(crate) fn new(language: Language) -> Self {
        Self { language, participles: language.participles(), adjectives: language.adjectives() }
    }

    /// From where to where the first passive verb of a sentence goes.
    pub(crate) fn passive(&self, sentence: &str) -> Option<(usize, usize)> {
        let all: Vec<Word<'_>> = words(sentence).map(|(at, text)| Word::new(sentence, at, text)).collect();
        match self.language {
            Language::English => (0..all.len()).find_map(|at| self.english(&all, at)),
            Language::German => (0..all.len()).find_map(|at| self.german(&all, at)),
            Language::Other => None,
        }
    }

    fn english(&self, all: &[Word<'_>], at: usize) -> Option<(usize, usize)> {
        let verb = &all[at];
        let lower = verb.lower.replace('\u{2019}', "'");
        let is_form = matches!(
            lower.as_str(),
            "is" | "are" | "was" | "were" | "be" | "been" | "being" | "isn't" | "aren't" | "wasn't" | "weren't"
        );
        // "There are shared files" says that they exist.
        let exists = at.checked_sub(1).is_some_and(|before| matches!(all[before].lower.as_str(), "there" | "here"));
        if !is_form || exists {
            return None;
        }
        let mut next = at + 1;
        while all.get(next).is_some_and(|word| {
            word.joined
                && (word.lower.ends_with("ly") || ADVERBS.contains(&word.lower.as_str()) || word.lower == "being")
        }) {
            next += 1;
            // Three adverbs in a row are no verb any more.
            if next > at + 4 {
                return None;
            }
        }
        let participle = all.get(next).filter(|word| word.joined)?;
        let after = all.get(next + 1).filter(|word| word.joined);
        let by = after.is_some_and(|word| word.lower == "by") && !is_manner(all.get(next + 2));
        let accepted = by || !self.adjectives.contains(&participle.lower.as_str());
        if !self.is_participle(participle) || !accepted || !follows(participle, after) || is_habit(all, next) {
            return None;
        }
        Some((verb.at, participle.at + participle.text.len()))
    }

    fn is_participle(&self, word: &Word<'_>) -> bool {
        let lower = word.lower.as_str();
        if word.text.starts_with(char::is_uppercase) || lower.contains('-') {
            return false;
        }
        // "Unused" and "unchanged" describe; "unlocked" and "uninstalled" are done.
        let undone = lower.starts_with("un")
            && !["under", "unit", "unif", "unlock", "uninstall", "unpack", "unload", "unveil", "unmount", "undo"]
                .iter()
                .any(|start| lower.starts_with(start));
        let regular = lower.len() > 3
            && lower.ends_with("ed")
            && !lower.ends_with("eed")
            && !matches!(
                lower,
                "bred"
                    | "fled"
                    | "shed"
                    | "sled"
                    | "sped"
                    | "hundred"
                    | "sacred"
                    | "naked"
                    | "wicked"
                    | "embed"
                    | "biped"
                    | "infrared"
                    | "zipped"
            );
        !undone && (regular || self.participles.contains(&lower))
    }

    fn german(&self, all: &[Word<'_>], at: usize) -> Option<(usize, usize)> {
        let verb = &all[at];
        if !matches!(
            verb.lower.as_str(),
            "wird" | "werden" | "wurde" | "wurden" | "worden" | "werde" | "würde" | "würden"
        ) {
            return None;
        }
        let end = |word: &Word<'_>| word.at + word.text.len();
        // "… gelesen wird": the participle stands right before.
        if let Some(before) = at.checked_sub(1).map(|before| &all[before])
            && verb.joined
            && self.is_german_participle(before)
        {
            return Some((before.at, end(verb)));
        }
        // "Er wird … gelesen": it ends the clause.
        let clause = all[at + 1..].iter().take_while(|word| word.joined);
        let last = clause.last().filter(|word| word.ends || word.joins_next)?;
        self.is_german_participle(last).then(|| (verb.at, end(last)))
    }

    fn is_german_participle(&self, word: &Word<'_>) -> bool {
        const BEFORE: &[&str] = &[
            "", "ab", "an", "auf", "aus", "bei", "dar", "durch", "ein", "fest", "frei", "her", "heraus", "hervor",
            "hin", "hinzu", "los", "mit", "nach", "um", "unter", "vor", "voraus", "weg", "weiter", "wieder", "zu",
            "zurück", "zusammen", "über", "bereit", "fort", "statt", "teil", "vorbei", "dazu", "fertig",
        ];
        const BOUND: &[&str] =
            &["be", "ver", "er", "ent", "zer", "über", "unter", "miss", "wider", "hinter", "emp", "voll"];
        let lower = word.lower.as_str();
        // Nouns have capitals.
        if word.text.starts_with(char::is_uppercase) || self.adjectives.contains(&lower) {
            return false;
        }
        let shaped =
            |rest: &str| rest.len() > 5 && rest.starts_with("ge") && (rest.ends_with('t') || rest.ends_with("en"));
        let is_bound = lower.len() > 6 && lower.ends_with('t') && BOUND.iter().any(|start| lower.starts_with(start));
        self.participles.contains(&lower)
            || lower.ends_with("iert") && lower.len() > 6
            || is_bound
            || BEFORE.iter().any(|start| lower.strip_prefix(start).is_some_and(shaped))
    }
}

/// A word of a sentence with what is around it.
#[derive(Debug)]
struct Word<'t> {
    at: usize,
    text: &'t str,
    lower: String,
    /// Whether nothing but white space is between it and the word before.
    joined: bool,
    /// Whether a mark, or the end, comes right behind it.
    ends: bool,
    /// Whether "und" or "oder" comes behind it.
    joins_next: bool,
}

impl<'t> Word<'t> {
    fn new(sentence: &'t str, at: usize, text: &'t str) -> Self {
        let before = &sentence[..at];
        let trimmed = before.trim_end();
        let joined = trimmed.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}' | '-'))
            && is_plain_gap(&before[trimmed.len()..]);
        let rest = &sentence[at + text.len()..];
        let next = rest.trim_start();
        let ends = !next.starts_with(char::is_alphanumeric);
        let joins_next = next.starts_with("und ") || next.starts_with("oder ") || next.starts_with("sowie ");
        Self { at, text, lower: text.to_lowercase(), joined, ends, joins_next }
    }
}

/// *By hand*, *by default*, *by reading*: how, not who.
fn is_manner(word: Option<&Word<'_>>) -> bool {
    word.is_none_or(|word| {
        word.lower.ends_with("ing")
            || matches!(
                word.lower.as_str(),
                "default"
                    | "hand"
                    | "design"
                    | "now"
                    | "then"
                    | "far"
                    | "mistake"
                    | "accident"
                    | "name"
                    | "type"
                    | "date"
            )
    })
}

/// Whether the word behind a participle lets it be a verb.
fn follows(participle: &Word<'_>, after: Option<&Word<'_>>) -> bool {
    let Some(after) = after else { return true };
    AFTER.contains(&after.lower.as_str())
        || after.lower.ends_with("ly")
        || after.lower.ends_with("ing") && after.lower != "string"
        || TAKES.contains(&participle.lower.as_str())
        || after.text.starts_with(char::is_numeric)
}

/// *You are used to working*, *when you are done*, *is set to begin*: states of somebody.
fn is_habit(all: &[Word<'_>], at: usize) -> bool {
    let next = |step: usize| all.get(at + step).map(|word| word.lower.as_str());
    let person =
        || all[..at].iter().rev().take(2).any(|word| matches!(word.lower.as_str(), "you" | "we" | "i" | "they"));
    match all[at].lower.as_str() {
        "used" => next(1) == Some("to") && (next(2).is_some_and(|word| word.ends_with("ing")) || next(2) == Some("it")),
        "done" => person(),
        "made" => matches!(next(1), Some("of" | "up" | "from" | "for")),
        "set" => next(1) == Some("to") && next(2) == Some("be"),
        "sold" | "run" | "out" => next(1) == Some("out"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passive_is_heard() {
        let (english, german) = (Voice::new(Language::English), Voice::new(Language::German));
        for (text, voice, want) in [
            ("The report was written by us.", &english, Some("was written")),
            ("Mistakes were quickly corrected.", &english, Some("were quickly corrected")),
            ("Options can be passed to it.", &english, Some("be passed")),
            ("It isn\u{2019}t called twice.", &english, Some("isn\u{2019}t called")),
            ("The value is being computed.", &english, Some("is being computed")),
            ("We wrote the report.", &english, None),
            ("We are thrilled to announce it.", &english, None),
            ("She is tired of red tape but is here.", &english, None),
            ("Are you interested? I am, and she is interested too.", &english, None),
            ("The house is located in Berlin.", &english, None),
            ("The house is surrounded by trees.", &english, Some("is surrounded")),
            ("We were impressed by her.", &english, Some("were impressed")),
            ("The lamp is limited by design.", &english, None),
            ("It is indeed here.", &english, None),
            ("It is unused. It was unlocked.", &english, Some("was unlocked")),
            ("There are shared libraries.", &english, None),
            ("These are shared libraries.", &english, None),
            ("It is well-known and open-sourced.", &english, None),
            ("You are used to working at night.", &english, None),
            ("It is used to light the room.", &english, Some("is used")),
            ("When you are done, go.", &english, None),
            ("The table is made of wood.", &english, None),
            ("It is, said Anna, here.", &english, None),
            ("It is \u{fffc} called once.", &english, None),
            ("The colour is Red Hat's.", &english, None),
            ("It is a hundred.", &english, None),
            ("Der Bericht wird gelesen.", &german, Some("wird gelesen")),
            ("Die Daten wurden gestern von uns verarbeitet.", &german, Some("wurden gestern von uns verarbeitet")),
            ("Wir wissen, dass der Bericht gelesen wird.", &german, Some("gelesen wird")),
            ("Die Datei wird angezeigt und gedruckt.", &german, Some("wird angezeigt und gedruckt")),
            ("Wir lesen den Bericht.", &german, None),
            ("Es wird kalt.", &german, None),
            ("Wir werden gewinnen.", &german, None),
            ("Sie wird bekannt.", &german, None),
            ("Er wird ein Geschäft gründen.", &german, None),
            ("Sie werden die Lampe verwenden.", &german, None),
        ] {
            assert_eq!(voice.passive(text).map(|(from, to)| &text[from..to]), want, "{text}");
        }
    }
}
