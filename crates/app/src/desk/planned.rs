//! The campaigns that a desk has plans of, and the one that is meant where none is named.

use std::fs;
use tribunal_store::desk::DeskFiles;

use crate::error::AppError;
use crate::loops::desk;
use crate::project::Project;

/// So many plans are named to whoever has to choose.
const MOST_NAMED: usize = 20;

/// The slugs of all plans.
pub(super) fn planned(files: &DeskFiles) -> Vec<String> {
    let folder = files.path(&format!("{}/plans", files.root()));
    let names =
        fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let slug = |name: String| Some(name.strip_prefix("prd-")?.strip_suffix(".md")?.to_owned());
    let mut slugs: Vec<String> = names.filter_map(slug).collect();
    slugs.sort();
    slugs
}

/// The only campaign there is a plan of.
pub(crate) fn only_plan(project: &Project) -> Result<String, AppError> {
    let mut slugs = planned(&desk::files(project, "any")?);
    slugs.retain(|slug| desk::is_slug(slug));
    match slugs.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(AppError::misconfigured(
            "there is no campaign to work on",
            "`tribunal desk \"what you want\"` plans and starts one; `tribunal desk init SLUG` creates its files",
        )),
        [first, ..] => Err(AppError::misconfigured(
            format!("there is more than one campaign: {}", named(&slugs)),
            format!("name one: `tribunal desk run {first}`, or set `slug = \"{first}\"` under `[desk]`"),
        )),
    }
}

fn named(slugs: &[String]) -> String {
    let shown = slugs.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match slugs.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
