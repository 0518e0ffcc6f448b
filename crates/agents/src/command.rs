//! `kind = "command"`: any program. The prompt is on its stdin, the answer on its stdout.

use std::path::PathBuf;
use tribunal_kernel::Usage;
use tribunal_wire::Utf8Pieces;

use crate::adapter::{Activity, Adapter, Answer, Invocation, ProcessExit, Reader};
use crate::fault::Fault;
use crate::{AgentError, Environment, TurnRequest, usage};

/// A program as an agent.
#[derive(Debug, Clone)]
pub struct CommandAgent {
    /// Its name in the configuration.
    pub name: String,
    pub program: String,
    pub args: Vec<String>,
    /// The folder it works in.
    pub cwd: PathBuf,
    /// Variables it may see besides the common ones.
    pub env: Vec<String>,
}

impl Adapter for CommandAgent {
    fn invocation(&self, request: &TurnRequest, environment: &Environment) -> Invocation {
        Invocation {
            program: self.program.clone(),
            args: self.args.clone(),
            env: environment.select(&self.env, request),
            cwd: self.cwd.clone(),
            stdin: request.prompt.clone(),
        }
    }

    fn reader(&self, _: &Environment) -> Box<dyn Reader> {
        Box::new(Output { agent: self.name.clone(), bytes: Vec::new(), pieces: Utf8Pieces::default() })
    }
}

/// How a program says "not now", by the convention of `sysexits.h` (`EX_TEMPFAIL`). What it prints to stderr may say when.
const NOT_NOW: ProcessExit = ProcessExit::Code(75);

/// Everything it prints is the answer. The engine's cap bounds it.
struct Output {
    agent: String,
    bytes: Vec<u8>,
    pieces: Utf8Pieces,
}

impl Reader for Output {
    fn push(&mut self, bytes: &[u8]) -> Vec<Activity> {
        self.bytes.extend_from_slice(bytes);
        let mut text = String::new();
        self.pieces.push(bytes, &mut |piece| text.push_str(piece));
        if text.is_empty() { Vec::new() } else { vec![Activity::Text(text)] }
    }

    fn spent(&mut self) -> Option<Usage> {
        Some(usage::find(&String::from_utf8_lossy(&self.bytes))).filter(Usage::is_reported)
    }

    fn finish(self: Box<Self>, exit: ProcessExit, stderr_tail: &str) -> Result<Answer, AgentError> {
        if exit == NOT_NOW {
            return Err(Fault::new(Some(429), stderr_tail).error(&self.agent, None, ""));
        }
        if !exit.is_success() {
            return Err(AgentError::Died { agent: self.agent, exit, stderr_tail: stderr_tail.to_owned() });
        }
        let text =
            String::from_utf8(self.bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into());
        if text.trim().is_empty() {
            return Err(AgentError::Empty { agent: self.agent });
        }
        Ok(Answer { usage: usage::find(&text), text, session: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::{Round, RunId, SeatName, TurnId};

    fn command() -> CommandAgent {
        CommandAgent {
            name: "local".into(),
            program: "./agent.sh".into(),
            args: vec![],
            cwd: "/work".into(),
            env: vec!["API_KEY".into()],
        }
    }

    #[test]
    fn it_sees_what_it_is_allowed_to_see() {
        let request = TurnRequest {
            place: String::new(),
            run: RunId(uuid::Uuid::nil()),
            r#loop: Some("review"),
            works_on_files: false,
            judges: false,
            round: Round(2),
            turn: TurnId(3),
            seat: SeatName::new("creator"),
            task: "draft".into(),
            model: None,
            effort: None,
            prompt: "Write.".into(),
            stable: 0,
            attachments: Vec::new(),
            form: None,
            input: None,
            meter: tribunal_kernel::quote::TurnMeter::default(),
            is_resumed: false,
        };
        let ours = ["API_KEY", "AWS_SECRET_ACCESS_KEY", "PATH", "LC_ALL", "TRIBUNAL_LIMITS_USD"];
        let environment = Environment::new(ours.map(|name| (name.to_owned(), "x".to_owned())));
        let invocation = command().invocation(&request, &environment);
        let names: Vec<&str> = invocation.env.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "API_KEY",
                "LC_ALL",
                "PATH",
                "TRIBUNAL_LOOP",
                "TRIBUNAL_ROUND",
                "TRIBUNAL_RUN",
                "TRIBUNAL_SEAT",
                "TRIBUNAL_TASK",
                "TRIBUNAL_TURN"
            ]
        );
    }

    #[test]
    fn what_it_prints_is_the_answer_unless_it_fails() {
        for (name, output, exit, expected) in [
            ("prints", "fine", ProcessExit::Code(0), Ok("fine")),
            ("prints nothing", " \n", ProcessExit::Code(0), Err("agent `local` printed nothing")),
            (
                "fails",
                "partial",
                ProcessExit::Code(3),
                Err("agent `local` exited with code 3: no\u{2026} / key missing"),
            ),
            (
                "not now",
                "",
                ProcessExit::Code(75),
                Err("agent `local` has to wait for its provider: no\u{2026} key missing"),
            ),
            (
                "killed",
                "",
                ProcessExit::Signal(9),
                Err("agent `local` was ended by signal 9: no\u{2026} / key missing"),
            ),
        ] {
            let mut reader = command().reader(&Environment::default());
            reader.push(output.as_bytes());
            let result = reader.finish(exit, "no\u{2026}\n\nkey missing\n");
            let shown = result.as_ref().map(|answer| answer.text.as_str()).map_err(ToString::to_string);
            assert_eq!(shown, expected.map_err(str::to_owned), "{name}");
        }
    }
}
