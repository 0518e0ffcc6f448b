//! Checking pages and texts: measured by the house, or held against an anchor. Prints nothing.
//!
//! | file | noun |
//! |---|---|
//! | `request` | what to check, and what came of it |
//! | `select`, `changed` | which files, and which of their lines |
//! | `page_files` | what lies around a page |
//! | `finding` | what was measured, as it is reported |
//! | `excuse`, `baseline` | what does not count |
//! | `commands` | commands of an anchor |

mod baseline;
mod changed;
mod commands;
mod excuse;
mod finding;
mod page_files;
mod request;
mod select;

use page_files::PageFiles;
pub use request::{CheckRequest, CheckedFile, CheckedFiles};
pub(crate) use select::{plain, select};

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tribunal_agents::house::Files;
use tribunal_anchors::{Anchor, Judged, LintResult, lint};
use tribunal_checks::seen::{View, measure_seen};
use tribunal_checks::{
    DesignTokens, Document, Inspector, MeasuredFinding, Measurement, Role, RoleReport, Surroundings, WordLists,
    copy_with, report, rule,
};
use tribunal_engine::browser::{PageVisit, Window};
use tribunal_kernel::ballot::{Ballot, BallotItem, ItemState, Quorum, Vote, VoteWord, count};
use tribunal_kernel::consult::Opinion;
use tribunal_kernel::{Binding, Format, Score, SeatName, rules};

use crate::allowance;
use crate::consult::Consultant;
use crate::controls;
use crate::error::AppError;
use crate::project::Project;
use crate::seating::bindings;

/// The rule that a file breaks which could not be looked at.
const UNREADABLE: &str = "file.unreadable";

/// A page or a text that is checked.
#[derive(Debug)]
pub struct Page {
    /// As results name it.
    pub name: String,
    text: String,
    /// What links and style sheets are relative to.
    folder: PathBuf,
    is_markdown: bool,
    /// Nothing outside of this folder is looked at, wherever a symbolic link leads.
    fence: Option<PathBuf>,
    /// What lies around it, where somebody looked already.
    around: Option<PageFiles>,
    /// How a browser showed it; empty where none has looked.
    seen: Arc<[View]>,
    /// Words of the house.
    words: Arc<WordLists>,
}

/// What was measured of a page.
#[derive(Debug)]
pub struct MeasuredPage {
    pub name: String,
    pub reports: Vec<RoleReport>,
}

impl Page {
    /// The page in a file, relative to `dir`.
    pub fn read(dir: &Path, name: &Path) -> Result<Self, AppError> {
        let path = dir.join(name);
        let text = read(&path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self::of_text(&name.display().to_string(), text, has_text_name(&path), folder.to_owned()))
    }

    /// A page that is in no file.
    pub fn of_text(name: &str, text: String, is_markdown: bool, folder: PathBuf) -> Self {
        Self {
            name: name.to_owned(),
            text,
            folder,
            is_markdown,
            fence: None,
            around: None,
            seen: Arc::default(),
            words: Arc::default(),
        }
    }

    /// The same under another name.
    pub fn named(self, name: String) -> Self {
        Self { name, ..self }
    }

    /// The same, but nothing outside of `fence` is looked at on its account.
    pub fn fenced(self, fence: PathBuf) -> Self {
        Self { fence: Some(fence), ..self }
    }

    /// The same with what lies around it.
    fn among(self, around: PageFiles) -> Self {
        Self { around: Some(around), ..self }
    }

    /// The visit of a browser to this page; nothing for texts, which have no look.
    pub(crate) fn visit(&self, windows: &[Window]) -> Option<PageVisit> {
        if self.is_markdown {
            return None;
        }
        let name = Path::new(&self.name).file_name().unwrap_or_else(|| "page.html".as_ref());
        let (file, text) = (self.folder.join(name), Some(self.text.clone()));
        Some(PageVisit { file, text, windows: windows.to_vec(), focus: true, scripts: Vec::new() })
    }

    /// Takes what a browser has seen of it.
    pub(crate) fn saw(&mut self, views: impl Into<Arc<[View]>>) {
        self.seen = views.into();
    }

