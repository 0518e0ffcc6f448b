//! `tribunal serve`: the web page and its API, and the runs that they start.
//!
//! | file | noun |
//! |---|---|
//! | `office` | what the server asks of us: start, stop, steer, answer |
//! | `settings` | the project's settings, shown and changed |

mod office;
mod settings;

use serde_json::json;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use tribunal_server::telemetry::Scribe;
use tribunal_server::{Options, Server, StartError, Token};
use tribunal_store::backend::ServerAddress;
use tribunal_store::server_file::{self, ServerFile};

use crate::args::{self, Global};
use crate::bench::Bench;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::opening;
use crate::progress::Screen;
use crate::project::Project;
use crate::trial::{Signals, allow_many_files};
use office::CliOffice;

/// So many runs are driven at the same time.
const MAX_RUNS: usize = 256;

/// Serves until somebody tells us to stop. Runs are left as they are then, and go on with the next server or `resume`.
pub(crate) async fn serve(global: Global, args: &args::Serve) -> Result<Exit, Failure> {
    allow_many_files();
    let project = Project::load(&global, Vec::new())?;
    let screen = Screen::new(global.verbose, true);
    let Some(mut server_file) = ServerFile::take(project.layout())? else {
        let other = server_file::find(project.layout())?.map(|found| found.address).unwrap_or_default();
        return Err(Failure::usage(
            format!("another server of this project is running at {other}"),
            "use that one, or stop it first",
        ));
    };
    let token = token(args, &server_file)?;
    let bench = Arc::new(Bench::new(MAX_RUNS));
    let office = Arc::new(CliOffice::new(global.clone(), bench.clone(), &project));
    let address = SocketAddr::new(args.bind, args.port);
    let options = Options {
        address,
        token: token.clone(),
        hosts: args.hosts.clone(),
        scribe: Some(scribe(global.json)),
        otlp: args.otlp.clone(),
    };
    let server = Server::bind(options, project.layout().clone(), office).await.map_err(|error| not_started(&error))?;
    let base = format!("http://{}", reachable(server.address()));
    let address =
        ServerAddress { address: base.clone(), token: token.as_str().to_owned(), project: server.project().to_owned() };
    server_file
        .publish(&address)
        .map_err(|error| Failure::environment(format!("cannot write down our address: {error}"), None))?;
    let mut signals = Signals::new()?;
    if !args.no_resume {
        resume(&project, &screen, &bench).await?;
    }
    let url = format!("{base}/?token={}", token.as_str());
    if global.json {
        println!("{}", json!({ "url": url, "address": base, "token": token.as_str(), "project": server.project() }));
    } else {
        println!("{url}");
        screen.say("stop with Ctrl-C; runs that go on are resumed by the next `tribunal serve`");
    }
    let driven = bench.clone();
    let served = server.run(async move {
        let _ = signals.next().await;
        // Dropping the runs ends their agents; their logs say that they are not over.
        driven.abort();
    });
    let served = served.await;
    // Nobody told it to stop, if it failed.
    bench.abort();
    served.map_err(|error| Failure::environment(format!("the server failed: {error}"), None))?;
    Ok(Exit::Pass)
}

/// Where this machine reaches a server that listens at `address`: every address of a machine is none to go to.
fn reachable(address: SocketAddr) -> SocketAddr {
    let loopback: IpAddr = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(loopback, address.port())
}

/// Goes on with every run that is not over and that nobody drives: whoever drove it was killed, or was a server before
/// us. A panel that spoke in one stream cannot go on; it is closed with what it had completed.
async fn resume(project: &Project, screen: &Screen, bench: &Bench) -> Result<(), Failure> {
    for spec in project.specs().await?.iter().rev() {
        let taken = async {
            let run = project.read(spec.run).await?;
            if run.end().is_some() {
                return Ok(());
            }
            match opening::take_up(project, &run).await? {
                Some(session) => bench.seat(project, screen, vec![session]).await.map(drop),
                None => Ok(()),
            }
        };
        // One that cannot go on must not keep the others waiting.
        if let Err(failure) = taken.await {
            let failure: Failure = failure;
            screen.say(&format!("run {}: {}", spec.run, failure.message()));
        }
    }
    Ok(())
}

/// The key: the one that was given, the one that the server before had, or a new one.
fn token(args: &args::Serve, before: &ServerFile) -> Result<Token, Failure> {
    let weak = |error: &dyn std::fmt::Display| Failure::usage(error.to_string(), "let `tribunal serve` draw one");
    let given = match &args.token_file {
        Some(file) => Some(fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!("cannot read {}: {error}", file.display()), "name a file that holds the token")
        })?),
        None => std::env::var("TRIBUNAL_TOKEN").ok(),
    };
    if let Some(text) = given {
        return Token::new(text.trim()).map_err(|error| weak(&error));
    }
    if !args.bind.is_loopback() {
        return Err(Failure::usage(
            format!("whoever reaches {} could read and change everything", args.bind),
            "give a token of your own: `--token-file FILE` or TRIBUNAL_TOKEN; without `--bind` only this machine is served",
        ));
    }
    if args.new_token {
        return Ok(Token::random());
    }
    Ok(Token::new(&before.before.token).unwrap_or_else(|_| Token::random()))
}

/// Writes down what runs do: a line each, for people or for programs.
fn scribe(is_json: bool) -> Scribe {
    Box::new(move |line| if is_json { eprintln!("{}", line.json()) } else { eprintln!("{line}") })
}

fn not_started(error: &StartError) -> Failure {
    let hint = match error {
        StartError::Bind(_, why) if why.kind() == io::ErrorKind::AddrInUse => {
            Some("something else listens there; `--port 0` takes any free port".to_owned())
        }
        StartError::Bind(address, _) => Some(format!("is {} an address of this machine?", address.ip())),
        StartError::Otlp(error) => Some(error.hint()),
        StartError::Hub(_) => None,
    };
    Failure::environment(error.to_string(), hint)
}

/// The address of a run on the page of the server that is up for this project, if one is.
pub(crate) fn stage_of(project: &Project, run: tribunal_kernel::RunId) -> Option<String> {
    let found = server_file::find(project.layout()).ok().flatten()?;
    Some(format!("{}/#/runs/{run}", found.address))
}
