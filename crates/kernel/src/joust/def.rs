//! What the joust is called, needs, shows and writes.

use super::{LINT, MAIN, RECOUNT, SCORE, Settings};
use crate::bench::Bench;
use crate::last_look::LAST_LOOK;
use crate::loops::{Again, LoopDef, LoopFiles, LoopKey, LoopRefusal, LoopTitle, RoundLimit, RoundWord, TallyKind};
use crate::rules::{self, RULES};
use crate::{Outcome, RunSpec, SeatName};
use tribunal_anchors::AnchorKind;

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
    settled_hint: "decided; `tribunal reopen` lifts the decision",
    plan_note: "",
    no_ask: None,
    no_select: Some(LoopRefusal::new(
        "is a joust: only a review lets you select a draft",
        "the last accepted draft counts",
    )),
    works_on_files: &[],
    judging: &[LINT, RECOUNT, SCORE],
    bench,
    shows_brief: true,
    ends_rounds_on_stage: false,
    rules_on_drafts: true,
    engine_seats: &[LAST_LOOK, RULES],
    keys: KEYS,
};

/// Everybody writes who is not seated to judge alone. Linters judge what needs an opinion, scorers a rubric.
fn bench(spec: &RunSpec) -> Bench {
    let Some(settings) = spec.settings_of::<Settings>() else { return Bench::default() };
    let Settings { jousters, linters, scorers, .. } = settings;
    let writes = |seat: &&SeatName| {
        **seat == *MAIN
            || jousters.contains(seat)
            || !(linters.contains(seat) || scorers.contains(seat) || **seat == *RULES)
    };
    let needs_opinion = spec.anchor.as_ref().is_none_or(|anchor| !rules::semantic(anchor).is_empty());
    let judges = match settings.kind {
        AnchorKind::Rubric => scorers.as_slice(),
        _ if needs_opinion => linters,
        _ => &[],
    };
    Bench::new(spec.seats.keys().filter(writes), judges)
}

/// The keys of the section `[joust]`.
#[rustfmt::skip]
pub const KEYS: &[LoopKey] = &[
    LoopKey::new("name", "the name of the draft").or("draft"),
    LoopKey::new("jousters", "the seats that rewrite the draft, in this order").or("editor"),
    LoopKey::new("linters", "the seats that judge rules that need an opinion").or("main"),
    LoopKey::new("scorers", "the seats that score the dimensions of a rubric").or("main"),
    LoopKey::new("specialists", "the seats that can be summoned"),
    LoopKey::new("anchor_kind", "the kind of anchor, instead of the one the brief suggests"),
    LoopKey::new("max_rounds", "how many rounds to run at most").or("5"),
    LoopKey::new("max_retries", "how many attempts a rewrite gets before its author is skipped").or("3"),
    LoopKey::new("max_summons_per_round", "how many specialists may be summoned in a round").or("1"),
    LoopKey::new("compaction_threshold", "how many remarks to collect before they are summarized").or("10"),
    LoopKey::new("plateau_rounds", "how many rounds without a gain end the run").or("2"),
    LoopKey::new("plateau_epsilon", "an increase in score up to this does not count as a gain").or("0.02"),
    LoopKey::new("quorum", "how many equal votes decide an item; linters with the same model of the same provider have one between them").or("1"),
    LoopKey::new("allow_commands", "whether commands may run that the main seat writes into its anchor; `--allow-commands` says so for one run").or("false"),
    LoopKey::new("scoring", "rubrics that drafts are scored by besides the anchor: files of kind `rubric`, each a strategy of its own"),
    LoopKey::new("pause_every", "stop after every so many rounds for you to look; `tribunal resume` continues; 0: never").or("0"),
    LoopKey::new("time_box", "after so long no further round begins; the one that is open is played to its end"),
];