    /// The same, and its words are held against these lists.
    fn with_words(self, words: Arc<WordLists>) -> Self {
        Self { words, ..self }
    }

    fn may_see(&self, path: &str) -> bool {
        let bare = path.split(['?', '#']).next().unwrap_or_default();
        self.fence
            .as_ref()
            .is_none_or(|fence| self.folder.join(bare).canonicalize().is_ok_and(|file| file.starts_with(fence)))
    }

    /// What the house measures. Without tokens there is no brand to judge by.
    pub fn measured(&self, tokens: &DesignTokens) -> MeasuredPage {
        let files = match (&self.around, &self.fence) {
            (Some(around), _) => around.files.clone(),
            // A page that is not inside has nothing around it but what the fence holds.
            (None, Some(fence)) if !self.may_see(".") => Files::new(fence),
            (None, Some(fence)) => Files::within(fence, &self.folder, None),
            (None, None) => Files::within(&Files::root_of(&self.folder, None), &self.folder, None),
        };
        let document = if self.is_markdown {
            Document::markdown_at(&self.text, files.addresses())
        } else {
            Document::html_at(&self.text, files.addresses(), &|path| files.sheet(path))
        };
        let files: &dyn Surroundings = match &self.around {
            Some(around) => around,
            None => &files,
        };
        let roles = Role::ALL.into_iter().filter(|role| *role != Role::Brand || !tokens.is_empty());
        let reports = roles.map(|role| match role {
            Role::Copy => report(role, copy_with(&document, &self.words)),
            _ => measure_seen(role, &document, tokens, files, &self.seen),
        });
        let reports = reports.collect();
        MeasuredPage { name: self.name.clone(), reports }
    }

    /// What the deterministic rules of an anchor say. Rules that need an opinion or a command stay pending.
    pub fn linted(&self, anchor: &Anchor) -> LintResult {
        let files = Files::new(&self.folder);
        lint(anchor, &self.text, None, &|path| self.may_see(path) && files.exists(path), &Inspector)
    }
}

impl MeasuredPage {
    /// Whether nothing must be fixed.
    pub fn passes(&self) -> bool {
        self.reports.iter().all(|report| report.must_fix.is_empty())
    }

    /// Everything that was found, with the role that found it. What several roles find is the role's whose rule it is.
    pub fn findings(&self) -> impl Iterator<Item = (&'static str, &MeasuredFinding)> {
        self.reports.iter().flat_map(|report| {
            let is_own = |finding: &&MeasuredFinding| {
                let owner = rule(finding.code).and_then(|rule| rule.role).unwrap_or(report.role);
                owner == report.role || !self.has_found(owner, finding)
            };
            report.findings().filter(is_own).map(|finding| (report.role.as_str(), finding))
        })
    }

    fn has_found(&self, role: Role, finding: &MeasuredFinding) -> bool {
        let of = self.reports.iter().filter(|report| report.role == role);
        of.flat_map(RoleReport::findings).any(|other| other.code == finding.code && other.place == finding.place)
    }

    pub fn object(&self) -> Value {
        let reports: Vec<Value> = self
            .reports
            .iter()
            .map(|report| {
                let dims: Vec<Value> = report
                    .dims
                    .iter()
                    .map(|dim| {
                        let mut object = dim_object(dim);
                        object["findings"] = dim.findings.iter().map(finding_object).collect();
                        object
                    })
                    .collect();
                json!({ "role": report.role.as_str(), "score": report.score, "dims": dims })
            })
            .collect();
        json!({ "file": self.name, "reports": reports })
    }
}

/// All items of an anchor. Who sits for the linters votes on those that need an opinion, if all others hold.
pub async fn with_opinions(project: &Project, anchor: &Anchor, page: &Page) -> Result<(String, LintResult), AppError> {
    let mut result = page.linted(anchor);
    votes_on(project, anchor, page, &mut result).await?;
    Ok((page.name.clone(), result.closing()))
}

