//! What can be typed.

mod adopt;
mod agents;
mod answer;
mod at;
mod check;
mod clean;
mod demo;
mod desk;
mod diff;
mod fix;
mod groups;
mod init;
mod integrate;
mod judge;
mod prices;
mod proof;
mod serve;
mod verify;

use clap::{Args as ClapArgs, FromArgMatches as _, Parser, Subcommand};
use std::path::PathBuf;

pub(crate) use adopt::Adopt;
pub(crate) use agents::{AgentsCommand, Conformance, ControlsArgs, Doctor};
pub(crate) use answer::Answer;
pub(crate) use check::{Check, CheckFormat, Explain, FailOn};
pub(crate) use clean::Clean;
pub(crate) use demo::{Demo, SceneName};
pub(crate) use desk::{Brainstorm, Desk, DeskClean, DeskCommand, DeskInit, DeskLogs, DeskObjective, DeskStatus};
pub(crate) use diff::Diff;
pub(crate) use fix::Fix;
pub(crate) use groups::command;
pub(crate) use init::{Init, InitLoop};
pub(crate) use integrate::{Integrate, IntegratedAgent};
pub(crate) use judge::{Judge, JudgeFormat};
pub(crate) use prices::{Prices, PricesCommand, PricesUpdate};
pub(crate) use proof::Proof;
pub(crate) use serve::Serve;
pub(crate) use verify::Verify;

/// Puts any agent's work on trial until it holds.
#[derive(Debug, Parser)]
#[command(
    name = "tribunal",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  tribunal                      what Tribunal can do in this folder\n  tribunal demo                 see what it does, in a minute\n  tribunal check page.html      measure a page, without a model or an account\n  tribunal judge                does the last change hold, and could its tests have failed?\n  tribunal init my-trial        a small project that runs as it is\n\nRun `tribunal help COMMAND` for details."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    /// Nothing: look at this folder and say what can be done here.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Args {
    /// What was typed; with a word on what is wrong with it the program ends here.
    pub(crate) fn read() -> Self {
        Self::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit())
    }
}

