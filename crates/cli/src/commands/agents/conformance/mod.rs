//! `tribunal agents conformance`: how well agents keep to the protocol of the panel.
//!
//! | file | noun |
//! |---|---|
//! | `templates` | the briefs that are played |
//! | `cycle` | all of them, played once |
//! | `table` | the grades as a page shows them |

mod cycle;
mod table;
mod templates;

/// The names of the briefs.
pub(crate) use templates::NAMES as TEMPLATES;

use serde_json::{Value, json};
use tribunal_app::grading::{graded_seat, standing};
use tribunal_app::seating::bind;
use tribunal_app::{AppError, Exit, Project};
use tribunal_config::{AgentKind, SeatConfig};
use tribunal_engine::Clock as _;
use tribunal_kernel::grade::{Cycle, GradeRecord, Grades};
use tribunal_kernel::theater::PANEL;

use crate::args::{Conformance, Global};
use crate::commands::print_json;
use crate::progress::Screen;
use cycle::Ended;
use templates::Template;

/// An agent that was tried.
struct Tried {
    seat: SeatConfig,
    cycles: Vec<Cycle>,
    /// How it stands afterwards, where the cycles were kept.
    record: Option<GradeRecord>,
    exit: Exit,
    /// Why it was not tried to the end.
    cut_short: Option<String>,
}

pub(super) async fn conformance(project: &Project, global: &Global, args: &Conformance) -> Result<Exit, AppError> {
    if let Some(name) = &args.clear {
        return clear(project, global, name).await;
    }
    if args.table {
        print!("{}", table::table(&project.store.grades().read().await?));
        return Ok(Exit::Pass);
    }
    let screen = Screen::new(global.verbose, global.json);
    let templates: Vec<Template> = match &args.template {
        Some(name) => templates::all().into_iter().filter(|template| template.name == name).collect(),
        None => templates::all(),
    };
    let subjects = subjects(project, &args.names)?;
    let calls = templates.len() * subjects.len() * args.cycles as usize;
    screen.say(&format!(
        "{calls} trials with one call each, and one more if a panel cannot be parsed; real agents cost money"
    ));
    let mut tried = Vec::new();
    for seat in subjects {
        tried.push(try_out(project, global, &screen, seat, &templates, args.cycles).await?);
        if tried.last().is_some_and(|tried| tried.exit == Exit::Interrupted) {
            break;
        }
    }
    let exit = tried.iter().map(|tried| tried.exit).max().unwrap_or(Exit::Pass);
    let now = project.clock.now();
    if global.json {
        let agents: Vec<Value> = tried.iter().map(|tried| tried.as_json(now)).collect();
        print_json(&json!({ "agents": agents, "exit": exit.code() }));
    } else {
        for tried in &tried {
            tried.print(now);
        }
    }
    Ok(exit)
}

/// Lets an agent play; cycles in which nothing is left out are kept.
async fn try_out(
    project: &Project,
    global: &Global,
    screen: &Screen,
    seat: SeatConfig,
    templates: &[Template],
    cycles: u32,
) -> Result<Tried, AppError> {
    let mut tried = Tried { cycles: vec![], record: None, exit: Exit::Pass, cut_short: None, seat };
    for number in 1..=cycles {
        let name = format!("{} (cycle {number} of {cycles})", tried.seat.agent);
        let tell = |text: &str| screen.say(&format!("{name}: {text}"));
        match cycle::play(project, global, &tried.seat, templates, &tell).await? {
            Ended::Whole(cycle) => {
                tried.exit = if cycle.passes() { Exit::Pass } else { Exit::NotPassed };
                if templates.len() == templates::NAMES.len() {
                    let (seat, kept) = (&tried.seat, &mut tried.record);
                    let change = |grades: &mut Grades| {
                        let record = grades.entry(&seat.agent, seat.model.as_deref());
                        record.take(cycle.clone());
                        *kept = Some(record.clone());
                    };
                    project.store.grades().change(Box::new(change)).await?;
                }
                tried.cycles.push(cycle);
            }
            Ended::Interrupted => {
                (tried.exit, tried.cut_short) =
                    (Exit::Interrupted, Some("interrupted: this cycle does not count".into()));
                break;
            }
            Ended::Unavailable(why) => {
                (tried.exit, tried.cut_short) = (Exit::Failed, Some(format!("{why}; this cycle does not count")));
                break;
            }
        }
    }
    Ok(tried)
}

