//! One turn: start the agent, read its answer, name its failure.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tribunal_agents::adapter::Invocation;
use tribunal_agents::{
    Activity, Adapter, Agent, AgentError, Answer, Dialogue, Pipes, ProcessExit, Resumption, Show, TurnRequest,
};
use tribunal_kernel::{RunId, TurnError, Usage};

use crate::attached;
use crate::process::{self, AwakeWatch, Bounds, How, ProcessEnd};
use crate::seating::{Seated, Seating};
use crate::temporary::{FolderUse, TemporaryFolder};
use crate::workplace::{PreparedPlace, Printed, Workplace};

const TMPDIR: &str = "TMPDIR";

/// How a turn ended.
#[derive(Debug)]
pub(crate) struct TurnEnding {
    pub(crate) result: Result<Answer, TurnError>,
    /// What it took, as its agent says or as we guess.
    pub(crate) usage: Usage,
    pub(crate) elapsed: Duration,
    /// Its provider takes no requests for now.
    pub(crate) limited: Option<Limited>,
    /// The run whose answer this is, if nobody was called.
    pub(crate) copied: Option<RunId>,
}

/// A provider takes no requests for now.
#[derive(Debug)]
pub(crate) struct Limited {
    pub(crate) why: String,
    /// Until when, if it says so.
    pub(crate) when: Option<Resumption>,
}

impl TurnEnding {
    /// Nobody could be called.
    pub(crate) fn broken(error: AgentError) -> Self {
        Self {
            result: Err(error.into()),
            usage: Usage::default(),
            elapsed: Duration::ZERO,
            limited: None,
            copied: None,
        }
    }
}

/// Lets `agent` take its turn, within its bounds, until `cancel`.
pub(crate) async fn take(
    seating: Seating,
    agent: String,
    request: TurnRequest,
    cancel: CancellationToken,
    show: Show<'_>,
) -> TurnEnding {
    let begun = Instant::now();
    let seated = seating.get(&agent);
    let is_metered = request.model.is_some() || seated.is_some_and(|seated| seated.agent.is_metered());
    // A program of the user's own that reports what it took is believed: it may well be free.
    let doubted = seated.filter(|seated| seated.agent.is_metered()).map(|_| request.prompt.clone());
    let asked = is_metered.then(|| request.estimate());
    let spent = Mutex::new(None);
    let result = match seated {
        None => Err(AgentError::Unavailable {
            reason: "it is not in the configuration".into(),
            hint: Some(format!("add `[agents.{agent}]` to tribunal.toml, or put another agent in the seat")),
            agent,
        }),
        Some(seated) => {
            let turn = Performance { seating: &seating, seated, agent: &agent, cancel: &cancel, spent: &spent };
            match seating.workplace(&request.seat) {
                Some(workplace) => turn.at(workplace.as_ref(), request, show).await,
                None => turn.perform(request, None, show).await.map(|printed| printed.answer),
            }
        }
    };
    let spent = spent.into_inner().unwrap_or_else(PoisonError::into_inner);
    let usage = match (&result, asked) {
        (Ok(answer), Some(asked)) if !answer.usage.is_reported() => {
            Usage { output_tokens: Usage::guess(&answer.text), ..asked }
        }
        (Ok(answer), _) => match &doubted {
            Some(prompt) => answer.usage.believed(prompt, &answer.text),
            None => answer.usage,
        },
        (Err(_), _) if spent.is_some() => spent.unwrap_or_default().believed_halfway(),
        // Somebody worked on it, and nobody says for how much.
        (Err(error), Some(asked)) if error.may_have_cost() => asked,
        (Err(_), _) => Usage::default(),
    };
    let limited = match &result {
        Err(AgentError::Limited { why, when, .. }) => Some(Limited { why: why.clone(), when: when.clone() }),
        _ => None,
    };
    TurnEnding { result: result.map_err(TurnError::from), usage, elapsed: begun.elapsed(), limited, copied: None }
}

/// An agent that takes its turn.
struct Performance<'a> {
    seating: &'a Seating,
    seated: &'a Seated,
    agent: &'a str,
    cancel: &'a CancellationToken,
    /// What the turn has taken so far, where its agent says so on the way.
    spent: &'a Mutex<Option<Usage>>,
}

