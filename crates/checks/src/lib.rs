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
//! | `document`, `markdown`, `passage` | what is measured: a page, a text, its words |
//! | `a11y`, `critic`, `brand`, `copy`, `production` | the measurements, by role |
//! | `measure`, `finding`, `report` | what comes out |
//! | `lint`, `placeholder`, `target` | the last look before anything ships |
//! | `inspector` | pages for the rules of anchors |
//! | `edit` | the house editor |

mod a11y;
mod brand;
mod copy;
mod critic;
mod css;
mod document;
mod dom;
mod edit;
mod finding;
mod inspector;
mod lint;
mod markdown;
mod measure;
mod parse;
mod passage;
mod place;
mod placeholder;
mod production;
mod report;
mod sink;
mod tag;
mod target;

pub use a11y::a11y;
pub use a11y::contrast::{Contrast, contrasts};
pub use brand::{DesignTokens, Forbidden, brand};
pub use copy::copy;
pub use critic::critic;
pub use css::color::Rgba;
pub use document::Document;
pub use edit::{Edit, Fixed, fix};
pub use finding::{MAX_FINDINGS_PER_CODE, MeasuredFinding, Weight};
pub use inspector::Inspector;
pub use lint::{DocumentFormat, is_page, lint};
pub use measure::Measurement;
pub use parse::{MAX_DEPTH, MAX_NODES};
pub use place::SourceLocation;
pub use production::production;
pub use report::{Role, RoleReport, measure, report};