/// Options of every command.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Global {
    /// Run as if started in this folder
    #[arg(short = 'C', long = "dir", global = true, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Use this configuration file instead of the nearest tribunal.toml
    #[arg(long, global = true, value_name = "FILE", env = "TRIBUNAL_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Set a configuration key, e.g. `--set limits.usd=2`
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", value_parser = key_value)]
    pub(crate) set: Vec<(String, String)>,
    /// Print JSON on stdout: one object, or one per line for streams
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print more on stderr
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play three trials that need no model and no account, in a minute
    ///
    /// A worker that lies, a page that is fixed in place, and a change whose tests prove nothing: played by the commands
    /// that you would type, in a new folder that is kept.
    #[command(after_help = demo::EXAMPLES)]
    Demo(Demo),
    /// Create a project: tribunal.toml, a brief and example agents
    #[command(
        after_help = "Example:\n  tribunal init notes --asset description\n  tribunal -C notes run\n  tribunal init site --loop theater"
    )]
    Init(Init),
    /// Run the trial that tribunal.toml describes
    ///
    /// An unfinished run continues where it stopped. What is decided stays as it is, and no agent is called; if its brief,
    /// attachments, anchor, design, settings or seats changed since, it is stale: the exit code is 1, and `--again` starts
    /// a new run.
    ///
    /// An HTML or Markdown file needs no configuration: the house panel measures it and fixes what is certain to be wrong.
    #[command(
        after_help = "Examples:\n  tribunal run\n  tribunal run slug title_detail --max-iterations 5\n  tribunal run page.html --design DESIGN.md\n  tribunal run --attach shot.png --attach notes.md\n  tribunal run --dry-run\n  tribunal run --brief \"Describe the episode.\" --usd 0.50 --json"
    )]
    Run(Run),
    /// Show whom a run would call and what it may cost; calls nobody
    #[command(after_help = "Examples:\n  tribunal plan\n  tribunal plan page.html --design DESIGN.md --json")]
    Plan(Run),
    /// Continue a run that failed, timed out, was interrupted or killed
    #[command(after_help = "Examples:\n  tribunal resume\n  tribunal resume description --wall 30m")]
    Resume(Resume),
    /// Start a theater again, from the artifact of an earlier run
    ///
    /// The earlier run and its artifact are not changed.
    #[command(after_help = "Examples:\n  tribunal rerun\n  tribunal rerun 019a --brief \"Shorter, please.\"")]
    Rerun(Rerun),
    /// Run again from a given round, with one thing changed
    ///
    /// Answers from before that round are reused, and so is every later answer to an identical question: you pay only
    /// for what differs. The original run and the files of the workspace are not changed. At the end, both runs are
    /// compared.
    #[command(
        after_help = "Examples:\n  tribunal fork --from-round 2 --seat critic=codex --dry-run\n  tribunal fork landing --from-round 2 --seat critic=codex\n  tribunal fork 019a --from-round 3 --set theater.score_threshold=8.5"
    )]
    Fork(Fork),
    /// Play back a theater as it happened
    #[command(
        after_help = "Examples:\n  tribunal replay\n  tribunal replay landing --speed instant\n  tribunal replay transcript.ndjson.gz --json"
    )]
    Replay(Replay),
    /// Parse a stream in the panel protocol and print its events
    ///
    /// Prints one JSON object per line. A stream that cannot be parsed ends with `degraded` and exit code 1. `--set`
    /// changes a setting of the theater: `--set maxRounds=5`.
    #[command(
        after_help = "Examples:\n  tribunal parse stream.txt\n  agent | tribunal parse --chunk 64\n  tribunal parse - --set scoreThreshold=7.5 --run-id r1 < stream.txt"
    )]
    Parse(Parse),
    /// Judge a change: do its checks hold, and could they have failed?
    ///
    /// Exits with 1 if it does not hold. `docs/judge.md` explains what is run, and what that shows.
    #[command(
        after_help = "Examples:\n  tribunal judge\n  tribunal judge main..feature --check \"python3 -m pytest\"\n  tribunal judge HEAD --mutants 0 --json\n  tribunal judge main...feature --format github --comment-file comment.md"
    )]
    Judge(Judge),
    /// Measure pages and texts: contrast, structure, wording, links
    ///
    /// Exits with 1 if something must be fixed. `docs/checks.md` explains every measurement, `tribunal explain` every rule.
    #[command(after_help = check::EXAMPLES)]
    Check(Check),
    /// Show what models cost, and where that is known from
    ///
    /// Without MODEL: the tables, and the models of the seats.
    /// A project's own prices (`[prices.NAME]`) win over the user's table, and that over the built-in one.
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  tribunal prices claude-sonnet-5\n  tribunal prices --json gpt-5-mini\n  tribunal prices update api.json"
    )]
    Prices(Prices),
    /// Explain a rule of `tribunal check`; without RULE, list all
    #[command(
        after_help = "Examples:\n  tribunal explain contrast.text\n  tribunal explain\n  tribunal explain --json"
    )]
    Explain(Explain),
    /// Fix pages and their style sheets in place, where it is certain
    ///
    /// An edit is certain if the page says the same, looks the same but for the fault, and measures better; anything else
    /// is a suggestion. Shows the diff, and says what is left. Style sheets of others and minified ones are not changed.
    /// A file that git does not have like that is kept beside it as `.orig`. Exits with 1 if something must still be fixed.
    #[command(
        after_help = "Examples:\n  tribunal fix page.html\n  tribunal fix site --diff\n  tribunal fix page.html --design DESIGN.md -i --unsafe\n  tribunal fix page.html --json"
    )]
    Fix(Fix),
    /// List all runs; with RUN, show one in detail
    #[command(
        after_help = "Examples:\n  tribunal status\n  tribunal status --all\n  tribunal status description --json\n  tribunal status --search contrast"
    )]
    Status(Status),
    /// Follow a run that another process is driving
    ///
    /// Lines with `~` are what an agent says before its turn ends. They are not stored: the log has the whole answer.
    #[command(after_help = "Examples:\n  tribunal watch\n  tribunal watch description\n  tribunal watch --json")]
    Watch(OneRun),
    /// Print the events of a run
    #[command(
        after_help = "Examples:\n  tribunal log\n  tribunal log description --follow\n  tribunal log --json | jq .event.type"
    )]
    Log(Log),
    /// Show what changed between the drafts of two rounds, or within one
    #[command(
        after_help = "Examples:\n  tribunal diff\n  tribunal diff description --rounds 1..3\n  tribunal diff plan --round 2"
    )]
    Diff(Diff),
    /// Write a run's drafts, verdicts, prompts and log to a folder
    #[command(after_help = "Example:\n  tribunal export description --output trial-of-description")]
    Export(Export),
    /// Check that runs are what they say, or that a proof holds
    ///
    /// A run: its log and its texts are intact, what was decided follows from what was answered, and the files that show it
    /// say the same. A proof: who signed it, what it is about, and what follows. Exits with 1 if something does not hold.
    /// `docs/proof.md` explains what can be shown and what cannot.
    #[command(after_help = verify::EXAMPLES)]
    Verify(Verify),
    /// Write a proof of a run, for people who do not have the project
    ///
    /// One file: in-toto statements in signed DSSE envelopes, with the log and what judges answered. Prompts and drafts are in
    /// it by their digests alone, unless you ask for more. `docs/proof.md` explains what it shows.
    #[command(after_help = proof::EXAMPLES)]
    Proof(Proof),
    /// Stop a run and keep everything that is finished
    #[command(after_help = "Example:\n  tribunal interrupt description")]
    Interrupt(OneRun),
    /// Let a worker change your code and a verifier check every claim
    #[command(after_help = desk::EXAMPLES)]
    Desk(Desk),
    /// Take over what a run made: the work of a desk, or a page
    ///
    /// The work of a desk is merged into your checkout; a page goes to where it came from. A page that changed since the run
    /// began is not replaced, unless you say `--force`. Its old text is kept beside it as `.orig`, unless git has it.
    #[command(after_help = "Examples:\n  tribunal adopt\n  tribunal adopt calculator\n  tribunal adopt index --force")]
    Adopt(Adopt),
    /// List, check and grade the agents of this project
    #[command(subcommand, after_help = "Example:\n  tribunal agents doctor")]
    Agents(AgentsCommand),
    /// Ask a seat of a run a question, without changing the run
    #[command(
        after_help = "Examples:\n  tribunal ask skeptic \"What bothers you most?\"\n  tribunal ask reviewer --run description \"Why not ok?\""
    )]
    Ask(Ask),
    /// Replace the anchor of a run for all drafts from now on
    #[command(
        after_help = "Examples:\n  tribunal reanchor rfc anchor.toml\n  tribunal reanchor rfc rubric   # the main seat writes it"
    )]
    Reanchor(Reanchor),
    /// Answer a question that a run asks, or decide what is undecided
    ///
    /// A run that ended as `needs_human` with undecided items takes your decision with `--met` and `--broken`; without
    /// them, the items are listed. The last round is then judged again, without calling anybody for what is known.
    ///
    /// In a terminal, the question opens in $EDITOR, or is asked line by line if $EDITOR is not set. Otherwise the answer
    /// is read from FILE or stdin; if both are empty, the question and its form are printed and nothing changes. An answer
    /// is the completed form, or JSON that matches the schema in the question.
    #[command(
        after_help = "Examples:\n  tribunal answer\n  tribunal answer description --seat reviewer --file review.toml\n  tribunal answer draft --met 1 --broken 2 --why \"the date is missing\"\n  tribunal answer draft --allow-commands\n  echo '{\"verdict\": \"ok\"}' | tribunal answer description"
    )]
    Answer(Answer),
    /// Give a run an instruction that every later turn receives
    #[command(after_help = "Example:\n  tribunal steer landing \"Keep it under 200 words.\"")]
    Steer(Steer),
    /// Lift a decision, so that the run can continue
    #[command(
        after_help = "Example:\n  tribunal reopen description --why \"too dry\" --rounds 2\n  tribunal resume description"
    )]
    Reopen(Reopen),
    /// Commands of the review loop
    #[command(subcommand, after_help = "Example:\n  tribunal review select slug --iteration 2")]
    Review(ReviewCommand),
    /// Rebuild the index and the files of the workspace from the logs
    #[command(after_help = "Example:\n  tribunal reindex")]
    Reindex,
    /// Free space: old runs, merged work trees, blobs that nothing cites
    ///
    /// Shows what would go and asks first. A run stays while it is running or not finished, while it is the newest on its
    /// asset, while its work is not in your checkout, and while a run that stays, a fork, a proof or an anchor cites it.
    #[command(after_help = clean::EXAMPLES)]
    Clean(Clean),
    /// Show every setting and where its value comes from
    #[command(after_help = "Examples:\n  tribunal config\n  tribunal config --set limits.usd=1 --json")]
    Config,
    /// Show the runs of this project in the browser, and serve the API
    ///
    /// Prints a URL with a token; anyone who has it can read and change everything. Unfinished runs that no process is
    /// driving are resumed. `docs/stage.md` is the guide to the page, `docs/openapi.json` describes the API.
    #[command(
        after_help = "Examples:\n  tribunal serve\n  tribunal serve --port 0 --json\n  tribunal serve --bind 0.0.0.0 --host stage.example --token-file token.txt"
    )]
    Serve(Serve),
    /// Serve this project to an agent: MCP on stdin and stdout
    ///
    /// The tools are check, `start_run`, status, findings, steer, interrupt and wait. `docs/mcp.md` has examples.
    #[command(after_help = "Examples:\n  tribunal mcp\n  claude mcp add tribunal -- tribunal mcp")]
    Mcp,
    /// Add Tribunal to an agent: slash command, instructions, MCP server
    ///
    /// Shows what it would write and asks first. It changes nothing that others wrote; `--remove` removes what it added.
    #[command(
        after_help = "Examples:\n  tribunal integrate claude\n  tribunal integrate codex --user --yes\n  tribunal integrate gemini --dry-run\n  tribunal integrate claude --stop-hook\n  tribunal integrate opencode --remove"
    )]
    Integrate(Integrate),
    /// Print a shell completion script
    #[command(after_help = "Example:\n  tribunal completions bash > /etc/bash_completion.d/tribunal")]
    Completions(Completions),
    /// Print the manual page, or write one for every command
    #[command(after_help = "Examples:\n  tribunal man | man -l -\n  tribunal man --to ~/.local/share/man/man1")]
    Man(Man),
}

