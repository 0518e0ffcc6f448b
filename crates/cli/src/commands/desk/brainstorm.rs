//! `tribunal desk brainstorm`: from a wish to a plan, by questions.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use tribunal_app::desk::{self, CommandAnswer, PlanAnswers, StoryAnswer};
use tribunal_app::loops::desk::is_slug;
use tribunal_app::{AppError, Exit, Project};

use super::init;
use crate::args::{self, Global};

pub(super) async fn brainstorm(project: &Project, global: &Global, args: &args::Brainstorm) -> Result<Exit, AppError> {
    if let Some(file) = &args.answers {
        let path = global.dir.clone().unwrap_or_default().join(file);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            AppError::invalid(format!("cannot read {}: {error}", path.display()), "`--answers FILE` takes a TOML file")
        })?;
        let answers = PlanAnswers::read(&text, &path.display().to_string())?;
        return init::write(project, global, &answers);
    }
    let mut answers = PlanAnswers::guess(&args.wish, &project.workspace());
    if let Some(seat) = &args.ask {
        answers = desk::propose(project, seat, &args.wish, &answers).await?;
    }
    if !std::io::stdin().is_terminal() {
        // Nobody to ask: what would be asked is printed, to be edited and given back.
        let text = toml::to_string_pretty(&answers).expect("answers are plain TOML");
        crate::out::data(&text);
        eprintln!("hint: save this, edit it, and pass it to `tribunal desk brainstorm --answers FILE`");
        return Ok(Exit::Pass);
    }
    let answers = ask_all(&answers)?;
    answers.check("your answers")?;
    let text = toml::to_string_pretty(&answers).expect("answers are plain TOML");
    eprintln!("\n{text}");
    if !ask("Write these files?", "yes")?.to_lowercase().starts_with('y') {
        eprintln!("note: nothing was written; save the text above and pass it with `--answers FILE`");
        return Ok(Exit::Pass);
    }
    init::write(project, global, &answers)
}

/// Every question, with what is known as the default: Enter takes it.
fn ask_all(guess: &PlanAnswers) -> Result<PlanAnswers, AppError> {
    let mut slug = ask("Slug", &guess.slug)?;
    while !is_slug(&slug) {
        eprintln!("use letters, digits, `-` and `_`");
        slug = ask("Slug", &guess.slug)?;
    }
    let objective = ask("Objective", &guess.objective)?;
    eprintln!("User stories, one per line, in order; finish with an empty line.");
    let known: Vec<String> = guess.stories.iter().map(|story| story.title.clone()).collect();
    let mut stories = Vec::new();
    for title in ask_list("Story", &known)? {
        eprintln!("What must be true of \"{title}\"? One criterion per line; finish with an empty line.");
        let known = guess.stories.iter().find(|story| story.title == title);
        let known = known.map_or_else(|| vec![format!("{title}: it works")], |story| story.criteria.clone());
        stories.push(StoryAnswer { criteria: ask_list("Criterion", &known)?, title });
    }
    let known = if guess.constraints.is_empty() { "-".to_owned() } else { guess.constraints.join("; ") };
    let constraints = ask("Technical constraints, separated by `;` (- for none)", &known)?;
    let constraints = constraints.split(';').map(|text| text.trim().to_owned());
    let constraints = constraints.filter(|text| !text.is_empty() && text != "-").collect();
    let iteration_unit = ask("One iteration does", &guess.iteration_unit)?;
    let mut commands = Vec::new();
    for purpose in ["Build", "Test", "Lint"] {
        let known = guess.commands.iter().find(|command| command.purpose == purpose);
        let line = ask(&format!("{purpose} command (- for none)"), known.map_or("-", |command| &command.line))?;
        if line != "-" {
            commands.push(CommandAnswer { purpose: purpose.into(), line });
        }
    }
    let model = |text: String| Some(text).filter(|text| text != "-");
    let worker_model = model(ask("Worker's model (- for the ladder)", guess.worker_model.as_deref().unwrap_or("-"))?);
    let verifier_model =
        model(ask("Verifier's model (- for the ladder)", guess.verifier_model.as_deref().unwrap_or("-"))?);
    let most = guess.max_iter.map_or_else(|| "-".to_owned(), |most| most.to_string());
    let max_iter = ask("Most iterations (- for the default)", &most)?.parse().ok();
    Ok(PlanAnswers {
        slug,
        objective,
        iteration_unit,
        worker_model,
        verifier_model,
        max_iter,
        constraints,
        stories,
        commands,
    })
}

pub(super) fn ask(question: &str, default: &str) -> Result<String, AppError> {
    eprint!("{question} [{default}]: ");
    let line = line()?;
    Ok(if line.is_empty() { default.to_owned() } else { line })
}

/// Lines until an empty one; an empty first one takes what is known.
fn ask_list(question: &str, known: &[String]) -> Result<Vec<String>, AppError> {
    let mut lines = Vec::new();
    loop {
        let hint = known.get(lines.len()).map(|known| format!(" [{known}]")).unwrap_or_default();
        eprint!("{question} {}{hint}: ", lines.len() + 1);
        match (line()?, known.get(lines.len())) {
            (line, Some(default)) if line.is_empty() => lines.push(default.clone()),
            (line, None) if line.is_empty() && !lines.is_empty() => return Ok(lines),
            (line, _) if line.is_empty() => eprintln!("at least one is needed"),
            (line, _) => lines.push(line),
        }
    }
}

fn line() -> Result<String, AppError> {
    let _ = std::io::stderr().flush();
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line) {
        Ok(0) => Err(AppError::invalid("the input ended too early", "pass the answers in a file: `--answers FILE`")),
        Ok(_) => Ok(line.trim().to_owned()),
        Err(error) => Err(AppError::environment(format!("cannot read the answer: {error}"), None)),
    }
}
