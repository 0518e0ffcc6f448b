//! What theaters and jousts leave in files: every round's artifact, the shipped one, the transcript of a theater. Views
//! of the log, which any process can write. `place` is the run's folder for them
//! ([`ScratchFolder::Artifacts`](crate::backend::ScratchFolder::Artifacts)).

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tribunal_kernel::loops::LoopFiles;
use tribunal_kernel::theater::{self, TheaterEvent};
use tribunal_kernel::{Digest, Entry, Run, RunId, Seq, Time};

use crate::backend::FetchBlob;
use crate::layout::FOLDER;
use crate::{StoreError, atomic, dir};

/// A finished transcript that is larger than this is compressed.
pub const GZIP_FROM: u64 = 256 * 1024;

/// What a person reads afterwards.
pub const REPORT: &str = "report.md";
const TRANSCRIPT: &str = "transcript.ndjson";
const COMPRESSED: &str = "transcript.ndjson.gz";

/// One line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptLine {
    #[serde(flatten)]
    pub critique: TheaterEvent,
    pub time: Time,
    /// The entry of the log that it was derived from.
    pub seq: Seq,
}

/// What an entry says on the stage, line by line.
pub fn lines(run: &Run, entry: &Entry) -> Vec<TranscriptLine> {
    let line = |critique| TranscriptLine { critique, time: entry.time, seq: entry.seq };
    theater::events(run, entry).into_iter().map(line).collect()
}

/// Whether the log of a run is needed to write its transcript.
pub fn has_transcript(run: &Run) -> bool {
    run.spec().settings_of::<theater::Settings>().is_some()
}

/// Brings the transcript to what the log says, whatever is there. `run` is a state of it.
pub fn rebuild(place: &Path, run: &Run, log: &[Entry]) -> Result<(), StoreError> {
    let Some(folder) = stage(place, run) else { return Ok(()) };
    let mut text = Vec::new();
    for entry in log.iter().take_while(|entry| entry.seq <= run.seq()) {
        for line in lines(run, entry) {
            write_line(&mut text, &line);
        }
    }
    atomic::write(&folder.join(TRANSCRIPT), &text)?;
    remove(&folder.join(COMPRESSED))?;
    if run.end().is_some() { compress(&folder) } else { Ok(()) }
}

/// Adds what became durable to the transcript. What a crash cuts off here is there again after [`rebuild`].
pub fn follow(place: &Path, run: &Run, entries: &[Entry]) -> Result<(), StoreError> {
    let Some(folder) = stage(place, run) else { return Ok(()) };
    let mut text = Vec::new();
    for line in entries.iter().flat_map(|entry| lines(run, entry)) {
        write_line(&mut text, &line);
    }
    if !text.is_empty() {
        dir::create_all(&folder)?;
        let path = folder.join(TRANSCRIPT);
        let mut file =
            OpenOptions::new().append(true).create(true).open(&path).map_err(StoreError::io("open", &path))?;
        file.write_all(&text).map_err(StoreError::io("write", &path))?;
    }
    if run.end().is_some() { compress(&folder) } else { Ok(()) }
}

/// Writes every round's artifact, the shipped one, and at the end the report. Gives the files that changed.
pub fn update(place: &Path, run: &Run, fetch: FetchBlob<'_>) -> Result<Vec<PathBuf>, StoreError> {
    let Some(folder) = folder(place, run) else { return Ok(Vec::new()) };
    let mut changed = Vec::new();
    let mut write = |name: String, content: Digest| -> Result<(), StoreError> {
        let path = folder.join(name);
        if atomic::write(&path, &fetch(content)?)? == atomic::FileChange::Written {
            changed.push(path);
        }
        Ok(())
    };
    for state in run.rounds() {
        if let Some(draft) = run.standing(state.round) {
            write(format!("round-{}.{}", state.round, draft.format.extension()), draft.content)?;
        }
    }
    if let Some(ship) = run.end().and_then(|end| end.ship.as_ref()) {
        write(format!("shipped.{}", ship.draft.format.extension()), ship.draft.content)?;
    }
    if run.end().is_some()
        && let Some(text) = theater::report(run)
    {
        let path = folder.join(REPORT);
        if atomic::write(&path, text.as_bytes())? == atomic::FileChange::Written {
            changed.push(path);
        }
    }
    Ok(changed)
}

/// The file that holds what the run handed over, if it did.
pub fn shipped(place: &Path, run: &Run) -> Option<PathBuf> {
    let folder = folder(place, run)?;
    let ship = run.end()?.ship.as_ref()?;
    Some(folder.join(format!("shipped.{}", ship.draft.format.extension())))
}

/// Where the transcript of a run is now, relative to the workspace. `folder` is `.tribunal`, wherever it lies.
pub fn transcript_path(folder: &Path, run: RunId, artifact: &str) -> PathBuf {
    let inside = Path::new("runs").join(run.to_string()).join("artifacts").join(artifact);
    let name = if folder.join(&inside).join(COMPRESSED).exists() { COMPRESSED } else { TRANSCRIPT };
    Path::new(FOLDER).join(inside).join(name)
}

/// The lines of the transcript at `path`, compressed or not. A last line that was cut off is left out.
pub fn read_transcript(path: &Path) -> Result<Vec<TranscriptLine>, StoreError> {
    let read = || -> io::Result<String> {
        let mut text = String::new();
        let mut file = File::open(path)?;
        if path.extension().is_some_and(|extension| extension == "gz") {
            GzDecoder::new(file).read_to_string(&mut text)?;
        } else {
            file.read_to_string(&mut text)?;
        }
        Ok(text)
    };
    let text = read().map_err(StoreError::io("read", path))?;
    let (whole, _) = text.rsplit_once('\n').unwrap_or_default();
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            let error = io::Error::new(io::ErrorKind::InvalidData, format!("line {}: {error}", number + 1));
            StoreError::io("read", path)(error)
        })
    };
    whole.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
}

/// Where the files of a run lie, if it has any of this kind.
pub fn folder(place: &Path, run: &Run) -> Option<PathBuf> {
    match run.spec().def().files {
        LoopFiles::Workspace | LoopFiles::Desk => None,
        LoopFiles::Artifacts => Some(place.join(run.spec().subject())),
    }
}

/// Where the transcript of a theater lies.
fn stage(place: &Path, run: &Run) -> Option<PathBuf> {
    has_transcript(run).then(|| folder(place, run))?
}

fn compress(folder: &Path) -> Result<(), StoreError> {
    let (plain, packed) = (folder.join(TRANSCRIPT), folder.join(COMPRESSED));
    let is_large = fs::metadata(&plain).is_ok_and(|file| file.len() > GZIP_FROM);
    if !is_large {
        return Ok(());
    }
    let bytes = fs::read(&plain).map_err(StoreError::io("read", &plain))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let compressed = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    atomic::write(&packed, &compressed.map_err(StoreError::io("compress", &plain))?)?;
    remove(&plain)
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

fn write_line(text: &mut Vec<u8>, line: &TranscriptLine) {
    serde_json::to_writer(&mut *text, line).expect("a line is plain JSON, and memory does not fail");
    text.push(b'\n');
}
