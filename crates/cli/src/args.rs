//! What can be typed.

mod agents;
mod at;
mod desk;
mod serve;

use clap::{Args as ClapArgs, Parser, Subcommand};
use std::path::PathBuf;

pub(crate) use agents::{AgentsCommand, Conformance, Doctor};
pub(crate) use desk::{Brainstorm, DeskCommand, DeskInit, DeskLogs, DeskSlug, DeskStatus};
pub(crate) use serve::Serve;

/// Puts any agent's work on trial until it holds.
#[derive(Debug, Parser)]
#[command(
    name = "tribunal",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  tribunal init                 a project to start from\n  tribunal run                  run the trial that tribunal.toml describes\n  tribunal status               how every run stands\n\nEvery command: `tribunal help COMMAND`."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Global {
    /// Work in this folder instead of the current one
    #[arg(short = 'C', long = "dir", global = true, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Use this configuration file instead of the nearest tribunal.toml
    #[arg(long, global = true, value_name = "FILE", env = "TRIBUNAL_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Set a configuration key, e.g. `--set limits.usd=2`
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) set: Vec<(String, String)>,
    /// Print JSON on stdout: one object, or one object a line for streams
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say more on stderr
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a project: tribunal.toml, and something to begin with
    #[command(
        after_help = "Example:\n  tribunal init notes --asset description\n  tribunal -C notes run\n  tribunal init site --loop theater"
    )]
    Init(Init),
    /// Run the trial that tribunal.toml describes
    ///
    /// A run that was cut short is continued. A decided asset stays decided: nobody is called and nothing is written.
    ///
    /// With an HTML or Markdown file nothing needs to be configured: the house panel measures it and mends what is
    /// certain, until it holds.
    #[command(
        after_help = "Examples:\n  tribunal run\n  tribunal run slug title_detail --max-iterations 5\n  tribunal run page.html --design DESIGN.md\n  tribunal run --dry-run\n  tribunal run --brief \"Describe the episode.\" --usd 0.50 --json"
    )]
    Run(Run),
    /// Show what a run would call and what it may cost, and call nobody
    #[command(after_help = "Examples:\n  tribunal plan\n  tribunal plan page.html --design DESIGN.md --json")]
    Plan(Run),
    /// Go on with a run that was cut short, failed, timed out or was interrupted
    #[command(after_help = "Examples:\n  tribunal resume\n  tribunal resume description --wall 30m")]
    Resume(Resume),
    /// Start a theater anew, with what a run made as prior art
    ///
    /// The old run and its artifact stay as they are.
    #[command(after_help = "Examples:\n  tribunal rerun\n  tribunal rerun 019a --brief \"Shorter, please.\"")]
    Rerun(Rerun),
    /// Play a run anew from a round on, with one thing changed
    ///
    /// Answers before that round stand, and so does every later answer to the same question: only what differs is paid.
    /// The old run stays as it is, and files of the workspace are not touched. At the end both are compared.
    #[command(
        after_help = "Examples:\n  tribunal fork --from-round 2 --seat critic=codex --dry-run\n  tribunal fork landing --from-round 2 --seat critic=codex\n  tribunal fork 019a --from-round 3 --set theater.score_threshold=8.5"
    )]
    Fork(Fork),
    /// Watch a theater once more, as it happened
    #[command(
        after_help = "Examples:\n  tribunal replay\n  tribunal replay landing --speed instant\n  tribunal replay transcript.ndjson.gz --json"
    )]
    Replay(Replay),
    /// Read a stream of the panel's protocol and print its events
    ///
    /// One JSON object a line, as parser and scoreboard give them. A stream that cannot be read ends with `degraded` and
    /// exit code 1. `--set` changes a theater's settings: `--set maxRounds=5`.
    #[command(
        after_help = "Examples:\n  tribunal parse stream.txt\n  agent | tribunal parse --chunk 64\n  tribunal parse - --set scoreThreshold=7.5 --run-id r1 < stream.txt"
    )]
    Parse(Parse),
    /// Measure pages and texts: contrast, structure, brand, wording, links
    ///
    /// Exit code 1 if something must be fixed. `docs/checks.md` says how everything is measured.
    #[command(
        after_help = "Examples:\n  tribunal check page.html\n  tribunal check page.html --design DESIGN.md --json\n  tribunal check docs/*.md --format sarif > checks.sarif\n  tribunal check rfc.md --anchor anchor.toml --format junit"
    )]
    Check(Check),
    /// How runs stand; with RUN, one of them in detail
    #[command(
        after_help = "Examples:\n  tribunal status\n  tribunal status description --json\n  tribunal status --search contrast"
    )]
    Status(Status),
    /// Follow a run that another process drives
    ///
    /// Lines with `~` are what an agent says before its turn ends. They are not stored: the log has the whole answer.
    #[command(after_help = "Examples:\n  tribunal watch\n  tribunal watch description\n  tribunal watch --json")]
    Watch(OneRun),
    /// Print the events of a run
    #[command(
        after_help = "Examples:\n  tribunal log\n  tribunal log description --follow\n  tribunal log --json | jq .event.type"
    )]
    Log(Log),
    /// Show what changed between the drafts of two rounds
    #[command(after_help = "Examples:\n  tribunal diff\n  tribunal diff description --rounds 1..3")]
    Diff(Diff),
    /// Write a run's drafts, verdicts, prompts and log to a folder
    #[command(after_help = "Example:\n  tribunal export description --output trial-of-description")]
    Export(Export),
    /// Check that logs and blobs are intact
    #[command(after_help = "Examples:\n  tribunal verify\n  tribunal verify description --json")]
    Verify(Verify),
    /// Stop a run; what is finished is kept
    #[command(after_help = "Example:\n  tribunal interrupt description")]
    Interrupt(OneRun),
    /// A worker and a verifier with fresh contexts work on your code
    #[command(
        subcommand,
        after_help = "Examples:\n  tribunal desk brainstorm \"a calculator with tests\"\n  tribunal desk run calculator --max-iter 10"
    )]
    Desk(DeskCommand),
    /// Take the work of a desk over into your checkout
    #[command(after_help = "Example:\n  tribunal adopt calculator")]
    Adopt(Adopt),
    /// Who can be asked here, and what holds them
    #[command(subcommand, after_help = "Example:\n  tribunal agents doctor")]
    Agents(AgentsCommand),
    /// Ask a seat of a run something; the trial does not notice
    #[command(
        after_help = "Examples:\n  tribunal ask skeptic \"What bothers you most?\"\n  tribunal ask reviewer --run description \"Why not ok?\""
    )]
    Ask(Ask),
    /// Judge the drafts of a run by another anchor from now on
    #[command(
        after_help = "Examples:\n  tribunal reanchor rfc anchor.toml\n  tribunal reanchor rfc rubric   # the main seat writes it"
    )]
    Reanchor(Reanchor),
    /// Answer for a person in a seat, and let the run go on
    ///
    /// At a terminal the question is asked in $EDITOR, or line by line where none is set. Elsewhere the answer is read
    /// from the file or from stdin; without one, question and form are shown and nothing changes. An answer is the form,
    /// filled in, or JSON of the schema that the question asks for.
    #[command(
        after_help = "Examples:\n  tribunal answer\n  tribunal answer description --seat reviewer --file review.toml\n  echo '{\"verdict\": \"ok\"}' | tribunal answer description"
    )]
    Answer(Answer),
    /// Tell a run what you want; every turn that starts from now on is told
    #[command(after_help = "Example:\n  tribunal steer landing \"Keep it under 200 words.\"")]
    Steer(Steer),
    /// Lift the lock of a decision, so that the trial can go on
    #[command(
        after_help = "Example:\n  tribunal reopen description --why \"the brief changed\" --rounds 2\n  tribunal resume description"
    )]
    Reopen(Reopen),
    /// Commands of the review loop
    #[command(subcommand, after_help = "Example:\n  tribunal review select slug --iteration 2")]
    Review(ReviewCommand),
    /// Build the index and the workspace's files anew from the logs
    #[command(after_help = "Example:\n  tribunal reindex")]
    Reindex,
    /// Show every setting and where it came from
    #[command(after_help = "Examples:\n  tribunal config\n  tribunal config --set limits.usd=1 --json")]
    Config,
    /// Show this project's runs in the browser, and serve its API
    ///
    /// Prints an address with a token; whoever has it may read and change everything. Runs that nobody drives go on.
    /// `docs/stage.md` is the guide to the page, `docs/openapi.json` describes the API.
    #[command(
        after_help = "Examples:\n  tribunal serve\n  tribunal serve --port 0 --json\n  tribunal serve --bind 0.0.0.0 --host stage.example --token-file token.txt"
    )]
    Serve(Serve),
    /// Serve this project to an agent: the Model Context Protocol on stdin and stdout
    ///
    /// The tools are check, `start_run`, status, findings, steer, interrupt and wait. `docs/mcp.md` has examples.
    #[command(after_help = "Examples:\n  tribunal mcp\n  claude mcp add tribunal -- tribunal mcp")]
    Mcp,
    /// Make Tribunal usable from within an agent: a slash command, instructions, and the MCP server
    ///
    /// Shows what it would write, and asks. What others wrote stays; `--remove` takes away what it wrote.
    #[command(
        after_help = "Examples:\n  tribunal integrate claude\n  tribunal integrate codex --user --yes\n  tribunal integrate gemini --dry-run\n  tribunal integrate opencode --remove"
    )]
    Integrate(Integrate),
    /// Print a completion script
    #[command(after_help = "Example:\n  tribunal completions bash > /etc/bash_completion.d/tribunal")]
    Completions(Completions),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Init {
    /// The folder to start in, and what is wanted: text, or a file
    #[arg(value_name = "DIR|BRIEF", num_args = 0..=2)]
    pub(crate) about: Vec<String>,
    /// The loop to start with
    #[arg(long = "loop", value_enum, default_value = "review")]
    pub(crate) kind: InitLoop,
    /// The asset to work on
    #[arg(long, default_value = "description")]
    pub(crate) asset: String,
    /// What is wanted: text, a file, or `-` to write it in $EDITOR now
    #[arg(long, value_name = "TEXT|FILE|-", allow_hyphen_values = true)]
    pub(crate) brief: Option<String>,
    /// Joust: the kind of anchor to begin with [default: what the brief suggests]
    #[arg(long, value_name = "KIND", value_parser = ["invariants", "acceptance", "exemplars", "assertions", "rubric", "goal"])]
    pub(crate) anchor: Option<String>,
    /// Seat the examples, whatever is found on this machine
    #[arg(long)]
    pub(crate) examples: bool,
}

