//! What people are asked and what they answer. Files, so that waiting for a person holds nothing and outlives everything.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;
use tribunal_kernel::{RunId, TurnId};

use crate::{Layout, StoreError, atomic, dir};

/// An answer that is longer than this was not written by a person.
const MAX_ANSWER: u64 = 8 * 1024 * 1024;

/// Asks a person, unless they were asked already. Since when they know: a restart gives nobody more time.
pub fn ask(layout: &Layout, run: RunId, turn: TurnId, prompt: &str) -> Result<SystemTime, StoreError> {
    if let Some(since) = asked(layout, run, turn)? {
        return Ok(since);
    }
    let path = layout.question(run, turn);
    atomic::write(&path, prompt.as_bytes())?;
    Ok(asked(layout, run, turn)?.unwrap_or_else(SystemTime::now))
}

/// Since when a person is asked, if they are.
pub fn asked(layout: &Layout, run: RunId, turn: TurnId) -> Result<Option<SystemTime>, StoreError> {
    let path = layout.question(run, turn);
    match fs::metadata(&path).and_then(|file| file.modified()) {
        Ok(since) => Ok(Some(since)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("look at", &path)(error)),
    }
}

/// Gives the answer to a turn. The first one counts: whether this was it.
pub fn give(layout: &Layout, run: RunId, turn: TurnId, text: &str) -> Result<bool, StoreError> {
    let path = layout.answer(run, turn);
    let folder = dir::parent(&path);
    dir::create_all(folder)?;
    match atomic::temporary(folder, text.as_bytes(), atomic::NEW_FILE)?.persist_noclobber(&path) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(StoreError::io("rename to", &path)(error.error)),
    }
    dir::sync(folder)?;
    // What did not fit before is of no use any more. If it stays, nobody reads it.
    let _ = fs::remove_file(layout.attempt(run, turn));
    Ok(true)
}

/// The answer to a turn, if it is there.
pub fn find(layout: &Layout, run: RunId, turn: TurnId) -> Result<Option<String>, StoreError> {
    read(&layout.answer(run, turn))
}

/// Keeps a text that could not be accepted, for the next try.
pub fn keep(layout: &Layout, run: RunId, turn: TurnId, text: &str) -> Result<(), StoreError> {
    atomic::write(&layout.attempt(run, turn), text.as_bytes()).map(drop)
}

/// The text that was kept for the next try.
pub fn kept(layout: &Layout, run: RunId, turn: TurnId) -> Result<Option<String>, StoreError> {
    read(&layout.attempt(run, turn))
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
    use std::time::Duration;
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
        let earlier = since - Duration::from_secs(60);
        let file = fs::File::options().write(true).open(layout.question(RUN, TURN)).unwrap();
        file.set_modified(earlier).unwrap();
        assert_eq!(ask(&layout, RUN, TURN, "Something else?").unwrap(), earlier, "asking again gives no more time");
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
    fn what_no_person_can_have_written_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout::new(root.path());
        ask(&layout, RUN, TURN, "What?").unwrap();
        fs::File::create(layout.answer(RUN, TURN)).unwrap().set_len(MAX_ANSWER + 1).unwrap();
        let error = find(&layout, RUN, TURN).unwrap_err().to_string();
        assert!(error.contains("turn-3.txt") && error.contains("more than 8388608"), "{error}");
    }
}
