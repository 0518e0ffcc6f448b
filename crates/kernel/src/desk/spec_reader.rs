//! Finds the commands and the mapping in a test spec, line by line.

use super::command::{TextKind, in_fence, in_line};
use super::expected::{Expected, expected};
use super::mapping::{self, Columns, Proof, Row};
use super::markdown::{Kind, Line, bare, label, title};
use super::test_spec::Noted;
use crate::evidence::CommandExpectation;

/// The purpose of a command without a heading of its own.
const UNNAMED: &str = "verification";

/// Which part of the document a line stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    #[default]
    Elsewhere,
    Commands,
    Mapping,
}

#[derive(Debug, Default)]
pub(super) struct SpecReader {
    part: Part,
    level: usize,
    /// Where the first of the sections is that make a test spec.
    pub(super) section_line: Option<u32>,
    /// Purpose, command, and what it is to do.
    pub(super) commands: Vec<(String, String, CommandExpectation)>,
    /// With the lines they stand on.
    pub(super) rows: Vec<(u32, Row)>,
    pub(super) placeholders: Vec<Noted>,
    pub(super) passed_over: Vec<Noted>,
    /// What is expected of a command and cannot be read: where, and why.
    pub(super) unreadable: Vec<(u32, String)>,
    purpose: Option<String>,
    columns: Option<Columns>,
    fence: Fence,
}

/// A code block in the commands' section.
#[derive(Debug, Default)]
struct Fence {
    is_shell: bool,
    /// Commands of a transcript have a prompt; the other lines are what they printed.
    has_prompts: bool,
    /// How many commands there were before the block.
    before: usize,
    /// A command that goes on in the next line, and where that is.
    begun: String,
    line: u32,
}

impl SpecReader {
    /// Takes in the next line.
    pub(super) fn see(&mut self, line: &Line<'_>) {
        if let Kind::Heading { level, text } = line.kind {
            return self.heading(level, text, line.number);
        }
        match self.part {
            Part::Elsewhere => {}
            Part::Commands => self.command(line),
            Part::Mapping => self.map(line),
        }
    }

    fn heading(&mut self, level: usize, text: &str, number: u32) {
        let name = title(text);
        let is_section = name.contains("command") && (name.contains("verif") || name == "commands");
        if is_section {
            (self.part, self.level, self.purpose) = (Part::Commands, level, None);
            self.section_line.get_or_insert(number);
        } else if name.contains("mapping") && (name.contains("criteri") || name.contains("verif")) {
            (self.part, self.level, self.columns) = (Part::Mapping, level, None);
            self.section_line.get_or_insert(number);
        } else if self.part == Part::Commands && level == 1 && self.level > 1 {
            // A shell comment outside of a fence, not a new document.
            self.say(number, in_fence, &format!("# {text}"));
        } else if level <= self.level {
            self.part = Part::Elsewhere;
        } else {
            self.purpose = Some(bare(text).to_owned());
        }
    }

    fn command(&mut self, line: &Line<'_>) {
        match line.kind {
            Kind::Opening(info) => {
                let language = info.split_whitespace().next().unwrap_or_default().to_lowercase();
                let is_shell = ["", "bash", "sh", "shell", "zsh", "console", "shell-session", "terminal", "text"];
                let is_shell = is_shell.contains(&language.as_str());
                self.fence = Fence { is_shell, before: self.commands.len(), ..Fence::default() };
            }
            Kind::Code(text) if self.fence.is_shell => self.code(line.number, text),
            Kind::Closing => self.end_command(),
            Kind::Item { text, .. } | Kind::Text(text) => self.line(line.number, text),
            _ => {}
        }
    }

    fn code(&mut self, number: u32, text: &str) {
        if self.fence.begun.is_empty() {
            let prompted = text.trim_start().strip_prefix("$ ");
            if prompted.is_some() && !self.fence.has_prompts {
                self.fence.has_prompts = true;
                self.commands.truncate(self.fence.before);
            }
            if prompted.is_none() && self.fence.has_prompts {
                return;
            }
        }
        self.fence.line = number;
        let begun = &mut self.fence.begun;
        if text.trim().starts_with('#') && begun.is_empty() {
            return self.say(number, in_fence, text);
        }
        if let Some(head) = text.trim_end().strip_suffix('\\') {
            begun.push_str(head.trim());
            begun.push(' ');
        } else {
            begun.push_str(text.trim());
            if !begun.ends_with("&&") && !begun.ends_with('|') {
                let whole = std::mem::take(begun);
                return self.say(number, in_fence, &whole);
            }
            begun.push(' ');
        }
    }

    /// A block that ends in the middle of a command ends the command.
    pub(super) fn end_command(&mut self) {
        let whole = std::mem::take(&mut self.fence.begun);
        self.say(self.fence.line, in_fence, &whole);
    }

    fn line(&mut self, number: u32, text: &str) {
        let Some((name, rest)) = label(text).filter(|(name, _)| !name.is_empty()) else {
            return self.say(number, in_line, text);
        };
        if rest.is_empty() {
            self.purpose = Some(name.to_owned());
            return;
        }
        if in_line(expected(rest).command) == TextKind::Prose {
            return self.say(number, in_line, text);
        }
        let before = self.purpose.replace(name.to_owned());
        self.say(number, in_line, rest);
        self.purpose = before;
    }

    fn say(&mut self, line: u32, read: fn(&str) -> TextKind, text: &str) {
        let purpose = self.purpose.clone().unwrap_or_else(|| UNNAMED.to_owned());
        let Expected { command, expects } = expected(text);
        match (read(command), expects) {
            (TextKind::Command(command), expects) => match expects.unwrap_or_else(|| Ok(CommandExpectation::default()))
            {
                Ok(expects) => self.commands.push((purpose, command, expects)),
                Err(why) => self.unreadable.push((line, why)),
            },
            (TextKind::Placeholder, _) => {
                self.placeholders.push(Noted { line, purpose, text: text.trim().to_owned() });
            }
            (TextKind::Prose, _) => self.passed_over.push(Noted { line, purpose, text: text.trim().to_owned() }),
            (TextKind::Nothing, _) => {}
        }
    }

    fn map(&mut self, line: &Line<'_>) {
        let row = match line.kind {
            Kind::Row(text) => match self.columns {
                None => {
                    self.columns = Columns::of(text);
                    None
                }
                Some(columns) => columns.row(text),
            },
            Kind::Item { text, .. } => mapping::item(text),
            _ => None,
        };
        if let Some(Row { expects: Some(Err(why)), proof: Proof::Command(_), .. }) = &row {
            self.unreadable.push((line.number, why.clone()));
        }
        self.rows.extend(row.map(|row| (line.number, row)));
    }
}
