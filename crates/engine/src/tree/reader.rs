//! The commits of a project, to be read: what is in them, what differs, clean checkouts. Nothing here writes to the
//! repository, makes a branch or looks at the user's checkout.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::commit::{ChangeKind, Checkout, TreeChange};
use super::error::TreeError;
use super::folder;
use super::git::{Git, fields};
use super::inside::parts;
use super::plain::Plain;
use super::repository;
use super::state::RepoPlace;
use super::{blocking, worktree};
use tribunal_kernel::text::head;

/// The most of a patch that anybody is told, in bytes.
const MOST_PATCH: usize = 128 << 10;

/// Endings of what is written for people.
const PROSE: [&str; 5] = [".md", ".txt", ".rst", ".adoc", ".html"];
/// The most of a file that is searched for a word.
const MOST_TEXT: u64 = 4 << 20;

/// How long a whole name of git's is, with SHA-1 and with SHA-256.
const WHOLE_NAMES: [usize; 2] = [40, repository::LONG_NAME];
/// So many paths are looked up with one call of git: a command line has an end.
const PATHS_AT_ONCE: usize = 500;

/// Reads commits, or snapshots where there is no git.
#[derive(Debug, Clone)]
pub struct CommitReader {
    source: Source,
    /// The trees of commits that were asked for before: a whole name of git's means the same for ever.
    trees: Arc<Mutex<BTreeMap<String, String>>>,
}

#[derive(Debug, Clone)]
enum Source {
    Git(RepoPlace),
    Plain(Box<Plain>),
}

impl CommitReader {
    /// The repository that a project is in.
    pub async fn of(project: &Path) -> Result<Self, TreeError> {
        let project = project.canonicalize().map_err(TreeError::io(project))?;
        let found = worktree::find(&project).await;
        let (place, _) = found.map_err(|told| TreeError::Git { doing: "rev-parse".to_owned(), told })?;
        Ok(Self::git(place))
    }

    pub(super) fn git(place: RepoPlace) -> Self {
        Self { source: Source::Git(place), trees: Arc::default() }
    }

    pub(super) fn plain(plain: Plain) -> Self {
        Self { source: Source::Plain(Box::new(plain)), trees: Arc::default() }
    }

