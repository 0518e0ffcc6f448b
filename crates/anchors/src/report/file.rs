//! A file and what was found in it, whoever found it.

use std::borrow::Cow;

use crate::result::{LintResult, SourceSpan, Violation};

use super::LintedFile;

/// What was found in one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileReport {
    /// As it is shown; empty for what is in no file.
    pub path: String,
    pub findings: Vec<ReportedFinding>,
    /// Rules that were decided, broken or not.
    pub decided: Vec<String>,
    /// What nobody could decide.
    pub undecided: Vec<UndecidedRule>,
    pub notes: Vec<String>,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedFinding {
    /// The id of the rule, the same in every format.
    pub rule: Cow<'static, str>,
    pub level: ReportLevel,
    pub message: String,
    /// The measured value behind it.
    pub evidence: String,
    /// Who measured it, and in which dimension.
    pub measured: Option<(&'static str, &'static str)>,
    /// The file that it is in, where that is another one, such as a linked style sheet.
    pub file: Option<String>,
    pub span: Option<SourceSpan>,
    pub selector: Option<String>,
    /// The line of the source, or the part of it around the place, and the column in it that the place is at.
    pub source: Option<(String, u32)>,
    pub fingerprint: u64,
    pub standing: Standing,
}

/// How grave it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReportLevel {
    Must,
    Should,
    Note,
}

/// Whether a finding counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Standing {
    /// It counts, and nobody compared it with anything.
    #[default]
    Open,
    /// It counts: the baseline does not have it.
    New,
    /// The baseline has it.
    Known,
    /// Somebody excused it, in the text or in the configuration.
    Excused { reason: String, in_source: bool },
}

/// What nobody decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndecidedRule {
    /// The rule, where it is one of an anchor; or what was measured.
    pub rule: String,
    pub why: String,
    /// Whether the file fails because of it.
    pub fails: bool,
}

/// What a reader of results is told of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleHelp {
    pub id: &'static str,
    pub title: &'static str,
    pub text: String,
    pub markdown: String,
    pub level: ReportLevel,
    pub tags: Vec<String>,
}

impl ReportLevel {
    /// The word that people read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must fix",
            Self::Should => "should",
            Self::Note => "note",
        }
    }
}

impl FileReport {
    /// What the rules of an anchor say of a file.
    pub fn of((path, result): &LintedFile) -> Self {
        let mut report = Self { path: path.clone(), ..Self::default() };
        report.add(result);
        report
    }

    /// The same with what the rules of an anchor say.
    pub fn add(&mut self, result: &LintResult) {
        for (level, list) in [
            (ReportLevel::Must, &result.violations),
            (ReportLevel::Note, &result.open),
            (ReportLevel::Should, &result.should_violations),
        ] {
            let found = list.iter().map(|violation| ReportedFinding::of(&self.path, level, violation));
            self.findings.extend(found.collect::<Vec<_>>());
        }
        self.decided.extend(result.scores.iter().map(|score| score.name.clone()));
        self.undecided.extend(result.pending.iter().map(|pending| {
            UndecidedRule {
                rule: pending.rule.name().to_owned(),
                why: if pending.rule.command().is_some() { "the command was not run" } else { "no model was asked" }
                    .to_owned(),
                fails: true,
            }
        }));
        let is_silent = result.violations.is_empty() && result.open.is_empty() && result.pending.is_empty();
        if is_silent && !result.is_passed() {
            let why = "the anchor asks for nothing that can be decided without a run".to_owned();
            self.undecided.push(UndecidedRule { rule: "anchor".to_owned(), why, fails: true });
        }
        self.notes.extend(result.notes.iter().cloned());
    }

    /// What counts, gravest first as it was found.
    pub fn counting(&self) -> impl Iterator<Item = &ReportedFinding> {
        self.findings.iter().filter(|finding| finding.counts())
    }

    /// Whether the file passes, if findings up to this level fail it.
    pub fn passes(&self, fails: Option<ReportLevel>) -> bool {
        let Some(worst) = fails else { return true };
        !self.undecided.iter().any(|undecided| undecided.fails) && self.counting().all(|finding| finding.level > worst)
    }
}

impl ReportedFinding {
    /// A rule that does not hold.
    pub fn of(path: &str, level: ReportLevel, Violation { rule, message, span }: &Violation) -> Self {
        let quote = span.as_ref().map_or("", |span| span.quote.as_str());
        Self {
            rule: Cow::Owned(rule.clone()),
            level,
            message: message.clone(),
            evidence: String::new(),
            measured: None,
            file: None,
            source: None,
            selector: None,
            fingerprint: fingerprint([rule, path, quote, message]),
            span: span.clone(),
            standing: Standing::Open,
        }
    }

    /// Whether it is neither excused nor known.
    pub fn counts(&self) -> bool {
        matches!(self.standing, Standing::Open | Standing::New)
    }

    /// The message with the measured value.
    pub fn told(&self) -> String {
        if self.evidence.is_empty() { self.message.clone() } else { format!("{} ({})", self.message, self.evidence) }
    }

    /// The file that it is in.
    pub fn path<'a>(&'a self, page: &'a str) -> &'a str {
        self.file.as_deref().unwrap_or(page)
    }
}

/// A number for texts that is the same on every machine (FNV-1a): to recognise a finding again, not to protect anything.
pub fn fingerprint<'t>(parts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |byte: u8| {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(0x0100_0000_01b3);
    };
    for part in parts {
        part.bytes().for_each(&mut take);
        // No byte of a text: `ab`, `c` is not `a`, `bc`.
        take(0xff);
    }
    hash
}
