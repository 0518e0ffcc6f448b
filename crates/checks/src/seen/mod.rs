//! The browser eye: the same rules over a page that a browser has laid out.
//!
//! | file | noun |
//! |---|---|
//! | `snapshot` | the laid-out page, as the browser tells it |
//! | `rect`, `rows` | boxes and points, and which boxes are near |
//! | `scene` | what lies over what, and the colours that meet at a point |
//! | `contrast`, `focus`, `targets` | the rules |
//! | `looks` | what people see of a box |
//! | `source` | where in the source it is |
//! | `beside` | faults of the source that the browser does not share |
//! | `picture` | the pixels of a page, and where two pictures of it differ |
//!
//! What needs pixels stays undecided here, too: text over pictures and gradients, filters, blending, outlines of shadows.

mod beside;
mod contrast;
mod focus;
mod looks;
mod picture;
mod rect;
mod rows;
mod scene;
mod snapshot;
mod source;
mod targets;

use crate::css::color::Rgba;
use crate::measure::{Eye, Measurement};
use crate::report::{Role, RoleReport, measure_in, report};
use crate::surroundings::Surroundings;
use crate::{DesignTokens, Document};
use beside::beside;
use scene::Scene;
use source::{Source, named};

pub use picture::{PaintedPage, Picture, differs_elsewhere};
pub use snapshot::{FocusPoints, STYLES, Snapshot, SnapshotError};

/// A page in one window: at rest, and with every control focused.
#[derive(Debug, Clone)]
pub struct View {
    pub width: u32,
    pub dark: bool,
    pub rest: Snapshot,
    /// Nothing where the focus was not asked for.
    pub focused: Option<Snapshot>,
}

/// What the browser eye says of one element under one rule, for comparisons.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenElement {
    /// The number of each element among its siblings, from the document down; nothing for what no source has.
    pub path: Option<Vec<usize>>,
    /// For people.
    pub name: String,
    /// The code of the finding that it would be.
    pub code: &'static str,
    /// Whether it passes, or why that is not known.
    pub passes: Result<bool, String>,
    /// The measured value.
    pub value: Option<f64>,
    pub colors: Option<(Rgba, Rgba)>,
}

/// Measures what a role looks at, with the eyes of a browser where it has looked.
pub fn measure_seen(
    role: Role,
    document: &Document,
    tokens: &DesignTokens,
    around: &dyn Surroundings,
    views: &[View],
) -> RoleReport {
    let first = measure_in(role, document, tokens, around);
    let Some(source) = Source::of(document).filter(|_| !views.is_empty()) else { return first };
    let dims = first.dims.into_iter().filter_map(|dim| match dim.dimension {
        "contrast" => beside(marked(contrast::measure(&source, views), views), dim, views),
        "targets" => marked(targets::measure(&source, views), views),
        // The focus is asked for where the browser can be told to show it.
        "focus" => match marked(focus::measure(&source, views), views) {
            Some(seen) => beside(Some(seen), dim, views),
            None => Some(dim),
        },
        _ => Some(dim),
    });
    let mut dims: Vec<Measurement> = dims.collect();
    // What the static eye had no opinion on at all.
    if role == Role::A11y {
        for (name, dim) in [("targets", targets::measure(&source, views)), ("focus", focus::measure(&source, views))] {
            if !dims.iter().any(|dim| dim.dimension == name) {
                dims.extend(marked(dim, views));
            }
        }
    }
    report(role, dims)
}

/// Every element that the browser eye judges in a view, one by one.
pub fn seen_elements(view: &View) -> Vec<SeenElement> {
    let scene = Scene::of(&view.rest);
    let path = |node: usize| view.rest.path(node);
    let of_contrast = contrast::runs(&scene).into_iter().map(|run| SeenElement {
        path: path(run.node),
        name: named(view, run.node),
        code: "contrast.text",
        passes: run
            .seen
            .as_ref()
            .map(|met| met.text.contrast(met.ground) >= run.needs)
            .map_err(|doubt| doubt.why.to_owned()),
        value: run.ratio(),
        colors: run.seen.ok().map(|met| (met.text, met.ground)),
    });
    let of_targets = targets::targets(&scene).into_iter().map(|target| SeenElement {
        path: path(target.node),
        name: named(view, target.node),
        code: "target.small",
        passes: match target.verdict {
            targets::Reach::Large | targets::Reach::Alone => Ok(true),
            targets::Reach::Small(_) => Ok(false),
            targets::Reach::Unknown(why) => Err(why.to_owned()),
        },
        value: Some(target.size.0.min(target.size.1)),
        colors: None,
    });
    let mut all: Vec<SeenElement> = of_contrast.chain(of_targets).collect();
    if let Some(focused) = &view.focused {
        all.extend(focus::controls(&view.rest, focused).into_iter().map(|(node, seen)| SeenElement {
            path: path(node),
            name: named(view, node),
            code: "focus.hidden",
            passes: match seen {
                focus::FocusSeen::Shown => Ok(true),
                focus::FocusSeen::Hidden => Ok(false),
                focus::FocusSeen::Unknown => {
                    Err("the control cannot be seen itself, or a script shows its focus".to_owned())
                }
            },
            value: None,
            colors: None,
        }));
    }
    all
}

/// Says that a browser saw it, and in which windows.
fn marked(dim: Option<Measurement>, views: &[View]) -> Option<Measurement> {
    let mut dim = dim?;
    let windows: Vec<String> =
        views.iter().map(|view| format!("{} px{}", view.width, if view.dark { " dark" } else { "" })).collect();
    dim.evidence.push(format!("seen by a browser at {}", windows.join(", ")));
    dim.eye = Eye::Browser;
    Some(dim)
}

/// In which window something is, where there are several.
fn said(views: &[View], view: &View) -> String {
    let width = views.iter().any(|other| other.width != view.width);
    match (width, view.dark) {
        (false, false) => String::new(),
        (false, true) => " in the dark scheme".to_owned(),
        (true, false) => format!(" at {} px", view.width),
        (true, true) => format!(" at {} px in the dark scheme", view.width),
    }
}
