//! Real processes, real signals. Nothing here asserts how long something took; it waits until it is so.
//!
//! The tests run side by side in one process and therefore are each other's concurrent turns.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests; clippy overlooks helpers outside of `#[test]`")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use tribunal_engine::process::{
    Bounds, ChildExit, How, ProcessCommand, ProcessEnd, SpawnError, TURN_MARK, reap_marked, run, spawn_kept,
};

/// For conditions that must come true; far beyond what even a loaded machine needs.
const PATIENCE: Duration = Duration::from_secs(30);
const MEGA: usize = 1_000_000;

/// Bounds that no test reaches by accident. What a test is about, it sets itself.
const WIDE: Bounds = Bounds {
    idle: Duration::from_secs(60),
    total: Duration::from_secs(60),
    grace: Duration::from_secs(20),
    stdout: 64 << 20,
    stderr_tail: 4096,
};
const SHORT: Duration = Duration::from_millis(300);

/// A mark that is nobody else's. Made of digits, so that it can be a number of seconds to sleep as well, which shows
/// in the command line of a process that has cleared its environment.
fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{:07}{:04}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn sh(mark: &str, script: &str) -> ProcessCommand {
    ProcessCommand {
        program: "sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), (TURN_MARK.into(), mark.into())],
        cwd: None,
        stdin: Vec::new(),
    }
}

async fn finish(command: ProcessCommand, bounds: Bounds) -> (ProcessEnd, Vec<u8>) {
    let mut output = Vec::new();
    let ended = run(command, &bounds, &CancellationToken::new(), |piece| output.extend_from_slice(piece)).await;
    (ended.unwrap(), output)
}

/// Runs until the output contains `ready`, then cancels.
async fn cancel_when_ready(command: ProcessCommand, bounds: Bounds) -> ProcessEnd {
    let cancel = CancellationToken::new();
    let mut output = Vec::new();
    let stop = |piece: &[u8]| {
        output.extend_from_slice(piece);
        if output.windows(5).any(|window| window == b"ready") {
            cancel.cancel();
        }
    };
    run(command, &bounds, &cancel, stop).await.unwrap()
}

