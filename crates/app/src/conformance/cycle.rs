//! Every template, played once by one agent.

use std::path::Path;
use std::time::Instant;
use tribunal_agents::Vendor;
use tribunal_config::{Brief, Config, Decimal, FallbackPolicy, PanelMode, Policy, SeatConfig, TheaterConfig};
use tribunal_engine::Clock as _;
use tribunal_kernel::grade::{Attempt, Cycle, Played};
use tribunal_kernel::loops::RegisteredLoop as _;
use tribunal_kernel::theater::{self, DESIGNER, PANEL, PROTOCOL_VERSION, WEIGHTS};
use tribunal_kernel::{Outcome, SeatName};
use tribunal_store::atomic;
use tribunal_store::backend::ScratchFolder;

use super::ConformanceRequest;
use super::templates::{IMAGES, SCALE, Template};
use crate::error::AppError;
use crate::loops::{self, SpecFor};
use crate::project::Project;
use crate::seating::{command_line, house};
use crate::summary::elapsed_text;
use crate::{doctor, drive};

/// What lies in the folder of the trials, so that `tribunal -C` can look into them.
const TOML: &str = "# The last trials of an agent by `tribunal agents conformance`; the next ones replace them.\n\
                    [run]\nloop = \"theater\"\n";

/// How a cycle ended.
pub(super) enum Ended {
    Whole(Cycle),
    /// A person did not want to wait, which is not the agent's fault.
    Interrupted,
    /// The agent could not be asked, and why: how it answers is not known.
    Unavailable(String),
}

/// Plays every template; one whose panel cannot be read once more.
pub(super) async fn play(
    project: &Project,
    request: &ConformanceRequest<'_>,
    seat: &SeatConfig,
    templates: &[Template],
    tell: &dyn Fn(&str),
) -> Result<Ended, AppError> {
    let folder = project.store.scratch().emptied(&ScratchFolder::Trial(seat.agent.clone())).await?;
    atomic::write(&folder.join("tribunal.toml"), TOML.as_bytes())?;
    for (name, bytes) in IMAGES {
        atomic::write(&folder.join(name), bytes)?;
    }
    let program = version(project, &seat.agent).await;
    let mut played = Vec::new();
    for template in templates {
        let begun = Instant::now();
        let mut attempts = 1;
        let attempt = loop {
            let attempt = perform(project, request, seat, template, &folder).await?;
            if let Some(why) = attempt.unavailable {
                return Ok(Ended::Unavailable(why));
            }
            if attempt.outcome == Outcome::Interrupted {
                return Ok(Ended::Interrupted);
            }
            if !attempt.is_played_again(attempts) {
                break attempt;
            }
            attempts += 1;
        };
        let elapsed = begun.elapsed();
        let of_template = Played {
            template: template.name.to_owned(),
            outcome: attempt.outcome,
            attempts,
            degraded: attempt.degraded,
            trouble: attempt.trouble,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        };
        tell(&format!("{}: {of_template}, {}", template.name, elapsed_text(elapsed)));
        played.push(of_template);
    }
    let at = project.clock.now();
    Ok(Ended::Whole(Cycle { at, tribunal: env!("CARGO_PKG_VERSION").into(), program, played }))
}

/// One trial.
async fn perform(
    project: &Project,
    request: &ConformanceRequest<'_>,
    seat: &SeatConfig,
    template: &Template,
    folder: &Path,
) -> Result<Attempt, AppError> {
    let mut project = project.at(folder, staged(project.config(), seat, template, folder)?);
    project.console = request.trials.clone();
    let (mut spec, cited) = loops::theater::spec(&project, true, None, None, SpecFor::Run).await?;
    // What follows a panel that cannot be read is not graded: the house has it, and nobody is paid for it.
    spec.seats.insert(SeatName::new(DESIGNER), house());
    let id = spec.run;
    let session = loops::opener(spec.kind()).create(&project, spec, &cited, false).await?;
    let runs = drive::drive(&project, vec![session]).await?;
    let entries = project.store.logs().read(id).await?;
    let attempt = runs.first().and_then(|run| Attempt::of(run, &entries));
    attempt.ok_or_else(|| AppError::environment(format!("a bug: the trial of {} did not end", template.name), None))
}

/// The configuration of a trial. What the panel is asked is the same everywhere; how long it may take, and what it may
/// cost, is what the project allows its theaters.
fn staged(config: &Config, seat: &SeatConfig, template: &Template, folder: &Path) -> Result<Config, AppError> {
    let mut config = config.clone();
    config.run.r#loop = theater::Settings::KIND;
    config.run.brief = Some(Brief { text: template.brief.clone(), base: folder.to_owned() });
    // Who cannot be shown a picture has what the brief says of it.
    let agent = config.agents.get(&seat.agent).and_then(|agent| Vendor::from_word(agent.kind.as_str()));
    let is_shown = template.has_images && agent.is_none_or(Vendor::takes_images);
    let images = IMAGES.iter().filter(|_| is_shown).map(|(name, _)| folder.join(name));
    config.run.attachments = images.collect();
    config.run.anchor = None;
    config.run.max_retries = 0;
    // What comes of a cycle is worth a message; that one of its trials ended is not.
    (config.notify.desktop, config.notify.webhook, config.notify.command) = (false, None, None);
    config.seats = [(PANEL.to_owned(), seat.clone())].into();
    let design = folder.join("DESIGN.md");
    if let Some(text) = &template.design {
        atomic::write(&design, text.as_bytes())?;
    }
    config.theater = TheaterConfig {
        enabled: true,
        policy: Policy::Always,
        panel: PanelMode::Single,
        cast: WEIGHTS.map(|(role, _)| role.to_owned()).into(),
        max_rounds: template.max_rounds,
        score_scale: Decimal::from_micros(SCALE),
        score_threshold: Decimal::from_micros(template.threshold),
        weights: std::collections::BTreeMap::new(),
        fallback_policy: FallbackPolicy::ShipBest,
        protocol_version: PROTOCOL_VERSION,
        design: template.design.is_some().then_some(design),
        source: None,
        artifact: Some(template.name.to_owned()),
        ..config.theater
    };
    Ok(config)
}

/// What the agent's program says of its version, if it is one that we know how to ask.
async fn version(project: &Project, name: &str) -> Option<String> {
    let cli = command_line(project, name, project.config().agents.get(name)?)?;
    doctor::version(&cli).await.ok()
}
