//! Whether runs are what they say: the chain, the blobs, what follows from the answers, and the files that show it.
//!
//! | file | noun |
//! |---|---|
//! | `shown` | files that show a run, held against its log |
//! | `written` | lines of a log, held against what would be written for them |

mod shown;
mod written;

use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tribunal_kernel::audit::{AuditAbout, AuditDifference, Audited, audit};
use tribunal_kernel::{Digest, Entry, Event, Run, RunId};
use tribunal_store::log::sealed::{LogTip, SealedLog};
use tribunal_store::verify::VerifyReport;
use tribunal_store::{BlockingBackend, StoreError};

use crate::error::AppError;
use crate::newest::NewestRuns;
use crate::project::Project;
use crate::proof::anchor::{self, AnchorsFound};

pub use shown::{ShownDifference, ShownState};
pub(crate) use written::unwritten;

/// What is to be verified.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerifyRequest<'r> {
    /// Runs by name; none: all of them.
    pub runs: &'r [String],
    /// The hash that the log of the one run has to end with.
    pub expect: Option<&'r str>,
}

/// What was found.
#[derive(Debug)]
pub struct VerifiedRuns {
    pub reports: Vec<VerifyReport>,
    pub runs: Vec<RecheckedRun>,
    /// What is wrong with the hashes that are kept elsewhere.
    pub problems: Vec<String>,
    /// What is worth knowing of runs that are not here, and of what may be kept of them.
    pub notes: Vec<String>,
}

/// A run that was gone through once more.
#[derive(Debug, Clone, Serialize)]
pub struct RecheckedRun {
    pub run: RunId,
    /// Where its log ends.
    pub head: Option<LogTip>,
    /// What follows and what does not; nothing, if its log is damaged.
    pub replayed: Option<Audited>,
    /// What is wrong beyond the bytes.
    pub problems: Vec<String>,
    /// What is worth knowing and not wrong.
    pub notes: Vec<String>,
}

impl VerifiedRuns {
    /// How many events could be neither confirmed nor contradicted.
    pub fn unchecked(&self) -> usize {
        self.runs.iter().filter_map(|run| run.replayed.as_ref()).map(|replayed| replayed.unchecked.len()).sum()
    }

    /// Whether everything that was looked at holds.
    pub fn holds(&self) -> bool {
        self.reports.iter().all(VerifyReport::is_intact)
            && self.problems.is_empty()
            && self.runs.iter().all(|run| run.problems.is_empty())
    }
}

/// Goes through runs once more. It never writes.
pub async fn verify(project: &Project, request: VerifyRequest<'_>) -> Result<VerifiedRuns, AppError> {
    let expect = request.expect.map(expected).transpose()?;
    let mut reports = Vec::new();
    for name in request.runs {
        reports.push(project.store.verify(Some(vec![project.find(Some(name)).await?])).await?);
    }
    if request.runs.is_empty() {
        let report = project.store.verify(None).await?;
        // Nothing is not intact: whoever verifies wants to hear of something.
        if report.runs.is_empty() && report.is_intact() {
            let kept = anchor::found(project).await.anchors.iter().map(gone).collect::<Vec<_>>().join("; ");
            let kept = if kept.is_empty() { kept } else { format!(" ({kept})") };
            return Err(AppError::not_found(
                format!("there is nothing to verify: no runs in this project{kept}"),
                "`-C DIR` looks elsewhere",
            ));
        }
        reports.push(report);
    }
    let looked_at: Vec<(RunId, bool)> =
        reports.iter().flat_map(|report| &report.runs).map(|run| (run.run, run.is_whole)).collect();
    if expect.is_some() && looked_at.len() != 1 {
        return Err(AppError::invalid(
            format!("`--expect` is about one run, and there are {}", looked_at.len()),
            "name the run: `tribunal verify RUN --expect HASH`",
        ));
    }
    let AnchorsFound { anchors, problems, mut notes } = anchor::found(project).await;
    let is_gone = |anchor: &&anchor::AnchorFound| !looked_at.iter().any(|(run, _)| *run == anchor.run);
    // A clone has the hashes of runs that were made elsewhere: that is no fault of this project's.
    notes.extend(anchors.iter().filter(|_| request.runs.is_empty()).filter(is_gone).map(gone));
    let mut runs = Vec::new();
    let newest = NewestRuns::of(project).await?;
    for (run, is_whole) in looked_at {
        let mut rechecked = RecheckedRun { run, head: None, replayed: None, problems: Vec::new(), notes: Vec::new() };
        if is_whole {
            recheck(project, &newest, &mut rechecked).await?;
        }
        rechecked.compare_anchors(project, &anchors).await?;
        if let Some(expected) = expect {
            rechecked.compare_head(project, expected).await?;
        }
        runs.push(rechecked);
    }
    Ok(VerifiedRuns { reports, runs, problems, notes })
}

