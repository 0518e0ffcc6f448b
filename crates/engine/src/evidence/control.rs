//! Controls of plain commands: of these only the exit code is known, so a script that is given and that they start is
//! made to fail. A command that stays green then does not look, or is lied to; which of the two is tried next.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tribunal_kernel::desk::CheckEnd;
use tribunal_kernel::evidence::{
    CanarySong, CommandEvidence, CommandExpectation, ControlMarks, GivenScript, MARKS, Planter, RunSeen, ScriptEnding,
    ScriptLanguage, TreeRole, drawn_for_scripts, given_scripts,
};

use super::collector::EvidenceCollector;
use super::laid_out::LaidOut;
use super::request::{EvidenceError, EvidenceRequest};
use super::trial_run::Beside;
use crate::tree::read_inside;

/// Runs until a script is found that decides, and until each process of its own was made to fail.
const MOST_TRIES: usize = 4;
/// The most that is read of the notes.
const MOST_NOTES: u64 = 1 << 20;
/// Files of the work that a script must not be ended by.
const MOST_CHANGED: usize = 500;

/// One command, with what is known of its scripts.
#[derive(Debug)]
struct Controlled<'a> {
    command: &'a CommandEvidence,
    scripts: Vec<GivenScript>,
    /// Files that the work changed.
    changed: Vec<String>,
    name: String,
    code: u8,
    given: &'a LaidOut,
    base: &'a LaidOut,
}

/// A run with endings of ours, and what was noted in it.
#[derive(Debug)]
struct Tried {
    run: RunSeen,
    marks: ControlMarks,
}

/// The scripts that are made to fail in a run.
#[derive(Debug)]
struct MadeToFail {
    at_end: BTreeSet<usize>,
    /// What the others include, and may be ended by.
    at_exit: BTreeSet<usize>,
}

impl MadeToFail {
    fn plant(&self, script: usize) -> ScriptEnding {
        if self.at_end.contains(&script) {
            ScriptEnding::FailAtEnd
        } else if self.at_exit.contains(&script) {
            ScriptEnding::FailAtExit
        } else {
            ScriptEnding::Note
        }
    }

    /// Whether one of them came to its end.
    fn is_reached(&self, marks: &ControlMarks) -> bool {
        self.at_end.iter().any(|script| marks.is_reached(*script) || !marks.enders(*script).is_empty())
    }
}

