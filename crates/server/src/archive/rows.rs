//! Rows of runs that have ended: a page of them is shown without folding any.

use std::collections::BTreeMap;
use tribunal_kernel::RunId;
use tribunal_store::backend::LogMark;

use crate::api::types::RunRow;

/// So many are kept: more than the longest page has.
const KEPT: usize = 512;

/// Rows of the newest runs that have ended, each with how far the log goes that it shows.
#[derive(Debug, Default)]
pub(super) struct Rows {
    kept: BTreeMap<RunId, (LogMark, RunRow)>,
}

impl Rows {
    /// The row of a run whose log goes so far.
    pub(super) fn get(&self, run: RunId, mark: LogMark) -> Option<&RunRow> {
        self.kept.get(&run).filter(|(known, _)| *known == mark).map(|(_, row)| row)
    }

    pub(super) fn keep(&mut self, run: RunId, mark: LogMark, row: RunRow) {
        self.kept.insert(run, (mark, row));
        if self.kept.len() > KEPT {
            // The oldest is the last that somebody scrolls to.
            self.kept.pop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::row::row;
    use tribunal_kernel::{Entry, Run, Seq};
    use tribunal_store::conformance::{events, run_id};

    #[test]
    fn as_many_as_a_page_needs_are_kept_and_no_more() {
        let (time, event) = events(run_id(0)).next().unwrap();
        let run = Run::fold(&[Entry { seq: Seq(1), time, event }]).unwrap().unwrap();
        let row = row(&run, String::new(), false, false, Vec::new());
        let mut rows = Rows::default();
        let many = 3 * KEPT as u64;
        for number in 0..many {
            rows.keep(run_id(number), LogMark(7), row.clone());
        }
        assert_eq!(rows.kept.len(), KEPT);
        assert!(rows.get(run_id(many - 1), LogMark(7)).is_some());
        assert!(rows.get(run_id(many - 1), LogMark(8)).is_none(), "its log has grown since");
        assert!(rows.get(run_id(0), LogMark(7)).is_none(), "the oldest goes");
    }
}