/// An anchor of a run that is not here.
fn gone(anchor: &anchor::AnchorFound) -> String {
    format!("{} has the head of run {}, which is not here", anchor.kept, anchor.run)
}

/// A hash that somebody typed.
pub(crate) fn expected(text: &str) -> Result<Digest, AppError> {
    Digest::parse(text.trim()).ok_or_else(|| {
        AppError::invalid(
            format!("`{text}` is no hash of a log"),
            "it has 64 hex digits; `tribunal verify RUN` prints it as the head",
        )
    })
}

async fn recheck(project: &Project, newest: &NewestRuns<'_>, rechecked: &mut RecheckedRun) -> Result<(), AppError> {
    let run = rechecked.run;
    let log = match sealed(project, run).await {
        Ok(log) => log,
        // What is damaged was reported already, and a tail that is torn is a note there.
        Err(error) => {
            rechecked.problems.push(error.to_string());
            return Ok(());
        }
    };
    rechecked.head = log.tip();
    let Some(Entry { event: Event::RunOpened { spec }, .. }) = log.entries.first() else { return Ok(()) };
    let version = spec.version.clone();
    let is_ours = version.as_deref() == Some(VERSION);
    let odd = unwritten(&project.store.logs().bytes(run).await?, &log.entries);
    if is_ours {
        rechecked.problems.extend(odd);
    } else if let Some(first) = odd.first() {
        let (many, opened) = (odd.len(), version.as_deref().unwrap_or("an earlier one"));
        rechecked.notes.push(format!(
            "{many} events are not written as version {VERSION} writes them; the run was opened by {opened}. The first: {first}"
        ));
    }
    let entries = Arc::new(log.entries);
    let audited = replay(project, entries.clone()).await?;
    rechecked.take_differences(&audited.differences, version.as_deref());
    if audited.unlisted > 0 {
        rechecked.problems.push(format!("{} more events do not follow", audited.unlisted));
    }
    if audited.unread > 0 {
        rechecked
            .problems
            .push(format!("{} events could not be replayed: texts that they need are missing", audited.unread));
    }
    rechecked.replayed = Some(audited);
    if let Ok(Some(folded)) = Run::fold(entries.iter())
        && folded.end().is_some()
        && !project.is_driven(run).await?
    {
        let differences = match shown::differences(project, newest, folded, entries).await {
            Ok(differences) => differences,
            // A text that is damaged was named already, and is no reason to say nothing of the rest.
            Err(error) => {
                let why = error.message();
                rechecked.problems.push(format!("the files that show it could not be compared with the log: {why}"));
                return Ok(());
            }
        };
        for ShownDifference { file, state } in differences {
            let is_prose = file.file_name().is_some_and(|name| name == "report.md");
            let file = file.display();
            match state {
                // An earlier version may have put it into other words; what it tells is in the log, which follows.
                ShownState::Changed if !is_ours && is_prose => rechecked
                    .notes
                    .push(format!("{file} is not what version {VERSION} writes; `tribunal reindex` writes it again")),
                ShownState::Changed => rechecked
                    .problems
                    .push(format!("{file} is not what the log says; `tribunal reindex` writes it again")),
                ShownState::Missing => {
                    rechecked.notes.push(format!("{file} is missing; `tribunal reindex` writes it again"));
                }
                ShownState::Planted => {
                    rechecked.problems.push(format!("{file} looks like a result, and the log has none: remove it"));
                }
            }
        }
    }
    Ok(())
}

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A difference for people.
pub(crate) fn told(difference: &AuditDifference) -> String {
    let AuditDifference { seq, event, what, .. } = difference;
    format!("event {seq} ({event}) does not follow: {what}")
}

