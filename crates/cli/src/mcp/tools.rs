//! The table of tools: names, descriptions, schemas.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;

use super::{check, findings, start, status, steer, wait};

/// What a client may tell its model of us.
pub(super) const INSTRUCTIONS: &str = "\
Tribunal puts work on trial: agents draft, judges and measurements find fault, and it repeats until a gate is passed.
- To check a text or page that you have: `check`. It is deterministic and free, unless `semantic` is true.
- To have work done and judged: `start_run`, then `wait` until `because` is `ended`, then `findings`.
- `status` shows every run, `steer` tells a run what is wanted, `interrupt` stops it; it can go on later with `start_run`.
Only what Tribunal reports as passed has passed: outcome `converged` or `shipped`, or a check with verdict `pass`. \
`undecided` is not a pass. Say which finding or measurement a change answers, and check again after it.";

/// Every tool there is.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool::<check::Check>(
            "check",
            "Check a draft",
            "Check a draft without starting a run. Without an anchor the house measures an HTML page or a Markdown text \
             (contrast, structure, links, wording); with one, the draft is held against the anchor's rules. Give the \
             draft as `text`, or as a `path` inside of the project. Returns `verdict`: `pass`, `fail`, or `undecided` \
             when only rules are left that need a model (`semantic`) or a command (a run); and every finding with its \
             evidence, place and weight. `must_fix` and `violations` keep a draft from passing.",
            reads(),
        ),
        tool::<start::Start>(
            "start_run",
            "Start a run",
            "Start the trial that tribunal.toml describes, or go on with one that was cut short. Returns at once with the \
             ids of the runs that go on in the background; a decided asset is not run again and is in `settled`. Runs \
             call the configured agents and may cost money, within the limits of tribunal.toml. Call `wait` next.",
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(true),
        ),
        tool::<status::Status>(
            "status",
            "How runs stand",
            "How one run stands, or all of them, newest first: `status` (`running`, or the outcome), why, rounds with \
             their scores, tokens and cost, and what it waits for. `driven: false` with `running` means that nobody works \
             on it: `start_run` goes on.",
            reads(),
        ),
        tool::<findings::FindingsOf>(
            "findings",
            "What was found",
            "The findings of a run and what became of each across the rounds, what every judge said last with the \
             measurements as evidence, receipts of commands that were run, and the draft that stands. A finding's \
             `target` quotes the part of the draft that it is about; `line` is where that is.",
            reads(),
        ),
        tool::<steer::Steer>(
            "steer",
            "Tell a run what is wanted",
            "Give a directive to a run that is not over. Every turn that starts from now on is told; what is decided stays.",
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(false).open_world(false),
        ),
        tool::<steer::Interrupt>(
            "interrupt",
            "Stop a run",
            "Stop a run and end its agents. What is finished is kept, and `start_run` goes on with it later.",
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false),
        ),
        tool::<wait::Wait>(
            "wait",
            "Wait for a run",
            "Wait until a run has ended, or with `until: \"round\"` until it closes a round, for at most `seconds` (50 at \
             most). Returns `because` (`ended`, `round_closed` or `time_is_up`) and how the run stands. Call it again \
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
        .with_title(title)
        .with_annotations(annotations)
}

fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}
