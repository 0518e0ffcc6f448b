//! A result for a comment on a pull request: Markdown behind a marker that never changes, by which CI finds the comment
//! of its last run and replaces it.

use std::path::Path;
use tribunal_app::AppError;

use crate::args::Global;

/// GitHub takes comments of 65,536 characters. Whoever posts one may add a line to it.
const MOST: usize = 60_000;
/// What stands where a comment was cut.
const CUT: &str = "\n_This comment was cut here: the log of the job has the rest._\n";
const FENCE: &str = "```";

/// Writes the comment of a command.
pub(crate) fn write(global: &Global, path: &Path, command: &str, markdown: &str) -> Result<(), AppError> {
    let path = global.dir.clone().unwrap_or_default().join(path);
    tribunal_store::atomic::write(&path, text(command, markdown).as_bytes())?;
    Ok(())
}

/// The marker, and as much as fits a comment.
fn text(command: &str, markdown: &str) -> String {
    format!("<!-- tribunal {command} -->\n{}", shortened(markdown))
}

/// Whole lines, with everything closed that was open where it was cut.
fn shortened(markdown: &str) -> String {
    if markdown.chars().count() <= MOST {
        return markdown.to_owned();
    }
    let (mut text, mut left) = (String::new(), MOST);
    let (mut fence, mut folds) = (None, 0_usize);
    for line in markdown.split_inclusive('\n') {
        let Some(rest) = left.checked_sub(line.chars().count()) else { break };
        left = rest;
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(open) if ticks >= open && line.trim_end().len() == ticks => fence = None,
            Some(_) => {}
            None if ticks >= FENCE.len() => fence = Some(ticks),
            None => folds = (folds + line.matches("<details>").count()) - line.matches("</details>").count().min(folds),
        }
        text.push_str(line);
    }
    if let Some(ticks) = fence {
        text = format!("{text}{}\n", "`".repeat(ticks));
    }
    text + &"\n</details>\n".repeat(folds) + CUT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_comes_first_and_what_fits_stays_as_it_is() {
        assert_eq!(text("check", "### ✅ 1 file\n"), "<!-- tribunal check -->\n### ✅ 1 file\n");
    }

    #[test]
    fn what_is_cut_is_closed() {
        let inside = "seen and seen again\n".repeat(4000);
        let long = format!("### ❌\n\n<details><summary>All</summary>\n\n````text\n```\n{inside}````\n\n</details>\n");
        let cut = shortened(&long);
        assert!(cut.chars().count() < 65_000, "{}", cut.chars().count());
        assert!(
            cut.ends_with(&format!("seen and seen again\n````\n\n</details>\n{CUT}")),
            "{}",
            &cut[cut.len() - 200..]
        );
        let line = shortened(&"x".repeat(MOST + 1));
        assert_eq!(line, CUT, "a line is whole or not there");
    }
}
