//! A fifth loop, in unit tests only: two seats argue, and after so many rounds the last word stands. It shows that a
//! loop is its own folder and a registration.

use serde::{Deserialize, Serialize};

use super::{Again, LoopDef, LoopFiles, LoopTitle, RoundLimit, RoundWord, TallyKind};
use crate::answer::Misfit;
use crate::bench::Bench;
use crate::prompt::{Part, Prompt};
use crate::trial::{Ask, Exhibits, Outlook, Reading, Step, Trial};
use crate::turn::Bill;
use crate::watch::Watcher;
use crate::{
    Decision, Digest, Draft, Entry, Event, Format, Next, Outcome, Round, Run, RunId, RunSpec, Said, SeatName, Seq,
    Slot, Time, Turn,
};
use uuid::Uuid;

const SEATS: [&str; 2] = ["pro", "contra"];
const ARGUE: &str = "argue";

pub(super) static DEF: LoopDef = LoopDef {
    name: "debate",
    title: LoopTitle { en: "Debate", de: "Debatte", ja: "討論", ko: "토론", zh_cn: "辩论", zh_tw: "辯論" },
    about: "two seats argue, and the last word stands",
    round: RoundWord::Round,
    round_limit: RoundLimit::Settings,
    author: SEATS[0],
    tally: TallyKind::Score,
    status: Outcome::as_str,
    files: LoopFiles::Artifacts,
    most_at_once: None,
    again: Again::Reopen,
    settled_hint: "decided; `tribunal reopen` lifts the decision",
    plan_note: "",
    no_ask: None,
    no_select: None,
    works_on_files: &[],
    judging: &[],
    bench: |_| Bench::default(),
    shows_brief: true,
    ends_rounds_on_stage: false,
    rules_on_drafts: false,
    engine_seats: &[],
    keys: &[],
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    pub motion: String,
    pub rounds: u32,
}

impl Trial for Settings {
    fn subject(&self) -> &str {
        &self.motion
    }

    fn main_seat(&self) -> &str {
        SEATS[0]
    }

    fn seats(&self) -> Vec<&str> {
        SEATS.into()
    }

    fn next(&self, run: &Run) -> Step {
        let decision = run.decision();
        if let (true, Some(outcome)) = (decision.is_settled(), decision.outcome) {
            return Step::End { outcome, reason: decision.reason.clone().unwrap_or_default() };
        }
        let round = match run.rounds().last() {
            None => return Step::Open(Round(1)),
            Some(state) if state.closed.is_some() => return Step::Open(state.round.next()),
            Some(state) => state.round,
        };
        for seat in SEATS.map(SeatName::new) {
            match run.slot(round, &seat, ARGUE) {
                Slot::Answered { .. } => {}
                Slot::Exhausted { error, .. } => {
                    return Step::End { outcome: Outcome::Failed, reason: error.message.clone() };
                }
                Slot::Open { .. } | Slot::InFlight => return Step::Ask(vec![Ask::new(round, seat, ARGUE)]),
            }
        }
        let last = || Decision::terminal(Outcome::Converged, round, "everything is said");
        Step::close(round, if round.0 < self.rounds { Decision::in_progress(None) } else { last() })
    }

    fn prompt(&self, _: &Run, ask: &Ask) -> Prompt {
        Prompt { template: "debate/1", parts: vec![Part::Text(format!("Argue {}: {}", ask.seat, self.motion))] }
    }

    fn read(&self, run: &Run, turn: &Turn, answer: &str, _: &Exhibits) -> Result<Reading, Misfit> {
        let draft = Draft::proposed(run.spec().run, turn.id, answer, Format::Plain);
        Ok(Reading { said: Said::Draft { draft, done: None, notes: None }, blobs: vec![answer.to_owned()] })
    }

    fn outlook(&self, done: u32) -> Outlook {
        let left = self.rounds.saturating_sub(done);
        Outlook::new(self.rounds, SEATS.map(|seat| (SeatName::new(seat), left)))
    }
}

#[test]
fn a_fifth_loop_is_played_recorded_and_watched_like_any_other() {
    let settings = Settings { motion: "tabs".into(), rounds: 2 };
    let spec = RunSpec::new(RunId(Uuid::nil()), ".".into(), Digest::of("brief"), settings.clone());
    let mut log = vec![Event::RunOpened { spec: Box::new(spec) }];
    let entries = |log: &[Event]| -> Vec<Entry> {
        let entry = |(at, event): (u64, &Event)| Entry { seq: Seq(at), time: Time(at), event: event.clone() };
        (1..).zip(log).map(entry).collect()
    };
    let run = loop {
        let run = Run::fold(entries(&log)).unwrap().unwrap();
        match run.next(Time(100)) {
            Next::Record(event) => log.push(event),
            Next::Ask(calls) => {
                let rendered: Vec<_> =
                    calls.iter().map(|call| call.prompt.render(run.spec().origin(), |_| None).unwrap()).collect();
                log.extend(run.start(calls.iter().zip(&rendered)).unwrap());
            }
            Next::Wait => {
                let turn = run.in_flight().next().unwrap();
                let reading = run
                    .read(turn, &format!("{} speaks", turn.seat), &Exhibits::new(&tribunal_checks::Inspector))
                    .unwrap();
                let (raw, said) = (Digest::of(&reading.blobs[0]), Box::new(reading.said));
                log.push(Event::TurnAnswered { turn: turn.id, raw, said, bill: Bill::default() });
            }
            Next::Cancel(_) => unreachable!("nobody interrupts"),
            Next::Done(_) => break run,
        }
    };
    assert_eq!((run.end().unwrap().outcome, run.turns().len()), (Outcome::Converged, 4));
    assert_eq!((run.spec().kind().as_str(), run.spec().most_rounds()), ("debate", Some(2)));
    assert_eq!(run.spec().settings_of::<Settings>(), Some(&settings));
    let written = serde_json::to_value(run.spec()).unwrap();
    assert_eq!((&written["loop"], &written["debate"]["motion"]), (&"debate".into(), &"tabs".into()));
    assert_eq!(&serde_json::from_value::<RunSpec>(written).unwrap(), run.spec());
    let mut watcher = Watcher::default();
    let told = entries(&log).iter().flat_map(|entry| watcher.follow(entry).unwrap()).collect::<Vec<_>>();
    let drafts = told.iter().filter(|frame| frame.event.name() == "draft").count();
    assert_eq!((told[0].event.name(), told.last().unwrap().event.name(), drafts), ("scene", "run_closed", 4));
}
