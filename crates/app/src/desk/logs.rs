//! What is kept of an iteration for people to read, whoever kept it.

use std::fs;
use std::path::PathBuf;

use crate::error::AppError;
use crate::loops::desk;
use crate::project::Project;

/// What comes first. Whatever else there is of an iteration follows by name.
const ORDER: [&str; 4] = ["worker-prompt.md", "evidence.json", "verifier-prompt.md", "verdict.json"];

/// What is kept of an iteration for people to read.
#[derive(Debug)]
pub struct IterationLogs {
    pub iteration: u32,
    /// A file, and its text if it is there.
    pub files: Vec<(PathBuf, Option<String>)>,
}

/// What an iteration was told, and what was seen of it; the newest one if none is named.
pub fn logs(project: &Project, slug: &str, iteration: Option<u32>) -> Result<IterationLogs, AppError> {
    let files = desk::files(project, slug)?;
    let folder = files.path(&files.logs());
    let mut found: Vec<(u32, String)> = Vec::new();
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        if let Some((number, what)) = entry.file_name().to_str().and_then(of_iteration) {
            found.push((number, what.to_owned()));
        }
    }
    let newest = found.iter().map(|(number, _)| *number).max();
    let Some(iteration) = iteration.or(newest) else {
        return Err(AppError::invalid(
            format!("{} has no logs", folder.display()),
            format!("`tribunal desk run {slug}` creates them"),
        ));
    };
    let mut names: Vec<String> = found.into_iter().filter(|(number, _)| *number == iteration).map(|it| it.1).collect();
    if names.is_empty() {
        let newest = newest.map_or(String::new(), |newest| format!("; the newest is {newest}"));
        return Err(AppError::invalid(format!("no iteration {iteration}{newest}"), "omit the number for the newest"));
    }
    let rank = |name: &String| ORDER.iter().position(|known| name == known).unwrap_or(ORDER.len());
    names.sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| one.cmp(other)));
    let texts = names.into_iter().map(|what| {
        let path = folder.join(format!("iter-{iteration:03}")).display().to_string();
        let path =
            [".", "-"].iter().map(|mark| PathBuf::from(format!("{path}{mark}{what}"))).find(|path| path.exists());
        let path = path.unwrap_or_default();
        let text = fs::read_to_string(&path).ok();
        (path, text)
    });
    Ok(IterationLogs { iteration, files: texts.collect() })
}

/// `iter-002.worker-prompt.md` is the worker's prompt of the second iteration. Some name it with a dash.
fn of_iteration(name: &str) -> Option<(u32, &str)> {
    let rest = name.strip_prefix("iter-")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at(digits);
    let what = rest.strip_prefix(['.', '-']).filter(|what| !what.is_empty() && !what.starts_with("tmp"))?;
    Some((number.parse().ok()?, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_an_iteration_are_known_by_their_names() {
        for (name, expected) in [
            ("iter-001.worker-prompt.md", Some((1, "worker-prompt.md"))),
            ("iter-012-verdict.json", Some((12, "verdict.json"))),
            ("iter-1.result.md", Some((1, "result.md"))),
            ("iter-.result.md", None),
            ("iter-001", None),
            ("iter-001.", None),
            ("status.json", None),
            ("iter-99999999999.x", None),
        ] {
            assert_eq!(of_iteration(name), expected, "{name}");
        }
    }
}
