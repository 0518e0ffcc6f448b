//! Modules of Rust in files of their own that are built for tests alone.

use super::source::{SourceLanguage, without_comments};

/// Modules inside of modules.
const DEEPEST: usize = 12;

/// The files of which one may declare the module that a file is.
pub(super) fn parents(path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folder = module_of(path).0.to_owned();
    for _ in 0..DEEPEST {
        let at = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        found.extend(["lib.rs", "main.rs", "mod.rs"].map(at));
        if folder.is_empty() {
            break;
        }
        found.push(format!("{folder}.rs"));
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
    }
    found
}

/// Whether a file is a module that is built for tests alone, or a part of one.
pub(super) fn is_test_module<'t>(path: &str, text_of: impl Fn(&str) -> Option<&'t str>) -> bool {
    let mut path = path.to_owned();
    for _ in 0..DEEPEST {
        if text_of(&path).is_some_and(|text| text.lines().any(|line| line.trim().starts_with("#![cfg(test)]"))) {
            return true;
        }
        let (folder, name) = module_of(&path);
        let own = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let places = parents(&path).into_iter().filter(|parent| *parent != path);
        // The nearest ones: those of this folder alone.
        let is_near = |parent: &String| {
            parent.rsplit_once('/').map_or("", |(above, _)| above) == folder || *parent == format!("{folder}.rs")
        };
        let mut next = None;
        for parent in places.filter(is_near) {
            match text_of(&parent).and_then(|text| declared(text, name, &own)) {
                Some(true) => return true,
                Some(false) => next = Some(parent),
                None => {}
            }
        }
        match next {
            Some(parent) => path = parent,
            None => return false,
        }
    }
    false
}

/// The folder in which the parent of a module is, and the module's name.
fn module_of(path: &str) -> (&str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if name == "mod.rs" {
        return folder.rsplit_once('/').unwrap_or(("", folder));
    }
    (folder, name.trim_end_matches(".rs"))
}

/// Whether a text declares a module in a file of its own, and whether for tests alone.
fn declared(text: &str, name: &str, file: &str) -> Option<bool> {
    let text = without_comments(SourceLanguage::Rust, text);
    let declaration = |line: &str| {
        let at = line.find("mod ")?;
        let before = &line[..at];
        let is_start = before.is_empty() || before.ends_with([' ', ')', ']']);
        let own = line[at + 4..].trim().strip_suffix(';')?.trim();
        is_start.then(|| own.to_owned())
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(own) = declaration(line) else { continue };
        let above = lines[..at].iter().rev().take_while(|line| line.starts_with("#[") || line.is_empty());
        let marks: String = above.copied().chain([*line]).collect::<Vec<_>>().concat();
        if own == name || marks.contains(&format!("\"{file}\"")) {
            let marks: String = marks.split_whitespace().collect();
            return Some(marks.contains("cfg(test)") || marks.contains("cfg(all(test"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_for_tests_is_found_by_who_declares_it() {
        let files = [
            (
                "src/lib.rs",
                "mod calc;\n#[cfg(test)]\nmod checks;\n#[cfg(test)] mod probes;\n#[cfg(test)]\n#[path = \"odd.rs\"]\nmod other;\n// #[cfg(test)]\nmod shop;\n",
            ),
            ("src/calc.rs", "#[cfg(test)]\nmod cases;\n"),
            ("src/checks.rs", "mod deep;\n"),
            ("src/whole.rs", "#![cfg(test)]\n"),
        ];
        let text_of = |path: &str| files.iter().find(|(own, _)| *own == path).map(|(_, text)| *text);
        for (path, expected) in [
            ("src/checks.rs", true),
            ("src/checks/deep.rs", true),
            ("src/probes/mod.rs", true),
            ("src/odd.rs", true),
            ("src/calc/cases.rs", true),
            ("src/whole.rs", true),
            ("src/calc.rs", false),
            ("src/shop.rs", false),
            ("src/lib.rs", false),
        ] {
            assert_eq!(is_test_module(path, text_of), expected, "{path}");
        }
    }
}
