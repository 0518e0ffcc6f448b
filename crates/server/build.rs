//! Makes the table of the page's files: whatever `web/` built into `assets/` is part of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in files.iter().filter(|file| file.is_file()) {
        let (name, path) = (file.file_name().unwrap_or_default().to_string_lossy(), file.to_string_lossy());
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),").map_err(io::Error::other)?;
    }
    table.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo says where to"))?;
    fs::write(Path::new(&out).join("assets.rs"), table)
}
