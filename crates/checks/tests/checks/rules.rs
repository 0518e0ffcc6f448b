//! Every code that a finding can have is explained, and nothing else is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tribunal_checks::rules;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("sources are there") {
        let path = entry.expect("a source").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Texts in the sources that have the form of a code: two words with a dot between them.
#[expect(clippy::disallowed_methods, reason = "the test reads the sources; what is shipped does not")]
fn codes() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    sources(&root.join("../agents/src/house"), &mut files);
    sources(&root.join("../app/src/check"), &mut files);
    files.push(root.join("../app/src/check.rs"));
    let mut codes = BTreeSet::new();
    for file in files.iter().filter(|file| !file.to_string_lossy().contains("/rules/")) {
        let text = fs::read_to_string(file).expect("a source is text");
        let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
        for word in shipped.split('"').skip(1).step_by(2) {
            let is_part = |part: &str| {
                part.len() > 1
                    && part.starts_with(|c: char| c.is_ascii_lowercase())
                    && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            };
            // Keys of the configuration, scripts and names of files look the same.
            let is_key = word.starts_with("checks.") || word.starts_with("this.") || word == "page.html";
            if !is_key && word.split_once('.').is_some_and(|(group, name)| is_part(group) && is_part(name)) {
                codes.insert(word.to_owned());
            }
        }
    }
    codes
}

#[test]
fn the_table_has_every_code_and_no_other() {
    let known: BTreeSet<String> = rules().map(|rule| rule.id.to_owned()).collect();
    assert_eq!(known.len(), rules().count(), "an id is there twice");
    let used = codes();
    let missing: Vec<&String> = used.difference(&known).collect();
    assert!(missing.is_empty(), "not in the table of rules: {missing:?}");
    let unused: Vec<&String> = known.difference(&used).collect();
    assert!(unused.is_empty(), "nothing finds these: {unused:?}");
}
