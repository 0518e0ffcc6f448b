//! Who can be asked here, and what holds them.

mod ping;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tribunal_agents::{AgentError, Cli, Vendor, Version};
use tribunal_config::{AgentConfig, AgentKind};
use tribunal_engine::process::{self, Bounds, How, ProcessCommand};
use tribunal_engine::sandbox::{Mechanism, MechanismTried, Sandbox, Ward, closed_at_home};
use tribunal_kernel::Time;
use tribunal_kernel::grade::{CatchRate, GradeRecord, Grades};

use crate::check::voter;
use crate::error::AppError;
use crate::grading::{graded_seat, standing};
use crate::logins::{Login, is_set};
use crate::programs;
use crate::project::Project;
use crate::seating::{bind, command_line, recorded, unasked};

pub use ping::Ping;

/// How long a program has to say its version.
const PATIENCE: Duration = Duration::from_secs(10);
/// What is read of it.
const MOST: u64 = 64 * 1024;

/// What can be asked on this machine, and what keeps it in its place.
#[derive(Debug)]
pub struct Diagnosis<'p> {
    /// The agents of the configuration.
    pub agents: Vec<Checkup>,
    /// Every command line that we know, installed or not.
    pub known: Vec<KnownProgram>,
    pub sandbox: &'p Sandbox,
    /// What each mechanism holds here, whichever is used: tried, not read somewhere.
    pub tried: Vec<MechanismTried>,
    /// What is closed to whoever is confined, as far as it is there: secrets of the user's.
    pub closed: Vec<PathBuf>,
}

/// A command line that we know, as it is on this machine.
#[derive(Debug)]
pub struct KnownProgram {
    pub vendor: Vendor,
    pub path: Option<PathBuf>,
    pub version: Option<String>,
    pub login: Login,
}

/// An agent of the configuration, looked at.
#[derive(Debug)]
pub struct Checkup {
    pub name: String,
    pub agent: AgentConfig,
    pub version: Option<String>,
    pub login: Option<Login>,
    /// Why it cannot be used.
    pub problem: Option<String>,
    /// What is odd, and need not keep it from being used.
    pub warnings: Vec<String>,
    pub grade: Option<GradeRecord>,
    /// What it notices of known faults, where it was tried.
    pub rate: Option<CatchRate>,
    pub ping: Option<Ping>,
}

/// What is there, what can be started, who is logged in, and what the sandbox keeps from happening. With `asks` every
/// agent is asked for one word.
pub async fn diagnose(project: &Project, asks: bool) -> Result<Diagnosis<'_>, AppError> {
    let sandbox = project.sandbox().await?;
    let mut known = Vec::new();
    for vendor in Vendor::ALL {
        known.push(KnownProgram::look(project, vendor).await);
    }
    let grades = project.store.grades().read().await?;
    let mut agents = Vec::new();
    for (name, agent) in &project.config().agents {
        let mut checkup = Checkup::new(project, &known, &grades, name, agent).await;
        if asks && checkup.can_be_pinged() {
            checkup.take(Box::pin(ping::ping(project, name)).await);
        }
        agents.push(checkup);
    }
    let tried = project.sandbox.try_all().await;
    let closed = std::env::var_os("HOME").map(|home| closed_at_home(Path::new(&home))).unwrap_or_default();
    Ok(Diagnosis { agents, known, sandbox, tried, closed })
}

impl Diagnosis<'_> {
    /// Whether every agent of the configuration can be used.
    pub fn is_well(&self) -> bool {
        self.agents.iter().all(|agent| agent.problem.is_none())
    }

    /// For programs.
    pub fn object(&self, now: Time) -> Value {
        json!({
            "agents": self.agents.iter().map(|agent| agent.object(now)).collect::<Vec<_>>(),
            "known": self.known.iter().map(KnownProgram::object).collect::<Vec<_>>(),
            "sandbox": sandbox_object(self.sandbox),
            "mechanisms": self.tried.iter().map(tried_object).collect::<Vec<_>>(),
            "closed": self.closed,
        })
    }
}

impl KnownProgram {
    async fn look(project: &Project, vendor: Vendor) -> Self {
        let path = programs::find(vendor.program());
        let version = match &path {
            Some(path) => said_version(&[path.display().to_string()], project.root().to_owned()).await.ok(),
            None => None,
        };
        Self { vendor, path, version, login: Login::of(vendor) }
    }

    fn object(&self) -> Value {
        json!({
            "program": self.vendor.program(),
            "path": self.path,
            "version": self.version,
            "old": self.too_old().is_some(),
            "login": self.login.as_str(),
            "usable": self.path.is_some() && self.login.is_found(),
        })
    }

