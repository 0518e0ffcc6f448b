//! The only IO: finds and reads what [`load`](crate::load) works on.

use std::{
    ffi::OsString,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use crate::{load::Sources, text::PREFIX};

/// The project's configuration.
pub const FILE_NAME: &str = "tribunal.toml";

/// No configuration is longer; whatever is, is another file.
const FILE_MAX: u64 = 1 << 20;

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("no configuration file `{}`", file.display())]
    Missing { file: PathBuf },
    #[error("cannot read `{}`: {source}", file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    #[error("`{}` is longer than {}", file.display(), crate::bytes::show(FILE_MAX))]
    TooLong { file: PathBuf },
    #[error("the path `{}` is not valid Unicode", path.display())]
    NotUnicode { path: PathBuf },
}

impl ReadError {
    /// What the user can do: printed after `hint:`.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { .. } => Some(format!("omit --config to use the nearest {FILE_NAME}")),
            Self::Unreadable { .. } => None,
            Self::TooLong { .. } => Some("is it a configuration file?".to_owned()),
            Self::NotUnicode { .. } => Some("paths must be valid Unicode: rename the folder".to_owned()),
        }
    }
}

/// Where the project's configuration is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ProjectFile {
    /// The nearest one in the working folder and those above it.
    #[default]
    Nearest,
    At(PathBuf),
    /// Not to be looked for: this text counts as the file at this path, or none does.
    Given(Option<(PathBuf, String)>),
}

/// Gathers the sources: the project's file, by default the nearest `tribunal.toml` in `cwd` and the folders above it, the
/// user's configuration, and the variables of `env` that are ours. `env` is normally [`std::env::vars_os`].
pub fn discover(
    cwd: &Path,
    file: &ProjectFile,
    env: impl IntoIterator<Item = (OsString, OsString)>,
    flags: Vec<(String, String)>,
) -> Result<Sources, ReadError> {
    let cwd = std::path::absolute(cwd).map_err(|source| ReadError::Unreadable { file: cwd.to_owned(), source })?;
    let env: Vec<(OsString, OsString)> = env.into_iter().collect();
    let (project, given) = match file {
        ProjectFile::At(file) => (Some(cwd.join(file)), None),
        ProjectFile::Nearest => (nearest(&cwd), None),
        ProjectFile::Given(given) => (None, given.clone()),
    };
    let user = user_file(&env).filter(|file| file.is_file());
    for path in [Some(&cwd), project.as_ref(), user.as_ref()].into_iter().flatten() {
        if path.to_str().is_none() {
            return Err(ReadError::NotUnicode { path: path.clone() });
        }
    }
    let ours = env.into_iter().map(|(name, value)| (lossy(name), lossy(value)));
    Ok(Sources {
        project: project.map(read).transpose()?.or(given),
        user: user.map(read).transpose()?,
        env: ours.filter(|(name, _)| name.starts_with(PREFIX)).collect(),
        cwd,
        flags,
    })
}

/// The nearest `tribunal.toml` in a folder and those above it.
fn nearest(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(FILE_NAME)).find(|file| file.is_file())
}

/// `$XDG_CONFIG_HOME/tribunal/config.toml`, or below `~/.config` where that is not set. The XDG rules say to ignore
/// a relative path.
fn user_file(env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let folder = |name: &str| {
        let value = env.iter().find(|(variable, _)| variable == name).map(|(_, value)| PathBuf::from(value));
        value.filter(|path| path.is_absolute())
    };
    let base = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(base.join("tribunal").join("config.toml"))
}

/// The user's own table of prices, beside their configuration, whether or not it is there.
pub fn user_prices(env: impl IntoIterator<Item = (OsString, OsString)>) -> Option<PathBuf> {
    let env: Vec<(OsString, OsString)> = env.into_iter().collect();
    Some(user_file(&env)?.with_file_name("prices.toml"))
}

fn read(file: PathBuf) -> Result<(PathBuf, String), ReadError> {
    let mut text = String::new();
    // One byte more than allowed tells a file of the limit's size from a longer one, without trusting its metadata.
    let outcome = fs::File::open(&file).and_then(|open| open.take(FILE_MAX + 1).read_to_string(&mut text));
    match outcome {
        Ok(length) if length as u64 > FILE_MAX => Err(ReadError::TooLong { file }),
        Ok(_) => Ok((file, text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ReadError::Missing { file }),
        Err(source) => Err(ReadError::Unreadable { file, source }),
    }
}

/// A variable that is not Unicode ends up with a mark in it that no setting accepts unnoticed.
fn lossy(text: OsString) -> String {
    text.into_string().unwrap_or_else(|text| text.to_string_lossy().into_owned())
}
