//! The wheel: `pip install tribunal-cli`, `uvx --from tribunal-cli tribunal`. It carries the binary and no Python.

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

use super::binary::Glibc;
use super::goods::Goods;
use super::tar::Packed;
use super::{About, DESCRIPTION, SUMMARY, zip};

pub(super) fn package(goods: &Goods, about: &About, glibc: Glibc) -> Result<(String, Vec<u8>)> {
    let About { version, repository, licence } = about;
    let name = format!("tribunal_cli-{version}");
    let tag = format!("py3-none-manylinux_{}_{}_x86_64", glibc.major, glibc.minor);
    let metadata = format!(
        "Metadata-Version: 2.4\nName: tribunal-cli\nVersion: {version}\nSummary: {SUMMARY}\nLicense-Expression: {licence}\n\
         License-File: LICENSE-APACHE\nLicense-File: LICENSE-MIT\nProject-URL: Repository, {repository}\n\
         Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{DESCRIPTION}\n"
    );
    let wheel = format!("Wheel-Version: 1.0\nGenerator: tribunal\nRoot-Is-Purelib: false\nTag: {tag}\n");
    let info = format!("{name}.dist-info");
    let mut files = vec![
        Packed::program(format!("{name}.data/scripts/tribunal"), &goods.binary),
        Packed::file(format!("{info}/METADATA"), metadata.as_bytes()),
        Packed::file(format!("{info}/WHEEL"), wheel.as_bytes()),
    ];
    let licences = goods.texts.iter().filter(|(name, _)| name.starts_with("LICENSE"));
    files.extend(licences.map(|(name, text)| Packed::file(format!("{info}/licenses/{name}"), text)));
    let mut record = String::new();
    for file in &files {
        let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(file.bytes));
        writeln!(record, "{},sha256={sum},{}", file.path, file.bytes.len())?;
    }
    let path = format!("{info}/RECORD");
    writeln!(record, "{path},,")?;
    files.push(Packed::file(path, record.as_bytes()));
    Ok((format!("{name}-{tag}.whl"), zip::zipped(&files)?))
}
