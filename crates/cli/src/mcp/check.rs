//! The tool `check`: a draft measured, or held against an anchor.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tribunal_agents::house::{PageFindings, counts};
use tribunal_anchors::report::ReportLevel;
use tribunal_anchors::{Anchor, LintResult, Syntax};
use tribunal_app::check::{Page, read_design};
use tribunal_app::input::{Fence, MAX_TEXT, bounded};
use tribunal_app::loops::{anchor_of, read_anchor};
use tribunal_app::{AppError, Project};
use tribunal_checks::DesignTokens;

/// Of every list in an answer at most so many items are shown; `left_out` says how many are not.
const MAX_ITEMS: usize = 100;
/// What a draft is called that is in no file.
const INLINE: &str = "draft";

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Check {
    /// The draft itself. Either this or `path`.
    text: Option<String>,
    /// The draft's file, relative to the project's folder. Either this or `text`.
    path: Option<String>,
    /// The format of `text`. For `path`, the file extension decides.
    format: Format,
    /// The file of an anchor (TOML or JSON), relative to the project's folder.
    anchor: Option<String>,
    /// An anchor itself, instead of its file: TOML, or JSON if it begins with `{`. For example
    /// `{"kind": "invariants", "MUST": ["must have a heading Risks"], "MUST_NOT": ["mention Acme"]}`.
    anchor_text: Option<String>,
    /// The design file to judge the brand of a page by; only without an anchor.
    design: Option<String>,
    /// Also ask the linters of tribunal.toml about rules that need an opinion. This calls models.
    semantic: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Markdown,
    Html,
    Plain,
}

pub(super) async fn check(project: &Project, args: Check) -> Result<Value, AppError> {
    let fence = Fence::of(project);
    let page = page(&fence, &args)?;
    let anchor = anchor(&fence, &args)?;
    let Some(anchor) = anchor else {
        if args.semantic {
            return Err(AppError::invalid("`semantic` needs an anchor", "pass `anchor` or `anchor_text`"));
        }
        let tokens = match &args.design {
            Some(design) => read_design(&fence.file(design)?)?,
            None => DesignTokens::default(),
        };
        return Ok(measured(&page.name, &page.findings(project, &tokens).await?));
    };
    if args.design.is_some() {
        return Err(AppError::invalid("`design` and an anchor cannot be combined", "check twice: once with each"));
    }
    let (name, result) = if args.semantic {
        tribunal_app::check::with_opinions(project, &anchor, &page).await?
    } else {
        (page.name.clone(), page.linted(&anchor).closing())
    };
    linted(&name, &anchor, result)
}

fn page(fence: &Fence, args: &Check) -> Result<Page, AppError> {
    match (&args.text, &args.path) {
        (Some(text), None) => {
            bounded("the draft", text, MAX_TEXT)?;
            if text.trim().is_empty() {
                return Err(AppError::invalid("the draft is empty", "pass the text to check"));
            }
            let folder = fence.workspace();
            let is_markdown = args.format != Format::Html;
            Ok(Page::of_text(INLINE, text.clone(), is_markdown, folder.clone()).fenced(folder))
        }
        (None, Some(path)) => {
            let file = fence.file(path)?;
            let around = fence.around(&file);
            let shown = fence.shown(&file);
            Ok(Page::read(&around, &file)?.named(shown).fenced(around))
        }
        (Some(_), Some(_)) => Err(AppError::invalid("`text` and `path` cannot be combined", "pass one of them")),
        (None, None) => {
            Err(AppError::invalid("there is nothing to check", "pass the draft as `text`, or its file as `path`"))
        }
    }
}

fn anchor(fence: &Fence, args: &Check) -> Result<Option<Anchor>, AppError> {
    match (&args.anchor, &args.anchor_text) {
        (Some(path), None) => Ok(Some(read_anchor(&fence.file(path)?)?)),
        (None, Some(text)) => {
            bounded("the anchor", text, MAX_TEXT)?;
            let syntax = if text.trim_start().starts_with('{') { Syntax::Json } else { Syntax::Toml };
            Ok(Some(anchor_of("anchor_text", text, syntax)?))
        }
        (None, None) => Ok(None),
        (Some(_), Some(_)) => {
            Err(AppError::invalid("`anchor` and `anchor_text` cannot be combined", "pass one of them"))
        }
    }
}

/// What was found, with what must be fixed first.
fn measured(name: &str, found: &PageFindings) -> Value {
    let scores: Vec<Value> = found
        .scores
        .iter()
        .map(|report| {
            let dims: Vec<Value> = report.dims.iter().map(tribunal_app::check::dim_object).collect();
            json!({ "role": report.role.as_str(), "score": report.score, "dims": dims })
        })
        .collect();
    let mut findings = Vec::new();
    for level in [ReportLevel::Must, ReportLevel::Should, ReportLevel::Note] {
        let of_level = found.report.findings.iter().filter(|finding| finding.level == level && counts(finding));
        findings.extend(of_level.map(|finding| {
            let mut object = tribunal_app::check::finding_object(finding);
            object["role"] = json!(finding.measured.map(|(role, _)| role));
            object
        }));
    }
    let must_fix = found.must_fix().count();
    let left_out = findings.len().saturating_sub(MAX_ITEMS);
    findings.truncate(MAX_ITEMS);
    json!({
        "draft": name, "verdict": if must_fix == 0 { "pass" } else { "fail" }, "passed": must_fix == 0,
        "must_fix": must_fix, "findings": findings, "left_out": left_out, "scores": scores,
    })
}

/// What the anchor's rules say. What nobody has decided is no pass.
fn linted(name: &str, anchor: &Anchor, mut result: LintResult) -> Result<Value, AppError> {
    let verdict = match (result.violations.is_empty(), result.is_passed()) {
        (false, _) => "fail",
        (true, false) => "undecided",
        (true, true) => "pass",
    };
    let mut left_out = 0;
    for list in [&mut result.violations, &mut result.should_violations, &mut result.open] {
        left_out += list.len().saturating_sub(MAX_ITEMS);
        list.truncate(MAX_ITEMS);
    }
    let mut object = serde_json::to_value(&result)
        .map_err(|error| AppError::environment(format!("cannot serialize the result: {error}"), None))?;
    object["draft"] = json!(name);
    object["anchor"] = json!(anchor.kind().as_str());
    object["verdict"] = json!(verdict);
    object["passed"] = json!(verdict == "pass");
    object["left_out"] = json!(left_out);
    Ok(object)
}
