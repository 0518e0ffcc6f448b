//! A run's events, as many as a test wants: the same every time, and such that the kernel can fold them.

use std::collections::BTreeMap;
use tribunal_kernel::turn::Bill;
use tribunal_kernel::{
    Binding, Decision, Digest, Draft, DraftId, Event, Format, Judgement, Round, RunId, RunSpec, Said, SeatName, Spend,
    Time, TurnId, Usage, Verdict, review,
};
use uuid::Uuid;

/// The moment at which every such run begins: 2026-11-15T08:30:00Z.
pub const BEGINNING: Time = Time(1_794_731_400_000);

/// The text of the brief that the first event cites.
pub const BRIEF: &str = "Write a headline.";

/// The number `number` among the runs of a test.
pub fn run_id(number: u64) -> RunId {
    RunId(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + u128::from(number)))
}

/// All events of a review that never comes to an end, a second apart.
pub fn events(run: RunId) -> impl Iterator<Item = (Time, Event)> {
    let opened = Event::RunOpened { spec: Box::new(spec(run)) };
    let rounds = (1..).flat_map(move |number| round(run, number));
    let times = (0..).map(|second| Time(BEGINNING.0 + second * 1000));
    times.zip(std::iter::once(opened).chain(rounds))
}

/// The texts that the first `rounds` rounds of [`events`] cite, the brief included.
pub fn texts(rounds: u32) -> Vec<String> {
    let mut texts = vec![BRIEF.to_owned()];
    for number in 1..=rounds {
        texts.extend([prompt(number, "creator"), draft(number), prompt(number, "reviewer"), review(number)]);
    }
    texts
}

fn spec(run: RunId) -> RunSpec {
    let binding = |agent: &str| Binding { agent: agent.into(), ..Binding::default() };
    RunSpec {
        seats: BTreeMap::from([
            (SeatName::new("creator"), binding("writer")),
            (SeatName::new("reviewer"), binding("critic")),
        ]),
        max_retries: 2,
        ..RunSpec::new(
            run,
            "/work".into(),
            Digest::of(BRIEF),
            review::Settings {
                asset: "headline".into(),
                max_iterations: u32::MAX,
                stop_in_circles: false,
                stop_on_needs_human: false,
                locked: false,
                given: review::ReviewGiven::default(),
            },
        )
    }
}

fn round(run: RunId, number: u32) -> [Event; 6] {
    let round = Round(number);
    let turn = |nth: u32| TurnId((number - 1) * 2 + nth);
    let started = |nth: u32, seat: &str, task: &str| Event::TurnStarted {
        turn: turn(nth),
        round,
        seat: SeatName::new(seat),
        task: task.into(),
        attempt: 1,
        prompt: Digest::of(prompt(number, seat)),
        stable: 0,
        request: Digest::of(format!("request {number} {seat}")),
        reserved: Spend::default(),
        routed: None,
        taken_by: None,
        directives: 0,
    };
    let bill = Bill {
        usage: Usage { input_tokens: 812, output_tokens: 97, ..Usage::default() },
        elapsed_ms: 1840,
        ..Bill::default()
    };
    let id = DraftId(run.derive("sample", &[&number.to_le_bytes()]));
    let said = Said::Draft { draft: Draft::of(id, &draft(number), Format::Markdown), done: Some(true), notes: None };
    let verdict = Said::Verdict(Verdict {
        word: "changes_requested".into(),
        summary: Some("Not yet: “größer” is vague.".into()),
        ..Verdict::new(id, Judgement::Fail)
    });
    [
        Event::RoundOpened { round },
        started(1, "creator", "draft"),
        Event::TurnAnswered { turn: turn(1), raw: Digest::of(draft(number)), said: Box::new(said), bill: bill.clone() },
        started(2, "reviewer", "review"),
        Event::TurnAnswered { turn: turn(2), raw: Digest::of(review(number)), said: Box::new(verdict), bill },
        Event::RoundClosed { round, decision: Decision::in_progress(None), tally: None },
    ]
}

fn prompt(round: u32, seat: &str) -> String {
    format!("You are the {seat}, this is round {round}.")
}

fn draft(round: u32) -> String {
    format!("# Draft {round}\n")
}

fn review(round: u32) -> String {
    format!("{{\"verdict\":\"changes_requested\",\"round\":{round}}}")
}
