//! Asking a person in the terminal: in their editor, or line by line where none is set.

use serde_json::{Map, Value};
use std::io::{self, BufRead as _, Write as _};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tribunal_app::AppError;
use tribunal_app::people::Question;
use tribunal_app::people::form::{self, Field, SCISSORS};
use tribunal_engine::editor::{self, EditError};

/// How a text of several lines begins and ends.
const FENCE: &str = "\"\"\"";

/// What a person at the terminal answers, checked; nothing, if they do not want to now.
///
/// In a thread that nobody waits for at the end: a person who thinks must not keep the program from stopping.
pub(crate) async fn at_terminal(question: Question) -> Result<Option<String>, AppError> {
    let (tell, told) = oneshot::channel();
    let runtime = Handle::current();
    std::thread::spawn(move || {
        let keep = |text: &str| Ok(runtime.block_on(question.keep(text))?);
        drop(tell.send(ask(&question, &keep)));
    });
    told.await.unwrap_or(Ok(None))
}

/// Keeps for the next try what did not fit.
type Keep<'a> = &'a dyn Fn(&str) -> Result<(), AppError>;

fn ask(question: &Question, keep: Keep<'_>) -> Result<Option<String>, AppError> {
    if editor::is_set() { in_editor(question, keep) } else { by_lines(question, keep, &mut Terminal) }
}

fn in_editor(question: &Question, keep: Keep<'_>) -> Result<Option<String>, AppError> {
    let shown = |text: &str| format!("{}\n\n{SCISSORS}\n\n{}", text.trim_end(), question.prompt);
    let mut text = shown(&question.blank());
    loop {
        let written = match editor::edit(&text) {
            Ok(written) => written,
            // Editors end like this when they are told not to go on.
            Err(EditError::Ended { .. }) => return Ok(None),
            Err(error) => return Err(AppError::environment(error.to_string(), "set $EDITOR".to_owned())),
        };
        if !form::is_filled_in(question.form.as_ref(), &written) {
            return Ok(None);
        }
        match question.understand(&written) {
            Ok(answer) => return Ok(Some(answer)),
            Err(why) => {
                keep(&written)?;
                if written == text {
                    return Ok(None); // shown what is wrong, they left it as it was
                }
                let kept = form::uncomplained(&written);
                text = form::complain(&shown(form::cut(&kept)), &why);
            }
        }
    }
}

/// Somebody who is talked to in lines.
trait Talk {
    fn say(&mut self, text: &str);
    /// What they say; nothing, if they say nothing more.
    fn line(&mut self) -> Option<String>;
}

struct Terminal;

