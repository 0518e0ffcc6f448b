//! The acceptance criteria of a story, collected line by line.

use super::markdown::{Kind, bare, label, title};

/// Keys of a story's particulars: a bullet that begins with one is no criterion.
const PARTICULARS: [&str; 14] = [
    "priority",
    "size",
    "type",
    "risk",
    "estimate",
    "points",
    "status",
    "owner",
    "depends on",
    "dependencies",
    "note",
    "notes",
    "iteration unit",
    "files",
];

/// Collects criteria: those under an "Acceptance Criteria" label where there is one, else every item of the story.
#[derive(Debug)]
pub(super) struct Criteria {
    found: Vec<String>,
    /// An acceptance label was seen: what came before it was something else.
    is_labelled: bool,
    is_listening: bool,
    /// How deep the criteria stand, and the item that labels them, if it is one.
    base: Option<usize>,
    label_indent: Option<usize>,
    /// Items deeper than this belong to a particular.
    skipped: Option<usize>,
    /// The next line of text goes on with the criterion before it.
    is_continued: bool,
}

impl Criteria {
    /// A story has begun.
    pub(super) fn new() -> Self {
        Self {
            found: Vec::new(),
            is_labelled: false,
            is_listening: true,
            base: None,
            label_indent: None,
            skipped: None,
            is_continued: false,
        }
    }

    /// Takes in the next line of the story.
    pub(super) fn see(&mut self, kind: Kind<'_>) {
        match kind {
            Kind::Heading { text, .. } => {
                if is_acceptance(text) {
                    self.begin(None);
                } else {
                    self.is_listening = false;
                }
            }
            Kind::Item { indent, text } => self.item(indent, text),
            Kind::Text(text) => self.text(text),
            Kind::Blank | Kind::Row(_) | Kind::Opening(_) | Kind::Closing | Kind::Code(_) | Kind::Comment => {
                self.is_continued = false;
            }
        }
    }

    /// What was found.
    pub(super) fn finish(self) -> Vec<String> {
        self.found.into_iter().filter(|criterion| !criterion.is_empty()).collect()
    }

    fn begin(&mut self, indent: Option<usize>) {
        if !self.is_labelled {
            self.found.clear();
        }
        *self = Self { found: std::mem::take(&mut self.found), is_labelled: true, label_indent: indent, ..Self::new() };
    }

    fn item(&mut self, indent: usize, text: &str) {
        if let Some(rest) = acceptance_label(text) {
            self.begin(Some(indent));
            return self.push(indent + 1, rest);
        }
        if self.label_indent.is_some_and(|label| indent <= label) && is_label(text) {
            self.is_listening = false;
        }
        if !self.is_listening || self.is_particular(indent, text) {
            return;
        }
        match self.base {
            Some(base) if base < indent && !self.found.is_empty() => self.join(text, "; "),
            _ => {
                self.base = Some(indent);
                self.found.push(text.trim().to_owned());
            }
        }
        self.is_continued = true;
    }

    fn text(&mut self, text: &str) {
        if let Some(rest) = acceptance_label(text) {
            self.begin(None);
            return self.push(0, rest);
        }
        if is_label(text) {
            self.is_listening = false;
        } else if self.is_listening && self.is_continued {
            self.join(text, " ");
        }
    }

    fn push(&mut self, indent: usize, text: &str) {
        if !text.is_empty() {
            self.base = Some(indent);
            self.found.push(text.to_owned());
            self.is_continued = true;
        }
    }

    fn join(&mut self, text: &str, between: &str) {
        if let Some(last) = self.found.last_mut() {
            last.push_str(if last.ends_with([':', ';', ',']) { " " } else { between });
            last.push_str(text.trim());
        }
    }

    fn is_particular(&mut self, indent: usize, text: &str) -> bool {
        if self.skipped.is_some_and(|skipped| skipped < indent) {
            return true;
        }
        let is_one = !self.is_labelled
            && label(text).is_some_and(|(label, _)| PARTICULARS.contains(&label.to_lowercase().as_str()));
        self.skipped = is_one.then_some(indent);
        is_one
    }
}

fn is_acceptance(text: &str) -> bool {
    let title = title(text);
    ["acceptance", "criteria", "criterion", "ac", "acs"].contains(&title.as_str())
        || title.ends_with("acceptance criteria")
        || title.starts_with("acceptance criteria")
}

/// What follows an acceptance label on its own line.
fn acceptance_label(text: &str) -> Option<&str> {
    match label(text) {
        Some((label, rest)) => is_acceptance(label).then_some(rest),
        // Without a colon only markup makes a label of it.
        None => (text.starts_with(['*', '_']) && is_acceptance(bare(text))).then_some(""),
    }
}

/// Whether a line announces something else: `**Notes**`, `Notes:`, `**Status**: open`.
fn is_label(text: &str) -> bool {
    let is_marked = text.starts_with("**") || text.starts_with("__");
    match label(text) {
        Some((_, rest)) => is_marked || rest.is_empty(),
        None => is_marked && (text.ends_with("**") || text.ends_with("__")),
    }
}
