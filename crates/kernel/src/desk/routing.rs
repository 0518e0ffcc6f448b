//! Which model does the work: the cheapest that should do, one level up when it did not.

use super::settings::Settings;
use crate::trial::Routed;

/// What is known when a model is chosen.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signs<'a> {
    /// What is to be done.
    pub(super) contract: &'a str,
    /// Failed verifications of what is being worked on, since it last passed.
    pub(super) failures: u32,
    /// The same error came twice.
    pub(super) is_stuck: bool,
}

/// Words of a change that touches much.
const BROAD: [&str; 10] = [
    "architecture",
    "redesign",
    "refactor",
    "restructure",
    "migrate",
    "migration",
    "across the",
    "every module",
    "concurrency",
    "protocol",
];
/// Words of a change that is clear.
const CLEAR: [&str; 9] =
    ["typo", "rename", "comment", "one line", "single line", "readme", "version number", "wording", "whitespace"];
/// Words of logic that must not be wrong.
const CRITICAL: [&str; 12] = [
    "security",
    "secret",
    "password",
    "auth",
    "permission",
    "crypto",
    "encrypt",
    "payment",
    "money",
    "sql injection",
    "token",
    "critical",
];

/// The worker's model; nothing if there is no ladder: the agent's own is taken.
pub(super) fn worker(settings: &Settings, signs: Signs<'_>) -> Option<Routed> {
    if let Some(model) = &settings.worker_model {
        return Some(chosen(model, "chosen by --worker-model"));
    }
    let ladder = &settings.ladder;
    let (start, why) = start(ladder.len(), signs.contract);
    let ups = signs.failures + u32::from(signs.is_stuck);
    let level = start.saturating_add(ups as usize).min(ladder.len().saturating_sub(1));
    let why = match (signs.is_stuck, signs.failures) {
        (true, _) => "the same error came twice: one level up".to_owned(),
        (false, 0) => why.to_owned(),
        (false, 1) => format!("{why}; one level up after a failure"),
        (false, times) => format!("{why}; up after {times} failures"),
    };
    ladder.get(level).map(|model| chosen(model, &why))
}

/// The verifier's model: not the worker's, where there is another.
pub(super) fn verifier(settings: &Settings, contract: &str, worker: Option<&str>) -> Option<Routed> {
    if let Some(model) = &settings.verifier_model {
        return Some(chosen(model, "chosen by --verifier-model"));
    }
    let ladder = &settings.verifier_ladder;
    let top = ladder.len().checked_sub(1)?;
    let is_critical = has(contract, &CRITICAL);
    let (level, why) =
        if is_critical { (top, "critical logic") } else { (middle(ladder.len()), "standard verification") };
    if worker != Some(ladder[level].as_str()) {
        return Some(chosen(&ladder[level], why));
    }
    let other = [level + 1, level.wrapping_sub(1)].into_iter().find_map(|level| ladder.get(level));
    Some(match other {
        Some(model) => chosen(model, &format!("{why}; not the worker's own model")),
        None => chosen(&ladder[level], &format!("{why}; there is only the worker's own model")),
    })
}

fn start(levels: usize, contract: &str) -> (usize, &'static str) {
    let top = levels.saturating_sub(1);
    if has(contract, &BROAD) || files_in(contract) > 2 {
        (top, "several files or architecture")
    } else if has(contract, &CLEAR) && files_in(contract) < 2 {
        (0, "a single clear change")
    } else {
        (middle(levels), "standard work")
    }
}

fn middle(levels: usize) -> usize {
    levels.saturating_sub(1) / 2
}

fn has(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// How many files a text names.
fn files_in(text: &str) -> usize {
    let is_file = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty()
                && stem.chars().any(char::is_alphabetic)
                && (1..=5).contains(&extension.len())
                && extension.chars().all(|c| c.is_ascii_alphanumeric())
                && extension.chars().any(|c| c.is_ascii_alphabetic())
        })
    };
    let mut files: Vec<&str> = text.split_whitespace().filter(is_file).collect();
    files.sort_unstable();
    files.dedup();
    files.len()
}

fn chosen(model: &str, why: &str) -> Routed {
    Routed { model: model.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let ladder: Vec<String> = ["haiku", "sonnet", "opus"].map(str::to_owned).into();
        Settings { verifier_ladder: ladder.clone(), ladder, ..Settings::new("calc") }
    }

    #[test]
    fn a_worker_starts_where_the_contract_suggests_and_climbs() {
        for (name, contract, failures, is_stuck, expected) in [
            ("clear", "Fix the typo in README.md", 0, false, "haiku: a single clear change"),
            ("standard", "Implement US-001", 0, false, "sonnet: standard work"),
            ("broad", "Redesign the store", 0, false, "opus: several files or architecture"),
            ("files", "Change a.rs, b.rs and c.rs", 0, false, "opus: several files or architecture"),
            ("one failure", "Implement US-001", 1, false, "opus: standard work; one level up after a failure"),
            ("at the top", "Implement US-001", 5, false, "opus: standard work; up after 5 failures"),
            ("stuck", "Fix the typo", 0, true, "sonnet: the same error came twice: one level up"),
        ] {
            let choice = worker(&settings(), Signs { contract, failures, is_stuck }).unwrap();
            assert_eq!(format!("{}: {}", choice.model, choice.why), expected, "{name}");
        }
        assert_eq!(worker(&Settings::new("x"), Signs::default()), None, "the agent's own model");
        let pinned = Settings { worker_model: Some("mine".into()), ..settings() };
        assert_eq!(worker(&pinned, Signs { failures: 3, ..Signs::default() }).unwrap().model, "mine");
    }

    #[test]
    fn a_verifier_is_not_the_worker_where_there_is_another_model() {
        for (name, contract, of_worker, expected) in [
            ("another", "Implement US-001", Some("haiku"), "sonnet: standard verification"),
            ("the same", "Implement US-001", Some("sonnet"), "opus: standard verification; not the worker's own model"),
            ("critical", "SpecCheck the password", Some("sonnet"), "opus: critical logic"),
            (
                "critical, the same",
                "SpecCheck the password",
                Some("opus"),
                "sonnet: critical logic; not the worker's own model",
            ),
        ] {
            let choice = verifier(&settings(), contract, of_worker).unwrap();
            assert_eq!(format!("{}: {}", choice.model, choice.why), expected, "{name}");
        }
        let one = Settings { verifier_ladder: vec!["only".into()], ..settings() };
        let choice = verifier(&one, "x", Some("only")).unwrap();
        assert_eq!(choice.why, "standard verification; there is only the worker's own model");
    }
}
