//! Which command proves which criterion: the table or list under "Criteria → Verification Mapping".

use super::command::{TextKind, in_line, is_bare_command, is_placeholder};
use super::expected::{Expected, expected};
use super::markdown::{bare, spans};
use super::story::StoryId;
use crate::evidence::CommandExpectation;

/// A criterion and how it is proved, before its command has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) criterion: String,
    pub(super) method: String,
    pub(super) proof: Proof,
    /// What the command is to do, where something is said.
    pub(super) expects: Option<Result<CommandExpectation, String>>,
}

/// What stands in the place of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Proof {
    Command(String),
    /// Somebody has to look.
    Looked,
    /// To be filled in.
    Placeholder,
    /// Words that are no command; perhaps the name of one.
    Words(String),
}

/// Methods that need a judge, not a command.
const BY_EYE: [&str; 9] = ["manual", "review", "inspect", "visual", "judge", "verifier", "human", "observ", "by eye"];

/// Where a table has what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    story: Option<usize>,
    criterion: usize,
    method: Option<usize>,
    command: Option<usize>,
    expected: Option<usize>,
}

impl Columns {
    /// Finds the columns by the words of the header.
    pub(super) fn of(header: &str) -> Option<Self> {
        let cells: Vec<String> = cells(header).iter().map(|cell| bare(cell).to_lowercase()).collect();
        let find = |words: &[&str]| words.iter().find_map(|word| cells.iter().position(|cell| cell.contains(word)));
        let criterion = find(&["criteri", "requirement", "acceptance"])?;
        let other = |found: Option<usize>| found.filter(|at| *at != criterion);
        let method = other(find(&["method", "how", "type", "approach"]));
        let expected = other(find(&["expect"])).filter(|at| Some(*at) != method);
        let command = other(find(&["command", "check", "verif", "test", "evidence"]))
            .filter(|at| Some(*at) != method && Some(*at) != expected);
        Some(Self { story: other(find(&["story", "us"])), criterion, method, command, expected })
    }

    /// Reads a row; the rule under a header is none.
    pub(super) fn row(&self, line: &str) -> Option<Row> {
        let cells = cells(line);
        if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' ' | '='))) {
            return None;
        }
        let cell = |at: Option<usize>| at.and_then(|at| cells.get(at)).map_or("", |cell| cell.trim());
        let criterion = unmarked(cell(Some(self.criterion)));
        if criterion.is_empty() {
            return None;
        }
        // Only a column of its own tells whose criterion it is.
        let story = StoryId::of(cell(self.story)).filter(|_| StoryId::named_in(criterion).is_empty());
        let criterion = story.map_or_else(|| criterion.to_owned(), |story| format!("{story}: {criterion}"));
        let method = bare(cell(self.method)).to_owned();
        let Expected { command, expects } = expected(cell(self.command));
        let column = cell(self.expected);
        let column = (!column.is_empty()).then(|| CommandExpectation::read(column));
        let proof = proof(&method, command);
        Some(Row { criterion, method, proof, expects: expects.or(column) })
    }
}

/// Reads `criterion: command`, `criterion → command`.
pub(super) fn item(text: &str) -> Option<Row> {
    let Expected { command: text, expects } = match expected(text) {
        found @ Expected { expects: Some(Ok(_)), .. } => found,
        // One arrow leads from the criterion to its command.
        _ => Expected { command: text, expects: None },
    };
    let halves = ["→", "->", "=>"].into_iter().find_map(|arrow| text.rsplit_once(arrow));
    let (criterion, command) = halves.or_else(|| halved(text)).unwrap_or((text, ""));
    let criterion = criterion.trim().trim_end_matches([':', '-', '–', '—', ' ']);
    let criterion = unmarked(criterion);
    if criterion.is_empty() {
        return None;
    }
    let method = if is_by_eye(command) && spans(command).next().is_none() { bare(command) } else { "" };
    let proof = proof(method, command.trim());
    Some(Row { criterion: criterion.to_owned(), method: method.to_owned(), proof, expects })
}

/// A criterion without the emphasis around it; backticks belong to its words.
fn unmarked(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | ':'))
}

/// Splits at the last colon that a command, a placeholder or a method follows.
fn halved(text: &str) -> Option<(&str, &str)> {
    /// A criterion has few colons; a command may have many, and the outermost is not far.
    const TRIES: usize = 8;
    let colons = text.match_indices(": ").map(|(at, _)| at);
    let mut colons: Vec<usize> = colons.take(TRIES).collect();
    if let Some(tick) = text.find('`') {
        colons.retain(|at| *at < tick || text[*at..].trim_start_matches([':', ' ']).starts_with('`'));
    }
    colons.into_iter().rev().map(|at| (&text[..at], text[at + 1..].trim())).find(|(_, command)| {
        is_placeholder(command) || is_by_eye(command) || is_bare_command(command) || command.starts_with('`')
    })
}

fn is_by_eye(method: &str) -> bool {
    let method = bare(method).to_lowercase();
    method.split_whitespace().count() <= 4 && BY_EYE.iter().any(|word| method.contains(word))
}

fn proof(method: &str, command: &str) -> Proof {
    if is_by_eye(method) {
        return Proof::Looked;
    }
    // Whoever says that it is automated and does not say by what has not said how it is proved.
    if command.trim().is_empty() || command.chars().all(|c| matches!(c, '-' | '–' | '—' | ' ')) {
        return Proof::Placeholder;
    }
    match in_line(command) {
        TextKind::Command(command) => Proof::Command(command),
        TextKind::Placeholder => Proof::Placeholder,
        TextKind::Prose if is_by_eye(command) => Proof::Looked,
        TextKind::Prose | TextKind::Nothing => Proof::Words(bare(command).to_owned()),
    }
}

/// The cells of a row. A bar in backticks or behind a backslash is part of its cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let heeds_ticks = line.matches('`').count().is_multiple_of(2);
    let mut cells = vec![String::new()];
    let mut is_code = false;
    let mut is_escaped = false;
    for c in line.chars() {
        let cell = cells.last_mut().expect("there is always a cell");
        match c {
            '|' if is_escaped => {
                cell.pop();
                cell.push(c);
            }
            '|' if !(is_code && heeds_ticks) => cells.push(String::new()),
            _ => cell.push(c),
        }
        is_code ^= c == '`';
        is_escaped = c == '\\' && !is_escaped;
    }
    if cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells
}
