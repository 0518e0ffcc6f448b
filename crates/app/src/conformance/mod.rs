//! How well agents keep to the protocol of the panel: ten briefs, each played as a theater, and the grade that is kept.
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
pub use templates::NAMES as TEMPLATES;

use serde_json::{Value, json};
use std::sync::Arc;
use tribunal_config::{AgentKind, SeatConfig};
use tribunal_engine::Clock as _;
use tribunal_kernel::Time;
use tribunal_kernel::grade::{Cycle, GradeRecord, Grades};
use tribunal_kernel::theater::PANEL;

use crate::console::Console;
use crate::error::AppError;
use crate::exit::Exit;
use crate::grading::{graded_seat, standing};
use crate::notify::{self, AgentAlert};
use crate::project::Project;
use crate::seating::bind;
use cycle::Ended;
use templates::Template;

/// Whom to grade, and by what.
#[derive(Debug, Clone)]
pub struct ConformanceRequest<'a> {
    /// Agents of the configuration; none = all that can be graded.
    pub names: &'a [String],
    /// Only this brief: shown, and not kept.
    pub template: Option<&'a str>,
    pub cycles: u32,
    /// Who looks on while a trial is played; how the cycles go is told to the project's console.
    pub trials: Arc<dyn Console>,
}

/// An agent that was tried.
#[derive(Debug)]
pub struct GradedAgent {
    pub seat: SeatConfig,
    pub cycles: Vec<Cycle>,
    /// How it stands afterwards, where the cycles were kept.
    pub record: Option<GradeRecord>,
    pub exit: Exit,
    /// Why it was not tried to the end.
    pub cut_short: Option<String>,
}

/// Lets agents play, one after the other, until one is interrupted.
pub async fn grade(project: &Project, request: &ConformanceRequest<'_>) -> Result<Vec<GradedAgent>, AppError> {
    let mut templates = templates::all();
    templates.retain(|template| request.template.is_none_or(|name| template.name == name));
    let subjects = subjects(project, request.names)?;
    let calls = templates.len() * subjects.len() * request.cycles as usize;
    project.console.say(&format!(
        "{calls} trials with one call each, and one more if a panel cannot be parsed; real agents cost money"
    ));
    let mut graded = Vec::new();
    for seat in subjects {
        graded.push(try_out(project, request, seat, &templates).await?);
        if graded.last().is_some_and(|graded| graded.exit == Exit::Interrupted) {
            break;
        }
    }
    Ok(graded)
}

/// The grades that are kept, as a table in Markdown.
pub async fn table(project: &Project) -> Result<String, AppError> {
    Ok(table::table(&project.store.grades().read().await?))
}

/// Lets an agent play; cycles in which nothing is left out are kept.
async fn try_out(
    project: &Project,
    request: &ConformanceRequest<'_>,
    seat: SeatConfig,
    templates: &[Template],
) -> Result<GradedAgent, AppError> {
    let cycles = request.cycles;
    let mut tried = GradedAgent { cycles: vec![], record: None, exit: Exit::Pass, cut_short: None, seat };
    for number in 1..=cycles {
        let name = format!("{} (cycle {number} of {cycles})", tried.seat.agent);
        let tell = |text: &str| project.console.say(&format!("{name}: {text}"));
        match cycle::play(project, request, &tried.seat, templates, &tell).await? {
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
                    if let Some(alert) = tried.record.as_ref().and_then(|record| AgentAlert::of(project, record)) {
                        notify::alert(project, &alert).await;
                    }
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

/// A person vouches for an agent: its mark is gone. Gives whether it was marked.
pub async fn clear(project: &Project, name: &str) -> Result<bool, AppError> {
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
    Ok(cleared > 0)
}

impl GradedAgent {
    /// For programs.
    pub fn object(&self, now: Time) -> Value {
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