/// A log with its hashes.
pub(crate) async fn sealed(project: &Project, run: RunId) -> Result<SealedLog, StoreError> {
    SealedLog::parse(&project.store.logs().bytes(run).await?, &format!("run {run}"))
}

/// Goes through a log with the texts that the store has.
async fn replay(project: &Project, entries: Arc<Vec<Entry>>) -> Result<Audited, AppError> {
    let store = BlockingBackend::new(project.store.clone());
    let audited = tokio::task::spawn_blocking(move || {
        let fetch = |digest: Digest| -> Option<Arc<str>> {
            let bytes = store.wait(store.blobs().get(digest)).ok()?;
            Some(String::from_utf8_lossy(&bytes).into())
        };
        audit(&entries, &fetch, &tribunal_checks::Inspector)
    });
    audited.await.map_err(|error| AppError::environment(format!("a bug: {error}"), None))
}

impl RecheckedRun {
    /// What does not follow is wrong, whatever wrote it: who changes a log can change what it says of its version. But a
    /// version may put prompts into other words.
    fn take_differences(&mut self, differences: &[AuditDifference], version: Option<&str>) {
        let is_ours = version == Some(VERSION);
        let opened = version.unwrap_or("an earlier one");
        let (asked, wrong): (Vec<_>, Vec<_>) =
            differences.iter().partition(|difference| difference.about == AuditAbout::Asked && !is_ours);
        if let Some(first) = asked.first() {
            self.notes.push(format!(
                "{} calls are not put as version {VERSION} puts them; the run was opened by {opened}. The first: {}",
                asked.len(),
                told(first)
            ));
        }
        for difference in wrong {
            let doubt = if is_ours {
                String::new()
            } else {
                format!(" (by the rules of version {VERSION}; the run was opened by {opened}: ask that version, too)")
            };
            self.problems.push(format!("{}{doubt}", told(difference)));
        }
    }

    /// What could be neither confirmed nor contradicted, in a line for each reason.
    pub fn unchecked_told(&self) -> Vec<String> {
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        for event in self.replayed.iter().flat_map(|replayed| &replayed.unchecked) {
            *reasons.entry(event.why).or_default() += 1;
        }
        let told = |(why, events): (&str, u64)| match events {
            1 => format!("1 event was not checked: {why}"),
            _ => format!("{events} events were not checked: {why}"),
        };
        reasons.into_iter().map(told).collect()
    }

    /// What others keep of this run has to be in its log.
    async fn compare_anchors(&mut self, project: &Project, anchors: &[anchor::AnchorFound]) -> Result<(), AppError> {
        let own: Vec<&anchor::AnchorFound> = anchors.iter().filter(|anchor| anchor.run == self.run).collect();
        if own.is_empty() {
            return Ok(());
        }
        let log = sealed(project, self.run).await.ok();
        for anchor in own {
            let kept = &anchor.kept;
            match log.as_ref().and_then(|log| log.place_of(anchor.head)) {
                Some(seq) if self.head.is_some_and(|head| head.seq == seq) => {
                    self.notes.push(format!("{kept} has its head"));
                }
                Some(seq) => {
                    self.notes
                        .push(format!("{kept} has its head as it was at event {seq}; the log goes on from there"));
                }
                None => self.problems.push(format!(
                    "{kept} says that its log ended with {}, and the log has no such line: it was changed or cut since",
                    anchor.head
                )),
            }
        }
        Ok(())
    }

    async fn compare_head(&mut self, project: &Project, expected: Digest) -> Result<(), AppError> {
        let Some(head) = self.head else {
            self.problems.push(format!("its log cannot be read as a whole, and {expected} was expected at its end"));
            return Ok(());
        };
        if head.hash == expected {
            return Ok(());
        }
        let place = sealed(project, self.run).await?.place_of(expected);
        self.problems.push(match place {
            Some(seq) => format!(
                "its log goes on behind event {seq}, which was expected to be its last: it ends with {}",
                head.hash
            ),
            None => {
                format!("its log ends with {}, and {expected} was expected: it was changed or cut since", head.hash)
            }
        });
        Ok(())
    }
}
