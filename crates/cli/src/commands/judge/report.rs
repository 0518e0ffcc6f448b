//! A judgement as text, and as SARIF, `JUnit`, annotations and Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use tribunal_anchors::report::{self, FileReport, LintedFile, cell, code, longest_run, plain};
use tribunal_anchors::{CriterionScore, LintResult, SourceSpan, Violation};
use tribunal_kernel::ballot::ItemState;
use tribunal_kernel::evidence::{
    CommandEvidence, Evidence, EvidenceCode, EvidenceFinding, EvidenceWeight, Mutant, MutantSeen, Touch, TreeRole,
};
use tribunal_kernel::judge::{AskedItem, asked_of, evidence_of, judge_of};
use tribunal_kernel::text::one_line;
use tribunal_kernel::{Outcome, Run};

/// What is not about a single command, where there is one suite a command.
const WHOLE: &str = "the change";
/// The rule of a line that nobody missed.
const SURVIVED: &str = "mutant_survived";
/// The rule of a judgement that has no end yet, or one that no finding explains.
const NOT_FINISHED: &str = EvidenceCode::NotFinished.as_str();
/// The rules of what the change is asked to do, and does not.
const NOT_AS_ASKED: &str = "not_as_asked";
const NOT_DECIDED: &str = "not_decided";

/// So many files are named in a hint.
const TOLD: usize = 3;

/// Something that was found, by whoever found it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reported {
    rule: &'static str,
    weight: EvidenceWeight,
    /// The command that it is about.
    command: Option<String>,
    text: String,
}

impl From<&EvidenceFinding> for Reported {
    fn from(EvidenceFinding { code, weight, command, text }: &EvidenceFinding) -> Self {
        Self { rule: code.as_str(), weight: *weight, command: command.clone(), text: text.clone() }
    }
}

/// What was seen, and what follows from it.
pub(super) fn text(run: &Run) -> String {
    let mut out = String::new();
    if let Some(headline) = headline(run) {
        let _ = writeln!(out, "{headline}");
    }
    if let Some(evidence) = evidence_of(run) {
        out.push_str(&evidence.side_by_side());
    }
    let asked = asked_of(run);
    if !asked.is_empty() {
        let met = asked.iter().filter(|item| item.is_met()).count();
        let _ = writeln!(out, "what it is asked to do: {met} of {} met", asked.len());
    }
    for asked in &asked {
        let _ = writeln!(out, "  {:<9}  {}", asked.item.state.as_str(), one_line(&asked.item.item));
        if let Some(told) = asked.told() {
            let _ = writeln!(out, "             {}", one_line(&told));
        }
    }
    let _ = writeln!(out, "{}, run {}", without_texts(run, verdict(run)), run.spec().run);
    out
}

/// A verdict that names its reasons by their codes: what each says stands above it.
fn without_texts(run: &Run, verdict: String) -> String {
    let findings = evidence_of(run).map(|evidence| evidence.findings.as_slice()).unwrap_or_default();
    findings.iter().fold(verdict, |verdict, finding| {
        let code = finding.code.as_str();
        let verdict = verdict.replace(&format!("{code}: {}", finding.text), code);
        verdict.replace(&format!("{code}; {code}"), code)
    })
}

/// What a person can do about a refusal.
pub(super) fn hints(run: &Run) -> Vec<String> {
    let Some(evidence) = evidence_of(run) else { return Vec::new() };
    may_change_hint(evidence).into_iter().chain(left_out_hint(evidence)).collect()
}

/// How a person lets a change alter given tests, or steer them, where it was refused because it does.
fn may_change_hint(evidence: &Evidence) -> Option<String> {
    let is_tampered = |finding: &&EvidenceFinding| finding.code == EvidenceCode::ChecksTampered;
    let tampered: Vec<&EvidenceFinding> = evidence.findings.iter().filter(is_tampered).collect();
    let is_new = |what: Touch| matches!(what, Touch::TestAdded | Touch::SteeringAdded);
    // What is new is meant only where it is named.
    let is_named = |path: &str| tampered.iter().any(|finding| finding.text.contains(path));
    let touched = evidence.touched.iter().filter(|touched| !touched.allowed);
    let touched = touched.filter(|touched| !is_new(touched.what) || is_named(&touched.path));
    let aware = evidence.test_aware.iter().filter_map(|told| told.split_once(" (`")).map(|(path, _)| path);
    let paths = touched.map(|touched| touched.path.as_str()).chain(aware);
    let flags: Vec<String> = paths.take(TOLD).map(|path| format!(" --may-change {path}")).collect();
    let meant = "if they are meant to change, and you have read how";
    (!tampered.is_empty() && !flags.is_empty()).then(|| format!("hint: {meant}: `tribunal judge{}`", flags.concat()))
}

