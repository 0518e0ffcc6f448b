//! The npm package: `npm install -g tribunal-cli`, `npx tribunal-cli`. It carries the binary and no JavaScript, so no script
//! runs when it is installed.

use anyhow::Result;
use serde_json::json;

use super::goods::Goods;
use super::tar::{self, Packed};
use super::{About, DESCRIPTION, SUMMARY};

pub(super) fn package(goods: &Goods, about: &About) -> Result<(String, Vec<u8>)> {
    let About { version, repository, licence } = about;
    let manifest = json!({
        "name": "tribunal-cli",
        "version": version,
        "description": SUMMARY,
        "license": licence,
        "repository": { "type": "git", "url": format!("git+{repository}.git") },
        "bin": { "tribunal": "bin/tribunal" },
        "files": ["bin"],
        // npm refuses it anywhere else.
        "os": ["linux"],
        "cpu": ["x64"],
        "libc": ["glibc"],
    });
    let (manifest, readme) = (format!("{manifest:#}\n"), format!("# Tribunal\n\n{DESCRIPTION}\n\n{repository}\n"));
    let mut files = vec![
        Packed::file("package/package.json", manifest.as_bytes()),
        Packed::file("package/README.md", readme.as_bytes()),
        Packed::program("package/bin/tribunal", &goods.binary),
    ];
    let licences = goods.texts.iter().filter(|(name, _)| name.starts_with("LICENSE"));
    files.extend(licences.map(|(name, text)| Packed::file(format!("package/{name}"), text)));
    Ok((format!("tribunal-cli-{version}.tgz"), tar::gzipped(&files)?))
}
