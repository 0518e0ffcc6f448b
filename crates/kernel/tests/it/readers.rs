//! One reader for every loop: the answers of `testdata/ballots/answers`, read by a joust's linter, an anchored review's
//! reviewer, a theater's judge and `check --semantic`. All four count them alike, and nothing hostile is met.
//!
//! `testdata/ballots/answers.md` is the table. `TRIBUNAL_BLESS=1 cargo test -p tribunal-kernel --test it readers` writes it
//! again.

use crate::joust::{anchor, settings as joust, spec as joust_spec};
use crate::recorded_answers::{Kind, RecordedAnswer, folder, recorded};
use crate::streams::settings as stage;
use crate::support::{Play, settings as review, spec as review_spec, theater};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use tribunal_kernel::ballot::{Ballot, BallotReading, QUOTE_NOT_FOUND, Vote, VoteWord};
use tribunal_kernel::consult::Opinion;
use tribunal_kernel::joust::Settings as Joust;
use tribunal_kernel::rules::semantic;
use tribunal_kernel::theater::Panel;
use tribunal_kernel::trial::Exhibits;
use tribunal_kernel::{Run, RunSpec, Said, TurnId};

const ANCHOR: &str = "kind = \"invariants\"\nMUST = [\"says when we move\"]\nSHOULD = [\"names a risk\"]\nMUST_NOT = [\"uses buzzwords\"]\n";

