//! The grades of a project's agents, and the folder in which they are tried.
//!
//! Grades are no view of a log: the trials that they come from are thrown away when the next cycle begins.

use tribunal_kernel::grade::{Grades, VERSION};

use crate::{Layout, StoreError, kept};

/// The grades as they stand. Without a file nobody was graded; one that cannot be read is an error, because a mark
/// that is not seen is not obeyed.
pub(crate) fn read(layout: &Layout) -> Result<Grades, StoreError> {
    let path = layout.grades();
    let unreadable = |why: String| StoreError::Grades { path: path.clone(), why };
    let grades: Grades = kept::read(&path, unreadable)?;
    if grades.version > VERSION {
        return Err(unreadable(format!("it has version {}, and {VERSION} is the last one known", grades.version)));
    }
    Ok(grades)
}

/// Changes the grades; whoever else wants to waits meanwhile.
pub(crate) fn change<T>(layout: &Layout, change: impl FnOnce(&mut Grades) -> T) -> Result<T, StoreError> {
    kept::change(&layout.grades(), || read(layout), change)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atomic;
    use tribunal_kernel::Time;
    use tribunal_kernel::grade::Cycle;

    fn cycle(at: u64) -> Cycle {
        Cycle { at: Time(at), tribunal: "0".into(), program: None, played: vec![] }
    }

    #[test]
    fn what_is_changed_is_read_back_and_nobody_loses_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        assert_eq!(read(&layout).unwrap(), Grades::default(), "nobody was graded");
        std::thread::scope(|scope| {
            for at in 1..=8 {
                let layout = &layout;
                scope.spawn(move || change(layout, |grades| grades.entry("a", None).take(cycle(at))).unwrap());
            }
        });
        assert_eq!(read(&layout).unwrap().of("a", None).unwrap().cycles.len(), 8);
    }

    #[test]
    fn grades_that_cannot_be_read_are_not_taken_for_none() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        for text in ["{", "{\"version\": 99, \"records\": []}"] {
            atomic::write(&layout.grades(), text.as_bytes()).unwrap();
            let error = read(&layout).unwrap_err();
            assert!(error.to_string().contains("conformance.json"), "{error}");
            assert!(error.hint().unwrap().contains("remove it"), "{error}");
            assert!(change(&layout, |_| ()).is_err(), "and nobody writes over them");
        }
    }
}
