//! What the theater is called, needs, shows and writes.

use super::{DESIGNER, LINT, MEASURE, status};
use crate::loops::{Again, LoopDef, LoopFiles, LoopRefusal, LoopTitle, RoundLimit, RoundWord, TallyKind};
use crate::rules::RULES;

pub static DEF: LoopDef = LoopDef {
    name: "theater",
    title: LoopTitle {
        en: "Theater", de: "Theater", ja: "シアター", ko: "시어터", zh_cn: "剧场", zh_tw: "劇場"
    },
    about: "a designer drafts, judges score and demand, until a round passes the gate",
    round: RoundWord::Round,
    round_limit: RoundLimit::Settings,
    author: DESIGNER,
    tally: TallyKind::Score,
    status,
    files: LoopFiles::Artifacts,
    most_at_once: Some("theater.max_concurrent_runs"),
    again: Again::Rerun,
    settled_hint: "passed already; `tribunal rerun` tries it again",
    plan_note: "",
    no_ask: None,
    no_select: Some(LoopRefusal::new(
        "is a theater: only a review's drafts are chosen",
        "a theater ships by its score",
    )),
    works_on_files: &[],
    ends_rounds_on_stage: true,
    rules_on_drafts: false,
    engine_seats: &[LINT, MEASURE, RULES],
};