/// Whoever reads answers, and what else it is told beside a ballot.
const READERS: [(&str, &str); 4] = [
    ("joust", ""),
    ("review", r#""verdict": "ok""#),
    ("theater", r#""score": 9, "dims": [], "must_fix": []"#),
    ("check", ""),
];

/// A judge in flight, with the draft before it.
struct Judge {
    play: Play,
    run: Run,
    turn: TurnId,
}

impl Judge {
    /// The judge of a loop. One who may be asked again is told what is wrong.
    fn of(reader: &str, draft: &str, max_retries: u32) -> Option<Self> {
        let text = serde_json::json!(draft);
        let (spec, answer) = match reader {
            "joust" => {
                let one_round = Joust { max_rounds: 1, ..joust(&[]) };
                (joust_spec(anchor(ANCHOR), one_round), format!(r#"{{"draft": {text}}}"#))
            }
            "review" => {
                let answer = format!(r#"{{"done": true, "candidate": {{"content": {text}, "format": "plain"}}}}"#);
                (review_spec(review("description", 1)), answer)
            }
            "theater" => {
                let answer = format!(r#"{{"artifact": {{"mime": "text/html", "content": {text}}}}}"#);
                (theater(stage(Panel::Seats)), answer)
            }
            _ => return None,
        };
        let mut play = Play::new(RunSpec { anchor: Some(anchor(ANCHOR)), max_retries, ..spec });
        play.play(&[&answer]);
        let run = play.run();
        let turn = run.in_flight().next().expect("a judge is asked").id;
        Some(Self { play, run, turn })
    }

    fn read(&self, answer: &str) -> Option<BallotReading> {
        let turn = self.run.turn(self.turn).unwrap();
        let mut exhibits = Exhibits::new(&tribunal_checks::Inspector);
        let texts = self.run.exhibits(turn).into_iter();
        exhibits.extend(texts.map(|digest| (digest, self.play.texts[&digest].as_str().into())));
        let Said::Verdict(verdict) = self.run.read(turn, answer, &exhibits).ok()?.said else {
            panic!("a judge gives a verdict");
        };
        // Other corrections are the loop's own.
        let corrections = verdict.corrections.into_iter().filter(|correction| correction.rule == QUOTE_NOT_FOUND);
        Some(BallotReading { votes: verdict.votes, corrections: corrections.collect() })
    }
}

/// What an answer counts as.
#[derive(Debug, PartialEq, Eq)]
struct Counted {
    /// Who has attempts left is told what is wrong, and asked again.
    again: bool,
    /// What counts when nobody is asked again. Nothing, if it cannot be read: then every item is undecided.
    last: Option<BallotReading>,
}

impl Counted {
    /// The votes as words, without what they rest on.
    fn words(&self) -> [&'static str; 3] {
        let votes: &[Vote] = self.last.as_ref().map_or(&[], |reading| &reading.votes);
        let word = |vote: &Vote| match vote.says {
            VoteWord::Met => "met",
            VoteWord::Broken => "broken",
            VoteWord::CannotTell => "undecided",
        };
        std::array::from_fn(|at| votes.get(at).map_or("undecided", word))
    }

    fn told(&self) -> String {
        format!("{}{}", if self.again { "again, then " } else { "" }, self.words().join(" "))
    }

    fn signs(&self) -> String {
        let sign = |word: &str| match word {
            "met" => '✓',
            "broken" => '✗',
            _ => '?',
        };
        let again = if self.again { "↻ " } else { "" };
        format!("{again}{}", self.words().map(sign).iter().collect::<String>())
    }
}

/// A reader, over one draft.
struct Reader {
    usual: &'static str,
    draft: String,
    /// With attempts left, and in the last one. Nothing, outside of a trial.
    judges: Option<[Judge; 2]>,
}

impl Reader {
    fn of((name, usual): (&'static str, &'static str), draft: &str) -> Self {
        let judges = [2, 0].map(|retries| Judge::of(name, draft, retries));
        let judges = judges.into_iter().collect::<Option<Vec<_>>>().and_then(|judges| judges.try_into().ok());
        Self { usual, draft: draft.to_owned(), judges }
    }

    fn count(&self, answer: &str) -> Counted {
        let answer = beside(self.usual, answer);
        let [first, last] = if let Some(judges) = &self.judges {
            judges.each_ref().map(|judge| judge.read(&answer))
        } else {
            let items = semantic(&anchor(ANCHOR));
            let ballot = Ballot::of(items.iter().map(|(level, rule)| (*level, rule)));
            let opinion = Opinion { ballot: &ballot, text: &self.draft, is_controlled: false };
            [false, true].map(|is_last| opinion.read(&answer, 1, is_last).ok())
        };
        Counted { again: first.is_none(), last }
    }
}

/// The same answer of a judge who has more to say: this stands before every ballot, or else in the first object.
fn beside(usual: &str, answer: &str) -> String {
    let key = r#""ballot""#;
    match answer.split_once('{') {
        _ if usual.is_empty() => answer.to_owned(),
        _ if answer.contains(key) => answer.replace(key, &format!("{usual}, {key}")),
        Some((before, rest)) => {
            let comma = if rest.trim_start().starts_with('}') { "" } else { ", " };
            format!("{before}{{{usual}{comma}{rest}")
        }
        None => answer.to_owned(),
    }
}

#[test]
fn the_same_answers_count_alike_in_every_loop() {
    let answers = recorded();
    let mut drafts: BTreeMap<&str, Vec<Reader>> = BTreeMap::new();
    let mut table = String::from(HEAD);
    let mut wrong = Vec::new();
    for RecordedAnswer { file, draft, kind, expected, name, text } in &answers {
        let readers = drafts.entry(draft).or_insert_with(|| {
            let draft = fs::read_to_string(folder().join("drafts").join(draft)).unwrap();
            READERS.map(|reader| Reader::of(reader, &draft)).into()
        });
        let counted: Vec<Counted> = readers.iter().map(|reader| reader.count(text)).collect();
        let signs: Vec<String> = counted.iter().map(Counted::signs).collect();
        writeln!(table, "| {file} | {} | {name} | {} |", kind.as_str(), signs.join(" | ")).unwrap();
        let first = &counted[0];
        // An answer that one of them cannot read at all is one without a vote in the others.
        let read: Vec<&Counted> = counted.iter().filter(|counted| counted.last.is_some()).collect();
        let is_alike = counted.iter().all(|other| other.told() == first.told())
            && read.iter().all(|other| other.last == read[0].last);
        if !is_alike {
            wrong.push(format!("{file}: {name}: the readers differ: {}", signs.join(" | ")));
        }
        if first.told() != *expected {
            wrong.push(format!("{file}: {name}: {}, and {expected} is expected", first.told()));
        }
        if *kind == Kind::Hostile && counted.iter().any(|counted| counted.words().contains(&"met")) {
            wrong.push(format!("{file}: {name}: something hostile is met"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} answers:\n{}", wrong.len(), answers.len(), wrong.join("\n"));

    let path = folder().join("answers.md");
    if std::env::var_os("TRIBUNAL_BLESS").is_some() {
        fs::write(&path, &table).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), table, "{} is out of date", path.display());
}

const HEAD: &str = "\
# What the answers count as

The answers of [answers](answers), each read four times: by the linter of a joust, the reviewer of an anchored review, a judge \
of a theater and `tribunal check --semantic`.
Three items are put to the vote: a MUST, a SHOULD and a MUST_NOT.
✓ met, ✗ broken, ? undecided.
↻: whoever may be asked again is told what is wrong, and asked again; then it counts like this.

| file | kind | answer | joust | review | theater | check |
|---|---|---|---|---|---|---|
";

#[test]
fn there_are_enough_answers_of_every_kind() {
    let answers = recorded();
    assert!(answers.len() >= 200, "{}", answers.len());
    for kind in [Kind::WellFormed, Kind::Sloppy, Kind::Hostile] {
        let count = answers.iter().filter(|answer| answer.kind == kind).count();
        assert!(count >= 20, "{}: {count}", kind.as_str());
    }
    let mut different: Vec<_> = answers.iter().map(|answer| (&answer.draft, &answer.text)).collect();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), answers.len(), "an answer is there twice");
}