/// Processes whose environment or command line contains `text`. The dead have neither.
fn alive(text: &str) -> Vec<i32> {
    let contains = |path: String| {
        fs::read(path).is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    let names = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name());
    let pids = names.filter_map(|name| name.to_str()?.parse::<i32>().ok());
    let others = pids.filter(|pid| u32::try_from(*pid) != Ok(std::process::id()));
    others.filter(|pid| contains(format!("/proc/{pid}/environ")) || contains(format!("/proc/{pid}/cmdline"))).collect()
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[track_caller]
fn assert_nobody(mark: &str) {
    let left = alive(mark);
    let what = |pid: &i32| fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().replace('\0', " ");
    assert!(left.is_empty(), "left behind: {:?}", left.iter().map(what).collect::<Vec<_>>());
}

#[tokio::test]
async fn five_megabytes_go_in_and_come_out() {
    let mut cat = sh(&unique(), "cat");
    cat.stdin = (0..5 * MEGA).map(|i| u8::try_from(i % 251).unwrap()).collect();
    let expected = cat.stdin.clone();
    let (ended, output) = finish(cat, WIDE).await;
    assert_eq!((ended.how, ended.exit, ended.leftovers), (How::Exited, Some(ChildExit::Code(0)), 0));
    assert_eq!(ended.stdout_bytes, output.len() as u64);
    assert!(output == expected, "what came out is not what went in");
}

#[tokio::test]
async fn a_child_may_print_everything_before_it_reads_anything() {
    let mut backwards = sh(&unique(), "head -c 5000000 /dev/zero; wc -c >&2");
    backwards.stdin = vec![b'x'; 5 * MEGA];
    let (ended, output) = finish(backwards, WIDE).await;
    assert_eq!((ended.exit, output.len(), ended.stderr_tail.trim()), (Some(ChildExit::Code(0)), 5 * MEGA, "5000000"));
}

#[tokio::test]
async fn a_child_need_not_read_its_stdin() {
    for (name, script) in [("never reads", "echo done"), ("closes it", "exec <&-; sleep 0.2; echo done")] {
        let mut deaf = sh(&unique(), script);
        deaf.stdin = vec![b'x'; 5 * MEGA];
        let (ended, output) = finish(deaf, WIDE).await;
        assert_eq!(
            (ended.how, ended.exit, output),
            (How::Exited, Some(ChildExit::Code(0)), b"done\n".to_vec()),
            "{name}"
        );
    }
}

#[tokio::test]
async fn printing_for_ever_is_cut_off_at_the_bound() {
    let bounds = Bounds { stdout: 3 * MEGA as u64, ..WIDE };
    let mark = unique();
    let mut seen = 0;
    let ended = run(sh(&mark, "yes"), &bounds, &CancellationToken::new(), |piece| seen += piece.len()).await.unwrap();
    assert_eq!((ended.how, ended.exit), (How::TooMuchOutput, Some(ChildExit::Signal(15))));
    assert_eq!((seen, ended.stdout_bytes), (3 * MEGA, bounds.stdout));
    assert_nobody(&mark);
}

#[tokio::test]
async fn the_bound_itself_is_not_too_much() {
    let bounds = Bounds { stdout: 1000, ..WIDE };
    for (bytes, how) in [(1000, How::Exited), (1001, How::TooMuchOutput)] {
        let (ended, output) = finish(sh(&unique(), &format!("head -c {bytes} /dev/zero")), bounds).await;
        assert_eq!((ended.how, output.len()), (how, 1000), "{bytes} bytes");
    }
}

#[tokio::test]
async fn a_gigabyte_on_stderr_leaves_its_tail() {
    let (ended, _) = finish(sh(&unique(), "head -c 1073741824 /dev/zero >&2; echo the end >&2"), WIDE).await;
    assert_eq!((ended.how, ended.exit), (How::Exited, Some(ChildExit::Code(0))));
    assert_eq!(ended.stderr_tail.len(), WIDE.stderr_tail);
    assert!(ended.stderr_tail.ends_with("\0the end\n"));
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim().trim_end_matches(" kB");
    assert!(peak.parse::<u64>().unwrap() < 300_000, "{peak} kB at the peak, all tests together");
}

#[tokio::test]
async fn silence_ends_a_turn() {
    let mark = unique();
    let (ended, output) = finish(sh(&mark, "echo hello; sleep 1000"), Bounds { idle: SHORT, ..WIDE }).await;
    assert_eq!((ended.how, ended.exit, output), (How::Silent, Some(ChildExit::Signal(15)), b"hello\n".to_vec()));
    assert_nobody(&mark);
}

#[tokio::test]
async fn a_slow_talker_is_not_silent() {
    let talk = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.25; echo $i >&2; sleep 0.25; done";
    let idle = Duration::from_secs(2);
    let (ended, _) = finish(sh(&unique(), talk), Bounds { idle, ..WIDE }).await;
    assert_eq!((ended.how, ended.exit), (How::Exited, Some(ChildExit::Code(0))));
    assert_eq!(ended.stderr_tail, "1\n2\n3\n4\n5\n6\n");
    assert!(idle < ended.elapsed, "the test proves nothing: it was not slow");
}

#[tokio::test]
async fn talking_does_not_save_from_overtime() {
    let mark = unique();
    let (ended, _) =
        finish(sh(&mark, "while :; do echo tick; sleep 0.05; done"), Bounds { total: SHORT, ..WIDE }).await;
    assert_eq!((ended.how, ended.exit), (How::Overtime, Some(ChildExit::Signal(15))));
    assert_nobody(&mark);
}

#[tokio::test]
async fn endless_bounds_are_allowed() {
    let endless = Bounds { idle: Duration::MAX, total: Duration::MAX, grace: Duration::MAX, ..WIDE };
    assert_eq!(finish(sh(&unique(), "sleep 1000 & echo hello"), endless).await.0.how, How::Exited);
}

#[tokio::test]
async fn who_ignores_term_is_killed_after_the_grace() {
    let mark = unique();
    let stubborn = sh(&mark, "trap '' TERM; echo ready; while :; do sleep 1000; done");
    let ended = cancel_when_ready(stubborn, Bounds { grace: SHORT, ..WIDE }).await;
    assert_eq!((ended.how, ended.exit), (How::Cancelled, Some(ChildExit::Signal(9))));
    assert_nobody(&mark);
}

#[tokio::test]
async fn who_handles_term_has_the_last_word() {
    let polite = sh(&unique(), "trap 'echo bye; exit 7' TERM; echo ready; sleep 1000 & wait");
    let cancel = CancellationToken::new();
    let mut output = Vec::new();
    let sink = |piece: &[u8]| {
        output.extend_from_slice(piece);
        cancel.cancel();
    };
    let ended = run(polite, &WIDE, &cancel, sink).await.unwrap();
    assert_eq!((ended.how, ended.exit, output), (How::Cancelled, Some(ChildExit::Code(7)), b"ready\nbye\n".to_vec()));
}

#[tokio::test]
async fn a_stopped_child_hears_term() {
    let mark = unique();
    let ended = cancel_when_ready(sh(&mark, "echo ready; kill -STOP $$"), WIDE).await;
    assert_eq!((ended.how, ended.exit), (How::Cancelled, Some(ChildExit::Signal(15))));
    assert_nobody(&mark);
}

#[tokio::test]
async fn cancelled_before_it_starts_it_does_not_start() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("started");
    let ended = run(sh(&unique(), &format!("touch {}", file.display())), &WIDE, &cancel, |_| ()).await.unwrap();
    assert_eq!((ended.how, ended.exit), (How::Cancelled, None));
    assert!(!file.exists());
}

