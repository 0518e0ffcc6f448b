//! The sandbox: what a seat's process may do to the machine it runs on.
//!
//! | file | noun |
//! |---|---|
//! | `confinement` | what a process may do beyond reading |
//! | `closed` | what is closed by default: secrets of the user's |
//! | `ward` | what a sandbox keeps from happening, and what it means when it does not |
//! | `tried` | what each mechanism holds on this machine, by trying it |
//! | `detect`, `finder` | which mechanism works here, looked for once |
//! | `bubblewrap` | the argument list of bubblewrap |
//! | `launcher` | the program that confines itself and then becomes another one |
//! | `landlock` | the kernel's allow-list of files (Linux) |
//! | `syscalls` | system calls that are forbidden where there are no namespaces (Linux) |
//! | `error` | why a process could not be confined |
//!
//! A [`Sandbox`] turns a command into one that confines itself; it is run like any other by `process::run`.
//!
//! # What holds
//! | | bubblewrap | Landlock | none |
//! |---|---|---|---|
//! | writes only in `writable` and `tmp` | yes | yes | no |
//! | `read_only` inside of `writable` | yes | **no** | no |
//! | `hidden` | yes | yes, or an error inside of `writable` | no |
//! | no network when closed | yes | yes | no |
//! | no other processes to be seen | yes | no | no |
//! | no signals to others | yes | Linux 6.12 | no |
//! | ends with Tribunal, even by KILL | yes | no | no |
//! | modes outside stay | yes | only where nothing but `tmp` is writable | no |
//! | the machine stays as it is, even for root | yes | yes | no |
//! | no terminal | yes | yes | no |
//!
//! [`Sandbox::enclose`] is the little one: a pid namespace and nothing else, for turns that nothing has to hold but whose
//! processes shall not outlive them.
//!
//! [`Sandbox::covers`] and [`Sandbox::holes`] say it for the mechanism in use. *None* means that the caller works in a
//! copy that is thrown away, and compares digests; so it does for `read_only` with Landlock alone.
//!
//! # How it goes together with supervision
//! - **TERM reaches the program**, in every process of the sandbox: supervision finds them by descent. bubblewrap's own
//!   process outside ignores it, so there is `grace`. Without an `env` that can do this, TERM ends all at once.
//! - **KILL on the process outside ends everything inside**: the namespace dies with its first process. So does the end
//!   of the *thread* that started it, which is why turns are started from the runtime's own threads.
//! - A background process inside ends with the main program, without grace: the namespace is gone then.
//! - A program that died of signal N is seen as exit code 128 + N.
//! - The mark of a turn is in the environment, inside as outside. The namespace's first process may be counted among
//!   [`crate::process::ProcessEnd::leftovers`] when it is a moment slower than the one outside.
//!
//! # What does not hold
//! - **Reading**: whatever is not hidden can be read, also by a check of unknown code.
//! - **Daemons**: a socket in the file system can be connected to although it is read-only. Well-known ones that do
//!   anything for anybody (docker, systemd, D-Bus) are covered up by bubblewrap; others are for `hidden`.
//! - **With the network open**, everything on the loopback interface can be reached as well.
//! - `writable` folders are shared: what one turn leaves in an agent's state folder, the next one finds.
//! - Resources: there is no limit on memory, processes or disk.
//! - Landlock alone: 32-bit programs are killed by the filter of system calls.
//!
//! # Cost
//! `sh -c :` under supervision on two busy cores: 3 ms alone, 6 ms with Landlock, 18 ms with bubblewrap, 21 ms with both.
//! A quarter of that is the sweep that follows when the namespace ends a moment later than its main process.

mod bubblewrap;
mod closed;
mod confinement;
mod detect;
mod error;
mod finder;
mod launcher;
mod tried;
mod ward;

#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod syscalls;

#[cfg(not(target_os = "linux"))]
#[path = "landlock_portable.rs"]
mod landlock;
#[cfg(not(target_os = "linux"))]
#[path = "syscalls_portable.rs"]
mod syscalls;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::process::ProcessCommand;
use bubblewrap::Bubblewrap;
use confinement::View;
use launcher::Orders;

pub use closed::{closed_at_home, closed_in_project, closed_to_checks, is_secret_line};
pub use confinement::Confinement;
pub use error::SandboxError;
pub use finder::Finder;
pub use launcher::{CONFINE, enter_and_exec};
pub use tried::MechanismTried;
pub use ward::Ward;

/// How processes are confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mechanism {
    Bubblewrap {
        landlock: bool,
    },
    Landlock,
    /// Not at all: the caller uses a copy that is thrown away, and compares digests.
    Copy,
}

/// A way to confine processes, found once.
#[derive(Debug, Clone)]
pub struct Sandbox {
    walls: Walls,
    support: Option<landlock::Support>,
    notes: Vec<String>,
}

/// What stands around a process.
#[derive(Debug, Clone, Default)]
struct Walls {
    bubblewrap: Option<Bubblewrap>,
    launcher: Option<PathBuf>,
}