/// Who is tried. The house cannot speak for a panel, and is not asked unless it is named.
fn subjects(project: &Project, names: &[String]) -> Result<Vec<SeatConfig>, AppError> {
    let config = project.config();
    let names: Vec<&String> = if names.is_empty() {
        let speaks = |kind: AgentKind| !matches!(kind, AgentKind::House | AgentKind::Human);
        config.agents.iter().filter(|(_, agent)| speaks(agent.kind)).map(|(name, _)| name).collect()
    } else {
        names.iter().collect()
    };
    if names.is_empty() {
        return Err(AppError::invalid("there is no agent to grade", "define one in tribunal.toml: `[agents.NAME]`"));
    }
    let mut subjects = Vec::new();
    for name in names {
        bind(config, PANEL, name)?; // refused before anything is paid
        if config.agents.get(name).is_some_and(|agent| agent.kind == AgentKind::House) {
            return Err(AppError::invalid(
                format!("agent `{name}` is the house, which measures and cannot play a panel"),
                "choose an agent of another kind",
            ));
        }
        subjects.push(graded_seat(config, name));
    }
    Ok(subjects)
}

/// A person vouches for an agent.
async fn clear(project: &Project, global: &Global, name: &str) -> Result<Exit, AppError> {
    let now = project.clock.now();
    let is_known = |grades: &Grades| grades.records.iter().any(|record| record.agent == name);
    if !is_known(&project.store.grades().read().await?) {
        return Err(AppError::invalid(
            format!("agent `{name}` was never graded"),
            "`tribunal agents conformance --table` lists the graded agents",
        ));
    }
    let mut cleared = 0;
    let change = |grades: &mut Grades| {
        let records = grades.records.iter_mut().filter(|record| record.agent == name);
        cleared = records.map(|record| record.clear(now)).filter(|was_marked| *was_marked).count();
    };
    project.store.grades().change(Box::new(change)).await?;
    if global.json {
        print_json(&json!({ "agent": name, "cleared": cleared > 0 }));
    } else if cleared > 0 {
        println!("{name}: mark cleared");
    } else {
        println!("{name}: not marked");
    }
    Ok(Exit::Pass)
}

impl Tried {
    fn print(&self, now: tribunal_kernel::Time) {
        let model = self.seat.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
        let name = format!("{}{model}", self.seat.agent);
        for cycle in &self.cycles {
            let word = if cycle.passes() { "passes" } else { "below the bars" };
            println!("{name}: {word}: {}", cycle.count());
            for played in cycle.played.iter().filter(|played| !played.is_clean()) {
                println!("  {}: {played}", played.template);
            }
        }
        if let Some(mark) = self.record.as_ref().and_then(|record| record.mark_at(now)) {
            println!("{mark}");
        }
        if let Some(why) = &self.cut_short {
            println!("{name}: {why}");
        }
        if self.record.is_none() && !self.cycles.is_empty() {
            eprintln!("note: only a cycle with every template counts; this result is not saved");
        }
    }

    fn as_json(&self, now: tribunal_kernel::Time) -> Value {
        let cycles: Vec<Value> = self
            .cycles
            .iter()
            .map(|cycle| {
                let count = cycle.count();
                let mut object = json!(cycle);
                object["shipped"] = json!(count.shipped);
                object["clean"] = json!(count.clean);
                object["passes"] = json!(count.passes());
                object
            })
            .collect();
        let record = self.record.as_ref();
        json!({
            "agent": self.seat.agent,
            "model": self.seat.model,
            "cycles": cycles,
            "kept": record.is_some(),
            "grade": standing(record, now),
            "mark": record.and_then(|record| record.mark_at(now)),
            "cut_short": self.cut_short,
            "exit": self.exit.code(),
        })
    }
}
