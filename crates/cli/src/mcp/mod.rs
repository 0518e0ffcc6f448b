//! `tribunal mcp`: what agents can ask of Tribunal, over the Model Context Protocol on stdin and stdout.
//!
//! stdout is the protocol's alone: nothing here prints, and what is worth a note goes to stderr.
//!
//! | file | noun |
//! |---|---|
//! | `server` | who answers: which tool is meant, and its result or its error |
//! | `tools` | the table of tools: names, descriptions, schemas |
//! | `check`, `start`, `status`, `findings`, `steer`, `wait` | one tool a file, with its arguments |

mod check;
mod findings;
mod server;
mod start;
mod status;
mod steer;
mod tools;
mod wait;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::sync::Arc;
use tribunal_app::signals::Signals;
use tribunal_app::{App, AppError, Exit};

use crate::args::Global;
use crate::progress::Screen;
use server::Server;

/// A message that is longer is dropped. Tools refuse what is far shorter, with a reason.
const MAX_MESSAGE: usize = 16 << 20;
/// So many runs go on at the same time.
const MAX_RUNS: usize = 32;

/// Answers until the client goes away or somebody tells us to stop. The runs are interrupted then, in order, and stay
/// resumable.
pub(crate) async fn serve(global: &Global) -> Result<Exit, AppError> {
    let mut signals = Signals::new()?;
    // stdout is the protocol's: nothing is shown but notes.
    let console = Arc::new(Screen::new(global.verbose, true));
    let app = Arc::new(App::new(global.at(), console, MAX_RUNS));
    let server = Server::new(app.clone());
    let (input, output) = rmcp::transport::stdio();
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_MESSAGE);
    let conversation = async {
        match Box::pin(server.serve(transport)).await {
            Ok(service) => {
                // However it ends: there is nobody left to answer.
                let _ = service.waiting().await;
                Ok(())
            }
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(AppError::environment(
                format!("the client does not follow the protocol: {error}"),
                "`tribunal mcp` is meant to be started by an agent; see docs/mcp.md".to_owned(),
            )),
        }
    };
    let (result, by) = tokio::select! {
        result = conversation => (result, "the client disconnected"),
        (name, _) = signals.next() => (Ok(()), name),
    };
    tokio::select! {
        () = app.pool().stop(by) => {}
        // Twice means now. Dropping the runs ends their agents.
        _ = signals.next() => app.pool().abort(),
    }
    result.map(|()| Exit::Pass)
}