/// The loops that a project can start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum InitLoop {
    Review,
    Joust,
    Theater,
}

/// Limits that win over the configuration.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct Limits {
    /// At most so many dollars
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) usd: Option<String>,
    /// At most so many tokens
    #[arg(long, value_name = "N")]
    pub(crate) tokens: Option<String>,
    /// At most so long, e.g. 10m
    #[arg(long, value_name = "DURATION")]
    pub(crate) wall: Option<String>,
    /// At most so many rounds
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<String>,
}

#[derive(Debug, Default, ClapArgs)]
pub(crate) struct Run {
    /// The assets to work on, or the pages to mend [default: those of tribunal.toml]
    #[arg(value_name = "ASSET|FILE")]
    pub(crate) assets: Vec<String>,
    /// What is wanted: text, or a file
    #[arg(long, value_name = "TEXT|FILE")]
    pub(crate) brief: Option<String>,
    /// At most so many iterations
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// What drafts are judged against, besides the brief: a TOML or JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Option<String>,
    /// Theater: the design file that the brand is judged by
    #[arg(long, value_name = "FILE")]
    pub(crate) design: Option<String>,
    /// Theater: write what is handed over to this file, too
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Theater: seat the panel although the policy is on-demand
    #[arg(long)]
    pub(crate) panel: bool,
    /// Show seats, limits and what would be called, and call nobody
    #[arg(long = "dry-run")]
    pub(crate) plan_only: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Rerun {
    /// A run's id, a unique part of it, or an artifact [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Another brief: text, or a file
    #[arg(long, value_name = "TEXT|FILE")]
    pub(crate) brief: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Fork {
    /// A run's id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The first round that is played anew
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) from_round: u32,
    /// Another agent in a seat
    #[arg(long = "seat", value_name = "SEAT=AGENT", value_parser = key_value)]
    pub(crate) seats: Vec<(String, String)>,
    /// Only say what would be changed and what it may cost
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Replay {
    /// A run's id, a unique part of it, an artifact, or a transcript's file [default: the newest run]
    #[arg(value_name = "RUN|FILE")]
    pub(crate) run: Option<String>,
    /// How fast: as it was, four times as fast, or at once
    #[arg(long, value_enum, default_value = "4x")]
    pub(crate) speed: Speed,
}

/// How fast a theater is shown again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Speed {
    #[value(name = "1x", alias = "1")]
    Real,
    #[value(name = "4x", alias = "4")]
    Fast,
    Instant,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Parse {
    /// The stream's file, or `-` [default: standard input]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Read so many bytes at once; the events are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=67_108_864))]
    pub(crate) chunk: Option<u32>,
    /// The run's id in the events
    #[arg(long, value_name = "R", default_value = "run")]
    pub(crate) run_id: String,
    /// The project's id in the events
    #[arg(long, value_name = "P", default_value = "project")]
    pub(crate) project: String,
    /// The artifact's id in the events
    #[arg(long, value_name = "A", default_value = "artifact")]
    pub(crate) artifact: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Check {
    /// HTML or Markdown files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The design file that the brand is judged by
    #[arg(long, value_name = "FILE")]
    pub(crate) design: Option<PathBuf>,
    /// Check against the rules of an anchor instead of measuring
    #[arg(long, value_name = "FILE", conflicts_with = "design")]
    pub(crate) anchor: Option<PathBuf>,
    /// Ask the linters of tribunal.toml about the rules that need an opinion, too
    #[arg(long, requires = "anchor")]
    pub(crate) semantic: bool,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: CheckFormat,
}

/// How measurements are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CheckFormat {
    Text,
    Json,
    Sarif,
    Junit,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Resume {
    /// Ids of runs, or assets [default: every run that is not over]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Status {
    /// A run's id, a unique part of it, or an asset
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Only runs with this text in their asset, their reason or a finding
    #[arg(long, value_name = "TEXT", conflicts_with = "run")]
    pub(crate) search: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct OneRun {
    /// A run's id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Log {
    /// A run's id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Go on printing until the run is over
    #[arg(short, long)]
    pub(crate) follow: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Diff {
    /// A run's id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Two rounds, e.g. 1..3 [default: the last two]
    #[arg(long, value_name = "A..B", value_parser = round_range)]
    pub(crate) rounds: Option<(u32, u32)>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    /// A run's id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The folder to write; it must not exist [default: tribunal-RUN]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Verify {
    /// Ids of runs, or assets [default: everything]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Reanchor {
    /// A run's id, a unique part of it, or the draft's name
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The file with the new anchor, or its kind: the main seat writes it then
    #[arg(value_name = "FILE|KIND")]
    pub(crate) anchor: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Adopt {
    /// A run's id, a unique part of it, or the campaign's slug [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Take over what there is, although the run is not complete
    #[arg(long)]
    pub(crate) unfinished: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ask {
    /// The seat
    #[arg(value_name = "SEAT")]
    pub(crate) seat: String,
    /// What you want to know
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    /// A run's id, a unique part of it, or an asset [default: the newest run]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Answer {
    /// A run's id, a unique part of it, or an asset [default: the newest run that waits for a person]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The seat, if several people are awaited
    #[arg(long, value_name = "SEAT")]
    pub(crate) seat: Option<String>,
    /// The file with the answer, or `-` for stdin
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Steer {
    /// A run's id, a unique part of it, or an asset
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// What you want
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Reopen {
    /// A run's id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Why; it stands in the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
    /// How many more rounds are allowed
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Pick a candidate yourself
    #[command(
        after_help = "Examples:\n  tribunal review select slug 6f1f0f7e-8a52-8c7e-9f0e-2f1d3c4b5a69\n  tribunal review select slug --iteration 2"
    )]
    Select(Select),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Select {
    /// The asset
    pub(crate) asset: String,
    /// The candidate's id, or a unique part of it
    #[arg(value_name = "CANDIDATE", required_unless_present = "iteration", conflicts_with = "iteration")]
    pub(crate) candidate: Option<String>,
    /// The candidate of this iteration
    #[arg(long, value_name = "N")]
    pub(crate) iteration: Option<u32>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Integrate {
    /// The agent
    #[arg(value_name = "AGENT", value_enum)]
    pub(crate) agent: IntegratedAgent,
    /// In your home instead of this project
    #[arg(long)]
    pub(crate) user: bool,
    /// Take away what was written
    #[arg(long)]
    pub(crate) remove: bool,
    /// Go on without asking
    #[arg(short, long, conflicts_with = "plan_only")]
    pub(crate) yes: bool,
    /// Show what would be written, and write nothing
    #[arg(long = "dry-run")]
    pub(crate) plan_only: bool,
}

/// The agents that Tribunal can be used from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum IntegratedAgent {
    Claude,
    Codex,
    Gemini,
    Opencode,
}

impl IntegratedAgent {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Completions {
    pub(crate) shell: clap_complete::Shell,
}

impl Limits {
    /// The flags as configuration keys.
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        let all = [
            ("limits.usd", &self.usd),
            ("limits.tokens", &self.tokens),
            ("limits.wall", &self.wall),
            ("limits.rounds", &self.rounds),
        ];
        all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?))).collect()
    }
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}

fn round_range(text: &str) -> Result<(u32, u32), String> {
    let numbers = text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    numbers.filter(|(from, to)| *from >= 1 && from < to).ok_or_else(|| "expected two rounds, as in 1..3".to_owned())
}
