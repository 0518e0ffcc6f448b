//! A tar archive, compressed. Owners and times say nothing, so that the same files are the same bytes.

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use std::collections::BTreeSet;
use std::io::Write as _;

const BLOCK: usize = 512;
/// No name in our packages is longer; the format's way around that would be code for nothing.
const LONGEST: usize = 100;

/// A file of an archive.
#[derive(Debug, Clone)]
pub(super) struct Packed<'b> {
    pub(super) path: String,
    pub(super) bytes: &'b [u8],
    pub(super) is_executable: bool,
}

impl<'b> Packed<'b> {
    pub(super) fn file(path: impl Into<String>, bytes: &'b [u8]) -> Self {
        Self { path: path.into(), bytes, is_executable: false }
    }

    pub(super) fn program(path: impl Into<String>, bytes: &'b [u8]) -> Self {
        Self { is_executable: true, ..Self::file(path, bytes) }
    }
}

/// The archive, with the folders that its files need.
pub(super) fn gzipped(files: &[Packed<'_>]) -> Result<Vec<u8>> {
    let mut tar = Vec::new();
    let mut folders = BTreeSet::new();
    for file in files {
        for (at, _) in file.path.match_indices('/') {
            let folder = &file.path[..=at];
            if folder != "./" && folders.insert(folder) {
                tar.extend(header(folder, 0, 0o755, b'5')?);
            }
        }
        let mode = if file.is_executable { 0o755 } else { 0o644 };
        tar.extend(header(&file.path, file.bytes.len(), mode, b'0')?);
        tar.extend(file.bytes);
        tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    }
    tar.resize(tar.len() + 2 * BLOCK, 0);
    gzip(&tar)
}

/// Compressed, without a name or a time.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(gzip.finish()?)
}

fn header(path: &str, size: usize, mode: u32, kind: u8) -> Result<[u8; BLOCK]> {
    let mut header = [0; BLOCK];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    (path.len() < LONGEST).then_some(()).with_context(|| format!("a name that is too long for tar: {path}"))?;
    put(0, path);
    put(100, &format!("{mode:07o}"));
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, "00000000000");
    // The checksum is that of a header with blanks in its place.
    put(148, "        ");
    put(257, "ustar\u{0}00root");
    put(297, "root");
    header[156] = kind;
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\u{0} ").as_bytes());
    Ok(header)
}