/// What each of these leaves behind after a plain exit, and how many at least.
#[tokio::test]
async fn nothing_outlives_a_plain_exit() {
    for (name, script, leftovers) in [
        ("in the group, holding the pipe", "sleep 1000 & echo hello", 1),
        ("in the group, printing until the pipe breaks", "(while :; do echo y; done) & echo hello; sleep 0.1", 0),
        ("its own session", "setsid sleep 1000 & echo hello; sleep 0.1", 1),
        ("a daemon", "(setsid sh -c 'exec <&- >&- 2>&-; cd /; sleep 1000 & exit') ; echo hello", 1),
        ("a daemon with a family", "setsid sh -c 'sleep 1000 & sleep 1000 & wait' & echo hello; sleep 0.2", 1),
        ("a daemon in the making", "(setsid sh -c '(setsid sh -c \"(sleep 1000 &)\" &)' &); echo hello", 0),
        ("several sessions", "for i in 1 2 3 4 5; do setsid sleep 1000 & done; echo hello; sleep 0.2", 5),
    ] {
        let mark = unique();
        let (ended, output) = finish(sh(&mark, script), WIDE).await;
        assert_eq!((ended.how, ended.exit), (How::Exited, Some(ChildExit::Code(0))), "{name}");
        assert!(output.windows(6).any(|window| window == b"hello\n"), "{name}");
        assert!(leftovers <= ended.leftovers, "{name}: {} left over", ended.leftovers);
        assert_eq!(ended.escaped, 0, "{name}");
        assert_nobody(&mark);
    }
}

#[tokio::test]
async fn leftovers_are_reaped_not_only_killed() {
    let (ended, output) = finish(sh(&unique(), "setsid sleep 1000 & echo $!; sleep 0.1"), WIDE).await;
    let pid = String::from_utf8(output).unwrap();
    assert_eq!(ended.leftovers, 1);
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "{pid} is still in the process table");
}

#[tokio::test]
async fn what_the_main_process_printed_last_is_not_lost() {
    for _ in 0..50 {
        let (_, output) = finish(sh(&unique(), "sleep 1000 & head -c 60000 /dev/zero"), WIDE).await;
        assert_eq!(output.len(), 60000);
    }
}

#[tokio::test]
async fn grandchildren_that_ignore_term_are_killed() {
    let mark = unique();
    let family = "trap '' TERM; setsid sh -c 'sleep 1000 & sleep 1000 & wait' & sleep 1000 & sleep 0.3; echo ready";
    let (ended, _) = finish(sh(&mark, family), Bounds { grace: SHORT, ..WIDE }).await;
    assert_eq!(ended.how, How::Exited);
    assert!(2 <= ended.leftovers, "{} left over", ended.leftovers);
    assert_nobody(&mark);

    let mark = unique();
    let ended = cancel_when_ready(sh(&mark, &format!("{family}; wait")), Bounds { grace: SHORT, ..WIDE }).await;
    assert_eq!((ended.how, ended.exit), (How::Cancelled, Some(ChildExit::Signal(9))));
    assert_nobody(&mark);
}

