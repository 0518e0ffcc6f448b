//! The PRD: the contract that workers fulfil, story by story.
//!
//! A story is a heading (`### US-001: Title`), a bold line or bullet (`- **US-001**: title`), or a plain bullet
//! (`- US-001: title`). Only the strongest of these forms that a document uses makes stories; a weaker one is a
//! mention, as in a list of what is done when.

use serde::{Deserialize, Serialize};

use super::criteria::Criteria;
use super::markdown::{Kind, Line, label, lines, title};
use super::story::{Story, StoryId};
use crate::Digest;

/// What is to be built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prd {
    pub objective: Option<String>,
    /// In the order of the document, which is the order of work.
    pub stories: Vec<Story>,
}

/// Why a PRD is no contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrdError {
    #[error("the PRD has no user stories{}", mention(*.mentioned))]
    NoStories {
        /// The line that comes nearest to one.
        mentioned: Option<u32>,
    },
    #[error("line {line}: {id} is defined again; line {first} defines it, too")]
    Duplicate { id: StoryId, line: u32, first: u32 },
}

fn mention(line: Option<u32>) -> String {
    line.map(|line| format!("; line {line} names one, but is not a heading or a bullet of its own")).unwrap_or_default()
}

impl PrdError {
    /// What the author can do.
    pub fn hint(&self) -> String {
        match self {
            Self::NoStories { .. } => "begin every story with a heading such as `### US-001: Title`, outside of code \
                                       fences, and list its acceptance criteria below"
                .into(),
            Self::Duplicate { id, .. } => format!("give one of the two another number, or merge them into one {id}"),
        }
    }
}

impl Prd {
    /// Reads a PRD.
    pub fn read(text: &str) -> Result<Self, PrdError> {
        let form = lines(text).filter_map(|line| begins(line.kind)).map(|beginning| beginning.form).max();
        let Some(form) = form else {
            let mentioned = lines(text).find(|line| !StoryId::named_in(line.raw).is_empty());
            return Err(PrdError::NoStories { mentioned: mentioned.map(|line| line.number) });
        };
        let mut reader = Reader::new(form);
        for line in lines(text) {
            reader.see(&line)?;
        }
        reader.close();
        Ok(Self { objective: objective(text), stories: reader.stories })
    }

    /// The story of that name.
    pub fn story(&self, id: &StoryId) -> Option<&Story> {
        self.stories.iter().find(|story| story.id == *id)
    }
}

/// How a story is marked, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Plain,
    Bold,
    Heading,
}

struct Beginning<'t> {
    form: Form,
    id: StoryId,
    title: &'t str,
}

