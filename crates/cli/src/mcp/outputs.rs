//! What tools answer with, as schemas. Clients hold answers against them, also those of calls that were refused: so
//! nothing is required, and more may be there than is named.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The schema of what a tool answers with.
pub(super) fn of(tool: &str) -> JsonObject {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let list = |about: &str| json!({ "type": "array", "items": { "type": "object" }, "description": about });
    let flag = |about: &str| json!({ "type": "boolean", "description": about });
    let count = |about: &str| json!({ "type": "integer", "description": about });
    let outcome = || text("`running`, `waiting`, or the outcome: only `converged` and `shipped` are a pass");
    let fields: Vec<(&str, Value)> = match tool {
        "check" => vec![
            ("draft", text("what was checked")),
            ("verdict", text("`pass`, `fail` or `undecided`; undecided is not a pass")),
            ("passed", flag("whether the verdict is `pass`")),
            ("must_fix", count("how many findings keep the draft from passing")),
            ("findings", list("what was measured and found wanting, the gravest first")),
            ("violations", list("rules of the anchor that are broken")),
            ("left_out", count("how many items are not shown")),
        ],
        "fix" => vec![
            ("files", list("files that were changed, or would be, with the changes as patches")),
            ("edits", list("what was done")),
            ("suggestions", list("what is likely to be right and was not done")),
            ("must_fix", list("what is left and must be fixed")),
            ("passed", flag("whether nothing is left that must be fixed")),
            ("written", flag("whether the files were changed")),
        ],
        "start_run" | "judge" => vec![
            ("runs", list("runs that were started or continued, each with its `run` id")),
            ("settled", list("what is decided already, and was not started")),
            ("next", text("what to do next")),
        ],
        "status" => vec![
            ("runs", list("all runs, newest first, where no run was named")),
            ("run", text("the run's id")),
            ("status", outcome()),
            ("driven", flag("whether a process works on it")),
            ("standing", text("how it stands, in a few words")),
            ("forecast", text("how many faults are likely left, where a run was named and two judges can be compared")),
        ],
        "wait" => vec![
            ("because", text("`ended`, `round_closed` or `time_is_up`")),
            ("run", text("the run's id")),
            ("status", outcome()),
            ("driven", flag("whether a process works on it")),
            ("standing", text("how it stands, in a few words")),
        ],
        "findings" => vec![
            ("run", text("the run's id")),
            ("status", outcome()),
            ("passed", flag("whether the outcome is a pass")),
            ("open_must_fix", count("how many findings keep it from passing")),
            ("findings", list("the findings, with what became of each")),
            ("judged", list("what every judge said last")),
            ("left_out", count("how many findings are not shown")),
        ],
        "steer" => vec![("run", text("the run's id"))],
        "interrupt" => vec![
            ("run", text("the run's id")),
            ("status", outcome()),
            ("was_over", flag("whether it had ended before")),
        ],
        _ => Vec::new(),
    };
    let refused = [
        ("kind", json!({ "description": "where the call was refused: why, in a word" })),
        ("retryable", flag("where the call was refused: whether the same call may succeed later")),
        ("errors", list("where the call was refused: what is wrong, and what to do")),
    ];
    let properties: JsonObject =
        fields.into_iter().chain(refused).map(|(name, schema)| (name.to_owned(), schema)).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), Value::Object(properties));
    schema
}