/// What to do about a test that cannot pass here, whoever changed what.
fn left_out_hint(evidence: &Evidence) -> Option<String> {
    let is_red = |command: &CommandEvidence, tree| command.on(tree).is_some_and(|run| !run.is_green());
    let is_old = |finding: &EvidenceFinding| {
        let command = finding.command.as_deref().and_then(|id| evidence.of(id));
        finding.code == EvidenceCode::ChecksFailed && command.is_some_and(|command| is_red(command, TreeRole::Base))
    };
    let hint = "hint: a test that cannot pass where checks run, with the change or without it, can be left out by the command: \
                `tribunal judge --check \"…\"`, or `judge.checks` in tribunal.toml";
    evidence.findings.iter().any(is_old).then(|| hint.to_owned())
}

fn headline(run: &Run) -> Option<String> {
    let settings = judge_of(run.spec())?;
    let short = |name: &str| name.chars().take(10).collect::<String>();
    Some(format!("{}: {} against {}", settings.name, short(&settings.head), short(&settings.base)))
}

fn verdict(run: &Run) -> String {
    match run.end() {
        Some(end) if end.outcome.is_pass() => format!("holds: {}", end.reason),
        Some(end) if end.outcome == Outcome::Blocked => format!("does not hold ({}): {}", end.outcome, end.reason),
        Some(end) if !asked_of(run).is_empty() => format!("not decided ({}): {}", end.outcome, end.reason),
        // What could not be tried is no word against the change.
        Some(end) => format!("not judged ({}): {}", end.outcome, end.reason),
        None => "not finished".to_owned(),
    }
}

/// Every finding as a result.
pub(super) fn sarif(run: &Run) -> String {
    report::sarif(&files(run), &[])
}

/// Every finding as an annotation.
pub(super) fn github(run: &Run) -> String {
    // A judgement has no anchor that could have left something undecided.
    let decided = |file: FileReport| FileReport { undecided: Vec::new(), ..file };
    report::github(&files(run).into_iter().map(decided).collect::<Vec<_>>())
}

/// Every finding beside the files it is about where there are some, and beside no file otherwise.
fn files(run: &Run) -> Vec<FileReport> {
    let mut files: BTreeMap<String, LintResult> = BTreeMap::new();
    for finding in findings(run) {
        let paths = evidence_of(run).map(|evidence| paths(evidence, &finding)).unwrap_or_default();
        let paths = if paths.is_empty() { vec![String::new()] } else { paths };
        for path in paths {
            put(files.entry(path).or_insert_with(empty), finding.weight, violation(&finding));
        }
    }
    for MutantSeen { mutant, .. } in evidence_of(run).into_iter().flat_map(Evidence::survivors) {
        put(files.entry(mutant.path.clone()).or_insert_with(empty), EvidenceWeight::Weakens, survivor(mutant));
    }
    files.into_iter().map(|file| FileReport::of(&file)).collect()
}