impl Performance<'_> {
    /// In a place of its own: what it leaves there is the answer.
    async fn at(&self, workplace: &dyn Workplace, request: TurnRequest, show: Show<'_>) -> Result<Answer, AgentError> {
        if let Some(answer) = workplace.taken_up(&request).await? {
            return Ok(answer);
        }
        let place = tokio::select! {
            place = workplace.prepare(&request) => place?,
            () = self.cancel.cancelled() => return Err(AgentError::Cancelled),
        };
        let printed = self.perform(request.clone(), Some(&place), show).await?;
        workplace.finish(&request, place, printed).await
    }

    async fn perform(
        &self,
        mut request: TurnRequest,
        place: Option<&PreparedPlace>,
        show: Show<'_>,
    ) -> Result<Printed, AgentError> {
        let is_program = matches!(self.seated.agent, Agent::Process(_) | Agent::Dialogue(_));
        let files = if is_program { &mut request.attachments[..] } else { &mut [] };
        let _attached = attached::lay_out(files).map_err(|error| self.no_folder(&error))?;
        let Bounds { total, .. } = self.seated.bounds;
        match &self.seated.agent {
            Agent::Process(adapter) => {
                let invocation = adapter.invocation(&request, &self.seating.environment);
                let is_limited = request.meter.allowance.is_limited();
                match self.in_process(adapter.as_ref(), invocation, place, show).await {
                    // Asked again, it would be cut off again, and paid for twice.
                    Err(AgentError::CutOff { agent, why }) if is_limited => Err(AgentError::OverBudget { agent, why }),
                    other => other,
                }
            }
            Agent::Dialogue(dialogue) => {
                let invocation = dialogue.invocation(&request, &self.seating.environment);
                self.in_dialogue(dialogue.as_ref(), request, invocation, place, show).await
            }
            Agent::Native(native) => {
                let parked = AtomicU64::new(0);
                let show = |activity: Activity| {
                    if let Activity::Spent(usage) = activity {
                        return self.note(usage);
                    }
                    if let Activity::Parked(time) = activity {
                        parked.fetch_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
                    }
                    show(activity);
                };
                tokio::select! {
                    result = native.answer(request, &show) => result.map(|answer| Printed { answer, ..Printed::default() }),
                    () = self.cancel.cancelled() => Err(AgentError::Cancelled),
                    () = overtime(total, &parked) => Err(AgentError::Overtime { agent: self.agent.to_owned(), total }),
                }
            }
        }
    }

    async fn in_process(
        &self,
        adapter: &dyn Adapter,
        invocation: Invocation,
        place: Option<&PreparedPlace>,
        show: Show<'_>,
    ) -> Result<Printed, AgentError> {
        let (command, _scratch) = self.command(invocation, place, adapter.is_enclosed()).await?;
        let bounds = &self.seated.bounds;
        let mut reader = adapter.reader(&self.seating.environment);
        let enough = self.cancel.child_token();
        let watch = |bytes: &[u8]| {
            reader.push(bytes).into_iter().for_each(show);
            if reader.is_hopeless() {
                enough.cancel();
            }
        };
        let ended = process::run(command, bounds, &enough, watch)
            .await
            .map_err(|error| self.unavailable(error.to_string(), error.hint()))?;
        // Whatever comes of it: what it says that it took is to be paid.
        if let Some(usage) = reader.spent() {
            self.note(usage);
        }
        match ended.how {
            How::Cancelled if self.cancel.is_cancelled() => Err(AgentError::Cancelled),
            how @ (How::Silent | How::Overtime | How::TooMuchOutput) => Err(self.bound_by(how)),
            How::Exited | How::Cancelled => {
                let answer = match reader.finish(exit_of(&ended), &ended.stderr_tail) {
                    // Who speaks through files need not print anything.
                    Err(AgentError::Empty { .. }) if place.is_some() => Answer::default(),
                    other => other?,
                };
                Ok(Printed { answer, stderr_tail: ended.stderr_tail })
            }
        }
    }

    async fn in_dialogue(
        &self,
        dialogue: &dyn Dialogue,
        request: TurnRequest,
        invocation: Invocation,
        place: Option<&PreparedPlace>,
        show: Show<'_>,
    ) -> Result<Printed, AgentError> {
        let cwd = place.map_or(&invocation.cwd, |place| &place.cwd).clone();
        let (command, _scratch) = self.command(invocation, place, true).await?;
        let bounds = &self.seated.bounds;
        let talk = |incoming, outgoing| {
            dialogue.converse(request, Pipes { cwd, incoming: Box::new(incoming), outgoing: Box::new(outgoing) }, show)
        };
        let (ended, said) = process::converse(command, bounds, self.cancel, talk)
            .await
            .map_err(|error| self.unavailable(error.to_string(), error.hint()))?;
        let stderr_tail = ended.stderr_tail.clone();
        let answer = match (said, ended.how) {
            // What was answered is answered, however the program ended after it.
            (Some(Ok(answer)), _) => answer,
            (_, How::Cancelled) if self.cancel.is_cancelled() => return Err(AgentError::Cancelled),
            (_, how @ (How::Silent | How::Overtime | How::TooMuchOutput)) => return Err(self.bound_by(how)),
            (Some(Err(AgentError::Empty { .. })), _) if place.is_some() => Answer::default(),
            // It ended while it was being talked with: how it did says more than that it did.
            (None | Some(Err(AgentError::Unfinished { .. } | AgentError::Garbled { .. })), How::Exited)
                if ended.exit != Some(process::ChildExit::Code(0)) =>
            {
                return Err(AgentError::Died { agent: self.agent.to_owned(), exit: exit_of(&ended), stderr_tail });
            }
            (Some(Err(error)), _) => return Err(error),
            (None, _) => return Err(AgentError::Unfinished { agent: self.agent.to_owned() }),
        };
        Ok(Printed { answer, stderr_tail })
    }

    fn note(&self, usage: Usage) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        *spent = Some(spent.unwrap_or_default().plus(usage));
    }

    /// The bound that ended a turn.
    fn bound_by(&self, how: How) -> AgentError {
        let (agent, bounds) = (self.agent.to_owned(), &self.seated.bounds);
        match how {
            How::Silent => AgentError::Silent { agent, idle: bounds.idle },
            How::Overtime => AgentError::Overtime { agent, total: bounds.total },
            How::TooMuchOutput => AgentError::TooMuchOutput { agent, limit: bounds.stdout },
            How::Exited | How::Cancelled => AgentError::Cancelled,
        }
    }

    /// What to start; and the turn's folder for temporary files, which is there for as long as it is held.
    async fn command(
        &self,
        invocation: Invocation,
        place: Option<&PreparedPlace>,
        is_enclosed: bool,
    ) -> Result<(process::ProcessCommand, Option<TemporaryFolder>), AgentError> {
        let mut command = process::ProcessCommand {
            program: invocation.program.into(),
            args: invocation.args.into_iter().map(Into::into).collect(),
            env: invocation.env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            cwd: Some(invocation.cwd),
            stdin: invocation.stdin.into_bytes(),
        };
        let Some(place) = place else {
            let scratch = self.scratch(&mut command)?;
            let Some(sandbox) = self.seating.sandbox.as_ref().filter(|_| is_enclosed) else {
                return Ok((command, Some(scratch)));
            };
            let enclosed = sandbox.get().await.and_then(|sandbox| sandbox.enclose(command));
            let enclosed = enclosed.map_err(|error| self.unavailable(error.to_string(), error.hint()))?;
            return Ok((enclosed, Some(scratch)));
        };
        command.env.extend(place.env.iter().map(|(name, value)| (name.into(), value.into())));
        command.cwd = Some(place.cwd.clone());
        let confined = place.sandbox.confine(command, &place.confinement);
        let confined = confined.map_err(|error| self.unavailable(error.to_string(), error.hint()))?;
        Ok((confined, None))
    }

    /// Its own folder for temporary files: what it leaves there ends with the turn.
    fn scratch(&self, command: &mut process::ProcessCommand) -> Result<TemporaryFolder, AgentError> {
        let made = TemporaryFolder::make(FolderUse::Turn);
        let scratch = made.map_err(|error| self.no_folder(&error))?;
        command.env.retain(|(name, _)| name != TMPDIR);
        command.env.push((TMPDIR.into(), scratch.path().into()));
        Ok(scratch)
    }

    fn no_folder(&self, error: &std::io::Error) -> AgentError {
        let hint = format!("check {}, or set `TMPDIR` to another folder", std::env::temp_dir().display());
        self.unavailable(format!("cannot create a folder for its temporary files: {error}"), hint)
    }

    fn unavailable(&self, reason: String, hint: String) -> AgentError {
        AgentError::Unavailable { agent: self.agent.to_owned(), reason, hint: Some(hint) }
    }
}

