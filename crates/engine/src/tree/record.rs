//! What is in a work tree, made a tree of git's, and the other way round.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::error::TreeError;
use super::folder;
use super::git::{Git, fields};
use super::links;
use super::worktree::Worktree;

/// Repositories inside of each other that an agent made.
const NEST_LIMIT: usize = 1000;

impl Worktree {
    /// Everything that belongs to the work, as a tree; and the links that do not, because they lead out of it.
    pub(super) async fn record(&self) -> Result<(String, Vec<PathBuf>), TreeError> {
        if !self.has_folder() {
            return Err(TreeError::Link { path: self.root.display().to_string() });
        }
        self.add_all(&[]).await?;
        let leading_out = self.links_out().await?;
        if !leading_out.is_empty() {
            // In place of each stays what the last good commit has there.
            self.add_all(&leading_out).await?;
            let mut left = Vec::new();
            for link in self.links_out().await? {
                left.extend_from_slice(link.as_os_str().as_bytes());
                left.push(0);
            }
            self.tools().call(&["update-index", "--force-remove", "-z", "--stdin"], &left).await?;
        }
        Ok((self.tools().line(&["write-tree"]).await?, leading_out))
    }

    /// Links of the index that lead out of the work and were not there, as they are, when it began.
    async fn links_out(&self) -> Result<Vec<PathBuf>, TreeError> {
        let is_link = |entry: &&[u8]| entry.starts_with(b"120000 ");
        // Mode, name of the content, and path; a tree has a word more.
        let path = |entry: &[u8]| entry.splitn(2, |byte| *byte == b'\t').nth(1).map(<[u8]>::to_vec);
        let content =
            |entry: &[u8], word| entry.split(|byte| matches!(byte, b' ' | b'\t')).nth(word).map(<[u8]>::to_vec);
        let listed = self.tools().call(&["ls-files", "--stage", "-z"], &[]).await?;
        let found: Vec<_> =
            fields(&listed).filter(is_link).filter_map(|entry| Some((path(entry)?, content(entry, 1)?))).collect();
        let is_out = |name: &[u8]| links::is_stray(&self.root, Path::new(OsStr::from_bytes(name)));
        let found: Vec<_> = found.into_iter().filter(|(name, _)| is_out(name)).collect();
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let listed = self.books().call(&["ls-tree", "-r", "-z", "--full-tree", &self.state.base], &[]).await?;
        let before: Vec<_> =
            fields(&listed).filter(is_link).filter_map(|entry| Some((path(entry)?, content(entry, 2)?))).collect();
        let new = found.into_iter().filter(|link| !before.contains(link));
        Ok(new.map(|(name, _)| OsString::from_vec(name).into()).collect())
    }

    /// Makes the index what is in the folder, but for what is `left_out`.
    async fn add_all(&self, left_out: &[PathBuf]) -> Result<(), TreeError> {
        let git = self.tools();
        self.read_tree(&self.state.head).await?;
        let nested = self.nested(&self.root, Path::new("")).await?.1;
        let submodules = self.submodules(&git).await?;
        let mut args: Vec<OsString> = ["add", "--all", "--"].map(Into::into).into();
        args.extend(self.everything_but_aside(&self.root));
        args.extend(nested.iter().chain(&submodules).chain(left_out).map(|path| all_but(path)));
        let said = git.try_call(&args, &[]).await?;
        if said.stderr.contains("could not open directory") || said.stderr.contains("Permission denied") {
            return Err(TreeError::Unreadable { told: said.stderr.lines().next().unwrap_or_default().to_owned() });
        }
        if said.code != 0 && !is_about_ignored(&said.stderr) {
            return Err(said.into_error(&args));
        }
        let mut files = Vec::new();
        for file in self.files_of(nested).await? {
            files.extend_from_slice(file.as_os_str().as_bytes());
            files.push(0);
        }
        git.call(&["update-index", "--add", "-z", "--stdin"], &files).await.map(|_| ())
    }

    async fn read_tree(&self, commit: &str) -> Result<(), TreeError> {
        folder::remove(&self.index())?;
        self.tools().call(&["read-tree", commit], &[]).await.map(|_| ())
    }

    /// Makes the index that of the last good commit, and fills in what is unchanged: it complains about the rest by its
    /// exit code.
    pub(super) async fn read_index(&self) -> Result<(), TreeError> {
        self.read_tree(&self.state.head).await?;
        self.tools().try_call(&["update-index", "-q", "--refresh"], &[]).await.map(|_| ())
    }

    /// Git must not look into them: it would run what is configured in there, and that is the agent's to write.
    async fn submodules(&self, git: &Git) -> Result<Vec<PathBuf>, TreeError> {
        let listed = git.call(&["ls-files", "--stage", "-z"], &[]).await?;
        let links = fields(&listed).filter(|entry| entry.starts_with(b"160000 "));
        let names = links.filter_map(|entry| entry.splitn(2, |byte| *byte == b'\t').nth(1));
        Ok(names.map(|name| OsString::from_vec(name.to_vec()).into()).collect())
    }

