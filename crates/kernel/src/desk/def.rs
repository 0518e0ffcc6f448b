//! What the desk is called, needs, shows and writes.

use super::{DESK, VERIFY, WORK, WORKER};
use crate::Outcome;
use crate::loops::{Again, LoopDef, LoopFiles, LoopRefusal, LoopTitle, RoundLimit, RoundWord, TallyKind};

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
    settled_hint: "there is a sentinel; `tribunal desk clean` makes it ready for another run",
    plan_note: " in each that claims something",
    // Outside of its place nothing would keep a seat from working on the user's files.
    no_ask: Some(LoopRefusal::new(
        "is a desk: its seats work on files, in places of their own",
        "`tribunal desk logs {subject}` shows what they were told and what was seen",
    )),
    no_select: Some(LoopRefusal::new("is a desk: only a review's drafts are chosen", "its work is in files")),
    // Others, such as planning, run outside of any sandbox: they are not given tools that write.
    works_on_files: &[WORK, VERIFY],
    ends_rounds_on_stage: false,
    rules_on_drafts: false,
    engine_seats: &[DESK],
};
