//! `tribunal agents doctor`: who can be asked here, and what holds them.

use tribunal_app::doctor::{Checkup, Diagnosis, KnownProgram, diagnose, mechanism, mechanism_name, turns};
use tribunal_app::grading::standing;
use tribunal_app::prices::age_note;
use tribunal_app::{AppError, Exit, Project};
use tribunal_config::AgentKind;
use tribunal_engine::Clock as _;
use tribunal_engine::sandbox::{MechanismTried, Sandbox, Ward};
use tribunal_kernel::Time;

use crate::args::{Doctor, Global};
use crate::commands::print_json;

pub(super) async fn doctor(project: &Project, global: &Global, args: &Doctor) -> Result<Exit, AppError> {
    let diagnosis = Box::pin(diagnose(project, args.ping)).await?;
    let now = project.clock.now();
    if global.json {
        print_json(&diagnosis.object(now));
    } else {
        print(&diagnosis, now);
        if let Some(note) = age_note(project) {
            eprintln!("note: {note}");
        }
    }
    Ok(if diagnosis.is_well() { Exit::Pass } else { Exit::Failed })
}

fn print(diagnosis: &Diagnosis<'_>, now: Time) {
    for agent in &diagnosis.agents {
        print_agent(agent, now);
    }
    println!("known command-line agents:");
    diagnosis.known.iter().for_each(print_known);
    print_sandbox(diagnosis.sandbox);
    println!("tried here:");
    diagnosis.tried.iter().for_each(print_tried);
    let closed: Vec<String> = diagnosis.closed.iter().map(|path| path.display().to_string()).collect();
    let closed = if closed.is_empty() { "no known ones were found".to_owned() } else { closed.join(", ") };
    println!("closed to workers, verifiers and checks, where the sandbox hides: {closed}");
}

fn print_tried(tried: &MechanismTried) {
    let name = mechanism_name(tried.mechanism).split(':').next().unwrap_or_default();
    let seen = match &tried.seen {
        Ok(seen) => seen,
        Err(why) => return println!("  {name}: does not work here: {why}"),
    };
    let join = |told: Vec<String>| if told.is_empty() { "nothing".to_owned() } else { told.join("; ") };
    let held = seen.iter().filter(|(_, held)| *held).map(|(ward, _)| ward.to_string()).collect();
    let missed = seen.iter().filter(|(_, held)| !held).map(|(ward, _)| ward.as_hole().to_owned()).collect();
    println!("  {name}: holds: {}", join(held));
    println!("  {name}: does not hold: {}", join(missed));
}

fn print_agent(checkup: &Checkup, now: Time) {
    let well = if checkup.agent.kind == AgentKind::Http { "can be asked" } else { "can be started" };
    let mut told = vec![checkup.problem.clone().unwrap_or_else(|| well.into())];
    told.extend(checkup.version.as_deref().map(|version| format!("version {version}")));
    told.extend(checkup.login.as_ref().filter(|login| login.is_found()).map(ToString::to_string));
    println!("{} ({}): {}", checkup.name, checkup.agent.kind, told.join(", "));
    for warning in &checkup.warnings {
        println!("  warning: {warning}");
    }
    if let Some(ping) = &checkup.ping {
        println!("  ping: {ping}");
    }
    if checkup.grade.is_some() {
        println!("  grade: {}", standing(checkup.grade.as_ref(), now));
    }
    if let Some(rate) = &checkup.rate {
        println!("  as a judge: {rate}");
    }
}

fn print_known(known: &KnownProgram) {
    let KnownProgram { vendor, path, version, login } = known;
    let Some(path) = path else {
        println!("  {vendor}: not installed: {}", vendor.installation());
        return;
    };
    let said = version.as_deref().map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
    let hint = if login.is_found() { String::new() } else { format!(": {}", vendor.login()) };
    println!("  {vendor}: {}, {said}, {login}{hint}", path.display());
    if let Some(old) = known.too_old() {
        println!("    warning: {old}");
    }
}

fn print_sandbox(sandbox: &Sandbox) {
    println!("turns: {}", turns(sandbox));
    println!("sandbox: {}", mechanism(sandbox));
    for what in sandbox.covers() {
        println!("  holds: {what}");
    }
    for what in sandbox.holes().into_iter().map(Ward::as_hole) {
        println!("  does not hold: {what}");
    }
    for note in sandbox.notes() {
        println!("  note: {note}");
    }
}