#[tokio::test]
async fn who_forks_all_the_time_does_not_escape() {
    let mark = unique();
    let rabbit =
        "setsid sh -c 'trap \"\" TERM; while :; do sleep 1000 & sleep 0.01; done' & sleep 0.3; echo ready; wait";
    let ended = cancel_when_ready(sh(&mark, rabbit), Bounds { grace: SHORT, ..WIDE }).await;
    assert_eq!((ended.how, ended.escaped), (How::Cancelled, 0));
    assert_nobody(&mark);
}

/// Without group, pipe and mark only descent is left, and that is lost with the main process: then it takes until the
/// other tests' turns that overlap are over.
#[tokio::test]
async fn a_daemon_without_an_environment_does_not_survive() {
    let seconds = format!("1000.{}", unique());
    let daemon = format!("env -i setsid sleep {seconds} <&- >&- 2>&- & sleep 0.2; echo ready");
    finish(sh(&unique(), &daemon), WIDE).await;
    until("the daemon is gone", || alive(&seconds).is_empty()).await;

    let seconds = format!("1000.{}", unique());
    let daemon = format!("env -i setsid sleep {seconds} <&- >&- 2>&- & sleep 0.2; echo ready; wait");
    cancel_when_ready(sh(&unique(), &daemon), WIDE).await;
    assert_nobody(&seconds);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn twenty_at_once_leave_nothing_and_do_not_harm_each_other() {
    // One more turn, with a daemon with and one without a mark, lives through all of it.
    let (bystander, cancel) = (unique(), CancellationToken::new());
    let script =
        format!("setsid sleep 1000 & env -i setsid sleep 1000.{bystander} & (setsid sleep 1000 &); sleep 0.2; wait");
    let watched = tokio::spawn({
        let (command, cancel) = (sh(&bystander, &script), cancel.clone());
        async move { run(command, &WIDE, &cancel, |_| ()).await.unwrap() }
    });
    until("the bystanders are there", || 4 <= alive(&bystander).len()).await;

    let turns: Vec<_> = (0..20)
        .map(|i| {
            let mark = unique();
            let script = format!(
                "(setsid sh -c 'sleep 1000 & sleep 1000 & wait' >&- 2>&- &); sleep 1000 & cat; sleep 0.{i}; exit {i}"
            );
            let mut command = sh(&mark, &script);
            command.stdin = mark.clone().into_bytes();
            let turn = tokio::spawn(finish(command, WIDE));
            (i, mark, turn)
        })
        .collect();
    for (i, mark, turn) in turns {
        let (ended, output) = turn.await.unwrap();
        assert_eq!((ended.how, ended.exit, ended.escaped), (How::Exited, Some(ChildExit::Code(i)), 0));
        assert_eq!(output, mark.as_bytes(), "turn {i}");
        assert!(1 <= ended.leftovers);
        assert_nobody(&mark);
    }

    assert!(4 <= alive(&bystander).len(), "a bystander was harmed");
    assert!(!watched.is_finished());
    cancel.cancel();
    let ended = watched.await.unwrap();
    assert_eq!((ended.how, ended.exit), (How::Cancelled, Some(ChildExit::Signal(15))));
    assert_nobody(&bystander);
}

#[tokio::test]
async fn other_children_of_ours_are_left_alone() {
    let mark = unique();
    // One that leads a group and is on the roster, one in our own group that nobody knows of.
    let mut command = tokio::process::Command::new("sleep");
    let (mut agent, kept) = spawn_kept(command.arg(format!("1000.{mark}")).process_group(0)).unwrap();
    let mut helper = std::process::Command::new("sleep").arg(format!("1000.{mark}")).spawn().unwrap();
    let mut done = std::process::Command::new("sh").args(["-c", "exit 3"]).spawn().unwrap();
    let begun = finish(sh(&unique(), "setsid sleep 1000 & sleep 0.1"), WIDE).await.0;
    assert_eq!(begun.leftovers, 1);
    assert_eq!(alive(&mark).len(), 2);
    assert_eq!(done.wait().unwrap().code(), Some(3), "somebody else reaped our child");
    helper.kill().unwrap();
    helper.wait().unwrap();
    agent.kill().await.unwrap();
    drop(kept);
}

#[tokio::test]
async fn a_dropped_turn_cleans_up_too() {
    let mark = unique();
    let script = "trap '' TERM; setsid sleep 1000 & sleep 1000 & wait";
    let (cancel, command) = (CancellationToken::new(), sh(&mark, script));
    {
        let turn = run(command, &WIDE, &cancel, |_| ());
        tokio::pin!(turn);
        tokio::select! {
            _ = &mut turn => panic!("it should run for ever"),
            () = until("all are there", || 3 <= alive(&mark).len()) => {}
        }
    }
    until("all are gone", || alive(&mark).is_empty()).await;
}

#[test]
fn a_turn_whose_runtime_ends_cleans_up_too() {
    let mark = unique();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.spawn(finish(sh(&mark, "setsid sleep 1000 & sleep 1000 & wait"), WIDE));
    runtime.block_on(until("all are there", || 3 <= alive(&mark).len()));
    drop(runtime);
    tokio::runtime::Runtime::new().unwrap().block_on(until("all are gone", || alive(&mark).is_empty()));
}

#[tokio::test]
async fn exits_are_told_as_they_are() {
    for (script, exit) in [
        ("exit 0", ChildExit::Code(0)),
        ("exit 3", ChildExit::Code(3)),
        ("exit 255", ChildExit::Code(255)),
        ("kill -KILL $$", ChildExit::Signal(9)),
        ("kill -TERM $$", ChildExit::Signal(15)),
    ] {
        let (ended, _) = finish(sh(&unique(), script), WIDE).await;
        assert_eq!((ended.how, ended.exit, ended.leftovers), (How::Exited, Some(exit), 0), "{script}");
    }
}

#[tokio::test]
async fn environment_and_directory_are_the_commands_own() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path().canonicalize().unwrap();
    let mark = unique();
    let mut command = sh(&mark, "pwd; /usr/bin/env; echo $0");
    command.cwd = Some(here.clone());
    let (_, output) = finish(command, WIDE).await;
    let output = String::from_utf8(output).unwrap();
    let mut lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.remove(0), here.to_str().unwrap());
    assert_eq!(lines.pop(), Some("sh"), "the program sees the name it was called by");
    lines.retain(|line| !line.starts_with("PWD=") && !line.starts_with("_=")); // the shell's own
    lines.sort_unstable();
    assert_eq!(lines, ["PATH=/usr/bin:/bin", &format!("TRIBUNAL_TURN={mark}")]);
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str, mode: u32| -> OsString {
        let path = dir.path().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path.into()
    };
    let plain = file("plain", "#!/bin/sh\n", 0o644);
    let orphaned = file("orphaned", "#!/no/such/interpreter\n", 0o755);
    let start = |program: OsString, args: Vec<OsString>, cwd: &str| {
        let mut command = sh(&unique(), "");
        (command.program, command.args) = (program, args);
        command.cwd = Some(cwd.into());
        async move { run(command, &WIDE, &CancellationToken::new(), |_| ()).await.unwrap_err() }
    };
    let long = vec!["x".repeat(4 << 20).into()];

    for (name, error, message) in [
        ("not on PATH", start("no-such-agent".into(), vec![], "/").await, "no program `no-such-agent` on PATH"),
        ("no such path", start("./no-such-agent".into(), vec![], "/").await, "no program `./no-such-agent`"),
        ("no name", start("".into(), vec![], "/").await, "no program `` on PATH"),
        ("not executable", start(plain, vec![], "/").await, "plain` cannot be executed: Permission denied"),
        ("no interpreter", start(orphaned, vec![], "/").await, "orphaned` cannot be executed: No such file"),
        ("a directory", start("/usr".into(), vec![], "/").await, "`/usr` cannot be executed: Permission denied"),
        ("no directory", start("sh".into(), vec![], "/no/where").await, "`sh` cannot start in `/no/where`: No such"),
        ("not a directory", start("sh".into(), vec![], "/etc/passwd").await, "cannot start in `/etc/passwd`: Not a"),
        ("too long", start("sh".into(), long, "/").await, "arguments or the environment of `sh` are longer"),
    ] {
        assert!(error.to_string().contains(message), "{name}: {error}");
        assert!(!error.hint().is_empty(), "{name}");
        let is_expected = match &error {
            SpawnError::ProgramMissing { .. } => name.starts_with("no"),
            SpawnError::NotExecutable { .. } => ["not executable", "no interpreter", "a directory"].contains(&name),
            SpawnError::CwdMissing { .. } => name.ends_with("directory"),
            SpawnError::TooLong { .. } => name == "too long",
            SpawnError::Other { .. } => false,
        };
        assert!(is_expected, "{name}: {error:?}");
    }
}

