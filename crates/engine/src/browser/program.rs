//! Which browser there is, and how it is started.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::error::LookError;
use crate::process::ProcessCommand;

/// Names under which Chrome and Chromium are installed, best known first.
const NAMES: [&str; 6] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
/// Where they are on systems that do not put them on PATH.
const PLACES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/// The pipe has the numbers 3 and 4 for the browser. A shell puts them there: nobody else can without `unsafe`.
const BRIDGE: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;
/// Passed on: what a browser needs to find its libraries, its letters and a place for its files.
const PASSED: [&str; 5] = ["PATH", "LANG", "LC_ALL", "FONTCONFIG_PATH", "LD_LIBRARY_PATH"];

const FLAGS: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-breakpad",
    "--disable-dev-shm-usage",
    "--disable-features=IsolateSandboxedIframes,Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider",
    // Nothing of `http:` is fetched, but it has to be asked for: a style sheet that nobody asked for is not missed.
    "--allow-running-insecure-content",
    "--hide-scrollbars",
    "--mute-audio",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    // No name resolves, and what has a number goes to a proxy where nobody is.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=socks5://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
];

/// A browser on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserProgram {
    path: PathBuf,
}

impl BrowserProgram {
    /// The named browser, or else the first known one on `path`.
    pub fn find(named: Option<&Path>, path: Option<&OsStr>) -> Result<Self, LookError> {
        if let Some(named) = named {
            let program = named.display().to_string();
            let on_path = || search(&[program.as_str()], path);
            let found = if program.contains('/') { is_program(named).then(|| named.to_owned()) } else { on_path() };
            return found.map(|path| Self { path }).ok_or(LookError::NamedMissing { program });
        }
        let places = || PLACES.iter().map(PathBuf::from).find(|place| is_program(place));
        search(&NAMES, path).or_else(places).map(|path| Self { path }).ok_or(LookError::Missing)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The command that starts it with its pipe on stdin and stdout.
    pub(super) fn command(&self, profile: &Path) -> ProcessCommand {
        let mut args: Vec<OsString> = vec!["-c".into(), BRIDGE.into(), self.path.clone().into()];
        args.extend(FLAGS.iter().map(Into::into));
        // Chromium's own sandbox refuses to run as root, where it could not hold anything anyway.
        if rustix::process::geteuid().is_root() {
            args.push("--no-sandbox".into());
        }
        let mut folder = OsString::from("--user-data-dir=");
        folder.push(profile);
        args.extend([folder, "about:blank".into()]);
        let mut env: Vec<(OsString, OsString)> =
            PASSED.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?))).collect();
        // A home of its own: no settings, no caches, no keys.
        env.extend(["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR"].map(|name| (name.into(), profile.into())));
        ProcessCommand { program: "/bin/sh".into(), args, env, cwd: Some(profile.to_owned()), stdin: Vec::new() }
    }
}

fn search(names: &[&str], path: Option<&OsStr>) -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(path?).filter(|folder| folder.is_absolute()).collect();
    let candidates = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.into_iter().find(|candidate| is_program(candidate))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn program(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(BrowserProgram::find(None, None), Err(LookError::Missing)));
        assert!(matches!(BrowserProgram::find(None, Some(folder.path().as_os_str())), Err(LookError::Missing)));
        program(folder.path(), "chromium", 0o644);
        assert!(matches!(BrowserProgram::find(None, Some(folder.path().as_os_str())), Err(LookError::Missing)));
    }

    #[test]
    fn a_named_browser_is_the_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let there = program(folder.path(), "chromium", 0o755);
        let path = Some(folder.path().as_os_str());
        assert_eq!(BrowserProgram::find(None, path).unwrap().path(), there);
        assert_eq!(BrowserProgram::find(Some(&there), None).unwrap().path(), there);
        let named = BrowserProgram::find(Some(Path::new("/nowhere/chrome")), path).unwrap_err();
        assert_eq!(named.to_string(), "the browser `/nowhere/chrome` is not there");
        assert!(BrowserProgram::find(Some(Path::new("chrome")), path).is_err());
        assert!(BrowserProgram::find(Some(Path::new("chromium")), path).is_ok());
    }

    #[test]
    fn only_root_goes_without_the_browsers_own_sandbox() {
        let command = BrowserProgram { path: "/usr/bin/chromium".into() }.command(Path::new("/tmp/x"));
        let is_open = command.args.iter().any(|arg| arg == "--no-sandbox");
        assert_eq!(is_open, rustix::process::geteuid().is_root());
        assert!(command.env.iter().all(|(name, value)| name != "HOME" || value == "/tmp/x"));
    }
}
