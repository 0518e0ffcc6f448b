//! `tribunal serve`: the web page and its API, and the runs that they start.

use serde_json::json;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use tribunal_app::drive::allow_many_files;
use tribunal_app::resume::{go_on_with_all, go_on_with_parked};
use tribunal_app::signals::Signals;
use tribunal_app::views::finish_left;
use tribunal_app::{App, AppError, Exit, Project};
use tribunal_server::telemetry::Scribe;
use tribunal_server::{Options, Server, StartError, Token};
use tribunal_store::backend::{ServerAddress, ServerClaim};

use crate::args::{self, Global};
use crate::progress::Screen;

/// So many runs are driven at the same time.
const MAX_RUNS: usize = 256;

/// Serves until somebody tells us to stop. Runs are left as they are then, and go on with the next server or `resume`.
pub(crate) async fn serve(global: &Global, args: &args::Serve) -> Result<Exit, AppError> {
    allow_many_files();
    let screen = Arc::new(Screen::new(global.verbose, true));
    let app = Arc::new(App::new(global.at(), screen.clone(), MAX_RUNS));
    let project = app.load()?;
    let Some(mut claim) = project.store.servers().claim().await? else {
        let other = project.store.servers().find().await?.map(|found| found.address).unwrap_or_default();
        return Err(AppError::conflict(
            format!("another server for this project is running at {other}"),
            "use that one, or stop it first",
        ));
    };
    let token = token(args, &*claim)?;
    let address = SocketAddr::new(args.bind, args.port);
    let options = Options {
        address,
        token: token.clone(),
        hosts: args.hosts.clone(),
        scribe: Some(scribe(global.json)),
        otlp: args.otlp.clone(),
    };
    let server =
        Server::bind(options, project.store.clone(), app.clone()).await.map_err(|error| not_started(&error))?;
    let base = format!("http://{}", reachable(server.address()));
    let address =
        ServerAddress { address: base.clone(), token: token.as_str().to_owned(), project: server.project().to_owned() };
    let published = claim.publish(&address).await;
    published.map_err(|error| AppError::environment(format!("cannot save the server's address: {error}"), None))?;
    let mut signals = Signals::new()?;
    if !args.no_resume {
        go_on_with_all(&project, app.pool()).await?;
        tokio::spawn(go_on_with_parked(app.clone()));
    }
    let url = format!("{base}/?token={}", token.as_str());
    if global.json {
        let told = json!({ "url": url, "address": base, "token": token.as_str(), "project": server.project() });
        crate::out::json(&told.to_string());
    } else {
        println!("{url}");
        screen.say("press Ctrl-C to stop; the next `tribunal serve` resumes unfinished runs");
    }
    let driven = app.pool().clone();
    let served = server.run(async move {
        let _ = signals.next().await;
        // Dropping the runs ends their agents; their logs say that they are not over.
        driven.abandon().await;
    });
    let served = served.await;
    // Nobody told it to stop, if it failed.
    app.pool().abandon().await;
    // A run that ended a moment ago may not have its files yet.
    finish_left(&project).await;
    served.map_err(|error| AppError::environment(format!("the server failed: {error}"), None))?;
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

/// The key: the one that was given, the one that the server before had, or a new one.
fn token(args: &args::Serve, claim: &dyn ServerClaim) -> Result<Token, AppError> {
    let weak = |error: &dyn std::fmt::Display| AppError::invalid(error.to_string(), "let `tribunal serve` create one");
    let given = match &args.token_file {
        Some(file) => Some(fs::read_to_string(file).map_err(|error| {
            AppError::invalid(format!("cannot read {}: {error}", file.display()), "pass a file that contains the token")
        })?),
        None => std::env::var("TRIBUNAL_TOKEN").ok(),
    };
    if let Some(text) = given {
        return Token::new(text.trim()).map_err(|error| weak(&error));
    }
    if !args.bind.is_loopback() {
        return Err(AppError::invalid(
            format!("anyone who can reach {} could read and change everything", args.bind),
            "set your own token with `--token-file FILE` or TRIBUNAL_TOKEN; without `--bind`, only this machine has access",
        ));
    }
    if args.new_token {
        return Ok(Token::random());
    }
    Ok(Token::new(&claim.before().token).unwrap_or_else(|_| Token::random()))
}

/// Writes down what runs do: a line each, for people or for programs.
fn scribe(is_json: bool) -> Scribe {
    Box::new(move |line| if is_json { eprintln!("{}", line.json()) } else { eprintln!("{line}") })
}

fn not_started(error: &StartError) -> AppError {
    let hint = match error {
        StartError::Bind(_, why) if why.kind() == io::ErrorKind::AddrInUse => {
            Some("another program is listening there; `--port 0` picks a free port".to_owned())
        }
        StartError::Bind(address, _) => Some(format!("is {} an address of this machine?", address.ip())),
        StartError::Otlp(error) => Some(error.hint()),
        StartError::Hub(_) => None,
    };
    AppError::environment(error.to_string(), hint)
}

/// The address of a run on the page of the server that is up for this project, if one is.
pub(crate) async fn stage_of(project: &Project, run: tribunal_kernel::RunId) -> Option<String> {
    let found = project.store.servers().find().await.ok().flatten()?;
    Some(format!("{}/#/runs/{run}", found.address))
}
