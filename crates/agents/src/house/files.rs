//! The files around an artifact, as far as its root reaches.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tribunal_checks::{Addresses, Anchors, Surroundings};

/// No style sheet, and no page that others link into, is longer.
const MAX_TEXT: u64 = 4 << 20;
/// So many answers are kept; after that the files are asked again.
const MAX_ANSWERS: usize = 100_000;

/// The files below a root, and where in it the artifact lies. Nothing outside of the root is read, by whatever path.
#[derive(Debug, Clone)]
pub struct Files {
    /// Without symbolic links, so that what is below it can be told; nothing is below a root that is not there.
    root: Option<PathBuf>,
    addresses: Addresses,
    answers: Arc<Mutex<Answers>>,
}

/// What was asked already. A page may have a thousand links to the same place, and a folder a thousand such pages.
#[derive(Debug, Default)]
struct Answers {
    exists: BTreeMap<String, bool>,
    anchors: BTreeMap<String, Option<Arc<Anchors>>>,
}

impl Files {
    /// The files under `root`, for an artifact that lies right there.
    pub fn new(root: impl AsRef<Path>) -> Self {
        Self { root: root.as_ref().canonicalize().ok(), addresses: Addresses::in_folder(""), answers: Arc::default() }
    }

    /// The files under `root`, for a page in one of its folders; for a page that is not below it, its own folder is the
    /// root. `page` is a file, or a folder where the page has no file. `site` is the folder that `/x` starts from.
    pub fn within(root: &Path, page: &Path, site: Option<&Path>) -> Self {
        let real = page.canonicalize().unwrap_or_else(|_| page.to_owned());
        let (folder, name) = if real.is_dir() {
            (real.clone(), None)
        } else {
            (real.parent().unwrap_or(Path::new("")).to_owned(), real.file_name())
        };
        let files = Self::new(root);
        let (files, below) = match files.below(&folder) {
            Some(below) => (files, below),
            None => (Self::new(&folder), String::new()),
        };
        let mut addresses = match name.and_then(|name| name.to_str()) {
            Some(name) => Addresses::of(&format!("{below}/{name}")),
            None => Addresses::in_folder(&below),
        };
        let site = site.and_then(|site| files.below(&site.canonicalize().ok()?));
        if let Some(site) = site {
            addresses = addresses.with_site(&site);
        }
        Self { addresses, ..files }
    }

    /// The same files for another page: what was asked for one is known for all.
    #[must_use]
    pub fn for_page(&self, page: &Path, site: Option<&Path>) -> Self {
        let Some(root) = &self.root else { return self.clone() };
        let other = Self::within(root, page, site);
        if other.root == self.root { Self { answers: self.answers.clone(), ..other } } else { other }
    }

    /// The folder that everything of a page lies in: its git repository, else the project, else its own folder.
    pub fn root_of(folder: &Path, project: Option<&Path>) -> PathBuf {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let repository = real.ancestors().find(|above| above.join(".git").exists());
        let project = || project.and_then(|project| project.canonicalize().ok()).filter(|it| real.starts_with(it));
        repository.map(Path::to_owned).or_else(project).unwrap_or(real)
    }

    /// Where the artifact lies below the root.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Whether there is such a file below the root. Nobody learns from a link what lies outside of it: what a symbolic
    /// link leads out to counts as there.
    pub fn exists(&self, path: &str) -> bool {
        let known = self.answers.lock().unwrap_or_else(PoisonError::into_inner).exists.get(path).copied();
        known.unwrap_or_else(|| {
            let exists = self.looks_there(path);
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            if answers.exists.len() < MAX_ANSWERS {
                answers.exists.insert(path.to_owned(), exists);
            }
            exists
        })
    }

    /// The text of a file below the root, such as a style sheet.
    pub fn sheet(&self, path: &str) -> Option<String> {
        let file = self.find(path)?;
        let is_small = std::fs::metadata(&file).is_ok_and(|file| file.is_file() && file.len() <= MAX_TEXT);
        is_small.then(|| std::fs::read_to_string(&file).ok()).flatten()
    }

    fn looks_there(&self, path: &str) -> bool {
        let (Some(root), Some(joined)) = (&self.root, self.join(path)) else { return false };
        let mut at = root.clone();
        for part in joined.strip_prefix(root).into_iter().flat_map(Path::components) {
            at.push(part);
            match at.symlink_metadata() {
                Ok(entry) if entry.is_symlink() => match at.canonicalize() {
                    Ok(real) if real.starts_with(root) => at = real,
                    Ok(_) => return true,
                    Err(_) => return false,
                },
                Ok(_) => {}
                // A folder that may not be read says nothing of the file.
                Err(error) => return error.kind() == std::io::ErrorKind::PermissionDenied,
            }
        }
        true
    }

    fn join(&self, path: &str) -> Option<PathBuf> {
        let path = Path::new(path.split(['?', '#']).next().unwrap_or_default());
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if is_plain { Some(self.root.as_ref()?.join(path)) } else { None }
    }

    /// The file itself, unless it lies outside.
    fn find(&self, path: &str) -> Option<PathBuf> {
        let file = self.join(path)?.canonicalize().ok()?;
        file.starts_with(self.root.as_ref()?).then_some(file)
    }

    /// A real path as one below the root.
    fn below(&self, real: &Path) -> Option<String> {
        let below = real.strip_prefix(self.root.as_ref()?).ok()?;
        let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
        Some(parts?.join("/"))
    }

