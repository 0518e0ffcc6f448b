//! What became of agents that said they were done.
//!
//! Like grades they are no view of a log: what could not be judged has none.

use std::{fs, io};
use tribunal_kernel::judge::{STOPS_VERSION, Stops};

use crate::{Layout, StoreError, kept};

/// So many records that cannot be read are kept.
const MOST_ASIDE: usize = 100;

/// All that is recorded. A record that cannot be read is an error: it may hold who was let through.
pub(crate) fn read(layout: &Layout) -> Result<Stops, StoreError> {
    let path = layout.stops();
    let unreadable = |why: String| StoreError::Unreadable {
        place: path.display().to_string(),
        why,
        hint: "a newer tribunal may have written it; otherwise move it away",
    };
    let stops: Stops = kept::read(&path, unreadable)?;
    if stops.version > STOPS_VERSION {
        return Err(unreadable(format!("it has version {}, and {STOPS_VERSION} is the last one known", stops.version)));
    }
    Ok(stops)
}

/// Changes the record; whoever else wants to waits meanwhile.
pub(crate) fn change<T>(layout: &Layout, change: impl FnOnce(&mut Stops) -> T) -> Result<T, StoreError> {
    kept::change(&layout.stops(), || read(layout), change)
}

/// Puts a record that cannot be read beside, under a name that is free.
pub(crate) fn set_aside(layout: &Layout) -> Result<Option<String>, StoreError> {
    let path = layout.stops();
    let _turnstile = kept::turnstile(&path)?;
    if read(layout).is_ok() {
        return Ok(None);
    }
    let names = (1..=MOST_ASIDE).map(|number| path.with_extension(format!("unreadable-{number}.json")));
    let free = names.into_iter().find(|name| fs::symlink_metadata(name).is_err());
    let Some(aside) = free else {
        let full = io::Error::other(format!("{MOST_ASIDE} unreadable records lie beside it"));
        return Err(StoreError::io("move", &path)(full));
    };
    fs::rename(&path, &aside).map_err(StoreError::io("move", &path))?;
    Ok(Some(aside.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::Time;
    use tribunal_kernel::judge::{Stop, StopEnd};

    #[test]
    fn what_is_recorded_is_read_back_and_a_record_that_cannot_be_read_is_not_taken_for_none() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        assert_eq!(read(&layout).unwrap(), Stops::default());
        let stop = Stop {
            at: Time(1),
            agent: "claude".into(),
            session: "s".into(),
            end: StopEnd::Refused,
            run: None,
            noted: false,
            why: "red".into(),
        };
        change(&layout, |stops| stops.push(stop.clone())).unwrap();
        assert_eq!(read(&layout).unwrap().stops, [stop]);
        for text in ["", "{", "{\"version\": 99}"] {
            crate::atomic::write(&layout.stops(), text.as_bytes()).unwrap();
            assert!(read(&layout).unwrap_err().to_string().contains("stops.json"), "{text:?}");
            assert!(change(&layout, |_| ()).is_err(), "and nobody writes over it");
            let aside = set_aside(&layout).unwrap().unwrap();
            assert_eq!(fs::read_to_string(aside).unwrap(), text, "nothing of it is lost");
            assert_eq!(read(&layout).unwrap(), Stops::default());
            assert_eq!(set_aside(&layout).unwrap(), None, "what can be read stays where it is");
        }
    }
}
