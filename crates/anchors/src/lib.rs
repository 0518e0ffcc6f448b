//! Anchors: what a draft is judged against, and the part of the judging that needs no model.
//!
//! ```
//! use tribunal_anchors::{Anchor, Syntax, lint};
//! use tribunal_checks::Inspector;
//!
//! let anchor = Anchor::read("kind = \"invariants\"\nMUST = [\"must have a heading Risks\"]", Syntax::Toml).unwrap();
//! let result = lint(&anchor, "# Plan\n", None, &|_path| false, &Inspector);
//! assert!(!result.valid);
//! assert_eq!(result.violations[0].message, "no heading `Risks`");
//! ```
//!
//! # What a reader may rely on
//! - No IO, no clock, no environment, no randomness: whether a file is there is asked of a function.
//! - No parser of pages: what only a tree of elements can tell is asked of a [`PageInspector`].
//! - The same anchor and draft give the same result, byte for byte.
//! - What only a model or a command can decide is listed as pending, never taken for a pass.
//! - Every mistake in an anchor file is reported at once, with line, column and a hint.
//! - Time grows with the draft: an expression that would cost more is refused in words.
//!
//! Deliberately absent: running commands, calling models, reading files. The engine does that and hands in the answers.
//!
//! # Where things are
//! | file | noun |
//! |---|---|
//! | `anchor`, `kind`, `rule`, `predicate`, `number` | what an anchor is |
//! | `syntax`, `json`, `node`, `read`, `error`, `nearest` | from a file's text to an anchor, or to all of its mistakes |
//! | `obvious` | a rule's plain words as a rule that a machine can decide |
//! | `choose` | the kind of anchor that fits a brief |
//! | `lines`, `outline`, `draft` | a draft with lines, headings and sections |
//! | `pattern`, `search`, `markup`, `page`, `schema`, `check` | one rule against one draft |
//! | `lint`, `exemplar` | an anchor against a draft |
//! | `result` | the one shape of a result, and what commands and judges add to it |
//! | `score`, `standing`, `rubric` | points, aggregates, comparisons, the plateau |
//! | `report` | results as text, JSON, SARIF and JUnit |
//! | `sample` | a large draft and many rules, to measure with |

mod anchor;
mod check;
mod choose;
mod draft;
mod error;
mod exemplar;
mod json;
mod kind;
mod lines;
mod lint;
mod markup;
mod nearest;
mod node;
mod number;
mod obvious;
mod outline;
mod page;
mod pattern;
mod predicate;
mod read;
pub mod report;
mod result;
mod rubric;
mod rule;
pub mod sample;
mod schema;
mod score;
mod search;
mod standing;
mod syntax;

pub use anchor::{
    Acceptance, AcceptanceItem, Anchor, Assertion, Assertions, Dimension, DimensionWeight, Direction, Exemplars, Goal,
    Invariants, Measure, Rubric, Scale,
};
pub use choose::{Choice, choose};
pub use error::{AnchorError, AnchorMistake};
pub use exemplar::{Likeness, NEAR_TIE, likeness, similarity};
pub use kind::AnchorKind;
pub use lint::lint;
pub use nearest::{distance, nearest};
pub use number::Number;
pub use page::{PageFault, PageInspector};
pub use pattern::{Pattern, Scope};
pub use predicate::{Predicate, Range};
pub use result::{Judged, LintResult, Pending, RequirementLevel, SourceSpan, Violation};
pub use rule::{CommandTest, Rule, Test};
pub use schema::{KEYWORDS as SCHEMA_KEYWORDS, Schema};
pub use score::{Aggregate, Color, CriterionScore, FLOOR_MET, POINTS, overall, snap};
pub use standing::{DraftStanding, plateau};
pub use syntax::Syntax;