    fn read_anchors(&self, path: &str) -> Option<Arc<Anchors>> {
        let is_folder = self.find(path)?.is_dir();
        let path = if is_folder { format!("{path}/index.html") } else { path.to_owned() };
        let end = Path::new(&path).extension()?.to_str()?.to_ascii_lowercase();
        let is_markdown = matches!(end.as_str(), "md" | "markdown");
        if !is_markdown && !matches!(end.as_str(), "html" | "htm" | "xhtml") {
            return None;
        }
        Some(Arc::new(Anchors::of(&self.sheet(&path)?, is_markdown)))
    }
}

impl Surroundings for Files {
    fn exists(&self, path: &str) -> bool {
        Self::exists(self, path)
    }

    fn anchors(&self, path: &str) -> Option<Arc<Anchors>> {
        let known = self.answers.lock().unwrap_or_else(PoisonError::into_inner).anchors.get(path).cloned();
        known.unwrap_or_else(|| {
            let anchors = self.read_anchors(path);
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            if answers.anchors.len() < MAX_ANSWERS {
                answers.anchors.insert(path.to_owned(), anchors.clone());
            }
            anchors
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A project with a page two folders deep, and a secret beside it.
    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("secret.css", "p { color: red }"),
            ("project/css/main.css", "@import '../shared/base.css';"),
            ("project/shared/base.css", "p { color: #777 }"),
            ("project/docs/guide/index.html", "<p id=intro>x"),
            ("project/docs/guide/a b.html", "<p>x"),
            ("project/docs/notes.md", "# Notes\n\n## More\n"),
            ("project/public/logo.svg", "<svg/>"),
        ] {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        folder
    }

    #[test]
    fn nothing_outside_of_the_root_is_read() {
        let folder = project();
        let root = folder.path().join("project");
        let page = root.join("docs/guide/index.html");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path(), root.join("out")).unwrap();
            std::os::unix::fs::symlink("secret.css", root.join("gone")).unwrap();
            std::os::unix::fs::symlink("css", root.join("inside")).unwrap();
        }
        let files = Files::within(&root, &page, None);
        for (name, path, exists, is_read) in [
            ("a sheet", "css/main.css", true, true),
            ("a sheet that is not there", "css/none.css", false, false),
            ("a folder", "css", true, false),
            ("a step up", "../secret.css", false, false),
            ("a step up in the middle", "css/../../secret.css", false, false),
            ("a path from the top", "/etc/passwd", false, false),
            ("through a link that leads out", "out/secret.css", true, false),
            ("what a link that leads out does not have", "out/none.css", true, false),
            ("a link to nothing", "gone", false, false),
            ("through a link that stays inside", "inside/main.css", true, true),
        ] {
            if cfg!(unix) || !path.contains("out") {
                assert_eq!(files.exists(path), exists, "{name}");
                assert_eq!(files.sheet(path).is_some(), is_read, "{name}");
                assert_eq!(files.exists(path), exists, "{name}, asked again");
            }
        }
    }

    #[test]
    fn a_page_says_where_its_addresses_start() {
        let folder = project();
        let root = folder.path().join("project");
        let path = |files: &Files, address: &str| match files.addresses().resolve(address) {
            tribunal_checks::Destination::File { path, .. } => path,
            other => format!("{other:?}"),
        };
        let page = root.join("docs/guide/index.html");
        let files = Files::within(&root, &page, Some(&root.join("public")));
        assert_eq!(path(&files, "../../css/main.css"), "css/main.css");
        assert_eq!(path(&files, "a%20b.html"), "docs/guide/a b.html");
        assert_eq!(path(&files, "/logo.svg"), "public/logo.svg");
        assert_eq!(path(&files, "../../../secret.css"), "Outside");
        let files = Files::within(&root, &root.join("docs"), Some(folder.path()));
        assert_eq!(path(&files, "../css/main.css"), "css/main.css");
        assert_eq!(path(&files, "/logo.svg"), "Site(\"/logo.svg\")", "a site that is not below the root is none");
        // A page that is not below the root has nothing but its own folder.
        let files = Files::within(&root.join("css"), &page, None);
        assert_eq!(path(&files, "a b.html"), "a b.html");
        assert_eq!(path(&files, "../notes.md"), "Outside");
        let files = Files::within(&root.join("none"), &page, None);
        assert!(files.exists("index.html"));
    }

    #[test]
    fn the_root_is_the_repository_else_the_project_else_the_folder() {
        let folder = project();
        let real = folder.path().canonicalize().unwrap();
        let guide = real.join("project/docs/guide");
        assert_eq!(Files::root_of(&guide, None), guide);
        assert_eq!(Files::root_of(&guide, Some(&real.join("project"))), real.join("project"));
        assert_eq!(Files::root_of(&guide, Some(&real.join("project/css"))), guide);
        fs::create_dir(real.join("project/.git")).unwrap();
        assert_eq!(Files::root_of(&guide, Some(&real.join("project/docs"))), real.join("project"));
    }

    #[test]
    fn pages_know_the_anchors_of_others() {
        let folder = project();
        let files = Files::new(folder.path().join("project"));
        let has = |path: &str, fragment: &str| files.anchors(path).map(|anchors| anchors.has(fragment));
        assert_eq!(has("docs/guide/index.html", "intro"), Some(true));
        assert_eq!(has("docs/guide/index.html", "none"), Some(false));
        assert_eq!(has("docs/guide", "intro"), Some(true));
        assert_eq!(has("docs/notes.md", "more"), Some(true));
        assert_eq!(has("docs/notes.md", "less"), Some(false));
        assert_eq!(has("public/logo.svg", "x"), None);
        assert_eq!(has("../secret.css", "x"), None);
    }
}