/// Limits that win over the configuration.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct Limits {
    /// Spend at most this many US dollars
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) usd: Option<String>,
    /// Use at most this many tokens
    #[arg(long, value_name = "N")]
    pub(crate) tokens: Option<String>,
    /// Take at most this long, e.g. 10m
    #[arg(long, value_name = "DURATION")]
    pub(crate) wall: Option<String>,
    /// Run at most this many rounds
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<String>,
}

#[derive(Debug, Default, ClapArgs)]
pub(crate) struct Run {
    /// The assets to work on, or the pages to fix [default: those of tribunal.toml]
    #[arg(value_name = "ASSET|FILE")]
    pub(crate) assets: Vec<String>,
    /// The brief: text or a file
    #[arg(long, value_name = "TEXT|FILE")]
    pub(crate) brief: Option<String>,
    /// Show a file along with the brief: an image or a text; can be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<String>,
    /// Run at most this many iterations
    #[arg(long, value_name = "N")]
    pub(crate) max_iterations: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// The anchor to judge drafts against, besides the brief: a TOML or JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Option<String>,
    /// Joust: let commands run that a model writes into the anchor
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Theater: the design file to judge the brand by
    #[arg(long, value_name = "FILE")]
    pub(crate) design: Option<String>,
    /// Joust, theater: also write the result to this file; `-` writes it to stdout, and nothing else
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Theater: use the panel even if the policy is on-demand
    #[arg(long)]
    pub(crate) panel: bool,
    /// Start a new run of what is decided already, with what is configured now
    #[arg(long)]
    pub(crate) again: bool,
    /// Show seats, limits and planned calls, without calling any agent
    #[arg(long = "dry-run")]
    pub(crate) plan_only: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Rerun {
    /// A run id, a unique part of it, or an artifact [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// A different brief: text or a file
    #[arg(long, value_name = "TEXT|FILE")]
    pub(crate) brief: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Fork {
    /// A run id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The first round to run again
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) from_round: u32,
    /// Put a different agent in a seat
    #[arg(long = "seat", value_name = "SEAT=AGENT", value_parser = key_value)]
    pub(crate) seats: Vec<(String, String)>,
    /// Show what would change and what it may cost, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Start it without asking, whatever it costs
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Replay {
    /// A run id, a unique part of it, an artifact, or a transcript file [default: the newest run]
    #[arg(value_name = "RUN|FILE")]
    pub(crate) run: Option<String>,
    /// How fast to play: original speed, four times as fast, or all at once
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
    /// The file to read, or `-` [default: stdin]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Read this many bytes at a time; the events are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=67_108_864))]
    pub(crate) chunk: Option<u32>,
    /// The run id in the events
    #[arg(long, value_name = "R", default_value = "run")]
    pub(crate) run_id: String,
    /// The project id in the events
    #[arg(long, value_name = "P", default_value = "project")]
    pub(crate) project: String,
    /// The artifact id in the events
    #[arg(long, value_name = "A", default_value = "artifact")]
    pub(crate) artifact: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Resume {
    /// Run ids or assets [default: every unfinished run]
    #[arg(value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Status {
    /// A run id, a unique part of it, or an asset
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// List only runs with this text in their asset, reason or findings
    #[arg(long, value_name = "TEXT", conflicts_with = "run")]
    pub(crate) search: Option<String>,
    /// Also show what each run, and everything else, takes on the disk
    #[arg(long, conflicts_with_all = ["run", "search"])]
    pub(crate) all: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct OneRun {
    /// A run id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Log {
    /// A run id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Keep printing until the run ends
    #[arg(short, long)]
    pub(crate) follow: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Export {
    /// A run id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The folder to create; it must not exist yet [default: tribunal-RUN]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Reanchor {
    /// A run id, a unique part of it, or the name of the draft
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The file with the new anchor, or a kind of anchor for the main seat to write
    #[arg(value_name = "FILE|KIND")]
    pub(crate) anchor: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ask {
    /// The seat to ask
    #[arg(value_name = "SEAT")]
    pub(crate) seat: String,
    /// Your question
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    /// A run id, a unique part of it, or an asset [default: the newest run]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Steer {
    /// A run id, a unique part of it, or an asset
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// The instruction
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Reopen {
    /// A run id, a unique part of it, or an asset [default: the newest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The reason, for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
    /// Allow this many more rounds
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Select a candidate yourself
    #[command(
        after_help = "Examples:\n  tribunal review select slug 6f1f0f7e-8a52-8c7e-9f0e-2f1d3c4b5a69\n  tribunal review select slug --iteration 2"
    )]
    Select(Select),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Select {
    /// The asset
    pub(crate) asset: String,
    /// The id of the candidate, or a unique part of it
    #[arg(value_name = "CANDIDATE", required_unless_present = "iteration", conflicts_with = "iteration")]
    pub(crate) candidate: Option<String>,
    /// The candidate of this iteration
    #[arg(long, value_name = "N")]
    pub(crate) iteration: Option<u32>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Man {
    /// Write a page for every command to this folder [default: print that of tribunal itself]
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
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
