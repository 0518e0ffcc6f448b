//! `tribunal fork`: the same trial once more with one thing changed, from a round on; only what differs is paid.

use serde_json::json;
use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use tribunal_app::error::AppError;
use tribunal_app::exit::Exit;
use tribunal_app::fork::{Comparison, ForkRequest, changes, differences};
use tribunal_app::project::Project;
use tribunal_app::{drive, summary};
use tribunal_kernel::Round;

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn fork(project: &Project, global: &Global, args: &args::Fork) -> Result<Exit, AppError> {
    let request = ForkRequest { run: args.run.clone(), from: Round(args.from_round), seats: args.seats.clone() };
    let forking = request.prepare(project, &global.at()).await?;
    let (old, from, kept) = (&forking.old, forking.from, forking.kept);
    let price = format!(
        "{kept} answers of run {} are reused; from round {from} {}; at most {}",
        old.spec().run,
        forking.quote.told(),
        forking.estimate.told()
    );
    if args.dry_run {
        if global.json {
            print_json(&json!({
                "of": old.spec().run, "from_round": from, "stand": kept, "estimate": forking.estimate.object(),
                "likely": forking.quote.likely, "least": forking.quote.least, "free": forking.quote.is_free,
                "changed": differences(old.spec(), &forking.spec),
            }));
        } else {
            println!("{price}");
            for line in changes(old.spec(), &forking.spec) {
                println!("  {line}");
            }
        }
        return Ok(Exit::Pass);
    }
    project.console.say(&price);
    if !forking.quote.is_free && !args.yes && !asked(global)? {
        project.console.say("nothing was started");
        return Ok(Exit::NotPassed);
    }
    let runs = drive::drive(project, vec![forking.open(project).await?]).await?;
    let [new] = runs.as_slice() else {
        return Err(AppError::environment(format!("run {} is gone", forking.spec.run), None));
    };
    let comparison = Comparison::of(old, new);
    if global.json {
        let mut object = summary::result(project, new);
        object["fork"] = comparison.object();
        print_json(&object);
    } else {
        print!("{}", told(&comparison));
    }
    Ok(Exit::of([new]))
}

/// Whether a person who was asked agrees to pay. Nobody can be asked without a terminal.
fn asked(global: &Global) -> Result<bool, AppError> {
    if global.json || !io::stdin().is_terminal() {
        return Err(AppError::invalid(
            "nothing was started: this fork costs money, or may, and there is no terminal to ask in",
            "`--yes` starts it; `--dry-run` shows its price",
        ));
    }
    eprint!("start it? [y/N] ");
    let cannot = |error: io::Error| AppError::environment(format!("cannot ask: {error}"), Some("use `--yes`".into()));
    io::stderr().flush().map_err(cannot)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(cannot)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn told(comparison: &Comparison<'_>) -> String {
    let mut text = format!("{} compared with {}\n", comparison.new.spec().run, comparison.old.spec().run);
    for line in changes(comparison.old.spec(), comparison.new.spec()) {
        let _ = writeln!(text, "  {line}");
    }
    for (round, was, is) in comparison.rounds() {
        let none = || "was not played".to_owned();
        if was == is {
            let _ = writeln!(text, "round {round}: as before, {}", is.unwrap_or_else(none));
        } else {
            let _ = writeln!(text, "round {round}: {}; before: {}", is.unwrap_or_else(none), was.unwrap_or_else(none));
        }
    }
    let [was, is] = comparison.outcomes();
    let flip = if was == is { "as before".to_owned() } else { format!("before: {was}") };
    let _ = writeln!(text, "outcome: {is}, {flip}");
    let (calls, copied) = comparison.calls();
    let made = calls - copied;
    let [before, after] = [comparison.old, comparison.new].map(|run| run.budget().spent);
    let _ = writeln!(
        text,
        "spent: {} tokens, {} for {}, {copied} more were answered already; before: {} tokens, {}",
        after.tokens,
        after.usd,
        if made == 1 { "1 call".to_owned() } else { format!("{made} calls") },
        before.tokens,
        before.usd
    );
    text
}
