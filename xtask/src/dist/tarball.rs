//! The archive that the installer fetches, and that anybody can unpack anywhere.

use anyhow::Result;

use super::TARGET;
use super::goods::Goods;
use super::tar::{self, Packed};

pub(super) fn package(goods: &Goods) -> Result<(String, Vec<u8>)> {
    let top = format!("tribunal-{TARGET}");
    let mut files = vec![Packed::program(format!("{top}/tribunal"), &goods.binary)];
    files.extend(goods.texts.iter().map(|(name, text)| Packed::file(format!("{top}/{name}"), text)));
    for (shell, script) in &goods.completions {
        files.push(Packed::file(format!("{top}/completions/{}", completion(shell)), script));
    }
    files.extend(goods.manual.iter().map(|(name, page)| Packed::file(format!("{top}/man/man1/{name}"), page)));
    Ok((format!("{top}.tar.gz"), tar::gzipped(&files)?))
}

/// What each shell looks for.
fn completion(shell: &str) -> &str {
    match shell {
        "bash" => "tribunal.bash",
        "zsh" => "_tribunal",
        "fish" => "tribunal.fish",
        "elvish" => "tribunal.elv",
        _ => "_tribunal.ps1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::goods::example;
    use std::process::Command;

    #[test]
    fn tar_unpacks_it_and_it_is_the_same_every_time() {
        let goods = example();
        let (name, bytes) = package(&goods).unwrap();
        assert_eq!(package(&goods).unwrap().1, bytes);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(&name), bytes).unwrap();
        let script =
            format!("tar -xzf {name} && ./tribunal-{TARGET}/tribunal && find tribunal-*-gnu -type f | LC_ALL=C sort");
        let output = Command::new("sh").args(["-ec", &script]).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let expected = "tribunal\nT/LICENSE-APACHE\nT/LICENSE-MIT\nT/README.md\nT/completions/_tribunal\n\
                        T/completions/_tribunal.ps1\nT/completions/tribunal.bash\nT/completions/tribunal.elv\n\
                        T/completions/tribunal.fish\nT/man/man1/tribunal.1\nT/tribunal\n";
        let listed = String::from_utf8(output.stdout).unwrap().replace(&format!("tribunal-{TARGET}/"), "T/");
        assert_eq!(listed, expected);
    }
}
