//! `tribunal answer`: what a person says in their seat. Checked before it is accepted; then the run goes on.

use serde_json::json;
use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tribunal_kernel::{Run, Turn, TurnId};

use super::print_json;
use super::run::{Reported, report};
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening::take_up;
use crate::person::{People, Question, ask, form, named};
use crate::progress::Screen;
use crate::project::Project;
use crate::trial;

/// How long whoever drives the run may take to see the answer.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(super) async fn answer(project: &Project, global: &Global, args: &args::Answer) -> Result<Exit, Failure> {
    let people = People::of(project.config());
    let run = Arc::new(find(project, &people, args.run.as_deref()).await?);
    let screen = Screen::new(global.verbose, global.json);
    let can_ask = args.file.is_none() && screen.can_ask();
    let turn = awaited(project, &people, &run, args.seat.as_deref(), can_ask)?;
    let question = Question::of(project.layout(), &run, turn)?;
    let written = match &args.file {
        _ if can_ask => None,
        Some(file) if file.as_os_str() != "-" => Some(from_file(file)?),
        // Nobody types here: what there is to read is shown instead.
        None if io::stdin().is_terminal() => Some(String::new()),
        Some(_) | None => Some(from_stdin()?),
    };
    let said = match written {
        Some(written) if written.trim().is_empty() && args.file.is_none() => {
            show(global, &question, turn)?;
            return Ok(Exit::NotPassed);
        }
        Some(written) => Some(question.understand(&written).map_err(|why| refused(&question, &written, &why))?),
        None => ask::at_terminal(question.clone()).await?,
    };
    let Some(said) = said else {
        screen.say(&format!("{}: still waiting for the {}", question.title(), turn.seat));
        return Ok(Exit::NotPassed);
    };
    if !question.give(&said)? {
        return Err(Failure::usage(
            format!("somebody has answered for the {} already", turn.seat),
            format!("`tribunal resume {}` goes on, if nobody drives the run", question.run()),
        ));
    }
    go_on(project, global, &screen, &run, turn).await
}

/// The run that somebody named; otherwise the newest one that waits for a person.
async fn find(project: &Project, people: &People, name: Option<&str>) -> Result<Run, Failure> {
    if name.is_some() {
        return project.read(project.find(name).await?).await;
    }
    for spec in project.specs().await? {
        if people.seats(&spec).is_empty() {
            continue;
        }
        let run = project.read(spec.run).await?;
        if !people.open(project.layout(), &run)?.is_empty() {
            return Ok(run);
        }
    }
    Err(Failure::usage("no run waits for a person", "`tribunal status` shows how every run stands"))
}

/// The turn to answer.
fn awaited<'r>(
    project: &Project,
    people: &People,
    run: &'r Run,
    seat: Option<&str>,
    takes_any: bool,
) -> Result<&'r Turn, Failure> {
    let id = run.spec().run;
    let open = people.open(project.layout(), run)?;
    let fitting: Vec<&Turn> =
        open.iter().copied().filter(|turn| seat.is_none_or(|seat| turn.seat.as_str() == seat)).collect();
    match (fitting.as_slice(), seat) {
        ([turn], _) => Ok(turn),
        ([turn, ..], _) if takes_any => Ok(turn),
        ([], Some(seat)) if !open.is_empty() => Err(Failure::usage(
            format!("run {id} does not wait for a person in the seat `{seat}`"),
            format!("it waits for: {}", named(&open)),
        )),
        ([], _) => Err(Failure::usage(
            format!("run {id} waits for no person"),
            format!("`tribunal status {id}` shows how it stands"),
        )),
        (several, _) => Err(Failure::usage(
            format!("run {id} waits for several people: {}", named(several)),
            format!("say for whom: `--seat {}`", several.first().map_or("SEAT", |turn| turn.seat.as_str())),
        )),
    }
}

fn from_file(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display()), "`--file -` reads stdin"))
}

fn from_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().lock().read_to_string(&mut text);
    read.map_err(|error| Failure::usage(format!("cannot read the answer: {error}"), "it has to be text in UTF-8"))?;
    Ok(text)
}

/// Nothing is lost: what was written is there at the next try.
fn refused(question: &Question, written: &str, why: &str) -> Failure {
    let hint = match question.keep(written) {
        Ok(()) => {
            "what you wrote is kept; `tribunal answer` at a terminal opens it again, and shows the form elsewhere"
        }
        Err(_) => "`tribunal answer` without an answer shows the question and the form",
    };
    Failure::usage(format!("the answer does not fit: {why}"), hint)
}

/// Shows what is asked, and what there is to fill in.
fn show(global: &Global, question: &Question, turn: &Turn) -> Result<(), Failure> {
    let blank = question.blank()?;
    if global.json {
        print_json(&json!({
            "run": question.run(), "turn": turn.id, "seat": turn.seat, "round": turn.round,
            "question": question.prompt, "schema": question.form, "form": blank,
        }));
        return Ok(());
    }
    println!("{}", question.prompt);
    if !blank.is_empty() {
        println!("{}\n{blank}", form::SCISSORS.replace("nothing below", "fill in what is below; nothing above"));
    }
    eprintln!("hint: `tribunal answer {} --seat {} --file FILE` takes the answer", question.run(), turn.seat);
    Ok(())
}

/// Drives the run on, unless somebody else does.
async fn go_on(project: &Project, global: &Global, screen: &Screen, run: &Run, turn: &Turn) -> Result<Exit, Failure> {
    let id = run.spec().run;
    let begun = tokio::time::Instant::now();
    loop {
        if let Some(session) = take_up(project, run).await? {
            let runs = trial::drive(project, screen, vec![session]).await?;
            let results: Vec<Reported> = runs.iter().map(|run| Reported::of(project, run)).collect();
            report(global, &results);
            return Ok(Reported::worst(&results));
        }
        // Whoever drives it may be about to leave: then it is ours.
        let is_taken = is_over(&project.read(id).await?, turn.id);
        if is_taken || begun.elapsed() > PATIENCE {
            if global.json {
                print_json(&json!({ "run": id, "turn": turn.id, "seat": turn.seat, "taken": is_taken }));
            } else {
                println!("{}: answered; another process drives run {id} on", turn.seat);
            }
            return Ok(Exit::Pass);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Whether a turn has ended.
fn is_over(run: &Run, turn: TurnId) -> bool {
    !run.in_flight().any(|in_flight| in_flight.id == turn)
}
