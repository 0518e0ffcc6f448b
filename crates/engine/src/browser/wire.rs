//! Messages over the pipe, each ended by a NUL.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::VecDeque;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::MESSAGE_LIMIT;
use super::error::LookError;
use crate::process::{Incoming, Outgoing};

/// What is read at once.
const PIECE: usize = 256 << 10;
/// Events that wait for somebody to look at them. Who floods has more than this.
const MAX_EVENTS: usize = 100_000;

/// The two ends of the pipe.
#[derive(Debug)]
pub(super) struct Wire {
    incoming: Incoming,
    outgoing: Outgoing,
    buffer: Vec<u8>,
    /// How much of the buffer has been looked at.
    searched: usize,
    next_id: u64,
    pub(super) events: VecDeque<WireEvent>,
}

/// Something that the browser says on its own.
#[derive(Debug)]
pub(super) struct WireEvent {
    pub(super) method: String,
    pub(super) session: Option<String>,
    pub(super) params: Value,
}

/// What came in.
#[derive(Debug)]
pub(super) enum Message {
    Event,
    Answer { id: u64, result: Result<Box<RawValue>, String> },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'m> {
    id: Option<u64>,
    method: Option<String>,
    session_id: Option<String>,
    params: Option<Value>,
    #[serde(borrow)]
    result: Option<&'m RawValue>,
    error: Option<Complaint>,
}

#[derive(Deserialize)]
struct Complaint {
    #[serde(default)]
    message: String,
}

impl Wire {
    pub(super) fn new(incoming: Incoming, outgoing: Outgoing) -> Self {
        let events = VecDeque::new();
        Self { incoming, outgoing, buffer: Vec::new(), searched: 0, next_id: 0, events }
    }

    /// Sends a command and gives its number; the answer comes with it.
    pub(super) async fn send(&mut self, session: Option<&str>, method: &str, params: Value) -> Result<u64, LookError> {
        self.next_id += 1;
        let mut message = json!({ "id": self.next_id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let sent = self.outgoing.write_all(&bytes).await;
        sent.map_err(|_| LookError::Ended { tail: String::new() })?;
        Ok(self.next_id)
    }

    /// The next message; an event is put to the others.
    pub(super) async fn receive(&mut self) -> Result<Message, LookError> {
        let end = loop {
            if let Some(at) = self.buffer[self.searched..].iter().position(|byte| *byte == 0) {
                break self.searched + at;
            }
            self.searched = self.buffer.len();
            if self.searched > MESSAGE_LIMIT {
                return Err(LookError::TooLarge { limit: MESSAGE_LIMIT });
            }
            self.buffer.reserve(PIECE);
            let read = self.incoming.read_buf(&mut self.buffer).await.unwrap_or(0);
            if read == 0 {
                return Err(LookError::Ended { tail: String::new() });
            }
        };
        let message = self.read(end);
        self.buffer.drain(..=end);
        self.searched = 0;
        message
    }

    fn read(&mut self, end: usize) -> Result<Message, LookError> {
        let bytes = &self.buffer[..end];
        let envelope: Envelope<'_> = serde_json::from_slice(bytes).map_err(|error| LookError::Garbage {
            what: format!("{error} in `{}`", String::from_utf8_lossy(&bytes[..bytes.len().min(80)])),
        })?;
        let Envelope { id, method, session_id, params, result, error } = envelope;
        if let Some(id) = id {
            let result = match (error, result) {
                (Some(error), _) => Err(error.message),
                (None, Some(result)) => Ok(result.to_owned()),
                (None, None) => Err("an answer without a result".to_owned()),
            };
            return Ok(Message::Answer { id, result });
        }
        let Some(method) = method else {
            return Err(LookError::Garbage { what: "a message that is neither answer nor event".to_owned() });
        };
        if self.events.len() >= MAX_EVENTS {
            return Err(LookError::Garbage { what: format!("more than {MAX_EVENTS} events at once") });
        }
        self.events.push_back(WireEvent { method, session: session_id, params: params.unwrap_or_default() });
        Ok(Message::Event)
    }
}

/// The typed result of a command.
pub(super) fn typed<T: DeserializeOwned>(method: &str, result: &RawValue) -> Result<T, LookError> {
    serde_json::from_str(result.get()).map_err(|error| LookError::Garbage { what: format!("{method}: {error}") })
}
