//! What the review loop is called, needs, shows and writes.

use super::{CREATOR, REVIEW, REVIEWER};
use crate::bench::Bench;
use crate::last_look::LAST_LOOK;
use crate::loops::{Again, LoopDef, LoopFiles, LoopKey, LoopTitle, RoundLimit, RoundWord, TallyKind};
use crate::rules::RULES;
use crate::{Outcome, SeatName};

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
    settled_hint: "decided; `tribunal reopen` lifts the decision",
    plan_note: "",
    no_ask: None,
    no_select: None,
    works_on_files: &[],
    judging: &[REVIEW],
    bench: |_| Bench::new([&SeatName::new(CREATOR)], [&SeatName::new(REVIEWER)]),
    shows_brief: true,
    ends_rounds_on_stage: false,
    rules_on_drafts: false,
    engine_seats: &[LAST_LOOK, RULES],
    keys: KEYS,
};

/// The keys of the section `[review]`.
#[rustfmt::skip]
pub const KEYS: &[LoopKey] = &[
    LoopKey::new("asset", "the asset to work on"),
    LoopKey::new("assets", "several assets to work on, each as a run of its own"),
    LoopKey::new("max_iterations", "how many drafts to make before asking a person").or("3"),
    LoopKey::new("locked_assets", "assets that may not change once a candidate is selected").or("slug,title_detail,title_seo,subtitle_auphonic"),
    LoopKey::new("stop_in_circles", "whether a run ends that brings back a draft or a finding it had settled").or("false"),
    LoopKey::new("stop_on_needs_human", "whether a reviewer's `needs_human` ends the run").or("false"),
];
