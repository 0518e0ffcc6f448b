//! Which loop a run follows is said in one place: nobody outside of the kernel's registry names one by its variant.
//!
//! What differs from loop to loop is asked of the loop's definition, and what belongs to one loop alone of its settings,
//! by their type.

use anyhow::Result;

use super::Fault;
use crate::repo::Repo;

/// Where loops are registered.
const REGISTRY: &str = "crates/kernel/src/loops";
/// The enums whose variants are loops.
const ENUMS: [&str; 2] = ["LoopKind::", "LoopSettings::"];

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for file in repo.files(&[".rs"])? {
        let path = file.to_string_lossy();
        let is_source = path.starts_with("crates/") && path.contains("/src/") || path.starts_with("xtask/src/");
        if !is_source || path.starts_with(REGISTRY) || path == "xtask/src/tidy/loops.rs" {
            continue;
        }
        for (number, line) in (1..).zip(repo.read(&file)?.lines()) {
            if let Some(named) = ENUMS.iter().find_map(|name| variant(line, name)) {
                let what = format!("`{named}` outside of the registry: ask the loop's definition or its settings");
                faults.push(Fault::line(&file, number, what));
            }
        }
    }
    Ok(faults)
}

/// The variant of this enum that a line names, if it names one. A method or a constant is none.
fn variant(line: &str, name: &str) -> Option<String> {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices(name).find_map(|(at, _)| {
        let word: String = code[at + name.len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_variant = word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase);
        is_variant.then(|| format!("{name}{word}"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;
    use super::*;

    #[test]
    fn a_loop_that_is_named_outside_of_the_registry_is_a_fault() {
        let matched = "fn f(kind: LoopKind) -> bool { kind == LoopKind::Desk }\n";
        let opened = "let settings = tribunal_kernel::LoopSettings::Review { review };\n";
        let fine = "use tribunal_kernel::LoopKind;\nlet all = LoopKind::as_str; // not LoopKind::Desk\nlet a = LoopKind::ALL;\n";
        assert_eq!(
            faults(
                rule,
                &[
                    ("crates/kernel/src/loops.rs", matched),
                    ("crates/app/src/a.rs", matched),
                    ("crates/store/src/b.rs", opened),
                    ("crates/store/src/c.rs", fine),
                    ("crates/store/tests/d.rs", matched),
                ]
            ),
            [
                "crates/app/src/a.rs:1: `LoopKind::Desk` outside of the registry: ask the loop's definition or its settings",
                "crates/store/src/b.rs:1: `LoopSettings::Review` outside of the registry: ask the loop's definition or its \
                 settings",
            ]
        );
    }
}
