//! What the loop is called, needs, shows and writes.

use super::{EVIDENCE, REVERIFY, Settings, VERIFY};
use crate::bench::Bench;
use crate::loops::{Again, LoopDef, LoopFiles, LoopKey, LoopRefusal, LoopTitle, RoundLimit, RoundWord, TallyKind};
use crate::{Outcome, RunSpec};

pub static DEF: LoopDef = LoopDef {
    name: "judge",
    title: LoopTitle { en: "Judge", de: "Urteil", ja: "審判", ko: "판정", zh_cn: "评判", zh_tw: "評判" },
    about: "a change that somebody made is tried by what can be run",
    round: RoundWord::Round,
    round_limit: RoundLimit::Settings,
    author: EVIDENCE,
    tally: TallyKind::MustFix,
    status: Outcome::as_str,
    files: LoopFiles::Artifacts,
    most_at_once: None,
    again: Again::Reopen,
    settled_hint: "judged already; `tribunal judge --again` tries it once more",
    plan_note: "",
    no_ask: Some(LoopRefusal::new(
        "judges a change: its verifiers vote, and nobody else sits in it",
        "`tribunal log` shows what was run",
    )),
    no_select: Some(LoopRefusal::new("judges a change: only a review lets you select a draft", "its work is in git")),
    works_on_files: &[],
    judging: &[VERIFY, REVERIFY],
    bench,
    shows_brief: false,
    ends_rounds_on_stage: false,
    rules_on_drafts: false,
    engine_seats: &[EVIDENCE],
    keys: KEYS,
};

/// Who made the change is not seated here.
fn bench(spec: &RunSpec) -> Bench {
    Bench::new([], spec.settings_of::<Settings>().map(|settings| settings.verifiers.as_slice()).unwrap_or_default())
}

/// The keys of the section `[judge]`.
#[rustfmt::skip]
pub const KEYS: &[LoopKey] = &[
    LoopKey::new("range", "the change to judge: a branch, `A..B` or `A...B`; by default what is on the branch and what is not committed, against the main branch"),
    LoopKey::new("checks", "the commands that prove the change; by default what the project's files show"),
    LoopKey::new("spec", "the file that says what the change has to do; verifiers vote on each of its items. By default the messages of the commits"),
    LoopKey::new("verifiers", "the seats that vote on whether the change does what it is asked to; by default `verifier` where there is a spec, and nobody otherwise"),
    LoopKey::new("quorum", "how many equal votes decide an item; verifiers with the same model of the same provider have one between them").or("1"),
    LoopKey::new("may_change", "tests and files that steer them which the change may alter, such as `tests/api/…` or `**/*.snap`: their new form counts as given"),
    LoopKey::new("mutants", "how many changed lines to break, one at a time, to see whether the checks notice; 0: none").or("20"),
    LoopKey::new("check_timeout", "how long one run of a check may take").or("10m"),
    LoopKey::new("refusals", "how often in a row a session is refused by the stop hook before it is let through").or("3"),
    LoopKey::new("network", "whether checks may use the network").or("false"),
    LoopKey::new("carry", "folders that git ignores and checks need, such as `node_modules` or `.venv`; by default these two, where they are"),
    LoopKey::new("setup", "commands that make what checks need and git does not have, such as `npm ci`: run once for each state of the lock files, with the network"),
];
