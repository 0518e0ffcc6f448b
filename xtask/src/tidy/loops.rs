//! Which loop a run follows is said in one place: nobody outside of the kernel's registry names one by its variant, and
//! nothing of the page by its name.
//!
//! What differs from loop to loop is asked of the loop's definition, and what belongs to one loop alone of its settings,
//! by their type. The page asks `web/src/loops.ts`, which is made from the definitions.

use anyhow::Result;
use tribunal_kernel::loops::LOOPS;

use super::Fault;
use crate::repo::Repo;

/// Where loops are registered.
const REGISTRY: &str = "crates/kernel/src/loops";
/// The enums whose variants are loops.
const ENUMS: [&str; 2] = ["LoopKind::", "LoopSettings::"];
/// What the page knows of loops, and the types of what the server says; both are generated.
const PAGE: [&str; 3] = ["web/src/loops.ts", "web/src/runs/loops.ts", "web/src/api/schema.ts"];
/// The words that readers see: some languages call a seat or a task like a loop.
const WORDS: &str = "web/src/i18n/pages/";

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut faults = in_page(repo)?;
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

fn in_page(repo: &Repo) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for file in repo.files(&[".ts", ".tsx"])? {
        let path = file.to_string_lossy();
        let is_test = path.contains(".test.") || path.contains(".testing.");
        if !path.starts_with("web/src/") || is_test || PAGE.contains(&&*path) || path.starts_with(WORDS) {
            continue;
        }
        for (number, line) in (1..).zip(repo.read(&file)?.lines()) {
            if let Some(named) = LOOPS.iter().find(|kind| quotes(line, kind.as_str())) {
                let what = format!("`{named}` is named by the page: ask {}, which is made from the registry", PAGE[0]);
                faults.push(Fault::line(&file, number, what));
            }
        }
    }
    Ok(faults)
}

/// Whether a line has this word as a whole string of a script.
fn quotes(line: &str, word: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    ['\'', '"', '`'].iter().any(|quote| code.contains(&format!("{quote}{word}{quote}")))
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

    #[test]
    fn a_loop_that_the_page_names_is_a_fault() {
        let named = "const a = run.loop === 'desk';\n";
        let fine = "// a 'desk'\nconst a = `loop.${loop}`; const b = 'loop.desk';\n";
        assert_eq!(
            faults(
                rule,
                &[
                    ("web/src/loops.ts", named),
                    ("web/src/api/schema.ts", named),
                    ("web/src/stage/Round.tsx", named),
                    ("web/src/stage/fine.ts", fine),
                    ("web/src/stage/stage.test.tsx", named),
                    ("web/src/stage/stage.testing.tsx", named),
                    ("web/e2e/desk.ts", named),
                ]
            ),
            [
                "web/src/stage/Round.tsx:1: `desk` is named by the page: ask web/src/loops.ts, which is made from the registry"
            ]
        );
    }
}