    /// What is to be said of a version that is older than all that were tried.
    pub fn too_old(&self) -> Option<String> {
        self.version.as_deref().and_then(|version| too_old(self.vendor, version))
    }
}

impl Checkup {
    async fn new(project: &Project, known: &[KnownProgram], grades: &Grades, name: &str, agent: &AgentConfig) -> Self {
        let model = graded_seat(project.config(), name).model;
        let mut checkup = Self {
            name: name.to_owned(),
            agent: agent.clone(),
            version: None,
            login: None,
            problem: None,
            warnings: vec![],
            grade: grades.of(name, model.as_deref()).cloned(),
            rate: bind(project.config(), "judge", name)
                .ok()
                .and_then(|binding| grades.rate_of(&voter(project, &binding)).cloned()),
            ping: None,
        };
        match (agent.kind, agent.command.first(), command_line(project, name, agent)) {
            (_, _, Some(cli)) => checkup.look_at(project, known, &cli).await,
            (AgentKind::House | AgentKind::Human, ..) => {}
            (AgentKind::Http, ..) => {
                checkup.problem = unasked(project.config(), name, agent, model_of(project, name)).map(explained);
            }
            (AgentKind::Replay, ..) => {
                checkup.problem = recorded(project, agent, None).await.err().map(|failure| failure.message());
            }
            (_, Some(program), _) => checkup.problem = missing(project, program),
            (_, None, _) => checkup.problem = Some("it has no command".to_owned()),
        }
        checkup
    }

    async fn look_at(&mut self, project: &Project, known: &[KnownProgram], cli: &Cli) {
        let vendor = cli.vendor;
        if let Some(problem) = missing(project, cli.program()) {
            self.problem = Some(format!("{problem}: {}", vendor.installation()));
            return;
        }
        let seen = known.iter().find(|known| known.vendor == vendor && cli.command.is_empty());
        let version = match seen.and_then(|known| known.version.clone()) {
            Some(version) => Ok(version),
            None => version(cli).await,
        };
        match version {
            Ok(version) => {
                self.warnings.extend(too_old(vendor, &version));
                self.version = Some(version);
            }
            Err(why) => self.problem = Some(why),
        }
        let login = match (&cli.api_key, &cli.base_url) {
            (Some(key), _) if is_set(key) => Login::Variable(key.clone()),
            (Some(key), _) => {
                self.problem = Some(format!("the environment variable `${key}` with its API key is not set"));
                Login::Missing
            }
            // Whether a server of the user's own wants an account is not known here.
            (None, Some(_)) => Login::Unknown,
            (None, None) => Login::of(vendor),
        };
        if login == Login::Missing && self.problem.is_none() {
            self.problem = Some(format!("probably not logged in: {}", vendor.login()));
        }
        if login == Login::Unknown && cli.base_url.is_none() {
            self.warnings.push(format!("no login found, but it may still work; if not: {}", vendor.login()));
        }
        self.login = Some(login);
    }

    /// Whoever can be started is asked, also without a login that we can see: the answer settles it.
    fn can_be_pinged(&self) -> bool {
        let is_startable = self.problem.is_none() || self.login == Some(Login::Missing) && self.agent.api_key.is_none();
        is_startable && !matches!(self.agent.kind, AgentKind::House | AgentKind::Human | AgentKind::Replay)
    }

    /// An answer says more than any trace of a login.
    fn take(&mut self, ping: Ping) {
        self.problem = ping.answer.as_ref().err().cloned();
        self.ping = Some(ping);
    }

    fn object(&self, now: Time) -> Value {
        json!({
            "agent": self.name,
            "kind": self.agent.kind,
            "problem": self.problem,
            "version": self.version,
            "login": self.login.as_ref().map(Login::as_str),
            "warnings": self.warnings,
            "grade": standing(self.grade.as_ref(), now),
            "mark": self.grade.as_ref().and_then(|record| record.mark_at(now)),
            "controls": self.rate,
            "ping": self.ping.as_ref().map(Ping::object),
        })
    }
}

/// What holds agents in place.
pub fn mechanism(sandbox: &Sandbox) -> &'static str {
    mechanism_name(sandbox.mechanism())
}

/// What a mechanism is called.
pub fn mechanism_name(mechanism: Mechanism) -> &'static str {
    match mechanism {
        Mechanism::Bubblewrap { landlock: true } => "bubblewrap, with Landlock inside",
        Mechanism::Bubblewrap { landlock: false } => "bubblewrap",
        Mechanism::Landlock => "Landlock",
        Mechanism::Copy => "none: work is checked in throw-away copies, by digests",
    }
}

