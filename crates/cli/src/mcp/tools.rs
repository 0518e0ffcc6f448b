//! The table of tools: names, descriptions, schemas.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use std::sync::Arc;

use super::{check, findings, fix, outputs, start, status, steer, wait};

/// What a client may tell its model of us.
pub(super) const INSTRUCTIONS: &str = "\
Tribunal puts work on trial: agents draft, judges and measurements find faults, and this repeats until the work passes.
- To check a text or page that you have: `check`. It is deterministic and free, unless `semantic` is true.
- To fix what is certain to be wrong with a page: `fix`. To judge a change to code: `judge`, then `wait`.
- To have work done and judged: `start_run`, then `wait` until `because` is `ended`, then `findings`.
- `status` shows every run, `steer` gives a run an instruction, `interrupt` stops it; `start_run` continues it later.
Only what Tribunal reports as passed has passed: outcome `converged` or `shipped`, or a check with verdict `pass`. \
`undecided` is not a pass. Say which finding or measurement a change answers, and check again after it.";

/// Every tool there is.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool::<check::Check>(
            "check",
            "Check a draft",
            "Check a draft without starting a run. Without an anchor the house measures an HTML page or a Markdown text \
             (contrast, structure, links, wording); with one, the draft is checked against the anchor's rules. \
             Pass the draft as `text`, or as a `path` inside the project. Returns `verdict`: `pass`, `fail`, or `undecided` \
             when only rules are left that need a model (`semantic`) or a command (a run); and every finding with its \
             evidence, place and weight. `must_fix` and `violations` keep a draft from passing.",
            reads(),
        ),
        tool::<fix::Fix>(
            "fix",
            "Fix a page",
            "Fix what is certain to be wrong with HTML and Markdown files of the project, by measuring, without a model. \
             Without `write` nothing is changed, and `files` has the patches. What is left and must be fixed is in `must_fix`.",
            ToolAnnotations::new().read_only(false).destructive(true).idempotent(true).open_world(false),
        ),
        tool::<start::Judge>(
            "judge",
            "Judge a change",
            "Judge whether a change to the repository holds: its checks are run without it and with it, and what `spec` asks \
             for is put to the vote if verifiers are configured. Returns at once with the run's id; call `wait` next. Only \
             the outcome `converged` is a pass.",
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(true),
        ),
        tool::<start::Start>(
            "start_run",
            "Start a run",
            "Start the trial that tribunal.toml describes, or continue an unfinished one. Returns at once with the ids of \
             the runs, which continue in the background, even when you leave; a decided asset is not run again and is in `settled`. Runs \
             call the configured agents and may cost money, within the limits of tribunal.toml. Call `wait` next.",
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(true),
        ),
        tool::<status::Status>(
            "status",
            "Show the status of runs",
            "The status of one run, or of all of them, newest first: `status` (`running`, or the outcome), why, rounds with \
             their scores, tokens and cost, and what it is waiting for. `driven: false` with `running` means that no process \
             is working on it: `start_run` continues it.",
            reads(),
        ),
        tool::<findings::FindingsOf>(
            "findings",
            "Show the findings of a run",
            "The findings of a run and what became of each across the rounds, what every judge said last with the \
             measurements as evidence, receipts of commands that were run, and the current draft. The `target` of a \
             finding quotes the part of the draft that it is about; `line` is where that is.",
            reads(),
        ),
        tool::<steer::Steer>(
            "steer",
            "Give a run an instruction",
            "Give an instruction to an unfinished run. Every later turn receives it; earlier decisions do not change.",
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(false).open_world(false),
        ),
        tool::<steer::Interrupt>(
            "interrupt",
            "Stop a run",
            "Stop a run and its agents. Everything that is finished is kept, and `start_run` continues it later.",
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false),
        ),
        tool::<wait::Wait>(
            "wait",
            "Wait for a run",
            "Wait until a run has ended, or with `until: \"round\"` until it closes a round, for at most `seconds` (50 at \
             most). Returns `because` (`ended`, `round_closed` or `time_is_up`) and the status of the run. Call it again \
             after `time_is_up`.",
            reads(),
        ),
    ]
}

/// The names, for a message.
pub(super) fn names() -> String {
    let names: Vec<String> = all().into_iter().map(|tool| tool.name.into_owned()).collect();
    names.join(", ")
}

fn tool<T: JsonSchema + 'static>(
    name: &'static str,
    title: &str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, description, JsonObject::default())
        .with_input_schema::<T>()
        .with_raw_output_schema(Arc::new(outputs::of(name)))
        .with_title(title)
        .with_annotations(annotations)
}

fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}
