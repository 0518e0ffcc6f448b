//! One run that is killed several times, and what must hold then.

use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tribunal_testkit::dice::Dice;

use super::leader::Leader;
use super::moment::{self, Moment};
use super::scene::{Belongings, Kind, Scene};

/// A leader that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// What is killed with its leader is gone after this, or not at all.
const AFTER: Duration = Duration::from_secs(20);
/// Kills of one campaign.
const MOST_KILLS: u32 = 9;

/// A kind of run, and the program that is killed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial<'t> {
    pub(super) tribunal: &'t Path,
    pub(super) kind: Kind<'t>,
    pub(super) is_kept: bool,
    pub(super) is_verbose: bool,
}

/// What one came to.
#[derive(Debug, PartialEq, Eq)]
struct Came {
    work: Option<String>,
    commits: usize,
    answered: Vec<(String, u64)>,
    end: Option<String>,
}

/// How it goes when nobody is killed.
#[derive(Debug)]
pub(super) struct Reference {
    came: Came,
    took: Duration,
}

/// What was seen of a campaign.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) kills: u64,
    /// Turns that were in flight and had to be begun again.
    pub(super) repeated: u64,
    pub(super) troubles: Vec<String>,
}

/// A turn of an agent: its seat, its round and its number.
type Call = (String, u64, u64);

