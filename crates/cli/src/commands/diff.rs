//! `tribunal diff`: what changed between the drafts of two rounds.

use serde_json::json;
use similar::TextDiff;
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::draft::with_final_newline;
use tribunal_kernel::{Round, Run};

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn diff(project: &Project, global: &Global, args: &args::Diff) -> Result<Exit, AppError> {
    let run = project.read(project.find(args.run.as_deref()).await?).await?;
    let drafted: Vec<Round> =
        run.rounds().iter().map(|state| state.round).filter(|round| run.standing(*round).is_some()).collect();
    let (from, to) = match (args.rounds, drafted.as_slice()) {
        (Some((from, to)), _) => (Round(from), Round(to)),
        (None, [.., from, to]) => (*from, *to),
        (None, _) => {
            return Err(AppError::invalid(
                "there are no two drafts to compare yet",
                "`tribunal status RUN` shows the rounds of a run",
            ));
        }
    };
    let (old, new) = (text(project, &run, from).await?, text(project, &run, to).await?);
    let unified = TextDiff::from_lines(&old, &new)
        .unified_diff()
        .header(&format!("round {from}"), &format!("round {to}"))
        .to_string();
    if global.json {
        print_json(&json!({ "run": run.spec().run, "from": from, "to": to, "diff": unified }));
    } else if unified.is_empty() {
        eprintln!("the drafts of rounds {from} and {to} are the same");
    } else {
        print!("{unified}");
    }
    Ok(Exit::Pass)
}

async fn text(project: &Project, run: &Run, round: Round) -> Result<String, AppError> {
    let draft = run.standing(round).ok_or_else(|| {
        AppError::invalid(format!("round {round} has no draft"), "`tribunal status RUN` shows the rounds of a run")
    })?;
    let text = project.text(draft.content).await.map(|text| with_final_newline(&text).into_owned());
    text.ok_or_else(|| {
        AppError::environment(
            format!("the draft of round {round} is missing"),
            Some("`tribunal verify` shows details".into()),
        )
    })
}
