//! A baseline: what was found before, so that only what is new fails.
//!
//! A finding is known by its rule, its file, and the text that stands at its place, not by its line: what moves stays
//! known. What is there more often than before is new.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tribunal_anchors::report::{FileReport, ReportedFinding, Standing};

use crate::error::AppError;
use tribunal_agents::house::UNREADABLE;

/// The form of the file.
const VERSION: u32 = 1;

/// What makes a finding the same: rule, file below the root, text at its place.
type Identity = (String, String, String);

/// What was known before, and how often it was there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Baseline {
    known: BTreeMap<Identity, usize>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    findings: Vec<Row>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    file: String,
    rule: String,
    text: String,
    count: usize,
}

impl Baseline {
    /// The baseline in a file. One that cannot be read is an error: nothing would be known, or everything.
    pub(super) fn read(path: &Path) -> Result<Self, AppError> {
        let cannot = |why: String, hint: &str| {
            AppError::invalid(format!("cannot read the baseline {}: {why}", path.display()), hint)
        };
        let text = fs::read_to_string(path)
            .map_err(|error| cannot(error.to_string(), "`--update-baseline` writes it from what is found now"))?;
        let repair = "correct the file, or remove it and write a new one with `--update-baseline`";
        let written: Written = serde_json::from_str(&text).map_err(|error| cannot(error.to_string(), repair))?;
        if written.version != VERSION {
            return Err(cannot(format!("its version is {}, and {VERSION} is known", written.version), repair));
        }
        let mut known = BTreeMap::new();
        for Row { file, rule, text, count } in written.findings {
            *known.entry((rule, file, text)).or_insert(0) += count;
        }
        Ok(Self { known })
    }

    /// Says of every finding that nobody excused whether it is known. `name` is the page's path below the root, and `linked`
    /// gives that of a file that it links.
    pub(super) fn mark(&self, name: &str, linked: &dyn Fn(&str) -> String, file: &mut FileReport) {
        let mut left: BTreeMap<Identity, usize> = BTreeMap::new();
        for finding in file.findings.iter_mut().filter(|finding| finding.counts()) {
            // What was not looked at has not been known either.
            if finding.rule == UNREADABLE {
                finding.standing = Standing::New;
                continue;
            }
            let identity = identity(name, linked, finding);
            let known = || self.known.get(&identity).copied().unwrap_or(0);
            let left = left.entry(identity.clone()).or_insert_with(known);
            finding.standing = if *left > 0 { Standing::Known } else { Standing::New };
            *left = left.saturating_sub(1);
        }
    }

    /// The same after a check: what was found in the files that were looked at takes the place of what was known of them.
    /// What is no longer there (`exists`) is forgotten.
    pub(super) fn updated<'f>(
        mut self,
        files: impl IntoIterator<Item = (String, &'f FileReport)>,
        linked: &dyn Fn(&str) -> String,
        exists: impl Fn(&str) -> bool,
    ) -> Self {
        let files: Vec<(String, &FileReport)> = files.into_iter().collect();
        let sheets =
            files.iter().flat_map(|(_, file)| file.findings.iter().filter_map(|finding| finding.file.as_deref()));
        let looked_at: BTreeSet<String> =
            files.iter().map(|(name, _)| name.clone()).chain(sheets.map(linked)).collect();
        self.known.retain(|(_, file, _), _| !looked_at.contains(file) && exists(file));
        for (name, file) in &files {
            let excused = |finding: &&ReportedFinding| matches!(finding.standing, Standing::Excused { .. });
            for finding in file.findings.iter().filter(|finding| !excused(finding) && finding.rule != UNREADABLE) {
                *self.known.entry(identity(name, linked, finding)).or_insert(0) += 1;
            }
        }
        self
    }

    /// Writes it, in an order that makes small changes small.
    pub(super) fn write(&self, path: &Path) -> Result<(), AppError> {
        let mut findings: Vec<Row> = self
            .known
            .iter()
            .map(|((rule, file, text), count)| Row {
                file: file.clone(),
                rule: rule.clone(),
                text: text.clone(),
                count: *count,
            })
            .collect();
        findings.sort_by(|a, b| (&a.file, &a.rule, &a.text).cmp(&(&b.file, &b.rule, &b.text)));
        let text = serde_json::to_string_pretty(&Written { version: VERSION, findings }).expect("plain JSON");
        tribunal_store::atomic::write(path, format!("{text}\n").as_bytes())?;
        Ok(())
    }
}

fn identity(name: &str, linked: &dyn Fn(&str) -> String, finding: &ReportedFinding) -> Identity {
    let quote = finding.span.as_ref().map_or("", |span| span.quote.as_str());
    // Without a place there is nothing that could move; a place in another file has its selector.
    let text = if quote.is_empty() { finding.selector.as_deref().unwrap_or_default() } else { quote };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (finding.rule.to_string(), finding.file.as_deref().map_or_else(|| name.to_owned(), linked), text)
}
