//! `tribunal mcp`: what agents can ask of Tribunal, over the Model Context Protocol on stdin and stdout.
//!
//! stdout is the protocol's alone: nothing here prints, and what is worth a note goes to stderr.
//!
//! | file | noun |
//! |---|---|
//! | `server` | who answers: which tool is meant, and its result or its error |
//! | `tools` | the table of tools: names, descriptions, schemas |
//! | `outputs` | what tools answer with |
//! | `drivers` | the processes that drive what a client started |
//! | `check`, `fix`, `start`, `status`, `findings`, `steer`, `wait` | one tool a file, with its arguments |

mod check;
mod drivers;
mod findings;
mod fix;
mod outputs;
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
use drivers::Drivers;
use server::Server;

/// A message that is longer is dropped. Tools refuse what is far shorter, with a reason.
const MAX_MESSAGE: usize = 16 << 20;
/// No run goes on in this process: whoever started it may end it at any moment.
const MAX_RUNS: usize = 0;

/// Answers until the client goes away or somebody tells us to stop. Runs that were started have processes of their own,
/// and go on.
pub(crate) async fn serve(global: &Global) -> Result<Exit, AppError> {
    let mut signals = Signals::new()?;
    // stdout is the protocol's: nothing is shown but notes.
    let console = Arc::new(Screen::new(global.verbose, true));
    let app = Arc::new(App::new(global.at(), console, MAX_RUNS));
    let server = Server::new(app.clone(), Drivers::new(global)?);
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
    let result = tokio::select! {
        result = conversation => result,
        _ = signals.next() => Ok(()),
    };
    result.map(|()| Exit::Pass)
}
