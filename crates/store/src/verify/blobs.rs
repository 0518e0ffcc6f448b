//! Every file under `blobs/`, checked against its name.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use tribunal_kernel::Digest;

use super::report::{VerifyPlace, VerifyReport};
use crate::blobs::digest_of;
use crate::{Layout, StoreError, atomic};

/// The blobs that are there, intact or not.
#[derive(Debug, Default)]
pub(super) struct Blobs {
    there: BTreeSet<Digest>,
}

impl Blobs {
    pub(super) fn survey(layout: &Layout, report: &mut VerifyReport) -> Result<Self, StoreError> {
        let folder = layout.blobs();
        let names = match fs::read_dir(&folder) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(StoreError::io("list", &folder)(error)),
        };
        let mut paths = Vec::new();
        for name in names {
            paths.push(name.map_err(StoreError::io("list", &folder))?.path());
        }
        // Directories have no order; reports have one.
        paths.sort_unstable();

        let (mut there, mut unfinished, mut strangers) = (BTreeSet::new(), 0, 0);
        for path in paths {
            let name = path.file_name().unwrap_or_default();
            let Some(digest) = Layout::blob_named(name) else {
                let is_unfinished = name.as_encoded_bytes().starts_with(atomic::UNFINISHED.as_bytes());
                *(if is_unfinished { &mut unfinished } else { &mut strangers }) += 1;
                continue;
            };
            there.insert(digest);
            match digest_of(&path) {
                Ok(found) if found == digest => {}
                Ok(found) => {
                    report.problem(
                        VerifyPlace::file(&path),
                        format!("its bytes do not match its name: their digest is {found}"),
                    );
                }
                Err(error) => report.problem(VerifyPlace::file(&path), format!("it cannot be read: {error}")),
            }
        }
        report.blobs = there.len() as u64;
        for (count, what) in [(unfinished, "files that were never finished"), (strangers, "files that are not blobs")] {
            if count > 0 {
                report.note(VerifyPlace::file(&folder), format!("{count} {what}"));
            }
        }
        Ok(Self { there })
    }

    pub(super) fn has(&self, digest: Digest) -> bool {
        self.there.contains(&digest)
    }

    /// Blobs that nobody cites: a crash came between a blob and its event, or a run was deleted.
    pub(super) fn note_uncited(&self, layout: &Layout, cited: &BTreeSet<Digest>, report: &mut VerifyReport) {
        let uncited = self.there.difference(cited).count();
        if uncited > 0 {
            report.note(VerifyPlace::file(&layout.blobs()), format!("{uncited} blobs that no event cites"));
        }
    }
}
