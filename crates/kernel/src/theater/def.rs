//! What the theater is called, needs, shows and writes.

use super::{DESIGNER, JUDGE, LINT, MEASURE, PANEL, Panel, Settings, status};
use crate::bench::Bench;
use crate::loops::{Again, LoopDef, LoopFiles, LoopKey, LoopRefusal, LoopTitle, RoundLimit, RoundWord, TallyKind};
use crate::rules::RULES;
use crate::{RunSpec, SeatName};

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
    settled_hint: "passed already; `tribunal rerun` starts again",
    plan_note: "",
    no_ask: None,
    no_select: Some(LoopRefusal::new(
        "is a theater: only a review lets you select a draft",
        "a theater ships by its score",
    )),
    works_on_files: &[],
    judging: &[JUDGE],
    bench,
    shows_brief: true,
    ends_rounds_on_stage: true,
    rules_on_drafts: false,
    engine_seats: &[LINT, MEASURE, RULES],
    keys: KEYS,
};

/// Who speaks for a whole panel writes and judges.
fn bench(spec: &RunSpec) -> Bench {
    let Some(settings) = spec.settings_of::<Settings>() else { return Bench::default() };
    match settings.panel {
        Panel::Seats => Bench::new([&SeatName::new(DESIGNER)], settings.judges()),
        Panel::Single => Bench::new([&SeatName::new(PANEL)], [&SeatName::new(PANEL)]),
        Panel::Off => Bench::default(),
    }
}

/// The keys of the section `[theater]`.
#[rustfmt::skip]
pub const KEYS: &[LoopKey] = &[
    LoopKey::new("enabled", "whether to use a panel; without it, the designer makes a single pass").or("true"),
    LoopKey::new("policy", "when to use the panel, unless a brief or skill says otherwise").or("always"),
    LoopKey::new("panel", "whether one agent plays all roles, or every role has its own seat and agent").or("seats"),
    LoopKey::new("cast", "the roles: `designer` and the judges").or("designer,critic,brand,a11y,copy"),
    LoopKey::new("max_rounds", "how many rounds to run before the fallback policy decides").or("3"),
    LoopKey::new("score_scale", "the highest score a judge can give").or("10"),
    LoopKey::new("score_threshold", "the composite score that a round needs to ship; at most the scale").or("8.0"),
    LoopKey::new("weights.*", "a judge's share of the composite score; if any is set, judges without one count 0, and all must add up to 1"),
    LoopKey::new("per_round_timeout_ms", "how long a round may take, in milliseconds").or("90000"),
    LoopKey::new("total_timeout_ms", "how long all rounds together may take, in milliseconds").or("240000"),
    LoopKey::new("parser_max_block_bytes", "how many bytes a block of the panel's stream may have").or("262144"),
    LoopKey::new("fallback_policy", "what ships if the last round does not reach the threshold").or("ship_best"),
    LoopKey::new("protocol_version", "the version of the panel's stream").or("1"),
    LoopKey::new("max_concurrent_runs", "how many theaters may run at once, others wait; by default one per core"),
    LoopKey::new("design", "the design file to judge the brand by"),
    LoopKey::new("source", "a page or text to start from"),
    LoopKey::new("artifact", "the name of the artifact"),
];