/// The files that a finding is about, among those that the change touched.
fn paths(evidence: &Evidence, finding: &Reported) -> Vec<String> {
    let codes = [EvidenceCode::ChecksTampered, EvidenceCode::TestsChanged, EvidenceCode::SteeringTouched];
    let is_about_files = codes.iter().any(|code| code.as_str() == finding.rule);
    let touched = evidence.touched.iter().map(|touched| touched.path.as_str());
    let inline = evidence.inline.iter().filter_map(|test| Some(test.split_once(": ")?.0));
    let mut paths: Vec<String> =
        touched.chain(inline).filter(|path| is_about_files && finding.text.contains(path)).map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// A suite for every command and one for the change as a whole, a case for every finding; a command without one is a case
/// that passed.
pub(super) fn junit(run: &Run) -> String {
    let commands = evidence_of(run).map(|evidence| evidence.commands.as_slice()).unwrap_or_default();
    let findings = findings(run);
    let is_about = |finding: &Reported, id: &str| finding.command.as_deref() == Some(id);
    let known = |finding: &&Reported| commands.iter().any(|command| is_about(finding, &command.command.id));
    let suite = |name: &str, case: &str, about: Vec<&Reported>| {
        let mut result = empty();
        if !about.iter().any(|finding| finding.weight == EvidenceWeight::Fails) {
            result.scores.push(CriterionScore { name: case.to_owned(), score: 1, max: 1, weight: 1, floor: None });
        }
        for finding in about {
            put(&mut result, finding.weight, violation(finding));
        }
        (name.to_owned(), result)
    };
    let mut suites: Vec<LintedFile> = Vec::new();
    for command in commands {
        let about = findings.iter().filter(|finding| is_about(finding, &command.command.id)).collect();
        suites.push(suite(&command.command.line, "holds", about));
    }
    suites.push(suite(WHOLE, "holds", findings.iter().filter(|finding| !known(finding)).collect()));
    report::junit(&suites.iter().map(FileReport::of).collect::<Vec<_>>())
}

/// For a comment on a pull request: the verdict first, everything that was seen behind a fold.
pub(super) fn markdown(run: &Run) -> String {
    let mut out = String::new();
    let word = match run.end() {
        Some(end) if end.outcome.is_pass() => "✅ The change holds",
        Some(end) if end.outcome == Outcome::Blocked => "❌ The change does not hold",
        Some(_) => "❌ Nobody could tell whether the change holds",
        None => "The judgement is not finished",
    };
    let _ = writeln!(out, "### {word}\n");
    if let Some(headline) = headline(run) {
        let _ = writeln!(out, "{}\n", plain(&headline));
    }
    let findings = findings(run);
    for (weight, title) in [
        (EvidenceWeight::Fails, "Against it"),
        (EvidenceWeight::Weakens, "It would show more without this"),
        (EvidenceWeight::Note, "To be known"),
    ] {
        let mut of: Vec<&Reported> = findings.iter().filter(|finding| finding.weight == weight).collect();
        of.dedup();
        if of.is_empty() {
            continue;
        }
        let _ = writeln!(out, "**{title}**\n");
        for finding in of {
            let _ = writeln!(out, "- `{}` {}", finding.rule, plain(&finding.text));
        }
        out.push('\n');
    }
    let asked = asked_of(run);
    if !asked.is_empty() {
        let _ = writeln!(out, "| what it is asked to do | | |\n|---|---|---|");
        for asked in &asked {
            let told = asked.told().unwrap_or_default();
            let _ = writeln!(out, "| {} | {} | {} |", cell(&asked.item.item), asked.item.state.as_str(), cell(&told));
        }
        out.push('\n');
    }
    let Some(evidence) = evidence_of(run) else {
        let _ = writeln!(out, "{}", plain(&verdict(run)));
        return out;
    };
    let _ = writeln!(out, "| command | tree | seen |\n|---|---|---|");
    for command in &evidence.commands {
        for run in &command.runs {
            let _ = writeln!(out, "| {} | {} | {} |", cell(&command.command.line), run.tree.told(), cell(&run.told()));
        }
    }
    let survivors: Vec<&MutantSeen> = evidence.survivors().collect();
    if !survivors.is_empty() {
        let _ = writeln!(out, "\n**Broken lines that no check noticed**\n");
        for MutantSeen { mutant: Mutant { path, line, before, after }, .. } in survivors {
            let _ = writeln!(out, "- {}:{line}: {} → {}", code(path), code(before.trim()), code(after.trim()));
        }
    }
    let fence = "`".repeat(longest_run(&evidence.side_by_side(), '`').max(2) + 1);
    let _ = writeln!(
        out,
        "\n<details><summary>Everything that was seen</summary>\n\n{fence}text\n{}{fence}\n\n</details>\n\nRun {}",
        evidence.side_by_side(),
        run.spec().run
    );
    out
}

/// What was found, and what verifiers say; and why it ended like this, if nothing of that says so.
fn findings(run: &Run) -> Vec<Reported> {
    let seen = evidence_of(run).map(|evidence| evidence.findings.as_slice()).unwrap_or_default();
    let mut findings: Vec<Reported> = seen.iter().map(Reported::from).collect();
    findings.extend(asked_of(run).iter().filter(|asked| !asked.is_met()).map(unmet));
    let is_told = findings.iter().any(|finding| finding.weight == EvidenceWeight::Fails);
    let is_passed = run.end().is_some_and(|end| end.outcome.is_pass());
    if !is_passed && !is_told {
        let text = verdict(run);
        findings.push(Reported { rule: NOT_FINISHED, weight: EvidenceWeight::Fails, command: None, text });
    }
    findings
}

/// Something that the change is asked to do and does not, or nobody could tell.
fn unmet(asked: &AskedItem<'_>) -> Reported {
    let rule = if asked.item.state == ItemState::Broken { NOT_AS_ASKED } else { NOT_DECIDED };
    let why = asked.told().map(|why| format!(": {why}")).unwrap_or_default();
    Reported { rule, weight: EvidenceWeight::Fails, command: None, text: format!("{}{why}", asked.item.item) }
}

fn empty() -> LintResult {
    LintResult {
        valid: true,
        violations: Vec::new(),
        should_violations: Vec::new(),
        open: Vec::new(),
        scores: Vec::new(),
        pending: Vec::new(),
        notes: Vec::new(),
        near_tie: false,
    }
}

fn put(result: &mut LintResult, weight: EvidenceWeight, violation: Violation) {
    match weight {
        EvidenceWeight::Fails => {
            result.valid = false;
            result.violations.push(violation);
        }
        EvidenceWeight::Weakens => result.should_violations.push(violation),
        EvidenceWeight::Note => result.open.push(violation),
    }
}

fn violation(finding: &Reported) -> Violation {
    Violation { rule: finding.rule.to_owned(), message: one_line(&finding.text), span: None }
}

fn survivor(Mutant { line, before, after, .. }: &Mutant) -> Violation {
    let line = u32::try_from(*line).unwrap_or(u32::MAX);
    let end_column = u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX);
    let broken = if after.trim().is_empty() { "removed".to_owned() } else { format!("`{}`", after.trim()) };
    Violation {
        rule: SURVIVED.to_owned(),
        message: format!("no check notices when this line is {broken}"),
        span: Some(SourceSpan { line, column: 1, end_line: line, end_column, quote: before.clone() }),
    }
}