/// What becomes of the processes of a turn outside of a desk.
pub fn turns(sandbox: &Sandbox) -> &'static str {
    if sandbox.can_enclose() {
        "command-line and ACP agents run in a PID namespace, which leaves no process behind"
    } else {
        "ended with everything that carries their mark; a daemon that clears its environment may outlive a killed Tribunal"
    }
}

/// The model that an agent would be asked for: its own, or that of its first seat.
fn model_of<'p>(project: &'p Project, name: &str) -> Option<&'p str> {
    let config = project.config();
    let mut seats = config.seats.iter().filter(|(_, seat)| seat.agent == name);
    let own = config.agents.get(name)?.model.as_deref();
    own.or_else(|| seats.find_map(|(seat, _)| config.model_in(seat)))
}

fn explained(error: AgentError) -> String {
    match error {
        AgentError::Unavailable { reason, hint: Some(hint), .. } => format!("{reason}: {hint}"),
        other => other.to_string(),
    }
}

fn sandbox_object(sandbox: &Sandbox) -> Value {
    let covers: Vec<String> = sandbox.covers().iter().map(ToString::to_string).collect();
    let holes: Vec<&str> = sandbox.holes().into_iter().map(Ward::as_hole).collect();
    json!({
        "mechanism": mechanism(sandbox), "covers": covers, "holes": holes, "notes": sandbox.notes(),
        "turns": turns(sandbox),
    })
}

fn tried_object(tried: &MechanismTried) -> Value {
    let told = |wanted: bool| -> Vec<String> {
        let seen = tried.seen.iter().flatten();
        seen.filter(|(_, held)| *held == wanted)
            .map(|(ward, held)| if *held { ward.to_string() } else { ward.as_hole().to_owned() })
            .collect()
    };
    json!({
        "mechanism": mechanism_name(tried.mechanism),
        "holds": told(true), "does_not_hold": told(false), "problem": tried.seen.as_ref().err(),
    })
}

/// What is to be said of a version that is older than all that were tried.
fn too_old(vendor: Vendor, version: &str) -> Option<String> {
    let (found, oldest) = (Version::find(version)?, vendor.oldest_known()?);
    (found < oldest).then(|| {
        format!("{vendor} {found} is older than {oldest}, the oldest tested version: {}", vendor.installation())
    })
}

/// The version that a command line says it has, or why it says none.
pub async fn version(cli: &Cli) -> Result<String, String> {
    let program = [cli.program().to_owned()];
    let command: Vec<String> = program.into_iter().chain(cli.command.iter().skip(1).cloned()).collect();
    said_version(&command, cli.cwd.clone()).await
}

async fn said_version(words: &[String], cwd: PathBuf) -> Result<String, String> {
    let [program, args @ ..] = words else { return Err("it has no program".into()) };
    let mut args: Vec<_> = args.iter().map(Into::into).collect();
    args.push("--version".into());
    let env = ["HOME", "LANG", "PATH", "TMPDIR"].into_iter();
    let command = ProcessCommand {
        program: program.into(),
        args,
        env: env.filter_map(|name| Some((name.into(), std::env::var_os(name)?))).collect(),
        cwd: Some(cwd),
        stdin: Vec::new(),
    };
    let bounds =
        Bounds { idle: PATIENCE, total: PATIENCE, grace: Duration::from_secs(1), stdout: MOST, stderr_tail: 400 };
    let mut printed = Vec::new();
    let never = CancellationToken::new();
    let ended = process::run(command, &bounds, &never, |bytes| printed.extend_from_slice(bytes)).await;
    let ended = ended.map_err(|error| error.to_string())?;
    let printed = String::from_utf8_lossy(&printed);
    let line = printed.lines().map(str::trim).find(|line| !line.is_empty());
    match (ended.how, ended.exit, line) {
        (How::Exited, Some(process::ChildExit::Code(0)), Some(line)) => Ok(line.chars().take(60).collect()),
        _ => Err(format!("`{program} --version` prints nothing")),
    }
}

/// Why a program cannot be started, if it cannot.
fn missing(project: &Project, program: &str) -> Option<String> {
    if program.contains('/') {
        let path = project.root().join(program);
        return (!path.is_file()).then(|| format!("there is no {}", path.display()));
    }
    programs::find(program).is_none().then(|| format!("`{program}` is not on the PATH"))
}
