//! Finding and reading the files, in real folders.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;
use tribunal_config::{ProjectFile, Sources, discover, load};

type Env<'e> = Vec<(&'e str, &'e Path)>;

/// A project with folders below it, and a home with a configuration.
fn world() -> TempDir {
    let root = TempDir::new().unwrap();
    for folder in ["proj/deep/down", "home/.config/tribunal", "xdg/tribunal", "alone"] {
        fs::create_dir_all(root.path().join(folder)).unwrap();
    }
    for (file, text) in [
        ("proj/tribunal.toml", "[limits]\nusd = 1\n"),
        ("proj/other.toml", "[limits]\nusd = 2\n"),
        ("home/.config/tribunal/config.toml", "[limits]\ntokens = 1\n"),
        ("xdg/tribunal/config.toml", "[limits]\ntokens = 2\n"),
    ] {
        fs::write(root.path().join(file), text).unwrap();
    }
    root
}

fn find(cwd: &Path, config: Option<&str>, env: &[(&str, &Path)]) -> Result<Sources, String> {
    let env = env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    discover(cwd, &config.map_or(ProjectFile::Nearest, |file| ProjectFile::At(file.into())), env, Vec::new()).map_err(
        |error| {
            let hint = error.hint().map_or(String::new(), |hint| format!("; {hint}"));
            format!("{error}{hint}")
        },
    )
}

fn paths(sources: &Sources, root: &Path) -> (Option<PathBuf>, Option<PathBuf>) {
    let below = |file: &Option<(PathBuf, String)>| Some(file.as_ref()?.0.strip_prefix(root).unwrap().to_owned());
    (below(&sources.project), below(&sources.user))
}

#[test]
fn the_nearest_project_file_is_found() {
    let world = world();
    let root = world.path();
    for (row, cwd, config, expected) in [
        ("here", "proj", None, Some("proj/tribunal.toml")),
        ("above", "proj/deep/down", None, Some("proj/tribunal.toml")),
        ("nowhere", "alone", None, None),
        ("named", "proj/deep", Some("../other.toml"), Some("proj/deep/../other.toml")),
    ] {
        let sources = find(&root.join(cwd), config, &[]).unwrap();
        assert_eq!(paths(&sources, root), (expected.map(PathBuf::from), None), "{row}");
        assert_eq!(sources.cwd, root.join(cwd), "{row}");
    }
}

#[test]
fn a_folder_of_that_name_is_not_the_file() {
    let world = world();
    fs::create_dir(world.path().join("proj/deep/tribunal.toml")).unwrap();
    let sources = find(&world.path().join("proj/deep"), None, &[]).unwrap();
    assert_eq!(paths(&sources, world.path()).0, Some(PathBuf::from("proj/tribunal.toml")));
}

#[test]
fn the_users_file_is_found() {
    let world = world();
    let root = world.path();
    let (home, xdg) = (root.join("home"), root.join("xdg"));
    let rows: [(&str, Env<'_>, Option<&str>); 6] = [
        ("xdg", vec![("HOME", &home), ("XDG_CONFIG_HOME", &xdg)], Some("xdg/tribunal/config.toml")),
        ("home", vec![("HOME", &home)], Some("home/.config/tribunal/config.toml")),
        ("empty", vec![("HOME", &home), ("XDG_CONFIG_HOME", Path::new(""))], Some("home/.config/tribunal/config.toml")),
        (
            "relative",
            vec![("HOME", &home), ("XDG_CONFIG_HOME", Path::new("xdg"))],
            Some("home/.config/tribunal/config.toml"),
        ),
        ("no such file", vec![("HOME", &home), ("XDG_CONFIG_HOME", root)], None),
        ("nothing set", vec![], None),
    ];
    for (row, env, expected) in rows {
        let sources = find(&root.join("alone"), None, &env).unwrap();
        assert_eq!(paths(&sources, root).1, expected.map(PathBuf::from), "{row}");
        assert!(sources.env.is_empty(), "{row}: none of these is a setting");
    }
}

#[test]
fn what_is_found_loads() {
    let world = world();
    let root = world.path();
    let (home, usd) = (root.join("home"), PathBuf::from("3"));
    let sources = find(&root.join("proj/deep"), None, &[("HOME", &home), ("TRIBUNAL_LIMITS_ROUNDS", &usd)]).unwrap();
    let loaded = load(&sources).unwrap();
    assert_eq!(loaded.dir, root.join("proj"));
    assert_eq!(loaded.config.run.workspace, root.join("proj"));
    let limits = loaded.config.limits;
    assert_eq!(
        (limits.usd.map(|usd| usd.to_string()), limits.tokens, limits.rounds),
        (Some("1.00".to_owned()), Some(1), Some(3))
    );
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let world = world();
    let root = world.path();
    fs::write(root.join("alone/binary.toml"), [0xff, 0xfe]).unwrap();
    fs::write(root.join("alone/long.toml"), "#".repeat((1 << 20) + 1)).unwrap();
    fs::write(root.join("alone/full.toml"), "#".repeat(1 << 20)).unwrap();
    for (config, expected) in [
        ("none.toml", "no configuration file `/none.toml`; omit --config to use the nearest tribunal.toml"),
        ("binary.toml", "cannot read `/binary.toml`: stream did not contain valid UTF-8"),
        ("long.toml", "`/long.toml` is longer than 1MiB; is it a configuration file?"),
    ] {
        let error = find(&root.join("alone"), Some(config), &[]).unwrap_err();
        assert_eq!(error.replace(root.join("alone").to_str().unwrap(), ""), expected);
    }
    find(&root.join("alone"), Some("full.toml"), &[]).unwrap();
}
