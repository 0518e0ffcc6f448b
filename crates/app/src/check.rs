//! Checking pages and texts: measured by the house, or held against an anchor. Prints nothing.
//!
//! | file | noun |
//! |---|---|
//! | `request`, `outcome` | what to check, and what came of it |
//! | `select`, `changed` | which files, and which of their lines |
//! | `parallel` | many pages at once |
//! | `baseline` | what was found before, and does not count |
//! | `commands` | commands of an anchor |

mod baseline;
mod changed;
mod commands;
mod outcome;
mod parallel;
mod request;
mod select;

pub use outcome::{CheckedFile, CheckedFiles, finding_object};
pub use request::CheckRequest;
pub(crate) use request::say_once;
pub use select::FilesBelow;
pub(crate) use select::{files_below, plain, select};

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tribunal_agents::house::{Files, MeasuredText, PageFiles, PageFindings, PageSeen, PageToView};
use tribunal_anchors::{Anchor, Judged, LintResult, lint};
use tribunal_checks::{DesignTokens, Document, Inspector, Measurement};
use tribunal_kernel::ballot::{Ballot, BallotItem, ItemState, Quorum, Vote, VoteWord, count};
use tribunal_kernel::consult::Opinion;
use tribunal_kernel::{Binding, Format, Score, SeatName, rules};

use crate::allowance;
use crate::consult::Consultant;
use crate::controls;
use crate::error::AppError;
use crate::eyes::BrowserEyes;
use crate::measuring::{built, measuring};
use crate::project::Project;
use crate::seating::bindings;

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
        Self { name: name.to_owned(), text, folder, is_markdown, fence: None }
    }

    /// The same under another name.
    pub fn named(self, name: String) -> Self {
        Self { name, ..self }
    }

    /// The same, but nothing outside of `fence` is looked at on its account.
    pub fn fenced(self, fence: PathBuf) -> Self {
        Self { fence: Some(fence), ..self }
    }

    fn may_see(&self, path: &str) -> bool {
        let bare = path.split(['?', '#']).next().unwrap_or_default();
        self.fence
            .as_ref()
            .is_none_or(|fence| self.folder.join(bare).canonicalize().is_ok_and(|file| file.starts_with(fence)))
    }

    /// What the house finds in it. Without tokens there is no brand to judge by.
    pub async fn findings(&self, project: &Project, tokens: &DesignTokens) -> Result<PageFindings, AppError> {
        let measuring = measuring(project)?;
        let checks = &project.config().checks;
        let is_inside = self.may_see(".");
        let root = match &self.fence {
            Some(fence) => fence.clone(),
            None => Files::root_of(&self.folder, Some(project.root())),
        };
        let root = root.canonicalize().unwrap_or(root);
        let folder = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        let file = folder.join(Path::new(&self.name).file_name().unwrap_or_else(|| "page.html".as_ref()));
        // A page that is not inside has nothing around it but what the fence holds.
        let files =
            if is_inside { Files::within(&root, &file, checks.site_root.as_deref()) } else { Files::new(&root) };
        let document = if self.is_markdown {
            Document::markdown_at(&self.text, files.addresses())
        } else {
            Document::html_at(&self.text, files.addresses(), &|path| files.sheet(path))
        };
        let seen = match BrowserEyes::of(checks).filter(|_| is_inside && !self.is_markdown) {
            Some(eyes) => {
                let (root, site_root) = (root.clone(), checks.site_root.clone());
                let (text, instead) = (self.text.clone(), BTreeMap::new());
                let page = PageToView {
                    root,
                    site_root,
                    file: file.clone(),
                    text,
                    instead,
                    takes_pictures: false,
                    is_again: false,
                };
                eyes.view(page).await?
            }
            None => PageSeen::default(),
        };
        let around = PageFiles::new(files, &root, &built(project));
        let page = MeasuredText {
            name: &self.name,
            document: &document,
            is_markdown: self.is_markdown,
            file: &file,
            around: &around,
            seen: &seen,
        };
        Ok(measuring.findings(&page, tokens, &str::to_owned))
    }

    /// What the deterministic rules of an anchor say. Rules that need an opinion or a command stay pending.
    pub fn linted(&self, anchor: &Anchor) -> LintResult {
        let files = Files::new(&self.folder);
        lint(anchor, &self.text, None, &|path| self.may_see(path) && files.exists(path), &Inspector)
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
        for linter in &linters {
            linter.check_priced().await?;
        }
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