    /// Files and repositories below a folder that git does not know: git would take such a repository for a submodule,
    /// and the files in it would be lost.
    async fn nested(&self, folder: &Path, name: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), TreeError> {
        let index = if folder == self.root { self.index() } else { self.home.join("none") };
        let git = Git::between(&self.place.common, folder).with_index(&index);
        let listed = git.call(&["ls-files", "--others", "--exclude-standard", "-z"], &[]).await?;
        let (mut files, mut repositories) = (Vec::new(), Vec::new());
        for field in fields(&listed) {
            let (list, field) = match field.strip_suffix(b"/") {
                Some(repository) => (&mut repositories, repository),
                None => (&mut files, field),
            };
            let path = name.join(OsString::from_vec(field.to_vec()));
            if !self.aside.iter().any(|aside| path.starts_with(aside)) {
                list.push(path);
            }
        }
        Ok((files, repositories))
    }

    async fn files_of(&self, nested: Vec<PathBuf>) -> Result<Vec<PathBuf>, TreeError> {
        let mut found = Vec::new();
        let mut open = nested;
        for _ in 0..NEST_LIMIT {
            let Some(path) = open.pop() else { return Ok(found) };
            let (files, repositories) = self.nested(&self.root.join(&path), &path).await?;
            found.extend(files);
            open.extend(repositories);
        }
        Err(TreeError::TooMany { path: self.root.clone(), limit: NEST_LIMIT })
    }

    /// The work tree as a commit has it. What git ignores stays (build caches), and so does what is aside.
    pub(super) async fn restore(&self, commit: &str) -> Result<(), TreeError> {
        if !self.has_folder() {
            folder::remove(&self.root)?;
            fs::create_dir(&self.root).map_err(TreeError::io(&self.root))?;
        }
        // What is aside stays, but a link in its place is nobody's.
        for path in &self.aside {
            let found = self.root.join(links::up_to_link(&self.root, path));
            if found.is_symlink() {
                folder::remove(&found)?;
            }
        }
        let git = self.tools();
        self.read_tree(commit).await?;
        // Fills in what is unchanged, so that it is not written again and build caches stay of use. It complains about
        // the rest by its exit code.
        git.try_call(&["update-index", "-q", "--refresh"], &[]).await?;
        let mut args: Vec<OsString> = ["ls-files", "-z", "--"].map(Into::into).into();
        args.extend(self.everything_but_aside(&self.root));
        let files = git.call(&args, &[]).await?;
        git.call(&["checkout-index", "--force", "--index", "-z", "--stdin"], &files).await?;
        // A new list of what to ignore could hide itself and whatever else is new.
        let lists = ["ls-files", "--others", "-z", "--", ":(top,glob)**/.gitignore"];
        for list in fields(&git.call(&lists, &[]).await?) {
            let path = Path::new(OsStr::from_bytes(list));
            if !self.aside.iter().any(|aside| path.starts_with(aside)) {
                folder::remove(&self.root.join(path))?;
            }
        }
        let mut args: Vec<OsString> = ["clean", "-ffdq"].map(Into::into).into();
        args.extend(self.aside.iter().flat_map(|path| ["-e".into(), ignoring(path)]));
        git.call(&args, &[]).await?;
        let (root, users) = (self.root.clone(), vec![self.place.top.clone(), self.place.common.clone()]);
        super::blocking(move || links::cut_links_into(&root, &users)).await?;
        let work = self.work();
        fs::create_dir_all(&work).map_err(TreeError::io(&work))
    }

    fn tools(&self) -> Git {
        Git::between(&self.place.common, &self.root).with_index(&self.index())
    }

    pub(super) fn index(&self) -> PathBuf {
        self.home.join("index")
    }

    /// Pathspecs for a folder: git refuses those that lead through a link.
    pub(super) fn everything_but_aside(&self, root: &Path) -> Vec<OsString> {
        let mut specs: Vec<OsString> = vec![":(top)".into()];
        specs.extend(self.aside.iter().map(|path| all_but(&links::up_to_link(root, path))));
        specs
    }
}

/// Whether git only complains that what is left out is ignored as well: by then it has added everything else.
fn is_about_ignored(stderr: &str) -> bool {
    stderr.starts_with("The following paths are ignored by one of your .gitignore files")
        && !stderr.lines().any(|line| line.starts_with("error:") || line.starts_with("fatal:"))
}

/// A pathspec that leaves out one path and what is below.
fn all_but(path: &Path) -> OsString {
    OsString::from_vec([b":(exclude,top,literal)", path.as_os_str().as_bytes()].concat())
}

/// A line of `.gitignore` for one path and nothing else.
pub(super) fn ignoring(path: &Path) -> OsString {
    let escaped = path.as_os_str().as_bytes().iter().flat_map(|byte| match byte {
        b'*' | b'?' | b'[' | b']' | b'\\' | b' ' => vec![b'\\', *byte],
        _ => vec![*byte],
    });
    OsString::from_vec([b'/'].into_iter().chain(escaped).collect())
}
