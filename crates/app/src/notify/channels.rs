//! How a message gets to people: the desktop, a webhook, a command.

use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tribunal_config::EnvRef;
use tribunal_engine::Clock as _;
use tribunal_engine::process::{self, Bounds, ChildExit, ProcessCommand};

use super::{Letter, PATIENCE, signature};
use crate::project::Project;

/// What is kept of what a program says about its failure.
const STDERR_TAIL: usize = 1024;
const MOST_OUTPUT: u64 = 64 * 1024;
const GRACE: Duration = Duration::from_millis(500);
/// The program that shows messages on a desktop.
const DESKTOP: &str = "notify-send";
/// What a program needs to find its way, and to reach a desktop. No secret is among them.
const VARIABLES: [&str; 11] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "HOME",
    "LANG",
    "LOGNAME",
    "PATH",
    "TMPDIR",
    "TZ",
    "USER",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
];

/// One way to tell people.
#[derive(Debug)]
pub(super) enum Channel {
    Desktop,
    Webhook { url: String, secret: Option<EnvRef> },
    Command(Vec<String>),
}

impl Channel {
    /// Those that are configured.
    pub(super) fn of(project: &Project) -> Vec<Self> {
        let config = &project.config().notify;
        let webhook = config.webhook.clone().map(|url| Self::Webhook { url, secret: config.secret.clone() });
        let command = config.command.clone().map(Self::Command);
        config.desktop.then_some(Self::Desktop).into_iter().chain(webhook).chain(command).collect()
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Webhook { .. } => "webhook",
            Self::Command(_) => "command",
        }
    }

    /// Sends a message, or says why it could not.
    pub(super) async fn send(&self, project: &Project, letter: &Letter) -> Result<(), String> {
        match self {
            Self::Desktop => {
                let argv = [DESKTOP, "--app-name=tribunal", "--", "Tribunal", &letter.text].map(str::to_owned);
                start(project, &argv, Vec::new()).await
            }
            Self::Command(argv) => start(project, argv, letter.json.clone()).await,
            Self::Webhook { url, secret } => post(project, url, secret.as_ref(), letter.json.clone()).await,
        }
    }
}

async fn start(project: &Project, argv: &[String], stdin: Vec<u8>) -> Result<(), String> {
    let Some((program, args)) = argv.split_first() else { return Err("no program is named".into()) };
    let variables = VARIABLES.into_iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    let command = ProcessCommand {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        env: variables.collect(),
        cwd: Some(PathBuf::from(project.root())),
        stdin,
    };
    let bounds =
        Bounds { idle: PATIENCE, total: PATIENCE, grace: GRACE, stdout: MOST_OUTPUT, stderr_tail: STDERR_TAIL };
    let ended = process::run(command, &bounds, &CancellationToken::new(), |_| {}).await;
    let ended = ended.map_err(|error| error.to_string())?;
    match ended.exit {
        Some(ChildExit::Code(0)) => Ok(()),
        exit => {
            let said = ended.stderr_tail.trim().lines().last().unwrap_or_default().to_owned();
            let how = match exit {
                Some(ChildExit::Code(code)) => format!("`{program}` exited with code {code}"),
                Some(ChildExit::Signal(signal)) => format!("`{program}` was ended by signal {signal}"),
                None => format!("`{program}` did not end"),
            };
            Err(if said.is_empty() { how } else { format!("{how}: {said}") })
        }
    }
}

async fn post(project: &Project, url: &str, secret: Option<&EnvRef>, body: Vec<u8>) -> Result<(), String> {
    let secret = secret.ok_or("there is no secret to sign with")?;
    let key = std::env::var(secret.name()).ok().filter(|key| !key.is_empty());
    let key = key.ok_or_else(|| format!("{secret} is not set, so the message cannot be signed"))?;
    // Whoever was first has chosen; it is ring, too, wherever we choose.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A redirected message would carry its links to whoever is named.
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(PATIENCE)
        .user_agent(concat!("tribunal/", env!("CARGO_PKG_VERSION")));
    let address = reqwest::Url::parse(url).map_err(|error| error.to_string())?;
    if address.scheme() == "http" {
        // Without TLS the system's certificates need not be there.
        builder = builder.tls_certs_only([]);
    }
    let host = address.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_here = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    if is_here {
        // No proxy can know this machine.
        builder = builder.no_proxy();
    }
    let client = builder.build().map_err(|error| error.to_string())?;
    let mut request = client.post(address).header("content-type", "application/json");
    for (name, value) in signature::headers(key.as_bytes(), project.clock.now(), &body) {
        request = request.header(name, value);
    }
    // The address may have a password in it.
    let response = request.body(body).send().await.map_err(|error| error.without_url().to_string())?;
    let status = response.status();
    if status.is_success() { Ok(()) } else { Err(format!("it answered {status}")) }
}
