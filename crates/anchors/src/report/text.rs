//! For people: a line for each finding, as editors and terminals know it, with the source below, and totals at the end.

use std::{collections::BTreeMap, fmt::Write};

use super::{FileReport, ReportLevel, ReportedFinding, Standing, shown::line};

/// So many reasons why something is undecided are told; the others are counted.
const MAX_REASONS: usize = 8;

/// How the text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextStyle {
    pub is_coloured: bool,
}

/// How many there are of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReportTotals {
    pub files: usize,
    /// Files with something that counts.
    pub with_findings: usize,
    pub must: usize,
    pub should: usize,
    pub notes: usize,
    pub undecided: usize,
    pub known: usize,
    pub excused: usize,
}

impl ReportTotals {
    pub fn of<'f>(files: impl IntoIterator<Item = &'f FileReport>) -> Self {
        let mut totals = Self::default();
        for file in files {
            totals.files += 1;
            totals.with_findings += usize::from(file.counting().next().is_some());
            totals.undecided += file.undecided.len();
            for finding in &file.findings {
                *match (&finding.standing, finding.level) {
                    (Standing::Known, _) => &mut totals.known,
                    (Standing::Excused { .. }, _) => &mut totals.excused,
                    (_, ReportLevel::Must) => &mut totals.must,
                    (_, ReportLevel::Should) => &mut totals.should,
                    (_, ReportLevel::Note) => &mut totals.notes,
                } += 1;
            }
        }
        totals
    }
}

impl std::fmt::Display for ReportTotals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.must {
            0 => write!(f, "nothing must be fixed")?,
            must => write!(f, "{must} must be fixed")?,
        }
        if self.should > 0 {
            write!(f, ", {} should be", self.should)?;
        }
        if self.notes > 0 {
            write!(f, ", {}", count(self.notes, "note"))?;
        }
        if self.files == 1 {
            write!(f, " in 1 file")?;
        } else {
            write!(f, " in {} of {}", self.with_findings, count(self.files, "file"))?;
        }
        for (number, word) in
            [(self.undecided, "undecided"), (self.known, "in the baseline"), (self.excused, "excused")]
        {
            if number > 0 {
                write!(f, "; {number} {word}")?;
            }
        }
        Ok(())
    }
}

/// `path:line:column: level: message (value) [rule]`, with the source line and a mark below.
pub fn text(files: &[FileReport], style: TextStyle) -> String {
    let mut out = String::new();
    for file in files {
        for level in [ReportLevel::Must, ReportLevel::Should, ReportLevel::Note] {
            for finding in file.counting().filter(|finding| finding.level == level) {
                one(&mut out, &file.path, finding, style);
            }
        }
        for undecided in file.undecided.iter().filter(|undecided| undecided.fails) {
            let word = paint("undecided", YELLOW, style);
            let _ = writeln!(out, "{}: {word}: {}: {}", line(&file.path), line(&undecided.rule), line(&undecided.why));
        }
        for note in &file.notes {
            let _ = writeln!(out, "{}: note: {}", line(&file.path), line(note));
        }
    }
    reasons(&mut out, files);
    let totals = ReportTotals::of(files);
    let colour = if totals.must > 0 { RED } else { GREEN };
    let _ = writeln!(out, "{}", paint(&totals.to_string(), colour, style));
    out
}

const RED: &str = "31;1";
const YELLOW: &str = "33";
const GREEN: &str = "32";
const DIM: &str = "2";

/// Everything that is not ours has gone through `line` before: these are the only escapes there are.
fn paint(text: &str, colour: &str, style: TextStyle) -> String {
    if style.is_coloured { format!("\u{1b}[{colour}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn one(out: &mut String, page: &str, finding: &ReportedFinding, style: TextStyle) {
    let place = finding.span.as_ref().map_or(String::new(), |span| format!(":{}:{}", span.line, span.column));
    let colour = match finding.level {
        ReportLevel::Must => RED,
        ReportLevel::Should => YELLOW,
        ReportLevel::Note => DIM,
    };
    let path = line(finding.path(page));
    let level = paint(finding.level.as_str(), colour, style);
    let rule = paint(&format!("[{}]", line(&finding.rule)), DIM, style);
    let of = if finding.file.is_some() { format!(", linked by {}", line(page)) } else { String::new() };
    let _ = writeln!(out, "{path}{place}: {level}: {}{of} {rule}", line(&finding.told()));
    let (Some((source, column)), Some(span)) = (&finding.source, &finding.span) else { return };
    // What is before the mark takes as much room as it does in the line above it.
    let shown = |part: &str| super::visible(&part.replace('\t', " ")).into_owned();
    let column = *column as usize;
    let before: String = source.chars().take(column.saturating_sub(1)).collect();
    let pad = " ".repeat(shown(&before).chars().count());
    let number = span.line.to_string();
    let gutter = " ".repeat(number.len());
    let bar = paint("|", DIM, style);
    let _ = writeln!(out, "  {} {bar} {}", paint(&number, DIM, style), shown(source).trim_end());
    let _ = writeln!(out, "  {gutter} {bar} {pad}{}", paint("^", colour, style));
}

/// Why something was left undecided, and how often.
fn reasons(out: &mut String, files: &[FileReport]) {
    let mut reasons: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for file in files {
        for undecided in file.undecided.iter().filter(|undecided| !undecided.fails) {
            let reason = format!("{}: {}", line(&undecided.rule), line(&undecided.why));
            reasons.entry(reason).or_insert((0, &file.path)).0 += 1;
        }
    }
    let mut list: Vec<(String, (usize, &str))> = reasons.into_iter().collect();
    list.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
    for (reason, (number, first)) in list.iter().take(MAX_REASONS) {
        let whole = if *number == 1 { line(first) } else { format!("{} and {} more", line(first), number - 1) };
        let _ = writeln!(out, "undecided: {reason} ({whole})");
    }
    if list.len() > MAX_REASONS {
        let _ = writeln!(out, "undecided: {} other reasons; `--format json` has all", list.len() - MAX_REASONS);
    }
}

pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