impl Talk for Terminal {
    fn say(&mut self, text: &str) {
        eprint!("{text}");
        let _ = io::stderr().flush();
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line).ok()?;
        (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

fn by_lines(question: &Question, keep: Keep<'_>, talk: &mut impl Talk) -> Result<Option<String>, AppError> {
    talk.say(&format!("{}\n\n{}\n", question.prompt, question.title()));
    talk.say("Press Enter to leave a field empty; Ctrl-D leaves the question for later.\n");
    loop {
        let written = if let Some(schema) = &question.form {
            group(talk, schema, "").map(|answer| Value::Object(answer).to_string())
        } else {
            talk.say(&format!("your answer (several lines: start and end with {FENCE}): "));
            talk.line().and_then(|first| rest(talk, first))
        };
        let Some(written) = written else { return Ok(None) };
        if written.trim().is_empty() {
            return Ok(None);
        }
        match question.understand(&written) {
            Ok(answer) => return Ok(Some(answer)),
            Err(why) => {
                keep(&written)?;
                talk.say(&format!("That is not valid: {why}\nPlease try again.\n"));
            }
        }
    }
}

/// The fields of a group, one after the other.
fn group(talk: &mut impl Talk, schema: &Value, path: &str) -> Option<Map<String, Value>> {
    let mut said = Map::new();
    for (name, schema, is_required) in form::fields(schema) {
        let label = form::label(name);
        let path = if path.is_empty() { label } else { format!("{path}, {}", label.to_lowercase()) };
        let value = match form::field(schema) {
            Field::Word(_) | Field::Text | Field::Number | Field::Truth => one(talk, schema, &path, is_required)?,
            Field::List(items) => Value::Array(several(talk, schema, items, &path)?),
            Field::Group(inner) if is_required || agrees(talk, schema, &path)? => {
                Value::Object(group(talk, inner, &path)?)
            }
            // What has no form of its own is for an editor.
            Field::Group(_) | Field::Named | Field::Any => Value::Null,
        };
        if !value.is_null() {
            said.insert(name.to_owned(), value);
        }
    }
    Some(said)
}

/// One value, asked for until it fits; null, if there is none. Nothing: they went away.
fn one(talk: &mut impl Talk, schema: &Value, path: &str, is_required: bool) -> Option<Value> {
    loop {
        let told = form::described(schema).map(|text| format!(": {}", text.replace('\n', " "))).unwrap_or_default();
        let kind = match form::field(schema) {
            Field::Word(words) => format!(" ({})", form::spoken(&words)),
            Field::Truth => " (yes, no)".into(),
            Field::Text => format!(" (several lines: start and end with {FENCE})"),
            _ => String::new(),
        };
        let optional = if is_required { "" } else { ", if you like" };
        talk.say(&format!("{path}{told}{kind}{optional}\n> "));
        let first = talk.line()?;
        let text = rest(talk, first)?;
        match form::settled(schema, &Value::String(text), path, is_required) {
            Ok(value) => return Some(value.unwrap_or_default()),
            Err(error) => talk.say(&format!("{error}\n")),
        }
    }
}

/// As many as there are.
fn several(talk: &mut impl Talk, schema: &Value, items: &Value, path: &str) -> Option<Vec<Value>> {
    let mut said = Vec::new();
    if !form::known(schema).is_empty() {
        for given in form::known(schema) {
            talk.say(&format!("{}\n", form::about(items, given)));
            let mut item = group(talk, &form::without(items, given), path)?;
            item.extend(given.as_object().cloned().unwrap_or_default());
            said.push(Value::Object(item));
        }
        return Some(said);
    }
    loop {
        let place = format!("{path} {}", said.len() + 1);
        let item = match form::field(items) {
            Field::Group(inner) if agrees(talk, schema, &place)? => Value::Object(group(talk, inner, &place)?),
            Field::Group(_) => Value::Null,
            _ => one(talk, items, &place, false)?,
        };
        if item.is_null() {
            return Some(said);
        }
        said.push(item);
    }
}

fn agrees(talk: &mut impl Talk, schema: &Value, path: &str) -> Option<bool> {
    let told = form::described(schema).map(|text| format!(": {}", text.replace('\n', " "))).unwrap_or_default();
    talk.say(&format!("{path}{told} — do you have one? (y, N)\n> "));
    loop {
        match talk.line()?.trim().to_lowercase().as_str() {
            "y" | "yes" => return Some(true),
            "" | "n" | "no" => return Some(false),
            // Whoever begins with what they have to say is not taken to have nothing.
            _ => talk.say("Answer y or n first; your text is asked for next.\n> "),
        }
    }
}

/// The whole of a text whose first line is known.
fn rest(talk: &mut impl Talk, first: String) -> Option<String> {
    let Some(begun) = first.trim_start().strip_prefix(FENCE) else { return Some(first) };
    let mut lines = Vec::new();
    if !begun.trim().is_empty() {
        lines.push(begun.to_owned());
    }
    loop {
        let line = talk.line()?;
        if line.trim_end().ends_with(FENCE) {
            let last = line.trim_end().trim_end_matches(FENCE);
            lines.extend((!last.trim().is_empty()).then(|| last.to_owned()));
            return Some(lines.join("\n"));
        }
        lines.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tribunal_kernel::answer::schema;
    use tribunal_kernel::review::{CreatorAnswer, ReviewerAnswer};
    use tribunal_kernel::theater::JudgeAnswer;

    /// Says what stands in a script.
    struct Script {
        lines: Vec<&'static str>,
        heard: String,
    }

    impl Talk for Script {
        fn say(&mut self, text: &str) {
            self.heard.push_str(text);
        }

        fn line(&mut self) -> Option<String> {
            (!self.lines.is_empty()).then(|| self.lines.remove(0).to_owned())
        }
    }

    fn talk<T: schemars::JsonSchema>(script: &[&'static str]) -> (Option<Value>, String) {
        let schema: Value = serde_json::from_str(&schema::<T>()).unwrap();
        let mut talk = Script { lines: script.to_vec(), heard: String::new() };
        let said = group(&mut talk, &schema, "").map(Value::Object);
        (said, talk.heard)
    }

    #[test]
    fn what_is_said_line_by_line_becomes_the_answer() {
        let (said, heard) = talk::<ReviewerAnswer>(&["fine", "ok", "n", ""]);
        assert_eq!(said, Some(json!({ "verdict": "ok", "issues": [] })));
        insta::assert_snapshot!(heard, @r#"
    Verdict: The reviewer's words for a verdict. (ok, changes requested, needs human)
    > `Verdict` is `fine`, but it must be one of: ok, changes requested, needs human
    Verdict: The reviewer's words for a verdict. (ok, changes requested, needs human)
    > Issues 1 — do you have one? (y, N)
    > Summary: The verdict in one or two sentences. (several lines: start and end with """), if you like
    >
    "#);
        let issues = ["changes_requested", "y", "Shorter.", "tone", "", "warning", "n", "Nearly."];
        let issue = json!({ "message": "Shorter.", "code": "tone", "severity": "warning" });
        assert_eq!(
            talk::<ReviewerAnswer>(&issues).0,
            Some(json!({ "verdict": "changes_requested", "summary": "Nearly.", "issues": [issue] }))
        );
        let creator = ["\"\"\"", "One", "", "Two", "\"\"\"", "", "yes"];
        assert_eq!(
            talk::<CreatorAnswer>(&creator).0,
            Some(json!({ "candidate": { "content": "One\n\nTwo" }, "done": true }))
        );
        let judge = ["n", "Darken it.", "", "eight", "8"];
        assert_eq!(talk::<JudgeAnswer>(&judge).0, Some(json!({ "dims": [], "must_fix": ["Darken it."], "score": 8 })));
    }

    #[test]
    fn a_sentence_is_no_answer_to_yes_or_no() {
        let lines = ["ok", "You should shorten it.", "yes", "Shorten it.", "", "", "warning", "No", ""];
        let (said, heard) = talk::<ReviewerAnswer>(&lines);
        let issue = json!({ "message": "Shorten it.", "severity": "warning" });
        assert_eq!(said, Some(json!({ "verdict": "ok", "issues": [issue] })), "{heard}");
        assert_eq!(heard.matches("Answer y or n first").count(), 1, "{heard}");
    }

    #[test]
    fn whoever_goes_away_has_said_nothing() {
        assert_eq!(talk::<ReviewerAnswer>(&["ok"]).0, None);
        assert_eq!(talk::<CreatorAnswer>(&["\"\"\"", "One"]).0, None);
    }
}
