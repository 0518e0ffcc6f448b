//! What the desk is called, needs, shows and writes.

use super::{DESK, Settings, VERIFIER, VERIFY, WORK, WORKER};
use crate::bench::{Bench, BenchSeat};
use crate::loops::{Again, LoopDef, LoopFiles, LoopKey, LoopRefusal, LoopTitle, RoundLimit, RoundWord, TallyKind};
use crate::{Outcome, RunSpec, SeatName};

pub static DEF: LoopDef = LoopDef {
    name: "desk",
    title: LoopTitle {
        en: "Desk", de: "Desk", ja: "デスク", ko: "데스크", zh_cn: "工作台", zh_tw: "工作檯"
    },
    about: "a worker with a fresh context claims, a verifier with a fresh context checks",
    round: RoundWord::Iteration,
    round_limit: RoundLimit::Run { key: "desk.max_iter" },
    author: WORKER,
    tally: TallyKind::Share,
    status: Outcome::as_str,
    files: LoopFiles::Desk,
    most_at_once: None,
    again: Again::Reopen,
    settled_hint: "there is a sentinel; `tribunal desk clean` prepares it for another run",
    plan_note: " in each that claims something",
    // Outside of its place nothing would keep a seat from working on the user's files.
    no_ask: Some(LoopRefusal::new(
        "is a desk: its seats work on files and cannot be asked",
        "`tribunal desk logs {subject}` shows their prompts and results",
    )),
    no_select: Some(LoopRefusal::new("is a desk: only a review lets you select a draft", "its work is in files")),
    // Others, such as planning, run outside of any sandbox: they are not given tools that write.
    works_on_files: &[WORK, VERIFY],
    judging: &[VERIFY],
    bench,
    shows_brief: false,
    ends_rounds_on_stage: false,
    rules_on_drafts: false,
    engine_seats: &[DESK],
    keys: KEYS,
};

/// The verifier is never given the worker's model where its ladder has another.
fn bench(spec: &RunSpec) -> Bench {
    let Some(settings) = spec.settings_of::<Settings>() else { return Bench::default() };
    let models = |fixed: &Option<String>, ladder: &[String]| fixed.clone().map_or(ladder.to_vec(), |model| vec![model]);
    let worker = models(&settings.worker_model, &settings.ladder);
    let verifier = models(&settings.verifier_model, &settings.verifier_ladder);
    let is_kept_apart = !worker.is_empty() && verifier.len() > 1;
    let seat = |seat: &str, models: Vec<String>| vec![BenchSeat { seat: SeatName::new(seat), models }];
    Bench { writers: seat(WORKER, worker), judges: seat(VERIFIER, verifier), is_kept_apart }
}

/// The keys of the section `[desk]`.
#[rustfmt::skip]
pub const KEYS: &[LoopKey] = &[
    LoopKey::new("slug", "the campaign to work on"),
    LoopKey::new("root", "the folder of the desk, relative to the workspace; by default `.claude/ralph-desk` or `.rlp-desk` if it exists, else `.tribunal/desk`"),
    LoopKey::new("max_iter", "how many iterations to run at most").or("100"),
    LoopKey::new("ladder", "models of the worker, cheapest first; by default those of its kind (`claude`: haiku, sonnet, opus), empty for the agent's own"),
    LoopKey::new("verifier_ladder", "models of the verifier, cheapest first; by default those of its kind"),
    LoopKey::new("worker_model", "the model of the worker, instead of the ladder"),
    LoopKey::new("verifier_model", "the model of the verifier, instead of the ladder"),
    LoopKey::new("roll_back", "whether to undo the work of an iteration whose claim fails").or("false"),
    LoopKey::new("stale_after", "how many iterations without any change block the desk").or("3"),
    LoopKey::new("max_consecutive_failures", "how many failed iterations in a row block the desk").or("6"),
    LoopKey::new("checks_network", "whether checks may use the network").or("false"),
    LoopKey::new("verifier_network", "whether the verifier may use the network; a model's command line needs it to reach the model").or("true"),
    LoopKey::new("check_timeout", "how long a check may take").or("10m"),
    LoopKey::new("mutants", "what to do about changed lines that can be broken without a check noticing: tell the verifier, refuse the claim, or do not try").or("report"),
    LoopKey::new("writable", "folders that worker and verifier may write to besides their own; the state of known command lines is among them anyway"),
    LoopKey::new("carry", "folders that git ignores and checks need, such as `node_modules` or `.venv`; by default these two, where they are"),
    LoopKey::new("setup", "commands that make what checks need and git does not have, such as `npm ci`: run once for each state of the lock files, with the network"),
];
