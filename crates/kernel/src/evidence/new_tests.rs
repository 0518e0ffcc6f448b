//! New tests beside given ones. Most runners load them into one process, and a new test may change the program there that
//! the given ones test; so these have to be green without it, too.

use super::comparison::TestComparison;
use super::given::{PathRole, is_test_by_name, role_of};
use super::plan::{EvidencePlan, Touch, TouchedPath, TreeEdit, TreeRole};
use super::report::TestReport;
use super::run_seen::{RunSeen, RunState, named};
use super::source::SourceLanguage;
use super::value::CommandEvidence;

/// The new tests that could change what given ones test. Not those of Rust, which are programs of their own or parts of a
/// source file; not what somebody allowed; and nothing that the work itself loads.
pub(super) fn apart(
    plan: &EvidencePlan,
    base_paths: &[String],
    head_text: impl Fn(&str) -> Option<String>,
) -> Vec<TreeEdit> {
    let is_new = |touched: &&TouchedPath| touched.what == Touch::TestAdded && !touched.allowed;
    let is_beside = |path: &&str| {
        let language = SourceLanguage::of(path);
        let is_given = |other: &String| role_of(other) == PathRole::Test && SourceLanguage::of(other) == language;
        language.is_some_and(|language| language != SourceLanguage::Rust) && base_paths.iter().any(is_given)
    };
    let is_loaded =
        |path: &str| plan.sources.iter().filter_map(|source| head_text(source)).any(|text| loads(&text, path));
    let new = plan.touched.iter().filter(is_new).map(|touched| touched.path.as_str());
    let apart = new.filter(is_beside).filter(|path| is_test_by_name(path) || !is_loaded(path));
    apart.map(|path| TreeEdit::Remove(path.to_owned())).collect()
}

/// Whether a source file loads another one: a line that includes something names it.
fn loads(text: &str, path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    // A folder is loaded by its own name.
    let is_folder = matches!(stem, "__init__" | "index" | "mod");
    let wanted = if is_folder { folder.rsplit('/').next().unwrap_or(stem) } else { stem };
    let includes = |line: &&str| ["import", "from ", "require", "include"].iter().any(|word| line.contains(word));
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.lines().filter(includes).any(|line| line.split(|c| !is_part(c)).any(|word| word == wanted))
}

/// Whether a command asks for one of these files itself, by its path or as a module: then it is nothing without it.
pub(super) fn asks_for(line: &str, removed: &[&str], base_paths: &[String]) -> bool {
    let words = line.split(|c: char| c.is_whitespace() || "'\"`;&|()<>=,".contains(c));
    // A test in a file is asked for behind `::` or `#`.
    let words = words.filter_map(|word| word.split("::").next()?.split('#').next());
    let mut words = words.map(|word| word.trim_start_matches("./")).filter(|word| !word.is_empty());
    let ends =
        |path: &str, word: &str| path.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
    words.any(|word| {
        let is_asked = |path: &str| {
            let module = path.rsplit_once('.').map_or(path, |(module, _)| module);
            // `tests.test_a`, and `tests.test_a.Case.test_b`.
            let dotted = word.replace('.', "/");
            let is_module =
                |word: &str| ends(module, word) || word.strip_prefix(module).is_some_and(|rest| rest.starts_with('/'));
            ends(path, word) || is_module(&dotted)
        };
        removed.iter().any(|path| is_asked(path)) && !base_paths.iter().any(|path| is_asked(path))
    })
}

/// What the given tests say without the new ones, if they say something else beside them.
pub(super) fn only_beside(command: &CommandEvidence, may_change_tests: bool) -> Option<String> {
    let alone = command.on(TreeRole::WithoutNewTests)?;
    let base = command.on(TreeRole::Base).and_then(|base| base.report.as_ref());
    if !command.on(TreeRole::Given).is_some_and(RunSeen::is_green) {
        return None;
    }
    let is_empty = |report: Option<&TestReport>| report.is_none_or(|report| report.tests.is_empty());
    match &alone.state {
        RunState::Green => {
            let lost = TestComparison::of(base?, alone.report.as_ref()?);
            // Where tests may be changed, the ones of before may be gone.
            let gone =
                if may_change_tests { Vec::new() } else { [lost.vanished, lost.newly_skipped, lost.hidden].concat() };
            let names: Vec<&str> = lost.newly_failing.iter().chain(&gone).map(String::as_str).collect();
            (!names.is_empty()).then(|| format!("tests of the base do not pass: {}", named(&names)))
        }
        // Nothing is given that it could run.
        _ if command.is_reported() && is_empty(base) && is_empty(alone.report.as_ref()) => None,
        RunState::Red(why) => Some(format!("it is red: {why}")),
        RunState::Unreliable(why) => Some(format!("it cannot be believed: {why}")),
    }
}