impl Sandbox {
    pub fn mechanism(&self) -> Mechanism {
        match (&self.walls.bubblewrap, &self.walls.launcher) {
            (Some(_), launcher) => Mechanism::Bubblewrap { landlock: launcher.is_some() },
            (None, Some(_)) => Mechanism::Landlock,
            (None, None) => Mechanism::Copy,
        }
    }

    /// What it keeps from happening.
    pub fn covers(&self) -> Vec<Ward> {
        Ward::ALL.into_iter().filter(|ward| self.does_cover(*ward)).collect()
    }

    /// What it does not: everything else.
    pub fn holes(&self) -> Vec<Ward> {
        Ward::ALL.into_iter().filter(|ward| !self.does_cover(*ward)).collect()
    }

    /// Why it is not a stronger one.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The command that runs `command` confined. A relative program is looked up as it would be without.
    pub fn confine(&self, command: ProcessCommand, to: &Confinement) -> Result<ProcessCommand, SandboxError> {
        let program = command.resolve().map_err(|error| command.explain(error))?;
        let views = to.views()?;
        let ProcessCommand { program: name, args, mut env, cwd, stdin } = command;
        env.retain(|(key, _)| key != "TMPDIR");
        env.push(("TMPDIR".into(), to.tmp.clone().into()));
        let mut argv: Vec<OsString> = Vec::new();
        if let Some(bubblewrap) = &self.walls.bubblewrap {
            let needed = self.walls.launcher.as_deref();
            argv.extend(bubblewrap.prefix(to, cwd.as_deref().unwrap_or(Path::new("/")), needed)?);
        }
        if let Some(launcher) = &self.walls.launcher {
            argv.push(launcher.into());
            argv.extend(self.orders(to, &views)?.to_args());
        }
        if argv.is_empty() {
            return Ok(ProcessCommand { program: name, args, env, cwd, stdin });
        }
        argv.push(program.into());
        argv.extend(args);
        Ok(ProcessCommand { program: argv.remove(0), args: argv, env, cwd, stdin })
    }

    /// Whether [`Sandbox::enclose`] changes anything.
    pub fn can_enclose(&self) -> bool {
        self.walls.bubblewrap.is_some()
    }

    /// The command that runs `command` in a pid namespace of its own, which ends with it and with us, and otherwise
    /// leaves it alone: for agents whose files and network are theirs. Without bubblewrap it is `command` itself.
    pub fn enclose(&self, command: ProcessCommand) -> Result<ProcessCommand, SandboxError> {
        let Some(bubblewrap) = &self.walls.bubblewrap else { return Ok(command) };
        let program = command.executable().map_err(|error| command.explain(error))?;
        let ProcessCommand { program: _, args, env, cwd, stdin } = command;
        let mut argv = bubblewrap.enclosure(cwd.as_deref().unwrap_or(Path::new("/")));
        argv.push(program.into());
        argv.extend(args);
        Ok(ProcessCommand { program: argv.remove(0), args: argv, env, cwd, stdin })
    }

    fn orders(&self, to: &Confinement, views: &[(&Path, View)]) -> Result<Orders, SandboxError> {
        let alone = self.walls.bubblewrap.is_none();
        let of = |wanted: View| views.iter().filter(move |(_, view)| *view == wanted).map(|(path, _)| *path);
        let mut orders = Orders {
            write: of(View::Writable).map(Into::into).collect(),
            alone,
            keep_modes: alone && to.writable.is_empty(),
            ..Orders::default()
        };
        if alone {
            if let Some(path) = of(View::Hidden).find(|path| of(View::Writable).any(|outer| path.starts_with(outer))) {
                return Err(SandboxError::CannotHide { path: path.into() });
            }
            orders.hide = of(View::Hidden).map(Into::into).collect();
            orders.read = of(View::ReadOnly).map(Into::into).collect();
            orders.offline = !to.network;
        } else {
            orders.write.push("/dev".into()); // its own
        }
        Ok(orders)
    }

    fn does_cover(&self, ward: Ward) -> bool {
        match (self.mechanism(), ward) {
            (_, Ward::Daemons) => false,
            (Mechanism::Bubblewrap { .. }, Ward::HardEnd) => {
                self.walls.bubblewrap.as_ref().is_some_and(|wrap| wrap.env.is_some())
            }
            (Mechanism::Bubblewrap { .. }, _)
            | (Mechanism::Landlock, Ward::Writes | Ward::Hidden | Ward::Terminal)
            | (Mechanism::Landlock | Mechanism::Copy, Ward::HardEnd) => true,
            (Mechanism::Landlock, Ward::Network | Ward::Machine) => syscalls::AVAILABLE,
            (Mechanism::Landlock, Ward::Signals) => self.support.is_some_and(|support| support.signals),
            (Mechanism::Landlock, Ward::ReadOnly | Ward::Processes | Ward::Leftovers | Ward::Modes)
            | (Mechanism::Copy, _) => false,
        }
    }
}
