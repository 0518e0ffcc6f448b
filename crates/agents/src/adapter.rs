//! The three ways to be an agent, and the stream that comes back.

use std::fmt::{Debug, Formatter};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tribunal_kernel::Usage;

use crate::{AgentError, Environment, TurnRequest};

/// Whatever takes a turn.
#[derive(Debug, Clone)]
pub enum Agent {
    /// The engine starts a process and feeds its output to a [`Reader`].
    Process(Arc<dyn Adapter>),
    /// The engine starts a process and lets it talk.
    Dialogue(Arc<dyn Dialogue>),
    /// It answers by itself.
    Native(Arc<dyn Native>),
}

/// An agent that is a program.
pub trait Adapter: Debug + Send + Sync {
    /// What to start for this turn.
    fn invocation(&self, request: &TurnRequest, environment: &Environment) -> Invocation;

    /// Whether its turns get a pid namespace, where there can be one: what it starts is then gone when it is. That costs
    /// some milliseconds, so it is for programs that start others in sessions of their own.
    fn is_enclosed(&self) -> bool {
        false
    }

    /// A reader for the output of one invocation, which was made for the same environment.
    fn reader(&self, environment: &Environment) -> Box<dyn Reader>;

    /// Whether its turns cost something, also when it does not say how much.
    fn is_metered(&self) -> bool {
        false
    }
}

/// An agent that is a program which is talked with. Dropping the future ends the turn.
pub trait Dialogue: Debug + Send + Sync {
    /// What to start for this turn. Its stdin is the conversation's.
    fn invocation(&self, request: &TurnRequest, environment: &Environment) -> Invocation;

    /// Takes the turn over the program's two pipes. When the program ends early, [`AgentError::Unfinished`] or
    /// [`AgentError::Garbled`] is what there is to say: how it ended, the engine knows.
    fn converse<'a>(&'a self, request: TurnRequest, pipes: Pipes, show: Show<'a>) -> Answering<'a>;
}

/// What a conversation has of its program.
pub struct Pipes {
    /// The folder that the program was started in.
    pub cwd: PathBuf,
    /// What the program prints.
    pub incoming: Box<dyn AsyncRead + Send + Unpin>,
    /// What it reads.
    pub outgoing: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Debug for Pipes {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipes").field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

/// An agent that needs no process. Dropping the future cancels the turn.
pub trait Native: Debug + Send + Sync {
    /// Takes the turn; `show` takes what can be seen of it on the way.
    fn answer<'a>(&'a self, request: TurnRequest, show: Show<'a>) -> Answering<'a>;

    /// Whether its turns cost something, also when it does not say how much.
    fn is_metered(&self) -> bool {
        false
    }
}

impl Agent {
    /// Whether its turns cost something, also when it does not say how much.
    pub fn is_metered(&self) -> bool {
        match self {
            Self::Process(adapter) => adapter.is_metered(),
            Self::Native(native) => native.is_metered(),
            // Nobody speaks this protocol without a model behind it.
            Self::Dialogue(_) => true,
        }
    }
}

/// A turn on its way to its answer.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<Answer, AgentError>> + Send + 'a>>;

/// Takes what an agent does before it answers.
pub type Show<'a> = &'a (dyn Fn(Activity) + Send + Sync);

/// A program to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    pub program: String,
    pub args: Vec<String>,
    /// The whole environment, sorted by name.
    pub env: Vec<(String, String)>,
    pub cwd: PathBuf,
    pub stdin: String,
}

/// Reads a program's output as it comes.
pub trait Reader: Send {
    /// Takes in some bytes, wherever they were cut. Returns what they say about the turn's progress.
    fn push(&mut self, bytes: &[u8]) -> Vec<Activity>;

    /// Whether the program goes on although nothing can come of it any more: the engine ends it.
    fn is_hopeless(&self) -> bool {
        false
    }

    /// What it took, as far as the program has said so. Also where nothing else comes of it.
    fn spent(&mut self) -> Option<Usage> {
        None
    }

    /// The program has ended: what did it say? Exit codes lie, so a reader looks at both.
    fn finish(self: Box<Self>, exit: ProcessExit, stderr_tail: &str) -> Result<Answer, AgentError>;
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    Code(i32),
    Signal(i32),
}

/// What an agent does before it answers. Shown at once, decided on never.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Activity {
    /// Some of the answer's text.
    Text(String),
    /// It uses this tool.
    Tool(String),
    /// Something that the user should know of the turn, and that is no part of the answer.
    Note(String),
    /// A request of it has ended, or was given up, and took so much. Its turn's bill is the sum of them.
    Spent(Usage),
    /// Its provider takes no more requests for so long. This is not the turn's own time.
    Parked(Duration),
}

/// What a turn brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    pub text: String,
    pub usage: Usage,
    /// What the agent calls the talk, where it can be taken up again by this name.
    pub session: Option<Box<str>>,
}

impl ProcessExit {
    /// Whether the program says that all went well.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}
