//! The conversation of one turn, from the greeting to the reason why it stopped.

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AuthMethod, Implementation, InitializeRequest, RequestPermissionRequest, RequestPermissionResponse,
    SessionNotification,
};
use agent_client_protocol::{
    ByteStreams, Client, Error, UntypedMessage, is_connection_terminated, is_incoming_transport_closed,
};
use serde_json::{Value, json};
use std::pin::pin;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

use super::heard::Heard;
use super::{intake, mishap, model, permission};
use crate::adapter::{Activity, Answer, Pipes, Show};
use crate::{AgentError, AttachedFile, TurnRequest};

/// What may lie between the filter of lines and the protocol.
const BUFFER: usize = 64 << 10;

type Connection = ConnectionTo<agent_client_protocol::Agent>;

/// Greets, opens a session, asks, listens. `works` says whether the turn is held by our sandbox.
pub(super) async fn hold(
    agent: &str,
    works: bool,
    request: TurnRequest,
    pipes: Pipes,
    show: Show<'_>,
) -> Result<Answer, AgentError> {
    let Pipes { cwd, incoming, outgoing } = pipes;
    let (filtered, messages) = tokio::io::duplex(BUFFER);
    let strange = AtomicUsize::new(0);
    let heard = Mutex::new(Heard::default());
    let transport = ByteStreams::new(outgoing.compat_write(), messages.compat());
    // An error of the protocol ends the connection; ours are carried through it.
    let talk = Client
        .v1()
        .on_receive_notification(
            async |update: SessionNotification, _| {
                let activity = heard.lock().unwrap_or_else(PoisonError::into_inner).update(update.update);
                activity.into_iter().for_each(show);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async |asked: RequestPermissionRequest, responder, _| {
                responder.respond(RequestPermissionResponse::new(permission::answer(&asked, works)))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(transport, async |connection: Connection| {
            Ok(Talk { agent, connection, show }.take(&request, &cwd.to_string_lossy()).await)
        });
    let said = {
        let mut filter = pin!(intake::pass_on(incoming, filtered, &strange));
        let mut talk = pin!(talk);
        let mut is_over = false;
        loop {
            tokio::select! {
                biased;
                // Its errors are those of the pipes, which the protocol sees as their end.
                _ = &mut filter, if !is_over => is_over = true,
                said = &mut talk => break said.unwrap_or_else(|error| Err(Broken::Protocol(error))),
            }
        }
    };
    let heard = heard.into_inner().unwrap_or_else(PoisonError::into_inner);
    let agent = agent.to_owned();
    match said {
        Ok(_) if heard.text.trim().is_empty() => Err(AgentError::Empty { agent }),
        Ok(done) => {
            let usage = heard.usage(&done.result);
            Ok(Answer { text: heard.text, usage, session: Some(done.session.into()) })
        }
        Err(Broken::Turn(error)) => Err(error),
        Err(Broken::Protocol(error)) if is_closed(&error) => match strange.into_inner() {
            0 => Err(AgentError::Unfinished { agent }),
            lines => Err(AgentError::Garbled { agent, lines }),
        },
        Err(Broken::Protocol(error)) => Err(mishap::refusal(&agent, &error, &[])),
    }
}

/// A session that has answered.
struct Done {
    session: String,
    /// Its last word.
    result: Value,
}

/// What an agent says of itself when it is greeted.
struct Met {
    /// How to be let in, should it be asked for.
    ways: Vec<AuthMethod>,
    /// Whether it takes images.
    sees: bool,
}

/// Why a conversation came to nothing.
enum Broken {
    Turn(AgentError),
    Protocol(Error),
}

struct Talk<'a> {
    agent: &'a str,
    connection: Connection,
    show: Show<'a>,
}

impl Talk<'_> {
    async fn take(self, request: &TurnRequest, cwd: &str) -> Result<Done, Broken> {
        let Met { ways, sees } = self.greet().await?;
        let session = self.ask("session/new", json!({ "cwd": cwd, "mcpServers": [] }), &ways).await?;
        let Some(id) = session["sessionId"].as_str() else {
            return Err(Broken::Turn(mishap::stranger(self.agent, "its session has no name".into())));
        };
        if let Some(model) = &request.model {
            self.choose(&session, model).await?;
        }
        let shown = request.images().filter_map(|image| shown(image, sees));
        let blocks: Vec<Value> = shown.chain([json!({ "type": "text", "text": request.prompt })]).collect();
        if !sees && request.images().next().is_some() {
            let told = "it takes no images: it is told where they lie, and may or may not look".to_owned();
            (self.show)(Activity::Note(told));
        }
        let prompt = json!({ "sessionId": id, "prompt": blocks });
        let result = self.ask("session/prompt", prompt, &ways).await?;
        match mishap::stopped(self.agent, &result) {
            Some(error) => Err(Broken::Turn(error)),
            None => Ok(Done { session: id.to_owned(), result }),
        }
    }

    /// What it says of itself.
    async fn greet(&self) -> Result<Met, Broken> {
        let ours = Implementation::new("tribunal", env!("CARGO_PKG_VERSION"));
        let greeting = InitializeRequest::new(ProtocolVersion::V1).client_info(ours);
        let met = self.connection.send_request(greeting).block_task().await.map_err(|error| {
            if is_closed(&error) { Broken::Protocol(error) } else { Broken::Turn(mishap::greeting(self.agent, &error)) }
        })?;
        Ok(Met { sees: met.agent_capabilities.prompt_capabilities.image, ways: met.auth_methods })
    }

    /// The model that the seat asks for, where the agent lets itself be told.
    async fn choose(&self, session: &Value, model: &str) -> Result<(), Broken> {
        let Some(choice) = model::choice(session, model) else {
            (self.show)(Activity::Note(format!("it cannot be told its model, so `{model}` is ignored")));
            return Ok(());
        };
        let failed = |error: Error| {
            if is_closed(&error) {
                return Broken::Protocol(error);
            }
            let offered = model::offered(session);
            let hint = format!("set `agents.{}.model` to one of: {}", self.agent, offered.join(", "));
            let why = format!("it does not take the model `{model}`: {}", error.message);
            Broken::Turn(AgentError::Refused { agent: self.agent.to_owned(), why, hint })
        };
        self.request(choice.method, choice.params).await.map(drop).map_err(failed)
    }

    async fn ask(&self, method: &str, params: Value, ways: &[AuthMethod]) -> Result<Value, Broken> {
        self.request(method, params).await.map_err(|error| {
            if is_closed(&error) {
                Broken::Protocol(error)
            } else {
                Broken::Turn(mishap::refusal(self.agent, &error, ways))
            }
        })
    }

    /// Not with the types of the crate: agents put models and tokens where those have no place for them.
    async fn request(&self, method: &str, params: Value) -> Result<Value, Error> {
        self.connection.send_request(UntypedMessage::new(method, params)?).block_task().await
    }
}

/// An image as a block of the prompt: itself, or a link to where it lies, which every agent takes.
fn shown(image: &AttachedFile, sees: bool) -> Option<Value> {
    let kind = image.media_type.as_str();
    if sees {
        return Some(json!({ "type": "image", "mimeType": kind, "data": image.base64() }));
    }
    let uri = format!("file://{}", image.place()?);
    Some(json!({ "type": "resource_link", "name": image.name, "mimeType": kind, "uri": uri }))
}

fn is_closed(error: &Error) -> bool {
    is_incoming_transport_closed(error) || is_connection_terminated(error)
}