/// Takes in what whoever sits for the linters votes, if nothing is violated without them.
async fn votes_on(project: &Project, anchor: &Anchor, page: &Page, result: &mut LintResult) -> Result<(), AppError> {
    let joust = &project.config().joust;
    let seats: Vec<&str> = joust.linters.iter().map(String::as_str).collect();
    let bindings = bindings(project.config(), &seats)?;
    let quorum = reachable_quorum(project, ("joust", "linters"), joust.quorum, &joust.linters, &bindings)?;
    let linters: Vec<Consultant<'_>> = joust
        .linters
        .iter()
        .filter_map(|seat| bindings.get_key_value(&SeatName::new(seat)))
        .map(|(seat, binding)| Consultant::new(project, seat.clone(), binding.clone(), "lint").judging())
        .collect();
    let items = rules::semantic(anchor);
    let ballot = Ballot::of(items.iter().map(|(level, rule)| (*level, rule)));
    if result.violations.is_empty() && !ballot.is_empty() {
        let votes = votes(project, &linters, &ballot, page, quorum).await;
        for item in ballot.items() {
            take(result, &item.name, &votes, quorum, &page.text);
        }
    }
    Ok(())
}

/// What linters vote, until everything is decided. One who brings no usable answer costs its own vote.
async fn votes(
    project: &Project,
    linters: &[Consultant<'_>],
    ballot: &Ballot,
    page: &Page,
    quorum: Quorum,
) -> Vec<(String, Result<Vec<Vote>, String>)> {
    let mut votes: Vec<(String, Result<Vec<Vote>, String>)> = Vec::new();
    for linter in linters {
        let said = counted(&votes);
        let is_open = |item: &BallotItem| count(&item.name, &said, quorum).0 == ItemState::Undecided;
        if !ballot.items().iter().any(is_open) {
            break;
        }
        let agent = allowance::definition(project, &linter.binding().agent);
        let is_controlled = agent.is_some_and(|agent| agent.is_controlled());
        let opinion = Opinion { ballot, text: &page.text, is_controlled };
        let voter = voter(project, linter.binding());
        // In random order with its control.
        let said = if !is_controlled {
            ask(linter, &opinion, page).await
        } else if opinion.comes_first() {
            let said = ask(linter, &opinion, page).await;
            control(project, linter, &voter, &opinion, page).await.and(said)
        } else {
            match control(project, linter, &voter, &opinion, page).await {
                Ok(()) => ask(linter, &opinion, page).await,
                Err(why) => Err(why),
            }
        };
        votes.push((voter, said));
    }
    votes
}

async fn ask(linter: &Consultant<'_>, opinion: &Opinion<'_>, page: &Page) -> Result<Vec<Vote>, String> {
    let prompt = |attempt: u32| opinion.prompt(&page.name, linter.seat(), attempt);
    let read = |answer: &str, attempt: u32, is_last: bool| opinion.read(answer, attempt, is_last);
    linter.ask_again(prompt, read).await.map(|reading| reading.votes).map_err(|error| error.message())
}

/// Whether a judge notices what is wrong with a text that breaks every rule. The error is why it has no vote.
async fn control(
    project: &Project,
    linter: &Consultant<'_>,
    voter: &str,
    opinion: &Opinion<'_>,
    page: &Page,
) -> Result<(), String> {
    let format = if page.is_markdown { Format::Markdown } else { Format::Html };
    let config = &project.config().controls;
    if config.per_judge == 0 || controls::passed_lately(project, voter, format).await {
        return Ok(());
    }
    let control = opinion.control(format);
    let reading = control.reading(&ask(linter, &control.opinion(), page).await?);
    if reading.caught_share() < Score(config.min_catch.micros()) {
        return Err(format!("{} {reading}, and has no vote", linter.seat()));
    }
    Ok(())
}

fn counted(votes: &[(String, Result<Vec<Vote>, String>)]) -> Vec<(String, &[Vote])> {
    votes.iter().map(|(voter, said)| (voter.clone(), said.as_deref().unwrap_or_default())).collect()
}

/// How an item was decided.
fn take(
    result: &mut LintResult,
    item: &str,
    votes: &[(String, Result<Vec<Vote>, String>)],
    quorum: Quorum,
    draft: &str,
) {
    let (state, why) = count(item, &counted(votes), quorum);
    // Whoever could not be asked is the reason, where nobody was heard.
    let failed = votes.iter().find_map(|(_, said)| said.as_ref().err().cloned());
    let failed = failed.filter(|_| votes.iter().all(|(_, said)| said.is_err()));
    let why = failed.or(why).unwrap_or_else(|| item.to_owned());
    let cast = votes.iter().filter_map(|(_, said)| said.as_ref().ok()).flatten();
    let quote =
        cast.filter(|vote| vote.item == item && vote.says == VoteWord::Broken).find_map(|vote| vote.quote.as_deref());
    result.judged(
        item,
        match state {
            ItemState::Met => Judged::Holds,
            ItemState::Broken => Judged::Broken { why: &why, quote, draft },
            ItemState::Undecided => Judged::Undecided { why: &why },
        },
    );
}

/// The quorum, if as many judges as it needs are not the same model of the same provider; the loop's name, and what it calls
/// them. Nobody is asked before that.
pub fn reachable_quorum(
    project: &Project,
    (loop_name, seats): (&str, &str),
    quorum: u32,
    judges: &[String],
    bindings: &BTreeMap<SeatName, Binding>,
) -> Result<Quorum, AppError> {
    let voters: BTreeSet<String> = judges
        .iter()
        .filter_map(|seat| bindings.get(&SeatName::new(seat)))
        .map(|binding| voter(project, binding))
        .collect();
    if voters.len() < quorum as usize {
        return Err(AppError::misconfigured(
            format!(
                "`{loop_name}.quorum` is {quorum}, and the {seats} ({}) have {}",
                judges.join(", "),
                told(voters.len())
            ),
            format!("name {seats} with different models in `{loop_name}.{seats}`, or set `{loop_name}.quorum = 1`"),
        ));
    }
    Ok(Quorum(quorum))
}

fn told(opinions: usize) -> String {
    if opinions == 1 { "1 opinion between them".to_owned() } else { format!("{opinions} opinions between them") }
}

/// In whose name somebody votes who sits in no run.
pub(crate) fn voter(project: &Project, binding: &Binding) -> String {
    binding.voter(allowance::definition(project, &binding.agent).as_ref())
}

/// Whether a file is a text by its name.
fn has_text_name(path: &Path) -> bool {
    let texts = ["md", "markdown", "txt"];
    path.extension().is_some_and(|extension| texts.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// A file's text.
pub fn read(path: &Path) -> Result<String, AppError> {
    let cannot = |why: String| {
        AppError::not_found(format!("cannot read {}: {why}", path.display()), "use HTML or Markdown files in UTF-8")
    };
    let bytes = fs::read(path).map_err(|error| cannot(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| cannot("it is not UTF-8 text".into()))
}

/// A design file. One of which nothing was understood is an error: nothing would be held against it.
pub fn read_design(path: &Path) -> Result<DesignTokens, AppError> {
    DesignTokens::read(&read(path)?)
        .map_err(|error| AppError::invalid(format!("{}: {error}", path.display()), error.hint()))
}

/// What was measured in a dimension as an object, without its findings.
pub fn dim_object(dim: &Measurement) -> Value {
    json!({
        "dimension": dim.dimension, "score": dim.decided.then_some(dim.score), "evidence": dim.evidence,
        "undecided": dim.undecided,
        "eye": dim.eye.as_str(),
    })
}

/// A finding as an object.
pub fn finding_object(finding: &MeasuredFinding) -> Value {
    let place = finding.place.as_ref();
    let mut object = json!({
        "code": finding.code, "weight": finding.weight.as_str(), "text": finding.text, "evidence": finding.evidence,
        "line": place.map(|place| place.line), "column": place.map(|place| place.column),
        "selector": place.and_then(|place| place.selector.clone()),
    });
    if let Some(file) = place.and_then(|place| place.file.as_ref()) {
        object["file"] = json!(file);
    }
    object
}
