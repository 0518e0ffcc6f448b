//! The engine: drives runs, performs their turns, supervises and cancels.
//!
//! The kernel says what follows; the engine makes it happen and reports back in events. It is the only place that
//! spawns processes, and it holds no truth of its own: kill it at any moment, and a new one goes on from the log.
//!
//! | file | noun |
//! |---|---|
//! | `session` | one run, open for writing: [`Session::drive`] is the whole loop |
//! | `batch` | what is made durable together, with one wait for the disk |
//! | `performer` | the turns in flight |
//! | `listening` | who follows the turns that speak for several seats |
//! | `turn` | one turn: start the agent, read its answer, name its failure |
//! | `consult` | asking an agent outside of any trial |
//! | `seating` | which agents there are, and the bounds of their turns |
//! | `workplace`, `desk` | where seats work on files, and the desk's own |
//! | `command_run` | a command that proves something, and what was seen of it |
//! | `browser` | the browser eye: a page as Chrome or Chromium lays it out |
//! | `evidence` | whether a green command proves anything: five measures, run |
//! | `rules` | the seat that runs commands and looks at files |
//! | `human` | a person in a seat |
//! | `replay` | answers from a recorded run |
//! | `control` | how a run in flight is told to stop |
//! | `editor` | a person's own editor |
//! | `projection` | views that follow the log |
//! | `clock` | what time it is |
//! | `process` | child processes: nothing that a turn started outlives it |
//! | `sandbox` | what they may do to the machine they run on |
//! | `signing` | SSH signatures |
//! | `temporary` | folders for temporary files, and what killed processes left of theirs |
//! | `tree` | where work on files is done: git work trees, or copies |

pub mod attached;
mod batch;
pub mod browser;
pub mod clock;
mod command_run;
mod consult;
pub mod control;
pub mod desk;
mod detached;
pub mod editor;
pub mod evidence;
pub mod human;
mod listening;
mod performer;
pub mod process;
pub mod projection;
pub mod replay;
pub mod rules;
pub mod sandbox;
pub mod seating;
pub mod session;
pub mod signing;
pub mod temporary;
pub mod tree;
mod turn;
pub mod workplace;

pub use clock::{Clock, SystemClock};
pub use consult::{Consulted, consult};
pub use control::Control;
pub use detached::Detached;
pub use human::Human;
pub use projection::Projection;
pub use replay::Replay;
pub use rules::Rules;
pub use seating::{Seated, Seating};
pub use session::{DriveError, Session};