impl EvidenceCollector<'_> {
    /// What a plain command says of scripts that must fail; nothing if it starts none that is given.
    pub(super) async fn control(
        &self,
        request: &EvidenceRequest,
        command: &CommandEvidence,
        given: &LaidOut,
        base: &LaidOut,
        base_paths: &[String],
    ) -> Result<Option<CanarySong>, EvidenceError> {
        let is_same = |path: &str| given.text(path).filter(|text| base.text(path).as_ref() == Some(text));
        let mut scripts = given_scripts(&command.command, &given.texts, base_paths, is_same);
        let changes = self.reader.changes(&request.base, &request.head).await?;
        let changed = changes.into_iter().map(|change| change.path).filter(|path| is_same(path).is_none());
        let (name, code) = drawn_for_scripts(request.seed);
        let line = &command.command.line;
        let planter = Planter { folder: "/", name: &name, code, changed: &[] };
        // Of what has no place for an ending nothing can be shown; the others are tried without it.
        let mut refused = None;
        scripts.retain(|script| match planter.plant(0, script.language, &script.text, ScriptEnding::Note) {
            Ok(_) => true,
            Err(why) => {
                if script.is_named {
                    refused = Some(format!("{}: {why}", script.told()));
                }
                false
            }
        });
        match planter.plant_line(0, line, ScriptEnding::Note) {
            Ok(_) => scripts.push(GivenScript {
                path: None,
                language: ScriptLanguage::Shell,
                text: line.clone(),
                is_named: true,
            }),
            Err(why) if why != "it includes no file" => refused = Some(why),
            Err(_) => {}
        }
        if scripts.is_empty() {
            return Ok(refused.map(CanarySong::NotPlaced));
        }
        if matches!(command.command.expects, CommandExpectation::Exit(_) | CommandExpectation::Error(_)) {
            return Ok(Some(CanarySong::NotPlaced("it is expected to fail, and does so for any reason".into())));
        }
        let changed = changed.take(MOST_CHANGED).collect();
        let controlled = Controlled { command, scripts, changed, name, code, given, base };
        self.try_scripts(&controlled).await
    }

    /// Makes the script fail that decides, then those that run in processes of their own.
    async fn try_scripts(&self, of: &Controlled<'_>) -> Result<Option<CanarySong>, EvidenceError> {
        let mut made = MadeToFail { at_end: BTreeSet::from([of.scripts.len() - 1]), at_exit: BTreeSet::new() };
        let mut has_noticed = false;
        let mut failed: BTreeSet<usize> = BTreeSet::new();
        for _ in 0..MOST_TRIES {
            let tried = self.try_plant(of, of.given, |script| made.plant(script)).await?;
            let song = self.hear_scripts(of, &tried, &made).await?;
            if song.as_ref().is_some_and(|song| !has_noticed || matches!(song, CanarySong::False(_))) {
                return Ok(song);
            }
            let marks = &tried.marks;
            let mut next = BTreeSet::new();
            if tried.run.is_green() {
                // Another given script ends before it does, or it was not started.
                let enders: BTreeSet<usize> = made.at_end.iter().flat_map(|script| marks.enders(*script)).collect();
                if !enders.is_subset(&made.at_exit) {
                    made.at_exit.extend(enders);
                    continue;
                }
                if !made.at_end.iter().any(|script| marks.is_started(*script)) {
                    next.extend(marks.started().last());
                }
            } else {
                has_noticed |= made.is_reached(marks);
                failed.extend(&made.at_end);
                let seen: BTreeSet<u64> = failed.iter().flat_map(|script| marks.processes(*script)).collect();
                let is_apart = |script: &usize| marks.processes(*script).is_disjoint(&seen);
                next.extend(marks.started().into_iter().filter(is_apart));
            }
            next.retain(|script| !failed.contains(script));
            if next.is_empty() {
                break;
            }
            made = MadeToFail { at_end: next, at_exit: BTreeSet::new() };
        }
        let is_named = of.scripts.iter().any(|script| script.is_named);
        Ok(if has_noticed {
            Some(CanarySong::True)
        } else {
            is_named.then(|| CanarySong::NotPlaced("no given script of it came to its end".into()))
        })
    }

    /// What one run says against the command. Nothing, if there is nothing to say yet.
    async fn hear_scripts(
        &self,
        of: &Controlled<'_>,
        tried: &Tried,
        made: &MadeToFail,
    ) -> Result<Option<CanarySong>, EvidenceError> {
        if let Some(script) = tried.marks.lied() {
            let why = format!("something false holds in {}", of.scripts[script].told());
            let before = self.try_plant(of, of.base, |_| ScriptEnding::Note).await?;
            return Ok(Some(match before.marks.lied() {
                Some(_) => CanarySong::NotPlaced(format!("at the base it is no better: {why}")),
                None => CanarySong::False(why),
            }));
        }
        if tried.run.is_green() {
            let suspects: BTreeSet<usize> =
                made.at_end.iter().copied().filter(|script| tried.marks.is_started(*script)).collect();
            let is_ended = |script: &usize| !tried.marks.enders(*script).is_empty() && !tried.marks.is_reached(*script);
            if suspects.is_empty() || suspects.iter().all(is_ended) {
                return Ok(None);
            }
            return self.suspect(of, tried, &suspects).await.map(Some);
        }
        if tried.run.ended != CheckEnd::Exited {
            return Ok(Some(CanarySong::NotPlaced(format!("with an ending of ours it is {}", tried.run.told()))));
        }
        // Those that only note their end and did not come to it: made to fail by themselves, is it noticed?
        // Whatever shares its process with the one that failed cannot come to its end.
        let over: BTreeSet<u64> = made.at_end.iter().flat_map(|script| tried.marks.processes(*script)).collect();
        let is_apart = |script: &usize| tried.marks.processes(*script).is_disjoint(&over);
        let is_open = |script: &usize| tried.marks.is_open(*script) && is_apart(script);
        let open: BTreeSet<usize> = tried.marks.started().into_iter().filter(is_open).collect();
        if !open.is_empty() {
            let alone = MadeToFail { at_end: open.clone(), at_exit: BTreeSet::new() };
            let alone = self.try_plant(of, of.given, |script| alone.plant(script)).await?;
            if alone.run.is_green() {
                return self.suspect(of, &alone, &open).await.map(Some);
            }
        }
        if !made.is_reached(&tried.marks) {
            let why = "it is red as soon as its scripts note that they run";
            return Ok(Some(CanarySong::NotPlaced(why.into())));
        }
        Ok(None)
    }

    /// Scripts that were made to fail, and the command is green: whether that is a lie.
    async fn suspect(
        &self,
        of: &Controlled<'_>,
        tried: &Tried,
        suspects: &BTreeSet<usize>,
    ) -> Result<CanarySong, EvidenceError> {
        let told = of.scripts[*suspects.first().expect("there is a suspect")].told();
        let with = |plant: ScriptEnding| {
            move |script: usize| if suspects.contains(&script) { plant } else { ScriptEnding::Note }
        };
        let unseen = |told: &str| CanarySong::NotPlaced(format!("it does not depend on how {told} ends"));
        if suspects.iter().any(|script| tried.marks.is_reached(*script)) {
            // It failed. Somebody makes a good end of that, or nobody looks.
            let was_green = of.command.on(TreeRole::Base).is_some_and(RunSeen::is_green);
            if was_green {
                let before = self.try_plant(of, of.base, with(ScriptEnding::FailAtEnd)).await?;
                if before.run.is_green() {
                    return Ok(CanarySong::NotPlaced(format!("at the base nobody notices how {told} ends, either")));
                }
            }
            let killed = self.try_plant(of, of.given, with(ScriptEnding::DieAtEnd)).await?;
            return Ok(if killed.run.is_green() {
                unseen(&told)
            } else {
                CanarySong::False(format!("{told} was made to fail at its end, and it is green all the same"))
            });
        }
        // It ended somewhere else: in the work, or because somebody put an end to it.
        if suspects.iter().any(|script| of.scripts[*script].may_end_in_work(&of.scripts)) {
            return Ok(CanarySong::NotPlaced(format!("{told} may hand over to the work at its end")));
        }
        let is_gone = |script: &usize| {
            let own = &of.scripts[*script];
            // A command waits for what it names; of others it must be known that they ended, and were not put an end to.
            own.is_named || tried.marks.is_gone(*script) || tried.marks.is_left(*script)
        };
        if !suspects.iter().any(is_gone) {
            return Ok(CanarySong::NotPlaced(format!("{told} does not come to its end by itself")));
        }
        let killed = self.try_plant(of, of.given, with(ScriptEnding::DieAtStart)).await?;
        if killed.run.is_green() {
            return Ok(unseen(&told));
        }
        let before = self.try_plant(of, of.base, with(ScriptEnding::Watch)).await?;
        let ended = |script: &usize| {
            let (marks, text) = (&before.marks, &of.scripts[*script].text);
            let has_failed = text.contains("trap") && marks.is_started(*script) && !before.run.is_green();
            marks.is_reached(*script) || marks.is_left(*script) || has_failed
        };
        Ok(if suspects.iter().any(ended) {
            CanarySong::False(format!("{told} is ended by the work before its last line, and it is green"))
        } else {
            CanarySong::NotPlaced(format!("at the base {told} does not come to its end, either"))
        })
    }

    /// Runs the command with endings of ours.
    async fn try_plant(
        &self,
        of: &Controlled<'_>,
        tree: &LaidOut,
        plant: impl Fn(usize) -> ScriptEnding,
    ) -> Result<Tried, EvidenceError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let notes: PathBuf = self.place.folder.join(format!("notes-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        fs::create_dir_all(&notes).map_err(EvidenceError::io(&notes))?;
        let tried = self.try_in(of, tree, &notes, plant).await;
        for script in &of.scripts {
            if let Some(path) = &script.path {
                tree.write(path, &script.text)?;
            }
        }
        tree.put_back(self.reader).await?;
        let _ = fs::remove_dir_all(&notes); // the whole folder goes at the end
        tried
    }

    async fn try_in(
        &self,
        of: &Controlled<'_>,
        tree: &LaidOut,
        notes: &Path,
        plant: impl Fn(usize) -> ScriptEnding,
    ) -> Result<Tried, EvidenceError> {
        let folder = notes.to_string_lossy();
        let changed: Vec<String> =
            of.changed.iter().map(|path| tree.checkout.path().join(path).to_string_lossy().into_owned()).collect();
        let planter = Planter { folder: &folder, name: &of.name, code: of.code, changed: &changed };
        let mut files = planter.files();
        let mut line = of.command.command.line.clone();
        for (number, script) in of.scripts.iter().enumerate() {
            // What has a place for one ending has a place for each.
            match &script.path {
                None => line = planter.plant_line(number, &line, plant(number)).unwrap_or(line),
                Some(path) => {
                    if let Ok((text, beside)) = planter.plant(number, script.language, &script.text, plant(number)) {
                        files.extend(beside);
                        tree.write(path, &text)?;
                    }
                }
            }
        }
        for (name, text) in files {
            fs::write(notes.join(name), text).map_err(EvidenceError::io(notes))?;
        }
        let beside = Beside { planted: Some((&line, notes)), ..Beside::default() };
        let run = self.run(tree, &of.command.command, beside).await?;
        let noted = read_inside(notes, MARKS, MOST_NOTES).unwrap_or_default();
        Ok(Tried { run, marks: ControlMarks::read(&String::from_utf8_lossy(&noted)) })
    }
}