/// How a program ended, in the words of its reader.
fn exit_of(ended: &ProcessEnd) -> ProcessExit {
    match ended.exit {
        Some(process::ChildExit::Code(code)) => ProcessExit::Code(code),
        Some(process::ChildExit::Signal(signal)) => ProcessExit::Signal(signal),
        // The process is gone, but nobody can say how.
        None => ProcessExit::Code(-1),
    }
}

/// Waits until a turn has taken `total`, not counting what its provider made it wait.
async fn overtime(total: Duration, parked: &AtomicU64) {
    let begun = Instant::now();
    let (mut watch, mut missed) = (AwakeWatch::new(), Duration::ZERO);
    loop {
        let waited = Duration::from_millis(parked.load(Ordering::Relaxed)).saturating_add(missed);
        match total.saturating_add(waited).checked_sub(begun.elapsed()) {
            Some(left) if !left.is_zero() => missed += watch.until(process::after(Instant::now(), left)).await,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::path::Path;
    use std::sync::{Arc, Mutex};
    use tribunal_agents::{Acp, AttachedFile, Environment};
    use tribunal_kernel::turn::TurnError;
    use tribunal_kernel::{MediaType, Round, RunId, SeatName, TurnId};

    /// Speaks ACP, and misbehaves as its argument says.
    const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/agents/acp.sh");
    const LOG: &str = "ACP_LOG";

    const BOUNDS: Bounds = Bounds {
        idle: Duration::from_secs(3),
        total: Duration::from_secs(60),
        grace: Duration::from_millis(200),
        stdout: 64 << 10,
        stderr_tail: 1024,
    };

    /// A turn of the fake agent: what was shown, and what came of it.
    async fn turn(case: &str, model: Option<&str>, log: &Path, cancel: CancellationToken) -> (String, TurnEnding) {
        turn_with(Vec::new(), case, model, log, cancel).await
    }

    async fn turn_with(
        attachments: Vec<AttachedFile>,
        case: &str,
        model: Option<&str>,
        log: &Path,
        cancel: CancellationToken,
    ) -> (String, TurnEnding) {
        let acp = Acp {
            name: "it".into(),
            program: FAKE.into(),
            args: vec![case.into()],
            cwd: std::env::temp_dir(),
            env: vec![LOG.into()],
        };
        let seated = Seated { agent: Agent::Dialogue(Arc::new(acp)), bounds: BOUNDS };
        let ours = [("PATH", "/usr/bin:/bin".to_owned()), (LOG, log.display().to_string())];
        let environment = Environment::new(ours.map(|(name, value)| (name.to_owned(), value)));
        let seating = Seating::new([("it".to_owned(), seated)].into(), environment);
        // Unique, because it is how the processes of a turn are told from those of others.
        let run = RunId(uuid::Uuid::from_u128(
            u128::from(std::process::id()) << 64 | case.bytes().map(u128::from).sum::<u128>(),
        ));
        let request = TurnRequest {
            place: String::new(),
            run,
            r#loop: None,
            works_on_files: false,
            judges: false,
            round: Round(1),
            turn: TurnId(1),
            seat: SeatName::new("creator"),
            task: "draft".into(),
            model: model.map(str::to_owned),
            effort: None,
            prompt: "Write \"this\".\nAnd that.".into(),
            stable: 0,
            attachments,
            form: None,
            input: None,
            meter: tribunal_kernel::quote::TurnMeter::default(),
            is_resumed: false,
        };
        let shown = Mutex::new(String::new());
        let show = |activity: Activity| {
            let mut shown = shown.lock().unwrap();
            let _ = match activity {
                Activity::Text(text) => write!(shown, "{text}"),
                Activity::Tool(tool) => write!(shown, "[{tool}]"),
                Activity::Note(note) => write!(shown, "({note})"),
                Activity::Parked(_) | Activity::Spent(_) => Ok(()),
            };
        };
        let ending = take(seating, "it".into(), request, cancel, &show).await;
        let shown = std::mem::take(&mut *shown.lock().unwrap());
        (shown, ending)
    }

    fn told(ending: TurnEnding) -> String {
        match ending.result {
            Ok(answer) => {
                let usage = answer.usage;
                let (input, cached, output) = (usage.input_tokens, usage.cached_tokens, usage.output_tokens);
                let session = answer.session.unwrap_or_default();
                format!("{:?} in {session} for {input} ({cached} cached) + {output} tokens", answer.text)
            }
            Err(error) => {
                let TurnError { kind, message, hint } = error;
                format!("{kind:?}: {message}\n    hint: {}", hint.unwrap_or_default())
            }
        }
    }

    fn line(name: &str, text: &str) -> String {
        if text.is_empty() { String::new() } else { format!("\n    {name}: {text}") }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn whatever_an_agent_that_speaks_acp_does_is_an_answer_or_an_error_with_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        let mut table = String::new();
        for case in [
            "answers",
            "chatty",
            "stays",
            "reads",
            "writes",
            "files",
            "silent",
            "refuses",
            "runs-out",
            "busy",
            "bad-key",
            "breaks",
            "logged-out",
            "wrong-version",
            "stranger",
            "garbage",
            "dies",
            "leaves",
            "hangs",
            "mute",
            "floods",
        ] {
            let (shown, ending) = turn(case, None, &folder.path().join(case), CancellationToken::new()).await;
            let shown: String = shown.chars().take(60).collect();
            let _ = writeln!(table, "{case}: {}{}", told(ending), line("shown", &shown));
        }
        insta::assert_snapshot!(table, @r#"
        answers: "A plain answer." in sess-1 for 160 (60 cached) + 20 tokens
            shown: I look.[cat notes]A plain answer.
        chatty: "Fine." in sess-1 for 160 (60 cached) + 20 tokens
            shown: Fine.
        stays: "Done." in sess-1 for 160 (60 cached) + 20 tokens
            shown: Done.
        reads: "It was allowed." in sess-1 for 160 (60 cached) + 20 tokens
            shown: I look.[cat notes]It was allowed.
        writes: "It was rejected." in sess-1 for 160 (60 cached) + 20 tokens
            shown: I write.[touch x]It was rejected.
        files: "I need a file.I do without." in sess-1 for 160 (60 cached) + 20 tokens
            shown: I need a file.I do without.
        silent: Misfit: agent `it` printed nothing
            hint: run the command of `agents.it` by hand, with the prompt on its standard input
        refuses: Unavailable: agent `it` was refused: the model refuses to answer
            hint: change the brief, or put another agent in the seat
            shown: No.
        runs-out: Died: agent `it` had no answer from its model: the answer ended early: it has reached the most tokens
            hint: try again; if it keeps failing, check `agents.it.base_url` and the network
            shown: It is lo
        busy: Died: agent `it` has to wait for its provider: the model is overloaded
            hint: wait until the provider accepts requests again, or put another agent in the seat
        bad-key: Unavailable: agent `it` was refused: API key not valid
            hint: log in with the program of `agents.it` itself (it offers: Log in on the web), or pass its key on: `agents.it.env = ["NAME"]`
        breaks: Died: agent `it` had no answer from its model: Internal error
            hint: try again; if it keeps failing, check `agents.it.base_url` and the network
        logged-out: Unavailable: agent `it` was refused: Authentication required
            hint: log in with the program of `agents.it` itself (it offers: Log in on the web), or pass its key on: `agents.it.env = ["NAME"]`
        wrong-version: Unavailable: agent `it`: it uses version 2 of ACP, but only version 1 is supported
            hint: use a release of `agents.it` that supports version 1
        stranger: Unavailable: agent `it`: it does not greet as ACP has it: Method not found
            hint: check `agents.it.command`: many programs need a flag like `--acp`
        garbage: Misfit: agent `it` ended without a result and printed 2 lines that are not events
            hint: `tribunal agents doctor` shows the version of `it`; it may not be supported
        dies: Died: agent `it` exited with code 3: out of memory
            hint: run the command of `agents.it` by hand, with the prompt on its standard input
        leaves: Died: agent `it` ended without a result
            hint: `tribunal agents doctor` shows the version of `it`; it may not be supported
        hangs: Silent: agent `it` was silent for 3 s
            hint: set `agents.it.idle` if it needs longer pauses
            shown: One moment.
        mute: Silent: agent `it` was silent for 3 s
            hint: set `agents.it.idle` if it needs longer pauses
        floods: TooMuchOutput: agent `it` printed more than 65536 bytes
            hint: set `agents.it.output` if it needs more
            shown: all work and no playall work and no playall work and no play
        "#);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_model_is_asked_for_where_that_is_possible() {
        let folder = tempfile::tempdir().unwrap();
        let mut table = String::new();
        for case in ["lists-models", "options", "unknown-model", "answers"] {
            let log = folder.path().join(case);
            let (shown, ending) = turn(case, Some("big"), &log, CancellationToken::new()).await;
            let asked = std::fs::read_to_string(&log).unwrap();
            let asked = asked.lines().find(|line| line.contains("session/set_")).unwrap_or("nothing");
            let asked = asked.split_once("\"method\":").map_or(asked, |(_, rest)| rest);
            let _ = writeln!(table, "{case}: {}{}{}", told(ending), line("shown", &shown), line("asked", asked));
        }
        insta::assert_snapshot!(table, @r#"
        lists-models: "A plain answer." in sess-1 for 160 (60 cached) + 20 tokens
            shown: I look.[cat notes]A plain answer.
            asked: "session/set_model","params":{"sessionId":"sess-1","modelId":"big"}}
        options: "A plain answer." in sess-1 for 160 (60 cached) + 20 tokens
            shown: I look.[cat notes]A plain answer.
            asked: "session/set_config_option","params":{"sessionId":"sess-1","configId":"llm","value":"big"}}
        unknown-model: Unavailable: agent `it` was refused: it does not take the model `big`: no such model
            hint: set `agents.it.model` to one of: big, small
            asked: "session/set_model","params":{"sessionId":"sess-1","modelId":"big"}}
        answers: "A plain answer." in sess-1 for 160 (60 cached) + 20 tokens
            shown: (it cannot be told its model, so `big` is ignored)I look.[cat notes]A plain answer.
            asked: nothing
        "#);
    }

    /// Who says that it takes images gets them; who does not is told where they lie, and whoever watches is told that.
    #[tokio::test(flavor = "multi_thread")]
    async fn an_image_goes_along_as_the_agent_takes_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, media_type, bytes: &[u8]| AttachedFile {
            name: name.into(),
            media_type,
            bytes: bytes.into(),
            path: None,
        };
        let mut table = String::new();
        for case in ["sees", "answers"] {
            let log = folder.path().join(case);
            let files =
                vec![file("notes.md", MediaType::Markdown, b"Rye."), file("img/shot.png", MediaType::Png, b"\x89PNG")];
            let (shown, _) = turn_with(files, case, None, &log, CancellationToken::new()).await;
            let asked = std::fs::read_to_string(&log).unwrap();
            let asked = asked.lines().find(|line| line.contains("session/prompt")).unwrap();
            let asked = asked.split_once("\"prompt\":").unwrap().1;
            // Where temporary files are is the machine's business, and so is the random end of their folder.
            let asked = match asked.split_once("file://") {
                Some((before, rest)) => {
                    let path = rest.split('"').next().unwrap();
                    assert!(!Path::new(path).exists(), "it ends with the turn");
                    let name = Path::new(path).file_name().unwrap().to_string_lossy();
                    format!("{before}file://\u{2026}/{name}{}", &rest[path.len()..])
                }
                None => asked.to_owned(),
            };
            let note = if shown.starts_with('(') { shown.split_once(')').unwrap().0 } else { "" };
            let _ = writeln!(table, "{}", format!("{case}: {asked} {note}").trim_end());
        }
        insta::assert_snapshot!(table, @r#"
        sees: [{"type":"image","mimeType":"image/png","data":"iVBORw=="},{"type":"text","text":"Write \"this\".
        answers: [{"type":"resource_link","name":"img/shot.png","mimeType":"image/png","uri":"file://…/2-shot.png"},{"type":"text","text":"Write \"this\". (it takes no images: it is told where they lie, and may or may not look
        "#);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_conversation_can_be_cancelled() {
        let folder = tempfile::tempdir().unwrap();
        let cancel = CancellationToken::new();
        let soon = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(300)).await;
            soon.cancel();
        });
        let (_, ending) = turn("mute", None, &folder.path().join("log"), cancel).await;
        assert_eq!(ending.result, Err(AgentError::Cancelled.into()));
    }
}
