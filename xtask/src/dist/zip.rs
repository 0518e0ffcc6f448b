//! A zip archive.

use anyhow::Result;
use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write as _;

use super::tar::Packed;

/// Deflate, the one method that every reader knows.
const METHOD: u16 = 8;
/// The version of the format that this takes, made on Unix: so modes count.
const NEEDS: u16 = 20;
const MADE_BY: u16 = 0x0300 | NEEDS;
/// The first day that the format knows: the first of January 1980.
const DAY: u16 = 0x0021;
/// Names are in UTF-8.
const FLAGS: u16 = 0x0800;

pub(super) fn zipped(files: &[Packed<'_>]) -> Result<Vec<u8>> {
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::best());
        deflated.write_all(file.bytes)?;
        let deflated = deflated.finish()?;
        let mut crc = Crc::new();
        crc.update(file.bytes);
        let mut about = Vec::new();
        for part in [NEEDS, FLAGS, METHOD, 0, DAY] {
            about.extend(part.to_le_bytes());
        }
        for part in [crc.sum(), u32::try_from(deflated.len())?, u32::try_from(file.bytes.len())?] {
            about.extend(part.to_le_bytes());
        }
        about.extend(u16::try_from(file.path.len())?.to_le_bytes());
        about.extend([0; 2]);
        let at = u32::try_from(zip.len())?;
        zip.extend(b"PK\x03\x04");
        zip.extend(&about);
        zip.extend(file.path.as_bytes());
        zip.extend(deflated);

        let mode: u32 = if file.is_executable { 0o100_755 } else { 0o100_644 };
        directory.extend(b"PK\x01\x02");
        directory.extend(MADE_BY.to_le_bytes());
        directory.extend(&about);
        // No comment, the first disk, no inner attributes.
        directory.extend([0; 6]);
        directory.extend((mode << 16).to_le_bytes());
        directory.extend(at.to_le_bytes());
        directory.extend(file.path.as_bytes());
    }
    let (at, size, count) = (u32::try_from(zip.len())?, u32::try_from(directory.len())?, u16::try_from(files.len())?);
    zip.extend(directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend(count.to_le_bytes());
    zip.extend(count.to_le_bytes());
    zip.extend(size.to_le_bytes());
    zip.extend(at.to_le_bytes());
    zip.extend([0; 2]);
    Ok(zip)
}
