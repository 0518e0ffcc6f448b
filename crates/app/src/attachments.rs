//! What is attached to a brief: read once, when a run is opened. From then on the run has its own copy.

use rustix::fs::OFlags;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Component, Path, PathBuf};
use tribunal_agents::Vendor;
use tribunal_agents::hidden::is_hidden;
use tribunal_kernel::attachment::Unattachable;
use tribunal_kernel::{Attachment, Binding, Digest, MediaType, RunSpec, SeatName};
use tribunal_store::relative;

use crate::error::AppError;
use crate::input::MAX_TEXT;
use crate::project::Project;

/// More files than this are not shown along with a brief.
pub const MAX_ATTACHMENTS: usize = 16;
/// No image is larger: in base64 it is as large as the providers that take least will take, 5 MiB.
pub const MAX_IMAGE: usize = 3_932_160;
/// All of them together are no larger: in base64 they fit into one request of every provider.
pub const MAX_IN_ALL: usize = 12 << 20;
/// The name of a file becomes part of prompts.
const LONGEST_NAME: usize = 200;

/// What is attached, and the bytes of it that have to be kept.
#[derive(Debug, Default)]
pub(crate) struct AttachedFiles {
    pub(crate) list: Vec<Attachment>,
    pub(crate) bytes: Vec<Vec<u8>>,
}

impl AttachedFiles {
    /// The files that the configuration names.
    pub(crate) fn configured(project: &Project) -> Result<Self, AppError> {
        let paths = &project.config().run.attachments;
        if paths.len() > MAX_ATTACHMENTS {
            return Err(AppError::invalid(
                format!("{} attachments are too many", paths.len()),
                format!("attach at most {MAX_ATTACHMENTS} files"),
            ));
        }
        let (root, mut files) = (root(project), Self::default());
        for path in paths {
            files.add(&root, path)?;
        }
        Ok(files)
    }

    /// The same for whoever only wants to know what is otherwise now. What cannot be attached stands for itself, with nothing
    /// in it: no run was ever given that, so it is a change and never passes for what was there before.
    pub(crate) fn compared(project: &Project) -> Self {
        let (root, mut files) = (root(project), Self::default());
        for (at, path) in project.config().run.attachments.iter().enumerate() {
            if at >= MAX_ATTACHMENTS || files.add(&root, path).is_err() {
                let inside = path.strip_prefix(plain(&root)).ok().filter(|inside| !inside.as_os_str().is_empty());
                let name = inside.unwrap_or(path).display().to_string();
                files.list.push(Attachment { name, content: Digest::of(""), media_type: MediaType::Plain, bytes: 0 });
            }
        }
        files
    }

    fn add(&mut self, root: &Path, path: &Path) -> Result<(), AppError> {
        let name = name_of(root, path)?;
        let bytes = read(path, &name)?;
        let refused = |why: Unattachable| {
            AppError::invalid(
                format!("cannot attach `{name}`: {why}"),
                "attach PNG, JPEG, GIF or WebP images, or texts in UTF-8",
            )
        };
        let media_type = MediaType::of(&name, &bytes).map_err(refused)?;
        let most = if media_type.is_image() { MAX_IMAGE } else { MAX_TEXT };
        if bytes.len() > most {
            return Err(too_large(&name, bytes.len(), most));
        }
        let content = Digest::of(&bytes);
        if let Some(other) = self.list.iter().find(|other| other.name == name) {
            if other.content == content {
                return Ok(());
            }
            return Err(AppError::invalid(
                format!("two attachments are called `{name}`"),
                "rename one of them: prompts call them by their names",
            ));
        }
        let in_all = self.bytes.iter().map(Vec::len).sum::<usize>() + bytes.len();
        if in_all > MAX_IN_ALL {
            return Err(AppError::too_large(
                format!("the attachments have {in_all} bytes in all; the limit is {MAX_IN_ALL}"),
                "attach fewer files, or smaller ones",
            ));
        }
        self.list.push(Attachment { name, content, media_type, bytes: bytes.len() as u64 });
        self.bytes.push(bytes);
        Ok(())
    }
}

/// The folder that names start from: the project's, as it was named; or that of trials, which are a project of their own.
fn root(project: &Project) -> PathBuf {
    let (root, home) = (project.root(), project.home());
    if root.canonicalize().is_ok_and(|root| root == home) { root.to_owned() } else { home }
}

