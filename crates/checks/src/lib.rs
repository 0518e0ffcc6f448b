//! Measurements of HTML and Markdown artifacts, and the mechanical fixes that follow from them.
//!
//! ```
//! use tribunal_checks::{Document, Role, a11y, report};
//!
//! let page = "<!doctype html><html lang=en><title>Lamps</title><main><h1 style='color: #999'>Lamps</h1></main>";
//! let document = Document::html(page, &|_address| None);
//! let report = report(Role::A11y, a11y(&document));
//! assert_eq!(report.score, Some(4.5));
//! assert_eq!(report.must_fix[0].evidence, "2.84:1, needs 3:1");
//! ```
//!
//! # What a reader may rely on
//! - No IO, no clock, no environment: whoever calls passes texts, and functions that find style sheets and files.
//! - The same document gives the same measurements.
//! - Nothing is guessed. What needs a layout, pixels or a running page is listed as undecided, with the reason.
//! - Every finding has a stable code, and a place where there is one; `docs/checks.md` has every code and curve.
//! - Time grows with the size of the document: what would grow faster has a limit, and reaching it is said.
//! - The editor changes source text in place and refuses edits that make any measurement worse.
//!
//! Deliberately absent: a layout, scripts, the network, and opinions that cannot be measured.
//!
//! # Where things are
//! | file | noun |
//! |---|---|
//! | `parse`, `sink`, `dom`, `tag`, `place` | from HTML source to a tree whose nodes know where they stand |
//! | `css` | values, selectors, sheets and the cascade |
//! | `scripts` | what in a page runs |
//! | `layout` | boxes that do not lie where they stand in the tree |
//! | `aria` | roles of elements |
//! | `document`, `markdown`, `passage` | what is measured: a page, a text, its words |
//! | `a11y`, `critic`, `brand`, `copy`, `production` | the measurements, by role |
//! | `measure`, `finding`, `report` | what comes out |
//! | `rules` | every code that a finding can have, explained |
//! | `exception` | what a text excuses itself from |
//! | `address`, `surroundings` | where a document's addresses lead, and what is there |
//! | `lint`, `placeholder` | the last look before anything ships |
//! | `inspector` | pages for the rules of anchors |
//! | `edit` | fixes: what is certain, and what is a suggestion |
//! | `seen` | the browser eye: the same rules over a page that a browser laid out |

mod a11y;
mod address;
mod aria;
mod brand;
mod copy;
mod critic;
mod css;
mod document;
mod dom;
mod edit;
mod exception;
mod finding;
mod inspector;
mod layout;
mod lint;
mod markdown;
mod measure;
mod parse;
mod passage;
mod place;
mod placeholder;
mod production;
mod report;
mod rules;
mod scripts;
pub mod seen;
mod sink;
mod surroundings;
mod tag;

pub use a11y::a11y;
pub use a11y::contrast::{Contrast, contrasts};
pub use address::{Addresses, Destination};
pub use brand::{DesignTokens, Forbidden, UnreadDesign, UnreadLine, brand};
pub use copy::{WordLists, copy, copy_with};
pub use critic::critic;
pub use css::color::Rgba;
pub use css::font_service::FontService;
pub use document::Document;
pub use edit::{Certainty, Edit, FixPage, Fixed, Fixing, TouchedElement, fix, fix_all, touched_elements};
pub use exception::{Exception, exceptions};
pub use finding::{MAX_FINDINGS_PER_CODE, MeasuredFinding, Weight};
pub use inspector::Inspector;
pub use lint::{DocumentFormat, is_page, lint, lint_at};
pub use measure::{Eye, Measurement};
pub use parse::{MAX_DEPTH, MAX_NODES};
pub use place::SourceLocation;
pub use production::{production, production_in};
pub use report::{Role, RoleReport, measure, measure_in, report};
pub use rules::{CheckRule, RuleExample, WcagCriterion, markdown as rule_page, nearest_rule, rule, rules};
pub use surroundings::{Anchors, KnownFiles, Surroundings};