/// Whether a line looks like the beginning of a story.
fn begins(kind: Kind<'_>) -> Option<Beginning<'_>> {
    let is_bold = |text: &str| text.starts_with("**") || text.starts_with("__");
    let (form, text) = match kind {
        Kind::Heading { text, .. } => (Form::Heading, text),
        Kind::Item { text, .. } | Kind::Text(text) if is_bold(text) => (Form::Bold, text),
        // A bullet that begins with a link is an entry of a table of contents.
        Kind::Item { text, .. } if !text.starts_with('[') => (Form::Plain, text),
        _ => return None,
    };
    let (id, rest) = StoryId::leading(text)?;
    let tail = rest.trim_start_matches([']', '*', '_', '`']).trim_start();
    let is_criterion =
        tail.get(..2).is_some_and(|ac| ac.eq_ignore_ascii_case("ac")) && tail[2..].starts_with([' ', '-', '1']);
    let is_separated = tail.starts_with([':', '-', '–', '—', '.', ')']);
    if is_criterion || (form == Form::Plain && !is_separated) {
        return None;
    }
    let title = tail.trim_start_matches(|c: char| c.is_whitespace() || ":-–—.)*_".contains(c));
    Some(Beginning { form, id, title: title.trim_end_matches(['*', '_', ' ']) })
}

struct Reader {
    form: Form,
    stories: Vec<Story>,
    /// Where each story was defined.
    defined: std::collections::BTreeMap<StoryId, u32>,
    open: Option<Open>,
    /// The level of the heading that the line stands under.
    level: usize,
}

/// A story that is being read.
struct Open {
    id: StoryId,
    title: String,
    /// A heading that is not deeper than this ends it.
    level: usize,
    text: String,
    criteria: Criteria,
    may_change: Vec<String>,
}

impl Reader {
    fn new(form: Form) -> Self {
        Self { form, stories: Vec::new(), defined: std::collections::BTreeMap::new(), open: None, level: 0 }
    }

    fn see(&mut self, line: &Line<'_>) -> Result<(), PrdError> {
        if let Kind::Heading { level, .. } = line.kind {
            self.level = level;
        }
        if let Some(Beginning { id, title, .. }) = begins(line.kind).filter(|beginning| beginning.form == self.form)
            && !self.is_part_of_open(&id)
        {
            self.close();
            if let Some(first) = self.defined.insert(id.clone(), line.number) {
                return Err(PrdError::Duplicate { id, line: line.number, first });
            }
            let open = Open {
                id,
                title: title.to_owned(),
                level: self.level,
                text: String::new(),
                criteria: Criteria::new(),
                may_change: Vec::new(),
            };
            self.open.insert(open).keep(line);
            return Ok(());
        }
        if let (Kind::Heading { level, .. }, Some(open)) = (line.kind, &self.open)
            && level <= open.level
        {
            self.close();
        }
        if let Some(open) = &mut self.open {
            match may_change(line.kind) {
                Some(paths) => open.may_change.extend(paths),
                None => open.criteria.see(line.kind),
            }
            open.keep(line);
        }
        Ok(())
    }

    /// `#### US-001 Acceptance Criteria` under `### US-001` is a part of it.
    fn is_part_of_open(&self, id: &StoryId) -> bool {
        self.form == Form::Heading && self.open.as_ref().is_some_and(|open| open.id == *id && open.level < self.level)
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.stories.push(Story {
                id: open.id,
                title: open.title,
                criteria: open.criteria.finish(),
                may_change: open.may_change,
                digest: Digest::of(open.text.trim_end()),
            });
        }
    }
}

impl Open {
    fn keep(&mut self, line: &Line<'_>) {
        self.text.push_str(line.raw.trim_end());
        self.text.push('\n');
    }
}

/// The paths in `may change: tests/…, Makefile`.
fn may_change(kind: Kind<'_>) -> Option<Vec<String>> {
    let (Kind::Item { text, .. } | Kind::Text(text)) = kind else { return None };
    let (name, rest) = label(text)?;
    let paths = rest.split([',', ' ']).map(|path| path.trim_matches(['`', '"', '\'', '*', ' ', '.']).trim());
    // A dot at the end ends the sentence; one at the beginning may be a part of the name.
    let paths = rest.split([',', ' ']).zip(paths).map(|(raw, path)| {
        let is_hidden = raw.trim_start_matches(['`', '"', '\'']).starts_with('.');
        if is_hidden { format!(".{path}") } else { path.to_owned() }
    });
    let paths = paths.filter(|path| !path.is_empty() && path != "." && path != "and").collect();
    name.trim_matches(['*', '_']).eq_ignore_ascii_case("may change").then_some(paths)
}

/// The first paragraph under "Objective", or what follows it on its line.
fn objective(text: &str) -> Option<String> {
    let is_objective = |text: &str| ["objective", "goal"].contains(&title(text).as_str());
    let mut found = String::new();
    let mut is_under = false;
    for line in lines(text) {
        match line.kind {
            Kind::Heading { .. } | Kind::Blank if !found.is_empty() => break,
            Kind::Heading { text, .. } => is_under = is_objective(text),
            Kind::Text(text) | Kind::Item { text, .. } => match label(text).filter(|(label, _)| is_objective(label)) {
                Some((_, rest)) if !is_under => {
                    is_under = true;
                    found.push_str(rest);
                }
                _ if is_under => {
                    found.push_str(if found.is_empty() { "" } else { " " });
                    found.push_str(text);
                }
                _ => {}
            },
            _ => {}
        }
    }
    (!found.is_empty()).then_some(found)
}