/// What a file is called: as the project sees it, or by its own name where it lies elsewhere. A name that looks as if it
/// were inside of the project and leads out of it is refused: nobody who reads the name would think so.
fn name_of(root: &Path, path: &Path) -> Result<String, AppError> {
    let shown = path.display();
    let found = path.canonicalize().map_err(|error| not_read(&shown.to_string(), &error))?;
    let home = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let named = std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| plain(&path));
    let seems_inside = named.strip_prefix(plain(root)).or_else(|_| named.strip_prefix(&home)).ok();
    let name = match (seems_inside, found.starts_with(&home)) {
        (Some(inside), true) => inside.to_string_lossy().into_owned(),
        (Some(inside), false) => {
            return Err(AppError::forbidden(
                format!("cannot attach `{}`: it is a link that leads out of the project", inside.display()),
                "name the file itself, or copy it into the project",
            ));
        }
        (None, true) => relative(&home, &found),
        (None, false) => found.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    // `notes.md` may be a link to `.env`: who names the one has not seen that it is the other.
    let is_secret = |path: &Path| path.components().any(|part| is_hidden(&part.as_os_str().to_string_lossy()));
    let below =
        |path: &Path| path.strip_prefix(&home).or_else(|_| path.strip_prefix(plain(root))).unwrap_or(path).to_owned();
    if is_secret(&below(&found)) && !is_secret(&below(&named)) {
        return Err(AppError::forbidden(
            format!("cannot attach `{shown}`: it is a link to {}, where keys or our own files are", found.display()),
            "name the file itself if you mean it: whatever is attached goes to every agent",
        ));
    }
    let is_fine = |c: char| !c.is_control() && c != '`' && c != '\u{fffd}';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_fine) {
        return Err(AppError::invalid(
            format!("cannot attach {shown:?}: prompts cannot call it by this name"),
            format!("use a name of at most {LONGEST_NAME} bytes, without control characters and backticks"),
        ));
    }
    Ok(name)
}

/// Without `.` and `..`, and without asking the disk.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

/// A file's bytes, no more of them than could be attached. Nothing but a file is waited for.
fn read(path: &Path, name: &str) -> Result<Vec<u8>, AppError> {
    let not_read = |error: io::Error| not_read(name, &error);
    if !fs::metadata(path).map_err(not_read)?.is_file() {
        return Err(AppError::invalid(format!("cannot attach `{name}`: it is not a file"), "name files one by one"));
    }
    let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = File::options().read(true).custom_flags(nonblocking).open(path).map_err(not_read)?;
    let mut bytes = Vec::new();
    file.take(MAX_IMAGE as u64 + 1).read_to_end(&mut bytes).map_err(not_read)?;
    if bytes.len() > MAX_IMAGE {
        let whole = fs::metadata(path).map_or(bytes.len(), |found| usize::try_from(found.len()).unwrap_or(usize::MAX));
        return Err(too_large(name, whole, MAX_IMAGE));
    }
    Ok(bytes)
}

fn not_read(name: &str, error: &io::Error) -> AppError {
    if error.kind() == io::ErrorKind::NotFound {
        return AppError::not_found(
            format!("cannot attach `{name}`: there is no such file"),
            "paths in tribunal.toml start from its folder, those of `--attach` from where you are",
        );
    }
    AppError::environment(format!("cannot attach `{name}`: {error}"), None)
}

fn too_large(name: &str, bytes: usize, most: usize) -> AppError {
    AppError::too_large(
        format!("cannot attach `{name}`: it has {bytes} bytes; the limit is {most}"),
        "attach a smaller version: a screenshot of the part that matters, or a shorter text",
    )
}

/// Refuses a run with somebody in it who could not be shown its images, before anything is paid: judges who do not see what
/// the work is about must not look like judges who do.
pub(crate) fn check_seen(spec: &RunSpec) -> Result<(), AppError> {
    let Some(image) = spec.attachments.iter().find(|attachment| attachment.media_type.is_image()) else {
        return Ok(());
    };
    let is_blind = |agent: &str| {
        let kind = spec.agents.get(agent).and_then(|agent| agent.0.get("kind")?.as_str());
        kind.and_then(Vendor::from_word).is_some_and(|vendor| !vendor.takes_images())
    };
    let blind = |(seat, binding): (&SeatName, &Binding)| {
        let callable = std::iter::once(&binding.agent).chain(binding.fallback.iter().map(|other| &other.agent));
        callable.into_iter().find(|agent| is_blind(agent)).map(|agent| (seat.clone(), agent.clone()))
    };
    let Some((seat, agent)) = spec.seats.iter().find_map(blind) else { return Ok(()) };
    Err(AppError::misconfigured(
        format!("`{}` is an image, and `{agent}` ({seat}) cannot be shown one", image.name),
        "put another agent in the seat, or describe the image in the brief",
    ))
}

/// What is attached, in a line each.
pub(crate) fn told(spec: &RunSpec) -> impl Iterator<Item = String> {
    spec.attachments.iter().map(|it| {
        let kib = it.bytes.div_ceil(1024);
        format!("attached: {} ({}, {kib} KiB, sha256 {})", it.name, it.media_type.as_str(), it.content.short())
    })
}