const LEADER: &str = "TRIBUNAL_TEST_LEADER";
const REAPER: &str = "TRIBUNAL_TEST_REAPER";

/// Not a test by itself: the Tribunal that is killed in the next one.
#[test]
fn leader() {
    let Ok(run_mark) = std::env::var(LEADER) else { return };
    let mut command = sh(&unique(), "trap '' TERM; setsid sleep 1000 & (setsid sleep 1000 &); sleep 1000 & wait");
    command.env.push(("TRIBUNAL_RUN".into(), run_mark.into()));
    tokio::runtime::Runtime::new().unwrap().block_on(finish(command, WIDE));
}

#[tokio::test]
async fn leftovers_of_a_killed_leader_are_found_by_their_mark() {
    // The orphans come to this process, not to init. While an older turn lives, no other test's turn takes them for
    // its own.
    let (guard, cancel) = (unique(), CancellationToken::new());
    let shield = tokio::spawn({
        let (command, cancel) = (sh(&guard, "sleep 1000"), cancel.clone());
        async move { run(command, &WIDE, &cancel, |_| ()).await.unwrap() }
    });
    until("the guard is there", || !alive(&guard).is_empty()).await;

    let mark = unique();
    let mark_in_environ = format!("TRIBUNAL_RUN={mark}");
    let mut leader = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "leader", "--nocapture"])
        .env(LEADER, &mark)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until("the leader's turn is there", || 4 <= alive(&mark_in_environ).len()).await;
    leader.kill().unwrap();
    leader.wait().unwrap();
    // A subshell that was about to exit may have been counted before: wait for all four again.
    until("everything the leader started is left behind", || 4 <= alive(&mark_in_environ).len()).await;

    assert_eq!(reap_marked("TRIBUNAL_RUN", &format!("{mark}0"), SHORT).await, 0, "a longer value is another value");
    assert!(4 <= reap_marked("TRIBUNAL_RUN", &mark, SHORT).await);
    assert_nobody(&mark_in_environ);
    assert_eq!(reap_marked("TRIBUNAL_RUN", &mark, SHORT).await, 0);

    assert!(!alive(&guard).is_empty(), "somebody without the mark was harmed");
    cancel.cancel();
    shield.await.unwrap();
}

/// Not a test by itself: runs in the next one, carrying the mark that it looks for.
#[test]
fn reaper() {
    let (Ok(mark), Ok(_)) = (std::env::var("TRIBUNAL_RUN"), std::env::var(REAPER)) else { return };
    tokio::runtime::Runtime::new().unwrap().block_on(reap_marked("TRIBUNAL_RUN", &mark, WIDE.grace));
}

#[tokio::test]
async fn who_reaps_spares_itself_and_its_ancestors() {
    let us = std::env::current_exe().unwrap();
    let script = format!(
        "sleep 1000 & {} --exact reaper >&2 && echo spared; wait $!; echo $?",
        us.to_str().unwrap().replace(' ', "\\ ")
    );
    let mut command = sh(&unique(), &script);
    command.env.push(("TRIBUNAL_RUN".into(), unique().into()));
    command.env.push((REAPER.into(), "1".into()));
    let (ended, output) = finish(command, WIDE).await;
    assert_eq!(String::from_utf8_lossy(&output), "spared\n143\n", "{}", ended.stderr_tail);
}
