//! The campaign memory: what a worker leaves for the next one, and whether it wants to go on.
//!
//! The stop status moves the loop, so it is never guessed: anything but one clear word is an error, worded for the
//! worker that is asked again.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::markdown::{Kind, lines, title};

/// What the worker wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopStatus {
    /// There is more to do.
    Continue,
    /// Something is done and can be checked.
    Verify,
    /// A person is needed.
    Blocked,
}

/// A memory that can be acted upon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pub stop: StopStatus,
    pub objective: Option<String>,
    pub current_state: Option<String>,
    /// What the next worker is to do.
    pub next_contract: Option<String>,
    /// Every other section, as it is called, in order.
    pub sections: Vec<Section>,
}

/// A section that the loop does not act upon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    pub name: String,
    pub text: String,
}

/// Why a memory cannot be acted upon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    #[error("the memory has no `## Stop Status` section; {EXPECTED}")]
    Missing,
    #[error("line {line}: the stop status is empty; {EXPECTED}")]
    Empty { line: u32 },
    #[error("line {line}: `{found}` is no stop status; {EXPECTED}")]
    Unknown { line: u32, found: String },
    #[error("line {line}: `{found}` names more than one stop status; {EXPECTED}")]
    Ambiguous { line: u32, found: String },
    #[error("line {line}: there is a second `## Stop Status` section; {EXPECTED}")]
    Repeated { line: u32 },
}

const EXPECTED: &str =
    "expected one section `## Stop Status` and, on the line below, one of `continue`, `verify`, `blocked`";

impl MemoryError {
    /// What the worker can do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing | Self::Empty { .. } | Self::Unknown { .. } => {
                "write one of the three words and nothing else on its line"
            }
            Self::Ambiguous { .. } => "the template lists what is possible: keep one word and delete the others",
            Self::Repeated { .. } => "rewrite the memory instead of adding to its end",
        }
    }
}

/// How much of a wrong status is quoted.
const MAX_QUOTED: usize = 80;
const STOP_STATUS: &str = "stop status";

impl Memory {
    /// Reads a memory.
    pub fn read(text: &str) -> Result<Self, MemoryError> {
        let mut stop: Option<Status> = None;
        let mut sections: Vec<Section> = Vec::new();
        let mut level = SECTION;
        let mut is_status = false;
        for line in lines(text) {
            if let Kind::Heading { level: found, text } = line.kind {
                let name = title(text);
                if name == STOP_STATUS {
                    if stop.is_some() {
                        return Err(MemoryError::Repeated { line: line.number });
                    }
                    stop = Some(Status { heading: line.number, words: Vec::new() });
                    (level, is_status) = (found, true);
                    continue;
                }
                if found <= level.max(SECTION) {
                    is_status = false;
                    sections.push(Section { name: text.to_owned(), text: String::new() });
                    continue;
                }
            }
            if is_status {
                stop.get_or_insert_default().see(line.number, line.kind);
            } else if let Some(section) = sections.last_mut()
                && line.kind != Kind::Comment
            {
                section.text.push_str(line.raw.trim_end());
                section.text.push('\n');
            }
        }
        let stop = stop.ok_or(MemoryError::Missing)?.read()?;
        let mut memory = Self { stop, objective: None, current_state: None, next_contract: None, sections: Vec::new() };
        for section in sections {
            memory.take(section);
        }
        Ok(memory)
    }

    /// The text of a section, by its name.
    pub fn section(&self, name: &str) -> Option<&str> {
        let is_it = |section: &&Section| title(&section.name) == name.to_lowercase();
        self.sections.iter().find(is_it).map(|section| section.text.as_str())
    }

    fn take(&mut self, section: Section) {
        let text = section.text.trim();
        let place = match title(&section.name).as_str() {
            "objective" => &mut self.objective,
            "current state" => &mut self.current_state,
            "next iteration contract" | "next contract" => &mut self.next_contract,
            _ => {
                self.sections.push(Section { text: text.to_owned(), ..section });
                return;
            }
        };
        if text.is_empty() {
            return;
        }
        match place {
            Some(before) => {
                before.push_str("\n\n");
                before.push_str(text);
            }
            None => *place = Some(text.to_owned()),
        }
    }
}

/// The level of a section, unless the stop status stands deeper.
const SECTION: usize = 2;

/// The section that moves the loop.
#[derive(Debug, Default)]
struct Status {
    heading: u32,
    /// The first line that says something, and every other one that is a status by itself.
    words: Vec<(u32, String)>,
}

impl Status {
    fn see(&mut self, number: u32, kind: Kind<'_>) {
        let text = match kind {
            Kind::Text(text)
            | Kind::Code(text)
            | Kind::Item { text, .. }
            | Kind::Row(text)
            | Kind::Heading { text, .. } => text,
            Kind::Blank | Kind::Opening(_) | Kind::Closing | Kind::Comment => return,
        };
        let text = text.split("<!--").next().unwrap_or(text).trim();
        let is_wanted = self.words.is_empty() || (self.words.len() == 1 && status(text).is_some());
        if is_wanted && !text.is_empty() {
            self.words.push((number, text.to_owned()));
        }
    }

    fn read(self) -> Result<StopStatus, MemoryError> {
        let mut words = self.words.into_iter();
        let Some((line, first)) = words.next() else { return Err(MemoryError::Empty { line: self.heading }) };
        if let Some((line, second)) = words.next() {
            let found = quote(&format!("{first} / {second}"));
            return Err(MemoryError::Ambiguous { line, found });
        }
        if let Some(status) = status(&first) {
            return Ok(status);
        }
        let named = first.split(|c: char| !c.is_alphanumeric()).filter(|word| status(word).is_some()).take(2).count();
        let found = quote(&first);
        Err(if named > 1 { MemoryError::Ambiguous { line, found } } else { MemoryError::Unknown { line, found } })
    }
}

/// One word, whatever stands around it.
fn status(text: &str) -> Option<StopStatus> {
    let word = text.trim_matches(|c: char| !c.is_alphanumeric());
    // Part of a story is no story: whoever writes so goes on with the rest.
    if word.eq_ignore_ascii_case("verify_partial") {
        return Some(StopStatus::Continue);
    }
    let all = [StopStatus::Continue, StopStatus::Verify, StopStatus::Blocked];
    all.into_iter().find(|status| word.eq_ignore_ascii_case(status.as_str()))
}

fn quote(text: &str) -> String {
    text.chars().take(MAX_QUOTED).collect()
}

impl StopStatus {
    /// As it stands in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Verify => "verify",
            Self::Blocked => "blocked",
        }
    }
}

impl fmt::Display for StopStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