    /// The tree of a commit, or of whatever else names one. Equal trees are equal work.
    pub async fn tree(&self, name: &str) -> Result<String, TreeError> {
        match &self.source {
            Source::Git(place) => {
                let is_whole = WHOLE_NAMES.contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
                if let Some(known) = self.known_trees().get(name).filter(|_| is_whole) {
                    return Ok(known.clone());
                }
                let tree = format!("{name}^{{tree}}");
                let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &tree];
                let found = books(place).line(&args).await;
                let found = found.map_err(|_| TreeError::NoCommit { name: name.to_owned() })?;
                if is_whole {
                    // A tree is its own.
                    self.known_trees().extend([(name.to_owned(), found.clone()), (found.clone(), found.clone())]);
                }
                Ok(found)
            }
            Source::Plain(plain) => plain.resolve(name).map(|_| name.to_owned()),
        }
    }

    fn known_trees(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every file of a commit, as seen from the project's folder.
    pub async fn paths(&self, commit: &str) -> Result<Vec<String>, TreeError> {
        match &self.source {
            Source::Git(place) => {
                let tree = self.tree(commit).await?;
                let listed =
                    books(place).call(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", &tree], &[]).await?;
                Ok(fields(&listed).map(|path| seen_from(&place.prefix, path)).collect())
            }
            Source::Plain(plain) => {
                let snapshot = plain.resolve(commit)?;
                let listing = blocking(move || folder::list(&snapshot, &[])).await?;
                let files = listing.iter().filter(|(_, item)| item.kind != folder::Kind::Folder);
                Ok(files.map(|(path, _)| path.to_string_lossy().into_owned()).collect())
            }
        }
    }

    /// What differs between two commits, as seen from the project's folder.
    pub async fn changes(&self, from: &str, to: &str) -> Result<Vec<TreeChange>, TreeError> {
        let place = match &self.source {
            Source::Git(place) => place,
            Source::Plain(plain) => {
                let (plain, from, to) = (plain.clone(), from.to_owned(), to.to_owned());
                return blocking(move || plain.changes(&from, &to)).await;
            }
        };
        let (from, to) = (self.tree(from).await?, self.tree(to).await?);
        let args = ["diff-tree", "-r", "-z", "--no-renames", "--name-status", &from, &to];
        let listed = books(place).call(&args, &[]).await?;
        let mut fields = fields(&listed);
        let mut changes = Vec::new();
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            let kind = match status {
                b"A" => ChangeKind::Added,
                b"D" => ChangeKind::Deleted,
                b"T" => ChangeKind::Retyped,
                _ => ChangeKind::Modified,
            };
            changes.push(TreeChange { path: seen_from(&place.prefix, path), kind });
        }
        Ok(changes)
    }

    /// What differs between two commits, as text, as far as anybody reads it; nothing where there is no git. `aside` are paths
    /// of the project that are not part of it. No program of the repository's is asked.
    pub async fn patch(&self, from: &str, to: &str, aside: &[String]) -> Result<Option<ShownPatch>, TreeError> {
        let Source::Git(place) = &self.source else { return Ok(None) };
        let (from, to) = (self.tree(from).await?, self.tree(to).await?);
        let args =
            ["diff-tree", "-r", "-p", "--no-color", "--no-ext-diff", "--no-textconv", &from, &to, "--", ":(top)"];
        let mut args = args.map(str::to_owned).to_vec();
        for path in aside {
            args.push(format!(":(top,exclude,literal){}", from_top(&place.prefix, path)?));
        }
        let patch = books(place).call(&args, &[]).await?;
        Ok(Some(ShownPatch::of(String::from_utf8_lossy(&patch).into_owned())))
    }

    /// The contents of plain files in a commit, by their paths in the project; nothing for what is not one.
    pub async fn contents(&self, commit: &str, paths: &[String]) -> Result<Vec<Option<Vec<u8>>>, TreeError> {
        let place = match &self.source {
            Source::Git(place) => place,
            Source::Plain(plain) => {
                let (plain, commit, paths) = (plain.clone(), commit.to_owned(), paths.to_vec());
                return blocking(move || plain.contents(&commit, &paths)).await;
            }
        };
        let tree = self.tree(commit).await?;
        let books = books(place);
        let full = paths.iter().map(|path| from_top(&place.prefix, path)).collect::<Result<Vec<_>, _>>()?;
        let mut blobs: BTreeMap<Vec<u8>, String> = BTreeMap::new();
        for some in full.chunks(PATHS_AT_ONCE) {
            let args = ["ls-tree", "-z", "--full-tree", &tree, "--"].into_iter().chain(some.iter().map(String::as_str));
            let listed = books.call(&args.collect::<Vec<_>>(), &[]).await?;
            blobs.extend(fields(&listed).filter_map(plain_file));
        }
        let texts = objects(&books, blobs.values()).await?;
        Ok(full.iter().map(|path| texts.get(blobs.get(path.as_bytes())?).cloned()).collect())
    }

    /// Those of these words that no file of a commit has, and that are in no file's name. What is written for people does not
    /// count, nor does what lies in folders of these names: a plan names what is not there yet.
    pub async fn missing_words(
        &self,
        commit: &str,
        words: &[String],
        aside: &[&str],
    ) -> Result<Vec<String>, TreeError> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let (mut paths, tree) = (self.paths(commit).await?, self.tree(commit).await?);
        let is_aside = |path: &String| aside.iter().any(|folder| format!("/{path}").contains(&format!("/{folder}/")));
        paths.retain(|path| !is_aside(path) && !PROSE.iter().any(|ending| path.ends_with(ending)));
        let prose = PROSE.iter().map(|ending| format!(":(exclude,top,glob)**/*{ending}"));
        let left_out: Vec<String> =
            prose.chain(aside.iter().map(|folder| format!(":(exclude,top,glob)**/{folder}/**"))).collect();
        let mut missing = Vec::new();
        for word in words.iter().filter(|word| !paths.iter().any(|path| path.contains(word.as_str()))) {
            let is_there = match &self.source {
                Source::Git(place) => {
                    let args = ["grep", "--quiet", "--fixed-strings", "--word-regexp", "-e", word, &tree, "--"];
                    let args: Vec<&str> = args.into_iter().chain(left_out.iter().map(String::as_str)).collect();
                    let said = books(place).try_call(&args, &[]).await?;
                    if 1 < said.code {
                        return Err(said.into_error(&args));
                    }
                    said.code == 0
                }
                Source::Plain(plain) => {
                    let (snapshot, paths, word) = (plain.resolve(commit)?, paths.clone(), word.clone());
                    let has = move |path: &String| {
                        let text = super::read_inside(&snapshot, path, MOST_TEXT).unwrap_or_default();
                        has_word(&String::from_utf8_lossy(&text), &word)
                    };
                    blocking(move || Ok(paths.iter().any(has))).await?
                }
            };
            if !is_there {
                missing.push(word.clone());
            }
        }
        Ok(missing)
    }

    /// A clean checkout in a folder that is new or empty.
    pub async fn lay_out(&self, commit: &str, root: PathBuf) -> Result<Checkout, TreeError> {
        match &self.source {
            Source::Git(place) => {
                fs::create_dir_all(&root).map_err(TreeError::io(&root))?;
                let checkout = Checkout::new(root, &place.prefix);
                self.take(place, commit, &checkout, None).await?;
                Ok(checkout)
            }
            Source::Plain(plain) => {
                let (plain, commit) = (plain.clone(), commit.to_owned());
                blocking(move || {
                    fs::create_dir_all(&root).map_err(TreeError::io(&root))?;
                    plain.checkout(&commit, root)
                })
                .await
            }
        }
    }

    /// A clean checkout with a history of two commits: what the work began with, and the work.
    pub async fn lay_out_work(&self, base: &str, head: &str, root: PathBuf) -> Result<Checkout, TreeError> {
        let (checkout, _) = self.lay_out_apart(base, root).await?;
        self.seal(base, &checkout, false).await?;
        let changes = self.changes(base, head).await?;
        let prefix = match &self.source {
            Source::Git(place) => place.prefix.clone(),
            Source::Plain(_) => PathBuf::new(),
        };
        for change in &changes {
            folder::remove(&checkout.root().join(from_top(&prefix, &change.path)?))?;
        }
        let there = changes.into_iter().filter(|change| change.kind != ChangeKind::Deleted);
        self.restore(head, &checkout, &there.map(|change| change.path).collect::<Vec<_>>()).await?;
        repository::commit_again(checkout.root(), "the work").await?;
        Ok(checkout)
    }

    /// A clean checkout that is to become a repository of its own, with neither remotes nor hooks: tools that ask git
    /// where they are get an answer, and nobody is led to the user's. Submodules are in it as far as they are here; of
    /// others the notes tell. [`CommitReader::seal`] commits what is in it then.
    pub async fn lay_out_apart(&self, commit: &str, root: PathBuf) -> Result<(Checkout, Vec<String>), TreeError> {
        let Source::Git(place) = &self.source else { return Ok((self.lay_out(commit, root).await?, Vec::new())) };
        fs::create_dir_all(&root).map_err(TreeError::io(&root))?;
        let checkout = Checkout::new(root, &place.prefix);
        let notes = repository::lay_out(place, &self.tree(commit).await?, &checkout).await?;
        Ok((checkout, notes))
    }

    /// Commits what is in a checkout that was laid out apart; `is_edited` if that is no longer the commit itself.
    pub async fn seal(&self, commit: &str, checkout: &Checkout, is_edited: bool) -> Result<(), TreeError> {
        match &self.source {
            Source::Git(_) => repository::seal(checkout.root(), &self.tree(commit).await?, is_edited).await,
            Source::Plain(_) => repository::make(checkout.root()).await,
        }
    }

    /// The folders of the user's that a checkout stands for: the work tree that the project is in, and its repository.
    pub fn originals(&self) -> Vec<PathBuf> {
        match &self.source {
            Source::Git(place) => vec![place.top.clone(), place.common.clone()],
            Source::Plain(plain) => vec![plain.project.clone()],
        }
    }

    /// Files of a checkout as another commit has them, with their modes; a link is a link.
    pub async fn restore(&self, commit: &str, checkout: &Checkout, paths: &[String]) -> Result<(), TreeError> {
        match &self.source {
            Source::Git(place) => {
                let mut names = Vec::new();
                for path in paths {
                    names.extend(from_top(&place.prefix, path)?.into_bytes());
                    names.push(0);
                }
                self.take(place, commit, checkout, Some(names)).await
            }
            Source::Plain(plain) => {
                let snapshot = plain.resolve(commit)?;
                let (root, paths) = (checkout.root().to_owned(), paths.to_vec());
                blocking(move || {
                    let listing = folder::list(&snapshot, &[])?;
                    for path in &paths {
                        let path = Path::new(path);
                        let Some(item) = listing.get(path) else { continue };
                        let target = root.join(path);
                        folder::remove(&target)?;
                        let parent = target.parent().unwrap_or(&root);
                        fs::create_dir_all(parent).map_err(TreeError::io(parent))?;
                        folder::copy_one(&snapshot.join(path), &target, item)?;
                    }
                    Ok(())
                })
                .await
            }
        }
    }

    /// Writes everything, or some files, of a commit into a checkout, through an index of its own.
    async fn take(
        &self,
        place: &RepoPlace,
        commit: &str,
        checkout: &Checkout,
        names: Option<Vec<u8>>,
    ) -> Result<(), TreeError> {
        let tree = self.tree(commit).await?;
        let index = checkout.root().with_extension("index");
        let git = Git::laying_out(&place.common, checkout.root()).await?.with_index(&index);
        git.call(&["read-tree", &tree], &[]).await?;
        match names {
            None => git.call(&["checkout-index", "--all", "--force"], &[]).await?,
            Some(names) => git.call(&["checkout-index", "--force", "-z", "--stdin"], &names).await?,
        };
        folder::remove(&index)
    }
}