impl Trial<'_> {
    /// A run that nobody kills.
    pub(super) fn undisturbed(&self) -> Result<Reference> {
        let scene = Scene::new(&self.kind)?;
        let before = scene.belongings()?;
        let begun = Instant::now();
        let output = scene.tribunal(self.tribunal, self.kind.play.start).output()?;
        let took = begun.elapsed();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.code() == Some(0), "the run that nobody kills: {}: {said}", output.status);
        let came = came(&scene)?;
        let mut troubles = Vec::new();
        self.look_around(&scene, &before, &mut troubles)?;
        ensure!(troubles.is_empty(), "the run that nobody kills: {}", troubles.join("; "));
        let (calls, expected) = (begun_calls(&scene), self.kind.play.calls);
        ensure!(calls.len() == expected, "the agents are called {expected} times: {calls:?}");
        Ok(Reference { came, took })
    }

    /// A run that is killed, at most so often.
    pub(super) fn killed(&self, reference: &Reference, dice: &mut Dice, most: u64) -> Result<Seen> {
        let mut scene = Scene::new(&self.kind)?;
        let before = scene.belongings()?;
        let mut seen = Seen::default();
        let wanted = u64::from(2 + dice.below(MOST_KILLS - 1)).min(most);
        let mut is_ended = false;
        while seen.kills < wanted && !is_ended {
            let moment = Moment::thrown(dice, self.kind.play, reference.took);
            is_ended = !self.kill_at(&moment, &scene, &mut seen)?;
        }
        let calls = begun_calls(&scene).len();
        let begun = Instant::now();
        let mut leader = Leader::start(self.tribunal, &scene, self.kind)?;
        loop {
            match leader.ended(&scene)? {
                Some(end) => {
                    seen.troubles.extend(end.trouble.map(|trouble| format!("the last leader {trouble}")));
                    break;
                }
                None if PATIENCE < begun.elapsed() => {
                    leader.kill()?;
                    seen.troubles.push("the last leader never ended".into());
                    break;
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
        if is_ended && begun_calls(&scene).len() != calls {
            seen.troubles.push("agents were called after the end".into());
        }
        match came(&scene) {
            Ok(came) if came == reference.came => {}
            Ok(came) => seen.troubles.push(format!("it came to {came:?} instead of {:?}", reference.came)),
            Err(error) => seen.troubles.push(format!("{error:#}")),
        }
        let all = begun_calls(&scene);
        let distinct: BTreeSet<&Call> = all.iter().collect();
        seen.repeated = (all.len() - distinct.len()) as u64;
        // A kill repeats the turns that it hit, and no others.
        if seen.kills * self.kind.play.at_once < seen.repeated {
            seen.troubles.push(format!("{} turns were repeated by {} kills", seen.repeated, seen.kills));
        }
        self.look_around(&scene, &before, &mut seen.troubles)?;
        if self.is_kept && !seen.troubles.is_empty() {
            scene.keep();
            println!("kept in {}", scene.root().display());
        }
        Ok(seen)
    }

    /// Starts a leader and kills it; `false` if it came to its end before.
    fn kill_at(&self, moment: &Moment, scene: &Scene, seen: &mut Seen) -> Result<bool> {
        let (finished, calls) = (finished(scene)?, begun_calls(scene).len());
        let mut leader = Leader::start(self.tribunal, scene, self.kind)?;
        let begun = Instant::now();
        let mut ended = None;
        let is_there = moment::wait(moment, scene, || {
            ended = leader.ended(scene).ok().flatten();
            ended.is_some() || PATIENCE < begun.elapsed()
        });
        if is_there {
            leader.kill()?;
            seen.kills += 1;
        } else if ended.is_none() {
            leader.kill()?;
            seen.troubles.push(format!("a leader hung while we waited for {moment:?}"));
        }
        // What was finished before this leader began is not begun again by it.
        for call in begun_calls(scene).into_iter().skip(calls).filter(|call| finished.contains(call)) {
            seen.troubles.push(format!("a finished turn was repeated: {call:?}"));
        }
        if self.is_verbose {
            println!("{}: {moment:?}, killed: {is_there}, calls: {}", self.kind, begun_calls(scene).len());
        }
        if let Some(trouble) = ended.and_then(|end| end.trouble) {
            seen.troubles.push(format!("a leader that nobody killed {trouble}"));
        }
        let is_complete = scene.project().join(".tribunal/desk/memos/calc-complete.md").exists();
        if is_complete && scene.end()?.is_none() {
            seen.troubles.push("a sentinel says complete, and the log does not".into());
        }
        Ok(is_there)
    }

    /// Whether the log verifies, nothing is left behind, and what is the user's is as it was.
    fn look_around(&self, scene: &Scene, before: &Belongings, troubles: &mut Vec<String>) -> Result<()> {
        let verified = scene.tribunal(self.tribunal, &["verify"]).output()?;
        if !verified.status.success() {
            troubles.push(format!("the log does not verify: {}", String::from_utf8_lossy(&verified.stderr).trim()));
        }
        let begun = Instant::now();
        while !processes(scene).is_empty() && begun.elapsed() < AFTER {
            std::thread::sleep(Duration::from_millis(20));
        }
        troubles.extend(processes(scene).into_iter().map(|process| format!("a process is left: {process}")));
        troubles.extend(scene.left().iter().map(|path| format!("this is left: {}", path.display())));
        let after = scene.belongings()?;
        for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            if before.get(name) != after.get(name) {
                troubles.push(format!("it is the user's and is not as it was: {name}"));
            }
        }
        Ok(())
    }
}

fn came(scene: &Scene) -> Result<Came> {
    let (work, commits) = (scene.work()?, scene.commits()?);
    let mut answered: Vec<_> = answered(scene)?.into_values().map(|(seat, round, _)| (seat, round)).collect();
    answered.sort();
    Ok(Came { work, commits, answered, end: scene.end()? })
}

/// Turns that the agents were called for, in order.
fn begun_calls(scene: &Scene) -> Vec<Call> {
    let text = fs::read_to_string(scene.calls()).unwrap_or_default();
    let call = |line: &str| {
        let mut words = line.split(' ');
        let seat = words.next().filter(|word| *word == "begin").and_then(|_| words.next())?;
        let mut number = || words.next()?.parse().ok();
        Some((seat.to_owned(), number()?, number()?))
    };
    text.lines().filter_map(call).collect()
}

/// Turns of agents that are finished: in the log, or in a commit that names them.
fn finished(scene: &Scene) -> Result<BTreeSet<Call>> {
    let mut finished: BTreeSet<Call> = answered(scene)?.into_values().collect();
    let message = scene.last_message();
    let turn = message.lines().find_map(|line| line.strip_prefix("Tribunal-Turn: ")?.trim().parse::<u64>().ok());
    if let Some(turn) = turn {
        finished.extend(turns(scene, "turn_started")?.get(&turn).cloned());
    }
    Ok(finished)
}

/// Turns that were answered, each with who it was.
fn answered(scene: &Scene) -> Result<BTreeMap<u64, Call>> {
    let started = turns(scene, "turn_started")?;
    let mut answered = BTreeMap::new();
    for event in scene.events("turn_answered")? {
        let turn = event["turn"].as_u64().context("an answer is of a turn")?;
        let call = started.get(&turn).context("an answer is of a turn that was started")?;
        ensure!(answered.insert(turn, call.clone()).is_none(), "turn {turn} was answered twice");
    }
    Ok(answered)
}

fn turns(scene: &Scene, kind: &str) -> Result<BTreeMap<u64, Call>> {
    let events = scene.events(kind)?;
    let turn = |event: &serde_json::Value| {
        let number = event["turn"].as_u64()?;
        Some((number, (event["seat"].as_str()?.to_owned(), event["round"].as_u64()?, number)))
    };
    Ok(events.iter().filter_map(turn).collect())
}

/// Processes that have something to do with the campaign.
fn processes(scene: &Scene) -> Vec<String> {
    let root = scene.root().display().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let path = entry.path();
        let is_process = entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
        if !is_process || entry.file_name().to_string_lossy() == std::process::id().to_string() {
            continue;
        }
        let read =
            |name: &str| String::from_utf8_lossy(&fs::read(path.join(name)).unwrap_or_default()).replace('\0', " ");
        if read("cmdline").contains(&root) || read("environ").contains(&root) {
            found.push(format!("{}: {}", entry.file_name().to_string_lossy(), read("cmdline").trim()));
        }
    }
    found
}
