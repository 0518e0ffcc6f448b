//! The pure core of Tribunal.
//!
//! `state = fold(log)`: a [`Run`] is built from [`Event`]s alone, and the same log gives the same state for ever.
//! Nothing in this crate reads a clock, a file, the environment or a random number; time and ids arrive in events,
//! and blobs arrive as text that the caller fetched. `clippy.toml` and `cargo xtask tidy` keep it that way.
//!
//! | to learn about | read |
//! |---|---|
//! | what happened | [`event`], [`log`] |
//! | the state that follows from it | [`run`], [`turn`], [`slot`], [`parking`] |
//! | what a seat is asked, in words and as a value | [`call`], [`prompt`], [`attachment`], [`input`] |
//! | what a seat said | [`answer`], [`heard`], [`draft`], [`mutation`], [`verdict`], [`finding`] |
//! | what counts as judged, and who judges | [`ballot`], [`rules`], [`bench`] |
//! | what several judges found, as one, and how much is left | [`faults`] |
//! | what is decided | [`score`], [`tally`], [`ruling`], [`decision`], [`outcome`], [`breaker`], [`budget`] |
//! | what a watcher is told, whatever the loop | [`watch`] |
//! | whether an agent can be relied on | [`grade`] |
//! | whether what a log says follows from what it was given, and what is shown to others | [`audit`], [`proof`] |
//! | the shape of a trial | [`trial`], [`loops`], and one module for every loop: [`review`], [`theater`], [`joust`], [`desk`] |

pub mod answer;
pub mod attachment;
pub mod audit;
pub mod ballot;
pub mod bench;
pub mod breaker;
pub mod budget;
pub mod call;
pub mod circles;
mod claim;
pub mod consult;
pub mod control;
pub mod decision;
pub mod desk;
pub mod digest;
pub mod draft;
pub mod event;
pub mod evidence;
pub mod faults;
pub mod finding;
pub mod grade;
pub mod heard;
pub mod id;
pub mod input;
pub mod joust;
pub mod judge;
pub mod last_look;
pub mod late;
pub mod ledger;
pub mod log;
pub mod loops;
pub mod mutation;
pub mod outcome;
pub mod parking;
pub mod person;
pub mod prompt;
pub mod proof;
pub mod quote;
pub mod review;
pub mod rules;
pub mod ruling;
pub mod run;
pub mod score;
pub mod share;
pub mod slot;
pub mod spec;
pub mod tally;
pub mod text;
pub mod theater;
pub mod time;
pub mod tokens;
pub mod trial;
pub mod turn;
pub mod verdict;
pub mod waiver;
pub mod watch;

pub use attachment::{Attachment, MediaType};
pub use budget::{Budget, Limits, Rate, Spend, Usage, Usd};
pub use decision::Decision;
pub use digest::Digest;
pub use draft::{Draft, Format};
pub use event::Event;
pub use finding::{Finding, FindingId, Severity};
pub use id::{DraftId, ProjectId, Round, RunId, SeatName, Seq, TurnId};
pub use input::TurnInput;
pub use log::Entry;
pub use loops::{LoopKind, LoopSettings};
pub use mutation::Mutation;
pub use outcome::Outcome;
pub use person::QuestionSection;
pub use ruling::Ruling;
pub use run::{Next, Run};
pub use score::Score;
pub use slot::Slot;
pub use spec::{Binding, RunSpec};
pub use tally::{Ship, Tally};
pub use time::Time;
pub use trial::{Ask, Reading, Step, Trial};
pub use turn::{Said, Turn, TurnError, TurnState};
pub use verdict::{Judgement, Verdict};
