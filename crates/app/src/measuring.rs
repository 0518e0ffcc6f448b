//! What pages are measured by here, as the configuration says: the same for `check`, `run` and `fix`.

use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use tribunal_agents::house::{ExcusedPath, HouseSettings, Measuring, PagePolicy};
use tribunal_anchors::report::ReportLevel;
use tribunal_checks::{WordLists, nearest_rule, rule};
use tribunal_config::{CheckLevel, ChecksConfig, Config, CopyConfig};
use tribunal_kernel::Digest;
use tribunal_kernel::waiver::Waiver;

use crate::error::AppError;
use crate::eyes::BrowserEyes;
use crate::project::Project;

/// What the house measures by. A run waives by itself what a person waived.
pub fn house_settings(project: &Project) -> Result<HouseSettings, AppError> {
    let mut policy = policy(project)?;
    policy.waivers.clear();
    let checks = &project.config().checks;
    Ok(HouseSettings {
        measuring: Measuring { words: Arc::new(word_lists(&project.config().copy)), policy: Arc::new(policy) },
        root: checks.root.clone(),
        site_root: checks.site_root.clone(),
        built: built(project),
        viewer: BrowserEyes::of(checks),
    })
}

/// What pages are measured by outside of runs.
pub(crate) fn measuring(project: &Project) -> Result<Measuring, AppError> {
    let words = Arc::new(word_lists(&project.config().copy));
    Ok(Measuring { words, policy: Arc::new(policy(project)?) })
}

/// What the configuration says of rules and words, where it says anything. Who looks, and where files are, is not part of
/// it: that differs from machine to machine. A rule that nobody knows is an error here, before anything is paid.
pub(crate) fn digest(project: &Project) -> Result<Option<Digest>, AppError> {
    policy(project)?;
    let Config { checks, copy, .. } = project.config();
    let ChecksConfig { widths, schemes, links, levels, ignore, .. } = checks;
    let usual = ChecksConfig::default();
    let is_usual = (widths, schemes, links) == (&usual.widths, &usual.schemes, &usual.links)
        && levels.is_empty()
        && ignore.is_empty()
        && *copy == CopyConfig::default();
    let told = || json!([widths, schemes, links, levels, ignore, copy]).to_string();
    Ok((!is_usual).then(|| Digest::of(told())))
}

/// Folders that a build makes.
pub(crate) fn built(project: &Project) -> Vec<PathBuf> {
    project.config().checks.links.built.iter().map(|folder| project.root().join(folder)).collect()
}

/// How grave rules are here, and what is excused from them.
fn policy(project: &Project) -> Result<PagePolicy, AppError> {
    let config: &Config = project.config();
    let root = project.root().canonicalize().unwrap_or_else(|_| project.root().to_owned());
    for id in config.checks.levels.keys() {
        known("checks.levels", id)?;
    }
    let mut excused = Vec::new();
    for (name, ignore) in &config.checks.ignore {
        for id in &ignore.rules {
            known(&format!("checks.ignore.{name}.rules"), id)?;
        }
        let invalid = |why: String| {
            let what = format!("`checks.ignore.{name}.path` is not a glob: {why}");
            AppError::misconfigured(what, "write one such as `vendor/**`".to_owned())
        };
        let path = ExcusedPath::new(&root, &ignore.path, ignore.rules.clone(), ignore.reason.clone());
        excused.push(path.map_err(invalid)?);
    }
    let level = |level: &CheckLevel| match level {
        CheckLevel::Must => Some(ReportLevel::Must),
        CheckLevel::Should => Some(ReportLevel::Should),
        CheckLevel::Note => Some(ReportLevel::Note),
        CheckLevel::Off => None,
    };
    let waivers = config.waive.values().map(|waiver| Waiver {
        code: waiver.code.clone(),
        target: waiver.target.clone(),
        why: waiver.why.clone(),
    });
    let levels = config.checks.levels.iter().map(|(id, word)| (id.clone(), level(word))).collect();
    Ok(PagePolicy { levels, excused, waivers: waivers.collect() })
}

fn known(key: &str, id: &str) -> Result<(), AppError> {
    if rule(id).is_some() {
        return Ok(());
    }
    let meant = nearest_rule(id).map(|near| format!("did you mean `{near}`?"));
    let hint = meant.unwrap_or_else(|| "`tribunal explain` lists all rules".to_owned());
    Err(AppError::misconfigured(format!("`{key}`: there is no rule `{id}`"), hint))
}

fn word_lists(config: &CopyConfig) -> WordLists {
    WordLists {
        banned: config.banned.clone(),
        preferred: config.preferred.iter().map(|(from, to)| (from.clone(), to.clone())).collect(),
        names: config.names.clone(),
    }
}
