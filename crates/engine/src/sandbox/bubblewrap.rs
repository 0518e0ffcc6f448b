//! The argument list of bubblewrap.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::confinement::{Confinement, View};
use super::error::SandboxError;

/// Sockets of daemons that do for their caller whatever it asks. A read-only mount does not keep anybody from
/// connecting, so they are covered up. `%` is the number of the user.
const DAEMONS: [&str; 10] = [
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
    "/run/user/%/bus",
    "/run/user/%/docker.sock",
    "/run/user/%/podman/podman.sock",
    "/run/user/%/systemd/private",
    "/run/snapd.socket",
];

/// What root can write to in a new `/proc` although it has no capabilities: there it is enough to be root.
const KERNEL: [&str; 6] = ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/scsi", "/proc/acpi"];

/// Where bubblewrap and what helps it are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bubblewrap {
    pub(super) program: PathBuf,
    /// An `env` that can ignore a signal and stop ignoring it (coreutils 8.31).
    pub(super) env: Option<PathBuf>,
}

impl Bubblewrap {
    /// What comes before the program, the first being the one to start. `launcher` is there whatever is hidden around it.
    pub(super) fn prefix(
        &self,
        to: &Confinement,
        cwd: &Path,
        launcher: Option<&Path>,
    ) -> Result<Vec<OsString>, SandboxError> {
        let mut argv = self.begin();
        // `--cap-drop` matters as root: without it a remount would undo `--ro-bind`.
        let flags = ["--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"];
        argv.extend(flags.map(OsString::from));
        if !to.network {
            argv.push("--unshare-net".into());
        }
        argv.extend(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"].map(OsString::from));
        for path in KERNEL.map(Path::new).into_iter().filter(|path| path.exists()) {
            argv.extend(["--ro-bind".into(), path.into(), path.into()]);
        }
        let user = rustix::process::geteuid().as_raw().to_string();
        for socket in DAEMONS.map(|path| PathBuf::from(path.replace('%', &user))) {
            if socket.exists() {
                argv.extend(["--ro-bind".into(), "/dev/null".into(), socket.into()]);
            }
        }
        let views = to.views()?;
        for (path, view) in &views {
            match view {
                View::Writable => argv.extend(["--bind".into(), path.into(), path.into()]),
                View::ReadOnly => argv.extend(["--ro-bind".into(), path.into(), path.into()]),
                View::Hidden if path.is_dir() => argv.extend(["--tmpfs".into(), path.into()]),
                View::Hidden => argv.extend(["--ro-bind".into(), "/dev/null".into(), path.into()]),
            }
        }
        let is_hidden =
            |launcher: &&Path| views.iter().any(|(path, view)| *view == View::Hidden && launcher.starts_with(path));
        if let Some(launcher) = launcher.filter(is_hidden) {
            argv.extend(["--ro-bind".into(), launcher.into(), launcher.into()]);
        }
        self.end(&mut argv, cwd);
        Ok(argv)
    }

    /// What comes before a program that finds the machine as it is, but for other processes.
    pub(super) fn enclosure(&self, cwd: &Path) -> Vec<OsString> {
        let mut argv = self.begin();
        let flags = ["--die-with-parent", "--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc"];
        argv.extend(flags.map(OsString::from));
        self.end(&mut argv, cwd);
        argv
    }

    /// bubblewrap has a process outside of the pid namespace that ends at once when it is sent TERM, and everything
    /// inside with it. So it is started with TERM ignored, and inside this is undone: then only the program hears it.
    fn begin(&self) -> Vec<OsString> {
        let mut argv: Vec<OsString> = Vec::new();
        if let Some(env) = &self.env {
            argv.extend([env.into(), "--ignore-signal=TERM".into()]);
        }
        argv.push(self.program.clone().into());
        argv
    }

    fn end(&self, argv: &mut Vec<OsString>, cwd: &Path) {
        argv.extend(["--chdir".into(), cwd.into(), "--".into()]);
        if let Some(env) = &self.env {
            argv.extend([env.into(), "--default-signal=TERM".into()]);
        }
    }
}
