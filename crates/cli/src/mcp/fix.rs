//! The tool `fix`: what is certain to be wrong with a page, fixed where it is.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tribunal_app::fix::{self, FixRequest};
use tribunal_app::input::Fence;
use tribunal_app::{AppError, Project};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Fix {
    /// The HTML and Markdown files to fix, relative to the project's folder.
    paths: Vec<String>,
    /// The design file to fix colours, fonts and spacing by.
    design: Option<String>,
    /// Also make edits that are likely to be right, and not only those that are certain.
    suggestions: bool,
    /// Whether to change the files. Without it, `files` has the changes as patches, and nothing is written.
    write: bool,
}

pub(super) async fn fix(project: &Project, args: Fix) -> Result<Value, AppError> {
    if args.paths.is_empty() {
        return Err(AppError::invalid("there is nothing to fix", "name files inside the project in `paths`"));
    }
    let fence = Fence::of(project);
    let files = args.paths.iter().map(|path| fence.file(path)).collect::<Result<Vec<_>, _>>()?;
    let root = files.first().map(|file| fence.around(file));
    let design = args.design.as_deref().map(|design| fence.file(design)).transpose()?;
    let request = FixRequest {
        dir: fence.workspace(),
        paths: files,
        root,
        design,
        takes_suggestions: args.suggestions,
        writes: args.write,
    };
    let outcome = fix::fix(project, &request, &mut |_| true).await?;
    let mut object = outcome.object();
    object["passed"] = json!(outcome.passes());
    object["written"] = json!(args.write);
    Ok(object)
}
