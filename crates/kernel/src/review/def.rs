//! What the review loop is called, needs, shows and writes.

use super::CREATOR;
use crate::Outcome;
use crate::loops::{Again, LoopDef, LoopFiles, LoopTitle, RoundLimit, RoundWord, TallyKind};
use crate::rules::RULES;

pub static DEF: LoopDef = LoopDef {
    name: "review",
    title: LoopTitle { en: "Review", de: "Review", ja: "レビュー", ko: "리뷰", zh_cn: "评审", zh_tw: "評審" },
    about: "a creator writes a candidate for one asset, a reviewer judges it, until both agree",
    round: RoundWord::Iteration,
    round_limit: RoundLimit::Settings,
    author: CREATOR,
    tally: TallyKind::MustFix,
    status: Outcome::as_str,
    files: LoopFiles::Workspace,
    most_at_once: None,
    again: Again::Reopen,
    settled_hint: "decided; `tribunal reopen` lifts the lock",
    plan_note: "",
    no_ask: None,
    no_select: None,
    works_on_files: &[],
    ends_rounds_on_stage: false,
    rules_on_drafts: false,
    engine_seats: &[RULES],
};
