//! Real attempts to get out. A row is a script that exits with 0 when it got what it wanted.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests; clippy overlooks helpers outside of `#[test]`")]

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use tribunal_engine::process::{Bounds, ChildExit, How, ProcessCommand, ProcessEnd, run};
use tribunal_engine::sandbox::{Confinement, Mechanism, Sandbox, SandboxError, Ward};

const WRAP: Mechanism = Mechanism::Bubblewrap { landlock: true };
const BARE_WRAP: Mechanism = Mechanism::Bubblewrap { landlock: false };
const MECHANISMS: [Mechanism; 3] = [WRAP, BARE_WRAP, Mechanism::Landlock];
/// For conditions that must come true; far beyond what even a loaded machine needs.
const PATIENCE: Duration = Duration::from_secs(30);
const BOUNDS: Bounds = Bounds { idle: PATIENCE, total: PATIENCE, grace: PATIENCE, stdout: 1 << 20, stderr_tail: 4096 };

/// What is expected of an attempt.
#[derive(Clone, Copy)]
enum Expect {
    Works,
    Fails,
    /// With Landlock alone it works, and the sandbox says so.
    HoleOfLandlock(Ward),
}
use Expect::{Fails, HoleOfLandlock, Works};

const ATTEMPTS: &[(&str, Expect, &str)] = &[
    ("write inside", Works, "echo x > new && test -s new"),
    ("replace a file inside", Works, "echo x > a && echo y > b && mv b a"),
    ("change a mode inside", Works, "touch tool && chmod +x tool"),
    ("write to its own TMPDIR", Works, "test \"$TMPDIR\" = \"$ROOT/tmp\" && echo x > \"$TMPDIR/f\""),
    ("read outside", Works, "test \"$(cat \"$ROOT/outside/file\")\" = outside"),
    ("write to /dev/null", Works, "echo x > /dev/null"),
    ("be the user that it is", Works, "test \"$(id -u)\" = \"$USER_ID\""),
    ("write outside", Fails, "echo x > \"$ROOT/outside/file\""),
    ("create outside", Fails, "touch \"$ROOT/outside/new\""),
    ("remove outside", Fails, "rm \"$ROOT/outside/file\""),
    ("truncate outside", Fails, "truncate -s 0 \"$ROOT/outside/file\""),
    ("write to /tmp", Fails, "touch \"/tmp/tribunal-escape-$$\""),
    ("write through a link", Fails, "ln -s ../outside link && echo x > link/file"),
    ("write through a hard link", Fails, "ln \"$ROOT/outside/file\" hard && echo x > hard"),
    ("move something out", Fails, "touch here && mv here \"$ROOT/outside/there\""),
    ("write to a kernel setting", Fails, "cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness"),
    ("ask the kernel to sync at once", Fails, "echo s > /proc/sysrq-trigger"),
    ("make a device", Fails, "mknod disk b 8 0"),
    ("write to what is read-only", HoleOfLandlock(Ward::ReadOnly), "echo x > plans/prd"),
    ("remove what is read-only", HoleOfLandlock(Ward::ReadOnly), "rm plans/prd && ! test -e plans/prd"),
    ("read what is hidden", Fails, "cat \"$ROOT/secret/file\""),
    ("read a hidden file", Fails, "test -s \"$ROOT/token\" && cat \"$ROOT/token\" | grep -q ."),
    ("read what is hidden through /proc", Fails, "cat \"/proc/self/root$ROOT/secret/file\""),
    ("list what is hidden", Fails, "ls \"$ROOT/secret\" | grep -q ."),
    ("change a mode outside", HoleOfLandlock(Ward::Modes), "chmod 600 \"$ROOT/outside/file\""),
    ("see another process", HoleOfLandlock(Ward::Processes), "test -d \"/proc/$OTHER\""),
    ("send a signal", Fails, "kill -0 \"$OTHER\""),
    ("send a signal to Tribunal", Fails, "kill -0 \"$PARENT\""),
    ("connect to the loopback interface", Fails, "exec bash -c ': <> \"/dev/tcp/127.0.0.1/$PORT\"'"),
    ("remount", Fails, "mount -o remount,bind,rw / && echo x > \"$ROOT/outside/file\""),
    ("unmount what hides", Fails, "umount \"$ROOT/secret\" && cat \"$ROOT/secret/file\""),
    ("mount", Fails, "mount -t tmpfs none \"$ROOT/outside\""),
    (
        "remount in a user namespace",
        Fails,
        "unshare -Urm sh -c 'mount -o remount,bind,rw / && echo x > \"$ROOT/outside/file\"'",
    ),
    ("unmount in a user namespace", Fails, "unshare -Urm sh -c 'umount \"$ROOT/secret\"; cat \"$ROOT/secret/file\"'"),
    ("set the name of the machine", Fails, "hostname escaped"),
];

