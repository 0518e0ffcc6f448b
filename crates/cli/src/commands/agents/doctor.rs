//! `tribunal agents doctor`: who can be asked here, and what holds them.

mod ping;

use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tribunal_agents::{AgentError, Cli, Vendor, Version};
use tribunal_app::grading::{graded_seat, standing};
use tribunal_app::logins::{Login, is_set};
use tribunal_app::seating::{command_line, recorded, unasked};
use tribunal_app::{AppError, Exit, Project, programs};
use tribunal_config::{AgentConfig, AgentKind};
use tribunal_engine::Clock as _;
use tribunal_engine::process::{self, Bounds, How, ProcessCommand};
use tribunal_engine::sandbox::{Mechanism, Sandbox, Ward};
use tribunal_kernel::grade::{GradeRecord, Grades};

use crate::args::{Doctor, Global};
use crate::commands::print_json;
use ping::Ping;

/// How long a program has to say its version.
const PATIENCE: Duration = Duration::from_secs(10);
/// What is read of it.
const MOST: u64 = 64 * 1024;

/// A command line that we know, as it is on this machine.
struct Known {
    vendor: Vendor,
    path: Option<PathBuf>,
    version: Option<String>,
    login: Login,
}

/// An agent of the configuration, looked at.
struct Checkup<'a> {
    name: &'a str,
    agent: &'a AgentConfig,
    version: Option<String>,
    login: Option<Login>,
    /// Why it cannot be used.
    problem: Option<String>,
    /// What is odd, and need not keep it from being used.
    warnings: Vec<String>,
    grade: Option<&'a GradeRecord>,
    ping: Option<Ping>,
}

/// What is there, what can be started, who is logged in, and what the sandbox keeps from happening.
pub(super) async fn doctor(project: &Project, global: &Global, args: &Doctor) -> Result<Exit, AppError> {
    let sandbox = project.sandbox().await?;
    let mut known = Vec::new();
    for vendor in Vendor::ALL {
        known.push(Known::look(project, vendor).await);
    }
    let grades = project.store.grades().read().await?;
    let mut agents = Vec::new();
    for (name, agent) in &project.config().agents {
        let mut checkup = Checkup::new(project, &known, &grades, name, agent).await;
        if args.ping && checkup.can_be_pinged() {
            checkup.take(ping::ping(project, name).await);
        }
        agents.push(checkup);
    }
    let is_well = agents.iter().all(|agent| agent.problem.is_none());
    let now = project.clock.now();
    if global.json {
        print_json(&json!({
            "agents": agents.iter().map(|agent| agent.as_json(now)).collect::<Vec<_>>(),
            "known": known.iter().map(Known::as_json).collect::<Vec<_>>(),
            "sandbox": sandbox_json(sandbox),
        }));
    } else {
        for agent in &agents {
            agent.print(now);
        }
        println!("known command-line agents:");
        known.iter().for_each(Known::print);
        print_sandbox(sandbox);
    }
    Ok(if is_well { Exit::Pass } else { Exit::Failed })
}

impl Known {
    async fn look(project: &Project, vendor: Vendor) -> Self {
        let path = programs::find(vendor.program());
        let version = match &path {
            Some(path) => said_version(&[path.display().to_string()], project.root().to_owned()).await.ok(),
            None => None,
        };
        Self { vendor, path, version, login: Login::of(vendor) }
    }

    fn as_json(&self) -> Value {
        json!({
            "program": self.vendor.program(),
            "path": self.path,
            "version": self.version,
            "old": self.version.as_deref().and_then(|version| too_old(self.vendor, version)).is_some(),
            "login": self.login.as_str(),
            "usable": self.path.is_some() && self.login.is_found(),
        })
    }

    fn print(&self) {
        let Self { vendor, path, version, login } = self;
        let Some(path) = path else {
            println!("  {vendor}: not installed: {}", vendor.installation());
            return;
        };
        let said = version.as_deref().map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
        let hint = if login.is_found() { String::new() } else { format!(": {}", vendor.login()) };
        println!("  {vendor}: {}, {said}, {login}{hint}", path.display());
        if let Some(old) = version.as_deref().and_then(|version| too_old(*vendor, version)) {
            println!("    warning: {old}");
        }
    }
}

impl<'a> Checkup<'a> {
    async fn new(
        project: &Project,
        known: &[Known],
        grades: &'a Grades,
        name: &'a str,
        agent: &'a AgentConfig,
    ) -> Self {
        let model = graded_seat(project.config(), name).model;
        let grade = grades.of(name, model.as_deref());
        let mut checkup =
            Self { name, agent, version: None, login: None, problem: None, warnings: vec![], grade, ping: None };
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

    async fn look_at(&mut self, project: &Project, known: &[Known], cli: &Cli) {
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

    fn as_json(&self, now: tribunal_kernel::Time) -> Value {
        json!({
            "agent": self.name,
            "kind": self.agent.kind,
            "problem": self.problem,
            "version": self.version,
            "login": self.login.as_ref().map(Login::as_str),
            "warnings": self.warnings,
            "grade": standing(self.grade, now),
            "mark": self.grade.and_then(|record| record.mark_at(now)),
            "ping": self.ping.as_ref().map(Ping::as_json),
        })
    }

    fn print(&self, now: tribunal_kernel::Time) {
        let well = if self.agent.kind == AgentKind::Http { "can be asked" } else { "can be started" };
        let mut told = vec![self.problem.clone().unwrap_or_else(|| well.into())];
        told.extend(self.version.as_deref().map(|version| format!("version {version}")));
        told.extend(self.login.as_ref().filter(|login| login.is_found()).map(ToString::to_string));
        println!("{} ({}): {}", self.name, self.agent.kind, told.join(", "));
        for warning in &self.warnings {
            println!("  warning: {warning}");
        }
        if let Some(ping) = &self.ping {
            println!("  ping: {ping}");
        }
        if self.grade.is_some() {
            println!("  grade: {}", standing(self.grade, now));
        }
    }
}

fn mechanism(sandbox: &Sandbox) -> &'static str {
    match sandbox.mechanism() {
        Mechanism::Bubblewrap { landlock: true } => "bubblewrap, with Landlock inside",
        Mechanism::Bubblewrap { landlock: false } => "bubblewrap",
        Mechanism::Landlock => "Landlock",
        Mechanism::Copy => "none: work is checked in throw-away copies, by digests",
    }
}

/// What becomes of the processes of a turn outside of a desk.
fn turns(sandbox: &Sandbox) -> &'static str {
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

fn sandbox_json(sandbox: &Sandbox) -> Value {
    let covers: Vec<String> = sandbox.covers().iter().map(ToString::to_string).collect();
    let holes: Vec<&str> = sandbox.holes().into_iter().map(Ward::as_hole).collect();
    json!({
        "mechanism": mechanism(sandbox), "covers": covers, "holes": holes, "notes": sandbox.notes(),
        "turns": turns(sandbox),
    })
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

/// What is to be said of a version that is older than all that were tried.
fn too_old(vendor: Vendor, version: &str) -> Option<String> {
    let (found, oldest) = (Version::find(version)?, vendor.oldest_known()?);
    (found < oldest).then(|| {
        format!("{vendor} {found} is older than {oldest}, the oldest tested version: {}", vendor.installation())
    })
}

/// The version that a command line says it has, or why it says none.
pub(super) async fn version(cli: &Cli) -> Result<String, String> {
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
