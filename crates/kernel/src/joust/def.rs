//! What the joust is called, needs, shows and writes.

use super::MAIN;
use crate::Outcome;
use crate::loops::{Again, LoopDef, LoopFiles, LoopRefusal, LoopTitle, RoundLimit, RoundWord, TallyKind};
use crate::rules::RULES;

pub static DEF: LoopDef = LoopDef {
    name: "joust",
    title: LoopTitle {
        en: "Joust", de: "Joust", ja: "ジャウスト", ko: "주스트", zh_cn: "比武", zh_tw: "比武"
    },
    about: "editors rewrite one draft in turn, under an anchor",
    round: RoundWord::Round,
    round_limit: RoundLimit::Settings,
    author: MAIN,
    tally: TallyKind::Score,
    status: Outcome::as_str,
    files: LoopFiles::Artifacts,
    most_at_once: None,
    again: Again::Reopen,
    settled_hint: "decided; `tribunal reopen` lifts the lock",
    plan_note: "",
    no_ask: None,
    no_select: Some(LoopRefusal::new(
        "is a joust: only a review's drafts are chosen",
        "the draft accepted last stands",
    )),
    works_on_files: &[],
    ends_rounds_on_stage: false,
    rules_on_drafts: true,
    engine_seats: &[RULES],
};
