//! The Debian package.

use anyhow::Result;
use std::fmt::Write as _;

use super::ar;
use super::binary::Glibc;
use super::goods::Goods;
use super::tar::{self, Packed};
use super::{About, DESCRIPTION, SUMMARY};

pub(super) fn package(goods: &Goods, about: &About, glibc: Glibc) -> Result<(String, Vec<u8>)> {
    let About { version, repository, licence } = about;
    let copyright = format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: tribunal\n\
         Source: {repository}\n\nFiles: *\nCopyright: the contributors of Tribunal\nLicense: {licence}\n"
    );
    // Debian wants its manual pages compressed.
    let mut pages = Vec::new();
    for (name, page) in &goods.manual {
        pages.push((format!("./usr/share/man/man1/{name}.gz"), tar::gzip(page)?));
    }
    let mut files = vec![
        Packed::program("./usr/bin/tribunal", &goods.binary),
        Packed::file("./usr/share/bash-completion/completions/tribunal", goods.completion("bash")),
        Packed::file("./usr/share/fish/vendor_completions.d/tribunal.fish", goods.completion("fish")),
        Packed::file("./usr/share/zsh/vendor-completions/_tribunal", goods.completion("zsh")),
        Packed::file("./usr/share/doc/tribunal/copyright", copyright.as_bytes()),
    ];
    files.extend(pages.iter().map(|(path, page)| Packed::file(path.as_str(), page)));
    let kilobytes = files.iter().map(|file| file.bytes.len()).sum::<usize>().div_ceil(1024);
    let mut control = format!(
        "Package: tribunal\nVersion: {version}\nArchitecture: amd64\nMaintainer: the contributors of Tribunal \
         <{repository}>\nInstalled-Size: {kilobytes}\nDepends: libc6 (>= {glibc}), libgcc-s1\nRecommends: git\nSuggests: \
         bubblewrap, chromium\nSection: devel\nPriority: optional\nHomepage: {repository}\nDescription: {SUMMARY}\n"
    );
    for line in wrapped(DESCRIPTION, 76) {
        writeln!(control, " {line}")?;
    }
    let control = tar::gzipped(&[Packed::file("./control", control.as_bytes())])?;
    let data = tar::gzipped(&files)?;
    let members: [(&str, &[u8]); 3] =
        [("debian-binary", b"2.0\n"), ("control.tar.gz", &control), ("data.tar.gz", &data)];
    Ok((format!("tribunal_{version}_amd64.deb"), ar::archive(&members)))
}

/// The text in lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.len() + 1 + word.len() <= width) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
