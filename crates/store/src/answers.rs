//! What people are asked and what they answer. Files, so that waiting for a person holds nothing and outlives everything.

use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;
use tribunal_kernel::{RunId, Time, TurnId};

use crate::{Layout, StoreError, atomic, clock, dir};

/// An answer that is longer than this was not written by a person.
const MAX_ANSWER: u64 = 8 * 1024 * 1024;

/// Since when somebody is asked, in a file of its own: times of files change when they are copied.
#[derive(Serialize, Deserialize)]
struct Asked {
    since: Time,
}

/// Asks a person, unless they were asked already. Since when they know: a restart gives nobody more time.
pub(crate) fn ask(layout: &Layout, run: RunId, turn: TurnId, prompt: &str) -> Result<Time, StoreError> {
    let (question, path) = (layout.question(run, turn), layout.asked(run, turn));
    let since = match asked(layout, run, turn)? {
        Some(since) => since,
        None => record(layout, run, turn)?,
    };
    // The time comes first: whoever crashes in between asks again, and gives no more time by that.
    if path.exists() && !question.exists() {
        atomic::write(&question, prompt.as_bytes())?;
    }
    Ok(since)
}

/// Since when a person is asked, if they are.
pub(crate) fn asked(layout: &Layout, run: RunId, turn: TurnId) -> Result<Option<Time>, StoreError> {
    let path = layout.asked(run, turn);
    match fs::read(&path) {
        Ok(text) => {
            let unreadable = |error: serde_json::Error| StoreError::Unreadable {
                place: path.display().to_string(),
                why: error.to_string(),
                hint: "remove it to restart the person's time limit",
            };
            Ok(Some(serde_json::from_slice::<Asked>(&text).map_err(unreadable)?.since))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => asked_before(&layout.question(run, turn)),
        Err(error) => Err(StoreError::io("read", &path)(error)),
    }
}

/// Questions of older versions have no time but that of their file.
fn asked_before(question: &Path) -> Result<Option<Time>, StoreError> {
    match fs::metadata(question).and_then(|file| file.modified()) {
        Ok(since) => Ok(Some(Time::default().plus(since.duration_since(UNIX_EPOCH).unwrap_or_default()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("look at", question)(error)),
    }
}

/// Writes down that somebody is asked now. Of several who ask at once, the first counts.
fn record(layout: &Layout, run: RunId, turn: TurnId) -> Result<Time, StoreError> {
    let (path, since) = (layout.asked(run, turn), clock::now());
    let text = serde_json::to_vec(&Asked { since }).map_err(|source| StoreError::Unwritable { source })?;
    if create(&path, &text)? { Ok(since) } else { Ok(asked(layout, run, turn)?.unwrap_or(since)) }
}

/// Gives the answer to a turn. The first one counts: whether this was it.
pub(crate) fn give(layout: &Layout, run: RunId, turn: TurnId, text: &str) -> Result<bool, StoreError> {
    if !create(&layout.answer(run, turn), text.as_bytes())? {
        return Ok(false);
    }
    // What did not fit before is of no use any more. If it stays, nobody reads it.
    let _ = fs::remove_file(layout.attempt(run, turn));
    Ok(true)
}

/// The answer to a turn, if it is there.
pub(crate) fn find(layout: &Layout, run: RunId, turn: TurnId) -> Result<Option<String>, StoreError> {
    read(&layout.answer(run, turn))
}

/// Keeps a text that could not be accepted, for the next try.
pub(crate) fn keep(layout: &Layout, run: RunId, turn: TurnId, text: &str) -> Result<(), StoreError> {
    atomic::write(&layout.attempt(run, turn), text.as_bytes()).map(drop)
}

/// The text that was kept for the next try. Nothing, once there is an answer.
pub(crate) fn kept(layout: &Layout, run: RunId, turn: TurnId) -> Result<Option<String>, StoreError> {
    if layout.answer(run, turn).exists() {
        return Ok(None);
    }
    read(&layout.attempt(run, turn))
}

/// Makes a file, durably, unless it is there. Whether it was made.
fn create(path: &Path, bytes: &[u8]) -> Result<bool, StoreError> {
    let folder = dir::parent(path);
    dir::create_all(folder)?;
    match atomic::temporary(folder, bytes, atomic::NEW_FILE)?.persist_noclobber(path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(StoreError::io("rename to", path)(error.error)),
    }
    dir::sync(folder)?;
    Ok(true)
}

fn read(path: &Path) -> Result<Option<String>, StoreError> {
    let length = match fs::metadata(path) {
        Ok(file) => file.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("look at", path)(error)),
    };
    if length > MAX_ANSWER {
        let why = format!("it has {length} bytes, more than {MAX_ANSWER}");
        return Err(StoreError::io("read", path)(io::Error::other(why)));
    }
    let bytes = fs::read(path).map_err(StoreError::io("read", path))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};
    use uuid::Uuid;

    const RUN: RunId = RunId(Uuid::nil());
    const TURN: TurnId = TurnId(3);

    #[test]
    fn a_person_is_asked_once_and_the_first_answer_counts() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        assert_eq!(asked(&layout, RUN, TURN).unwrap(), None);
        assert_eq!(find(&layout, RUN, TURN).unwrap(), None);
        let since = ask(&layout, RUN, TURN, "What?").unwrap();
        let file = fs::File::options().write(true).open(layout.question(RUN, TURN)).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
        assert_eq!(ask(&layout, RUN, TURN, "Something else?").unwrap(), since, "asking again gives no more time");
        assert_eq!(fs::read_to_string(layout.question(RUN, TURN)).unwrap(), "What?");

        keep(&layout, RUN, TURN, "Thi").unwrap();
        assert_eq!(kept(&layout, RUN, TURN).unwrap().as_deref(), Some("Thi"));
        assert!(give(&layout, RUN, TURN, "This.").unwrap());
        assert!(!give(&layout, RUN, TURN, "That.").unwrap());
        assert_eq!(find(&layout, RUN, TURN).unwrap().as_deref(), Some("This."));
        assert_eq!(kept(&layout, RUN, TURN).unwrap(), None, "what was given is not kept");
        assert_eq!(find(&layout, RUN, TurnId(4)).unwrap(), None, "an answer is for one turn");
    }

    #[test]
    fn the_time_of_a_question_is_its_own_and_old_questions_keep_theirs() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        // As older versions left it.
        let path = layout.question(RUN, TURN);
        atomic::write(&path, b"What?").unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1000)).unwrap();
        assert_eq!(ask(&layout, RUN, TURN, "Else?").unwrap(), Time(1_000_000));
        assert_eq!(asked(&layout, RUN, TURN).unwrap(), Some(Time(1_000_000)));
        // A crash between the time and the question.
        let turn = TurnId(4);
        let since = record(&layout, RUN, turn).unwrap();
        assert_eq!(ask(&layout, RUN, turn, "And?").unwrap(), since);
        assert_eq!(fs::read_to_string(layout.question(RUN, turn)).unwrap(), "And?");
        fs::write(layout.asked(RUN, turn), "{").unwrap();
        let error = ask(&layout, RUN, turn, "And?").unwrap_err();
        assert!(error.to_string().contains("turn-4.asked.json") && error.hint().is_some(), "{error}");
    }

    #[test]
    fn what_no_person_can_have_written_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        ask(&layout, RUN, TURN, "What?").unwrap();
        fs::File::create(layout.answer(RUN, TURN)).unwrap().set_len(MAX_ANSWER + 1).unwrap();
        let error = find(&layout, RUN, TURN).unwrap_err().to_string();
        assert!(error.contains("turn-3.txt") && error.contains("more than 8388608"), "{error}");
    }
}
