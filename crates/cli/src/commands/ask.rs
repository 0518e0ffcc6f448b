//! `tribunal ask`: a question for a seat of a run. The trial does not notice.

use serde_json::json;
use tribunal_kernel::{LoopKind, SeatName, consult};

use super::print_json;
use crate::args::{self, Global};
use crate::consult::Consultant;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;

pub(super) async fn ask(project: &Project, global: &Global, args: &args::Ask) -> Result<Exit, Failure> {
    let text = args.text.trim();
    if text.is_empty() {
        return Err(Failure::usage("there is nothing to ask", "tribunal ask skeptic \"What bothers you most?\""));
    }
    let run = project.read(project.find(args.run.as_deref()).await?).await?;
    let spec = run.spec();
    if spec.kind() == LoopKind::Desk {
        // Outside of its place nothing would keep it from working on the user's files.
        return Err(Failure::usage(
            format!("run {} is a desk: its seats work on files, in places of their own", spec.run),
            format!("`tribunal desk logs {}` shows what they were told and what was seen", spec.subject()),
        ));
    }
    let seat = SeatName::new(&args.seat);
    let Some(binding) = spec.seats.get(&seat) else {
        let seats: Vec<&str> = spec.seats.keys().map(SeatName::as_str).collect();
        return Err(Failure::usage(
            format!("run {} has no seat `{seat}`", spec.run),
            format!("it has {}", seats.join(", ")),
        ));
    };
    let who = Consultant::new(project, seat.clone(), binding.clone(), spec.kind(), "ask");
    let answer = who.ask(consult::question(&run, &seat, text), |answer| Ok(answer.trim().to_owned())).await?;
    if global.json {
        print_json(&json!({ "run": spec.run, "seat": seat, "agent": binding.agent, "answer": answer }));
    } else {
        println!("{answer}");
    }
    Ok(Exit::Pass)
}
