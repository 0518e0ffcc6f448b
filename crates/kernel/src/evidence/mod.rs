//! Evidence that a lie does not survive: what five measures say about a change, whoever made it.
//!
//! A green command proves nothing by itself, for the one who wrote the code may have written what runs it. Nothing in
//! here runs anything: it says what to run, on which trees, and what follows from what was seen.
//!
//! | file | noun |
//! |---|---|
//! | `shell`, `recipe` | a command line, and what stands behind `make` and `npm test` |
//! | `runner` | which test runner a command uses |
//! | `adapt`, `adapted`, `selection` | how it is asked for its report, and for tests of ours |
//! | `report`, `libtest` | tests by name, with their state |
//! | `given`, `mixed`, `inline_tests`, `doc_tests` | what a change may not decide about: files, parts of files, tests inside of files |
//! | `given_roles`, `test_names`, `test_modules`, `test_text`, `standard_modules` | which files are tests by what the base says, whatever their names, and which stand in the way of Python's own |
//! | `test_aware` | work that asks whether it is being tested |
//! | `plan` | the trees that a change is looked at on |
//! | `new_tests`, `loads` | those that the work brings: given ones have to hold without them, too |
//! | `canary`, `canary_text` | tests of ours, of which one must pass and the others must fail |
//! | `spoiled` | given tests that were made to fail, under the names that they have |
//! | `script`, `given_script`, `shell_words` | scripts that a command starts and the work did not change |
//! | `ending`, `control_marks` | an ending of ours in such a script, and what the scripts note while they run |
//! | `expectation`, `run_seen` | one run of a command, and what it is worth |
//! | `comparison` | base and head side by side; red, then green |
//! | `missing` | packages that are not there |
//! | `mutant`, `source` | the changed lines, broken one at a time |
//! | `value`, `finding`, `judge` | the evidence, and what follows from it |
//!
//! # Fails closed
//! Silence, a missing report, an empty one, one that does not fit the exit code, no tests: none of it is evidence.

mod adapt;
mod adapted;
mod canary;
mod canary_text;
mod comparison;
mod control_marks;
mod doc_tests;
mod ending;
mod expectation;
mod finding;
mod given;
mod given_roles;
mod given_script;
mod inline_tests;
mod judge;
mod libtest;
mod loads;
mod missing;
mod mixed;
mod mutant;
mod new_tests;
mod plan;
mod recipe;
mod report;
mod run_seen;
mod runner;
mod script;
mod selection;
mod shell;
mod shell_words;
mod source;
mod spoiled;
mod standard_modules;
mod test_aware;
mod test_modules;
mod test_names;
mod test_text;
mod value;

pub use adapt::{ReportWish, UNITTEST, adapt, runners_of};
pub use adapted::{Adapted, AdaptedLine, ReportAsk, ReportForm, ReportStrength};
pub use canary::{Canary, CanarySong, canary, drawn_for_scripts};
pub use comparison::{RedGreen, RedSeen, TestComparison};
pub use control_marks::ControlMarks;
pub use ending::{MARKS, Planter, ScriptEnding};
pub use expectation::CommandExpectation;
pub use finding::{EvidenceCode, EvidenceFinding, EvidenceWeight};
pub use given::{MayChange, PathRole, role_of};
pub use given_roles::GivenRoles;
pub use given_script::{GivenScript, given_scripts};
pub use inline_tests::{InlineChange, has_inline_tests, inline_changes, with_tests_of};
pub use mixed::{is_steered_anew, merged};
pub(crate) use mutant::changed_lines;
pub use mutant::{Mutant, MutantEnd, MutantSeen, mutants};
pub use new_tests::NewTest;
pub use plan::{ChangedPath, EvidencePlan, PlanInput, Touch, TouchedPath, TreeEdit, TreeRole};
pub use report::{TestReport, TestSeen, TestState};
pub use run_seen::{RunSeen, RunState, state_of};
pub use runner::TestRunner;
pub use script::ScriptLanguage;
pub use spoiled::{SpoiledSong, SpoiledTests};
pub use test_aware::TestAware;
pub use value::{CommandEvidence, Evidence, EvidenceCommand};

#[cfg(test)]
mod tests;
