//! A stream of the wire protocol, followed without anybody performing it: `tribunal parse`, and tests.
//!
//! The same listener, the same fold, the same gate as in a real run; only nobody keeps a log and nobody is called.

use uuid::Uuid;

use super::event::TheaterEvent;
use super::events::events_as;
use super::settings::{PANEL, Panel, Settings};
use super::stream::Stream;
use crate::heard::Utterance;
use crate::prompt::Rendered;
use crate::spec::RunSpec;
use crate::trial::Listener as _;
use crate::turn::Bill;
use crate::{Binding, Digest, Entry, Event, Next, Run, RunId, Said, SeatName, Seq, Time, TurnId};

/// A stream that is being followed.
#[derive(Debug)]
pub struct Rehearsal {
    id: String,
    run: Run,
    stream: Stream,
    /// What is shown first, until the stream shows that there is a run.
    opening: Vec<TheaterEvent>,
    shown: Vec<TheaterEvent>,
    broke: Option<Broke>,
}

/// Why the stream cannot be read any further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broke {
    pub reason: String,
    pub position: u64,
    pub message: String,
}

/// The one turn there is.
const TURN: TurnId = TurnId(1);

impl Rehearsal {
    /// Follows a stream under these settings; `id` is the run's name in events.
    pub fn new(settings: Settings, id: impl Into<String>) -> Self {
        let settings = Settings { panel: Panel::Single, ..settings };
        let stream = Stream::new(&settings, TURN);
        let bound = Binding { agent: PANEL.into(), ..Binding::default() };
        let spec = RunSpec {
            seats: [(SeatName::new(PANEL), bound)].into(),
            ..RunSpec::new(RunId(Uuid::nil()), String::new(), Digest::of(""), settings)
        };
        let opened = Entry { seq: Seq(1), time: Time(0), event: Event::RunOpened { spec: Box::new(spec) } };
        let run = Run::open(&opened).expect("this is how a log begins");
        let id = id.into();
        let opening = events_as(&run, &opened, &id);
        let mut rehearsal = Self { id, run, stream, opening, shown: Vec::new(), broke: None };
        rehearsal.go_on();
        rehearsal
    }

    /// Takes in the next bytes; gives what they show.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<TheaterEvent> {
        self.stream.push_bytes(bytes);
        self.listen()
    }

    /// The stream is over; gives what is left to show, and why it could not be read to its end.
    pub fn finish(mut self) -> (Vec<TheaterEvent>, Option<Broke>) {
        self.stream.finish();
        let shown = self.listen();
        (shown, self.broke)
    }

    fn listen(&mut self) -> Vec<TheaterEvent> {
        while let Some(hearing) = self.stream.next(&self.run) {
            for utterance in &hearing.utterances {
                if let Utterance::Broke { reason, position, message } = utterance.clone() {
                    self.broke = Some(Broke { reason, position, message });
                }
                if *utterance == Utterance::Began {
                    self.shown.append(&mut self.opening);
                }
            }
            let event = Event::Heard { turn: TURN, utterances: hearing.utterances };
            if self.run.end().is_some() {
                // What follows a decision changes nothing, but what is odd about it is still worth a word.
                let entry = Entry { seq: self.run.seq(), time: Time(0), event };
                let said = events_as(&self.run, &entry, &self.id);
                self.shown.extend(said.into_iter().filter(|said| matches!(said, TheaterEvent::ParserWarning { .. })));
            } else {
                self.record(event);
                self.go_on();
            }
        }
        std::mem::take(&mut self.shown)
    }

    /// Everything that follows, until more has to be heard.
    fn go_on(&mut self) {
        loop {
            match self.run.next(Time(0)) {
                Next::Record(event) => self.record(event),
                Next::Ask(calls) if self.run.turns().is_empty() => {
                    let unsaid = Rendered::default();
                    let started = self.run.start(calls.iter().map(|call| (call, &unsaid)));
                    for event in started.unwrap_or_default() {
                        self.record(event);
                    }
                }
                // The end, unless the stream broke: then somebody would have to be called.
                Next::Cancel(_) if self.broke.is_none() => {
                    let (raw, said, bill) = (Digest::of(""), Box::new(Said::Heard), Bill::default());
                    self.record(Event::TurnAnswered { turn: TURN, raw, said, bill });
                }
                Next::Ask(_) | Next::Cancel(_) | Next::Wait | Next::Done(_) => return,
            }
        }
    }

    fn record(&mut self, event: Event) {
        let entry = Entry { seq: self.run.seq().next(), time: Time(0), event };
        self.run.apply(&entry).expect("the kernel's own events fit");
        self.shown.extend(events_as(&self.run, &entry, &self.id));
    }
}