struct Scene {
    _folder: tempfile::TempDir,
    root: PathBuf,
    other: Child,
    listener: TcpListener,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["work/plans", "outside", "secret", "tmp"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for (name, text) in
            [("work/plans/prd", "plan"), ("outside/file", "outside"), ("secret/file", "secret"), ("token", "secret")]
        {
            fs::write(root.join(name), text).unwrap();
        }
        let other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        Self { _folder: folder, root, other, listener: TcpListener::bind("127.0.0.1:0").unwrap() }
    }

    fn confinement(&self) -> Confinement {
        Confinement {
            writable: vec![self.root.join("work")],
            read_only: vec![self.root.join("work/plans")],
            hidden: vec![self.root.join("secret"), self.root.join("token"), self.root.join("not-there")],
            network: false,
            tmp: self.root.join("tmp"),
        }
    }

    fn sh(&self, script: &str) -> ProcessCommand {
        let root = self.root.to_str().unwrap();
        let set = |key: &str, value: String| (key.into(), value.into());
        ProcessCommand {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
            env: vec![
                set("PATH", "/usr/sbin:/usr/bin:/sbin:/bin".into()),
                set("ROOT", root.into()),
                set("OTHER", self.other.id().to_string()),
                set("PARENT", std::process::id().to_string()),
                set("USER_ID", rustix::process::geteuid().as_raw().to_string()),
                set("PORT", self.listener.local_addr().unwrap().port().to_string()),
            ],
            cwd: Some(self.root.join("work")),
            stdin: Vec::new(),
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.other.kill();
        let _ = self.other.wait();
    }
}

/// Examples are built beside the tests, though not when only some tests are asked for.
fn launcher() -> PathBuf {
    let beside = std::env::current_exe().unwrap();
    let launcher = beside.ancestors().nth(2).unwrap().join("examples/confine");
    assert!(launcher.exists(), "first: cargo build -p tribunal-engine --examples");
    launcher
}

/// The mechanism, if this machine has it.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
async fn sandbox(mechanism: Mechanism) -> Option<Sandbox> {
    let found = Sandbox::detect(Some(launcher())).await;
    let has_wrap = matches!(found.mechanism(), Mechanism::Bubblewrap { .. });
    let has_landlock = matches!(found.mechanism(), WRAP | Mechanism::Landlock);
    let is_there = match mechanism {
        Mechanism::Bubblewrap { landlock } => has_wrap && (has_landlock || !landlock),
        Mechanism::Landlock => has_landlock,
        Mechanism::Copy => true,
    };
    if !is_there {
        println!("skipped: {mechanism:?} does not work here: {:?}", found.notes());
        return None;
    }
    Some(Sandbox::forced(mechanism, Some(launcher())).unwrap())
}

async fn finish(command: ProcessCommand) -> (ProcessEnd, String) {
    let mut output = Vec::new();
    let ended = run(command, &BOUNDS, &CancellationToken::new(), |piece| output.extend_from_slice(piece)).await;
    (ended.unwrap(), String::from_utf8(output).unwrap())
}

async fn attempts(mechanism: Mechanism) {
    let Some(sandbox) = sandbox(mechanism).await else { return };
    let mut surprises = Vec::new();
    for (name, expect, script) in ATTEMPTS {
        let scene = Scene::new();
        let command = sandbox.confine(scene.sh(script), &scene.confinement()).unwrap();
        let (ended, _) = finish(command).await;
        let should_work = match expect {
            Works => true,
            Fails => false,
            HoleOfLandlock(ward) => {
                assert_eq!(sandbox.holes().contains(ward), mechanism == Mechanism::Landlock, "{name}");
                mechanism == Mechanism::Landlock
            }
        };
        let has_worked = ended.exit == Some(ChildExit::Code(0));
        if has_worked != should_work {
            surprises.push(format!("{name}: {:?} {}", ended.exit, ended.stderr_tail));
        }
        if !should_work {
            assert_eq!(fs::read_to_string(scene.root.join("outside/file")).unwrap(), "outside", "{name}");
            assert_eq!(fs::read_to_string(scene.root.join("work/plans/prd")).unwrap(), "plan", "{name}");
        }
    }
    assert!(surprises.is_empty(), "{mechanism:?}:\n{}", surprises.join("\n"));
}

#[tokio::test]
async fn attempts_against_bubblewrap_with_landlock() {
    attempts(WRAP).await;
}

#[tokio::test]
async fn attempts_against_bubblewrap() {
    attempts(BARE_WRAP).await;
}

#[tokio::test]
async fn attempts_against_landlock() {
    attempts(Mechanism::Landlock).await;
}

#[tokio::test]
async fn an_open_network_is_open() {
    for mechanism in MECHANISMS {
        let Some(sandbox) = sandbox(mechanism).await else { continue };
        let scene = Scene::new();
        let to = Confinement { network: true, ..scene.confinement() };
        let script = "exec bash -c ': <> \"/dev/tcp/127.0.0.1/$PORT\"'";
        let (ended, _) = finish(sandbox.confine(scene.sh(script), &to).unwrap()).await;
        assert_eq!(ended.exit, Some(ChildExit::Code(0)), "{mechanism:?}: {}", ended.stderr_tail);
    }
}

#[tokio::test]
async fn a_closed_network_is_closed_for_datagrams_too() {
    for mechanism in MECHANISMS {
        let Some(sandbox) = sandbox(mechanism).await else { continue };
        let scene = Scene::new();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_nonblocking(true).unwrap();
        let port = socket.local_addr().unwrap().port();
        let command = scene.sh(&format!("exec bash -c 'echo x > /dev/udp/127.0.0.1/{port}'"));
        let (free, _) = finish(command.clone()).await;
        assert_eq!(free.exit, Some(ChildExit::Code(0)));
        assert_eq!(socket.recv(&mut [0; 8]).unwrap(), 2, "it arrives without a sandbox");
        finish(sandbox.confine(command, &scene.confinement()).unwrap()).await;
        assert!(socket.recv(&mut [0; 8]).is_err(), "{mechanism:?}");
    }
}

#[tokio::test]
async fn who_may_write_nowhere_may_change_no_modes() {
    for mechanism in MECHANISMS {
        let Some(sandbox) = sandbox(mechanism).await else { continue };
        let scene = Scene::new();
        let to = Confinement { writable: Vec::new(), read_only: Vec::new(), ..scene.confinement() };
        let script = "chmod 600 \"$ROOT/outside/file\" || chmod 600 plans/prd || chown 1 plans/prd";
        let (ended, _) = finish(sandbox.confine(scene.sh(script), &to).unwrap()).await;
        assert_ne!(ended.exit, Some(ChildExit::Code(0)), "{mechanism:?}");
        let mode = fs::metadata(scene.root.join("outside/file")).unwrap().permissions().mode();
        assert_ne!(mode & 0o777, 0o600, "{mechanism:?}");
    }
}

#[tokio::test]
async fn inside_of_what_is_hidden_a_folder_can_be_there() {
    for mechanism in MECHANISMS {
        let Some(sandbox) = sandbox(mechanism).await else { continue };
        let scene = Scene::new();
        let inner = scene.root.join("secret/inner");
        fs::create_dir(&inner).unwrap();
        let mut to = scene.confinement();
        to.writable.push(inner);
        let script = "echo x > \"$ROOT/secret/inner/new\" && ! cat \"$ROOT/secret/file\"";
        let (ended, _) = finish(sandbox.confine(scene.sh(script), &to).unwrap()).await;
        assert_eq!(ended.exit, Some(ChildExit::Code(0)), "{mechanism:?}: {}", ended.stderr_tail);
        assert!(scene.root.join("secret/inner/new").exists());
    }
}

#[tokio::test]
async fn a_program_is_asked_to_end_and_has_time_for_it() {
    for mechanism in MECHANISMS {
        let Some(sandbox) = sandbox(mechanism).await else { continue };
        assert!(sandbox.covers().contains(&Ward::HardEnd));
        let scene = Scene::new();
        let script = "trap 'sleep 0.2; echo bye > bye; exit 3' TERM; echo ready; while :; do sleep 0.05; done";
        let command = sandbox.confine(scene.sh(script), &scene.confinement()).unwrap();
        let cancel = CancellationToken::new();
        let ended = run(command, &BOUNDS, &cancel, |_| cancel.cancel()).await.unwrap();
        assert_eq!(
            (ended.how, ended.exit, ended.escaped),
            (How::Cancelled, Some(ChildExit::Code(3)), 0),
            "{mechanism:?}"
        );
        assert!(scene.root.join("work/bye").exists(), "{mechanism:?}");
    }
}

#[tokio::test]
async fn who_does_not_listen_is_ended_and_daemons_with_it() {
    for (number, mechanism) in MECHANISMS.into_iter().enumerate() {
        let Some(sandbox) = sandbox(mechanism).await else { continue };
        let scene = Scene::new();
        let sign = format!("{}{number}", 7_000_000 + std::process::id());
        for (name, script) in [
            ("deaf", format!("trap '' TERM; echo ready; sleep {sign}; sleep {sign}")),
            ("daemon", format!("(setsid env -i sleep {sign} >/dev/null 2>&1 &) ; echo ready; sleep 0.05")),
        ] {
            let command = sandbox.confine(scene.sh(&script), &scene.confinement()).unwrap();
            let cancel = CancellationToken::new();
            let bounds = Bounds { grace: Duration::from_millis(100), ..BOUNDS };
            let told = if name == "deaf" { cancel.clone() } else { CancellationToken::new() };
            let ended = run(command, &bounds, &cancel, |_| told.cancel()).await.unwrap();
            assert_eq!(ended.escaped, 0, "{mechanism:?} {name}");
            assert!(!lives(&sign), "{mechanism:?} {name}");
        }
    }
}

#[tokio::test]
async fn with_bubblewrap_nothing_survives_a_killed_tribunal() {
    for mechanism in [WRAP, BARE_WRAP] {
        let Some(sandbox) = sandbox(mechanism).await else { continue };
        let scene = Scene::new();
        let sign = format!("{}", 8_000_000 + std::process::id());
        let ProcessCommand { program, args, env, cwd, .. } = sandbox
            .confine(scene.sh(&format!("setsid sleep {sign} & trap '' TERM; sleep {sign}")), &scene.confinement())
            .unwrap();
        // A shell stands for Tribunal.
        let mut tribunal = std::process::Command::new("sh")
            .args(["-c", "\"$@\"; :", "sh"])
            .arg(program)
            .args(args)
            .env_clear()
            .envs(env)
            .current_dir(cwd.unwrap())
            .spawn()
            .unwrap();
        until("it runs", || lives(&sign));
        tribunal.kill().unwrap();
        tribunal.wait().unwrap();
        until("it is gone", || !lives(&sign));
    }
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_and_not_ignored() {
    let Some(landlock) = sandbox(Mechanism::Landlock).await else { return };
    let scene = Scene::new();
    let mut to = scene.confinement();
    to.hidden.push(scene.root.join("work/plans"));
    let error = landlock.confine(scene.sh("true"), &to).unwrap_err();
    assert!(matches!(error, SandboxError::CannotHide { .. }), "{error}");

    let mut to = scene.confinement();
    to.read_only.push(scene.root.join("work/complete.md"));
    let error = landlock.confine(scene.sh("true"), &to).unwrap_err();
    assert!(matches!(error, SandboxError::Missing { .. }), "{error}");

    let missing = ProcessCommand { program: "no-such-program".into(), ..scene.sh("") };
    let error = landlock.confine(missing, &scene.confinement()).unwrap_err();
    assert_eq!(error.to_string(), "no program `no-such-program` on PATH");
}

#[tokio::test]
async fn without_a_launcher_there_is_no_landlock_and_without_anything_a_copy() {
    let found = Sandbox::detect(None).await;
    assert!(matches!(found.mechanism(), BARE_WRAP | Mechanism::Copy), "{:?}", found.mechanism());
    let broken = Sandbox::detect(Some(Path::new("/bin/false").into())).await;
    assert!(matches!(broken.mechanism(), BARE_WRAP | Mechanism::Copy), "{:?}", broken.mechanism());
    assert!(!broken.notes().is_empty());

    let copy = Sandbox::forced(Mechanism::Copy, None).unwrap();
    let scene = Scene::new();
    let (ended, output) = finish(copy.confine(scene.sh("echo \"$TMPDIR\""), &scene.confinement()).unwrap()).await;
    assert_eq!((ended.exit, output.trim()), (Some(ChildExit::Code(0)), scene.root.join("tmp").to_str().unwrap()));
    assert_eq!(copy.covers(), [Ward::HardEnd]);
    assert_eq!(copy.covers().len() + copy.holes().len(), Ward::ALL.len());
}

/// Not an assertion about time: prints what the documentation says.
#[tokio::test]
async fn what_a_start_costs() {
    const STARTS: u32 = 20;
    let scene = Scene::new();
    for mechanism in [Mechanism::Copy, Mechanism::Landlock, BARE_WRAP, WRAP] {
        let Some(sandbox) = sandbox(mechanism).await else { continue };
        let begun = Instant::now();
        for _ in 0..STARTS {
            finish(sandbox.confine(scene.sh(":"), &scene.confinement()).unwrap()).await;
        }
        println!("{mechanism:?}: {:?} a start", begun.elapsed() / STARTS);
    }
}

/// Whether a process has this argument.
fn lives(argument: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line.split(|byte| *byte == 0).any(|part| part == argument.as_bytes()))
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