/// A change as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPatch {
    pub text: String,
    /// It is longer than what is shown.
    pub is_cut: bool,
}

impl ShownPatch {
    /// To the last whole line that there is room for, and how much is missing.
    fn of(patch: String) -> Self {
        let kept = head(&patch, MOST_PATCH);
        if kept.len() == patch.len() {
            return Self { text: patch, is_cut: false };
        }
        let kept = kept.rfind('\n').map_or(kept, |at| &kept[..=at]);
        let missing = (patch.len() - kept.len()).div_ceil(1024);
        Self { text: format!("{kept}… and {missing} KiB more, which are not shown\n"), is_cut: true }
    }
}

/// Whether a text has a word that is not part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// The path of a plain file and the name of its bytes, from a line of `ls-tree`.
fn plain_file(entry: &[u8]) -> Option<(Vec<u8>, String)> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let about = std::str::from_utf8(&entry[..tab]).ok()?;
    let name = about.split(' ').nth(2)?;
    about.starts_with("100").then(|| (entry[tab + 1..].to_vec(), name.to_owned()))
}

/// The bytes of objects, by their names, with one call.
async fn objects(books: &Git, names: impl Iterator<Item = &String>) -> Result<BTreeMap<String, Vec<u8>>, TreeError> {
    let mut wanted: Vec<&String> = names.collect();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let asked: String = wanted.iter().flat_map(|name| [name.as_str(), "\n"]).collect();
    let told = books.call(&["cat-file", "--batch"], asked.as_bytes()).await?;
    let broken = || TreeError::Git { doing: "cat-file".to_owned(), told: "an object is missing".to_owned() };
    let (mut objects, mut rest) = (BTreeMap::new(), told.as_slice());
    for name in wanted {
        // `<name> blob <size>`, the bytes, and the end of a line.
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(broken)?;
        let head = std::str::from_utf8(&rest[..end]).map_err(|_| broken())?;
        let size = head.strip_prefix(name.as_str()).and_then(|head| head.strip_prefix(" blob "));
        let size: usize = size.and_then(|size| size.parse().ok()).ok_or_else(broken)?;
        let bytes = rest.get(end + 1..end + 1 + size).ok_or_else(broken)?;
        objects.insert(name.clone(), bytes.to_vec());
        rest = rest.get(end + 2 + size..).ok_or_else(broken)?;
    }
    Ok(objects)
}

fn books(place: &RepoPlace) -> Git {
    Git::at(&place.common).with("GIT_DIR", &place.common)
}

/// A path of the repository as seen from the project's folder: `../` for what is beside it.
pub(super) fn seen_from(prefix: &Path, path: &[u8]) -> String {
    let path = PathBuf::from(OsString::from_vec(path.to_vec()));
    match path.strip_prefix(prefix) {
        Ok(inner) => inner.to_string_lossy().into_owned(),
        Err(_) => "../".repeat(prefix.components().count()) + &path.to_string_lossy(),
    }
}

/// The other way round.
fn from_top(prefix: &Path, path: &str) -> Result<String, TreeError> {
    let levels = prefix.components().count();
    let top = "../".repeat(levels);
    let full = match path.strip_prefix(&top).filter(|_| levels > 0) {
        Some(beside) => PathBuf::from(parts(beside)?.join("/")),
        None => prefix.join(parts(path)?.join("/")),
    };
    full.into_os_string().into_string().map_err(|_| TreeError::Outside { path: path.to_owned() })
}
