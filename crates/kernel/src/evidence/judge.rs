//! What follows from what was seen. Each rule is a sentence; what was not seen counts against the claim.

use super::canary::CanarySong;
use super::comparison::TestComparison;
use super::finding::{EvidenceCode, EvidenceFinding, EvidenceWeight};
use super::missing::{MissingPackage, MissingProgram};
use super::mutant::MutantEnd;
use super::new_tests::only_beside;
use super::plan::{Touch, TouchedPath, TreeRole};
use super::report::TestState;
use super::run_seen::{RunSeen, RunState, listed, named};
use super::source::SourceLanguage;
use super::value::{CommandEvidence, Evidence};

impl Evidence {
    /// Draws the conclusions, from nothing but what is in here.
    pub fn conclude(&mut self) {
        let mut found = Vec::new();
        if self.commands.is_empty() {
            found.push(finding(
                EvidenceCode::ChecksFailed,
                EvidenceWeight::Fails,
                None,
                "there is no command that could prove anything",
            ));
        }
        let changed = blamed(&self.touched, |what| what != Touch::TestAdded);
        let new = blamed(&self.touched, |what| what == Touch::TestAdded);
        let may_change_tests = self.may_change_tests();
        for command in &mut self.commands {
            command.compare();
        }
        for command in &self.commands {
            of_command(command, (&changed, &new), may_change_tests, &mut found);
        }
        // What was left undone speaks against the claim, unless something else does already.
        if !found.iter().any(|finding| finding.weight == EvidenceWeight::Fails) {
            found.extend(self.commands.iter().filter_map(undone));
        }
        of_touched(&self.touched, &self.inline, &mut found);
        of_mutants(self, &mut found);
        if !self.not_put_back.is_empty() {
            let names: Vec<&str> = self.not_put_back.iter().map(String::as_str).collect();
            let text = format!(
                "given tests were changed and could not be put back, so nothing ran with them: {}",
                named(&names)
            );
            found.push(finding(EvidenceCode::ChecksTampered, EvidenceWeight::Fails, None, &text));
        }
        if !self.test_aware.is_empty() {
            let text = format!(
                "the work asks whether it is being tested, so that green checks say nothing of it elsewhere: {}",
                listed(&self.test_aware)
            );
            found.push(finding(EvidenceCode::ChecksTampered, EvidenceWeight::Fails, None, &text));
        }
        of_rewritten(&self.commands, &mut found);
        for what in &self.rewritten {
            let text = format!("a check changes given files while it runs; they were put back: {what}");
            found.push(finding(EvidenceCode::TestsChanged, EvidenceWeight::Weakens, None, &text));
        }
        for what in &self.left_out {
            found.push(finding(EvidenceCode::NotFinished, EvidenceWeight::Weakens, None, what));
        }
        found.sort_by_key(|finding| std::cmp::Reverse(finding.weight));
        self.findings = found;
    }

    /// Whether tests were changed by somebody who may.
    fn may_change_tests(&self) -> bool {
        let is_changed_test = |touched: &TouchedPath| matches!(touched.what, Touch::TestChanged | Touch::TestDeleted);
        self.touched.iter().any(|touched| touched.allowed && is_changed_test(touched))
    }

    /// Whether a command lost tests that the base has, and nobody allowed it: then there is no need to look further.
    pub fn has_lost(&self, command: &CommandEvidence) -> bool {
        command.comparison.as_ref().is_some_and(|lost| is_against(lost, self.may_change_tests()))
    }
}

/// Where tests may be changed, the ones of before may be gone; that they fail is not meant.
fn is_against(lost: &TestComparison, may_change_tests: bool) -> bool {
    lost.has_lost() && !(may_change_tests && lost.newly_failing.is_empty())
}

fn finding(
    code: EvidenceCode,
    weight: EvidenceWeight,
    command: Option<&CommandEvidence>,
    text: &str,
) -> EvidenceFinding {
    let text = match command {
        Some(command) => format!("`{}` {text}", command.command.line),
        None => text.to_owned(),
    };
    EvidenceFinding { code, weight, command: command.map(|command| command.command.id.clone()), text }
}

fn of_command(
    command: &CommandEvidence,
    (blamed, new): (&str, &str),
    may_change_tests: bool,
    found: &mut Vec<EvidenceFinding>,
) {
    let mut add = |code, weight, text: &str| found.push(finding(code, weight, Some(command), text));
    let (fails, weakens) = (EvidenceWeight::Fails, EvidenceWeight::Weakens);
    let Some(given) = command.on(TreeRole::Given) else {
        return add(EvidenceCode::NotFinished, fails, "was not run");
    };
    let head = command.on(TreeRole::Head);
    let is_red_at_base = command.on(TreeRole::Base).is_some_and(|base| !base.is_green());
    let before = if is_red_at_base { "; it was red at the base, too" } else { "" };
    if let Some(missing) = missing(command) {
        return add(EvidenceCode::PackagesMissing, fails, &format!("could not run: {missing}"));
    }
    match (&given.state, head.map(|head| &head.state)) {
        (RunState::Unreliable(why), _) | (RunState::Red(_), Some(RunState::Unreliable(why))) => {
            add(EvidenceCode::ChecksUnreliable, fails, &format!("cannot be believed: {why}"));
        }
        (RunState::Red(why), Some(RunState::Green)) => {
            let text = format!(
                "is green only with what the work changed ({blamed}); with the given files put back it is red: {why}"
            );
            add(EvidenceCode::ChecksTampered, fails, &text);
        }
        (RunState::Red(why), _) => {
            let missing =
                MissingPackage::in_output(&given.tail).map(|package| format!("; {}", package.told_of_change()));
            let missing = missing.unwrap_or_default();
            add(EvidenceCode::ChecksFailed, fails, &format!("is red: {why}{before}{missing}"));
        }
        (RunState::Green, Some(RunState::Red(why))) => {
            add(EvidenceCode::ChecksFailed, fails, &format!("is red on the work as it is: {why}"));
        }
        (RunState::Green, Some(RunState::Unreliable(why))) => {
            add(EvidenceCode::ChecksUnreliable, fails, &format!("cannot be believed on the work as it is: {why}"));
        }
        (RunState::Green, Some(RunState::Green) | None) => {}
    }
    if let Some(why) = head.zip(command.on(TreeRole::Unsteered)).and_then(|(head, without)| steered(head, without)) {
        let text =
            format!("is green only with what the work changed ({blamed}); with what steers a runner put back {why}");
        add(EvidenceCode::ChecksTampered, fails, &text);
    }
    if let Some(why) = only_beside(command, may_change_tests) {
        let text = format!("is green only beside the new tests ({new}); without them {why}");
        add(EvidenceCode::ChecksTampered, fails, &text);
    }
    // What cannot be believed says nothing about tests, either.
    let is_believed = !matches!(given.state, RunState::Unreliable(_));
    if let Some(lost) = command.comparison.as_ref().filter(|comparison| is_believed && comparison.has_lost()) {
        let weight = if is_against(lost, may_change_tests) { fails } else { weakens };
        add(EvidenceCode::Regressed, weight, &format!("lost tests that the base has: {}", told(lost)));
    }
    match &command.canary {
        Some(song @ (CanarySong::Lied | CanarySong::False(_))) => {
            add(EvidenceCode::ChecksUnreliable, fails, &format!("cannot be believed: {}", song.told()));
        }
        Some(CanarySong::Silent) => {
            add(
                EvidenceCode::ChecksUnreliable,
                fails,
                "cannot be believed: tests of ours were put before it, and it reports none of them",
            );
        }
        Some(CanarySong::NotPlaced(why)) => {
            add(EvidenceCode::NoCanary, weakens, &format!("was not tried with tests of ours: {why}"));
        }
        Some(CanarySong::True) | None => {}
    }
    if !given.is_green() {
        return;
    }
    match &command.red_green {
        None => add(EvidenceCode::NotShownRed, weakens, "was not run without the work"),
        Some(red_green) if !red_green.is_shown() => {
            add(
                EvidenceCode::NotShownRed,
                weakens,
                "is green without the work as well: it shows that something still holds, not that something new does",
            );
        }
        Some(_) => {}
    }
    if let Some(lost) = command.as_is.as_ref().filter(|comparison| comparison.has_lost()) {
        add(EvidenceCode::TestsChanged, weakens, &format!("does without tests that the base has: {}", told(lost)));
    }
    if let Some(why) = &command.plain {
        add(EvidenceCode::ExitOnly, EvidenceWeight::Note, &format!("is known by its exit code alone: {why}"));
    }
}

/// What the work's own tests say where nothing steers them anew, if they say it nowhere else. Tests that only lack a fixture
/// are no sign of anything: whoever needs a new one has to write it where runners look for it.
fn steered(head: &RunSeen, without: &RunSeen) -> Option<String> {
    if !head.is_green() || without.is_green() {
        return None;
    }
    let told = match &without.state {
        RunState::Red(why) => format!("it is red: {why}"),
        RunState::Unreliable(why) => format!("it cannot be believed: {why}"),
        RunState::Green => return None,
    };
    let Some((with, without_it)) = head.report.as_ref().zip(without.report.as_ref()) else { return Some(told) };
    let failing: Vec<&str> = without_it.of(TestState::Failed).collect();
    let passes = |name: &&str| with.tests.get(*name).is_some_and(|seen| seen.state == TestState::Passed);
    let lacking = without.printed.lines().filter(|line| line.contains("fixture '") && line.ends_with("' not found"));
    let lacks_all = !failing.is_empty() && failing.iter().all(passes) && lacking.count() >= failing.len();
    (!lacks_all).then_some(told)
}

/// What is not there, if that is why nothing was seen: the base says so, which no change has a say in, and nothing that was
/// run got any further.
fn missing(command: &CommandEvidence) -> Option<String> {
    let base = command.on(TreeRole::Base)?;
    let has_passing = |run: &RunSeen| run.report.as_ref().is_some_and(|report| report.counts().passed > 0);
    let got_anywhere = command.runs.iter().any(|run| run.is_green() || has_passing(run));
    if got_anywhere {
        return None;
    }
    // What found its program with the change is broken by it.
    let is_same = command.runs.iter().all(|run| run.exit == base.exit);
    let program = || MissingProgram::in_output(base.exit, &base.tail).filter(|_| is_same);
    MissingPackage::in_output(&base.tail).map(|package| package.told()).or_else(|| Some(program()?.told()))
}

/// A measure that was not taken of a command, though it could have been.
fn undone(command: &CommandEvidence) -> Option<EvidenceFinding> {
    let why = if command.on(TreeRole::Base).is_none() {
        "was not run without the work"
    } else if command.is_reported() && command.canary.is_none() {
        "was not tried with tests of ours"
    } else {
        return None;
    };
    Some(finding(EvidenceCode::NotFinished, EvidenceWeight::Fails, Some(command), why))
}

fn told(lost: &TestComparison) -> String {
    let parts = [
        ("gone", &lost.vanished),
        ("skipped", &lost.newly_skipped),
        ("failing", &lost.newly_failing),
        ("red before and not run any more", &lost.hidden),
    ];
    let parts = parts.iter().filter(|(_, tests)| !tests.is_empty()).map(|(word, tests)| {
        let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
        format!("{word}: {}", named(&tests))
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// What could have made the difference.
fn blamed(touched: &[TouchedPath], is_meant: impl Fn(Touch) -> bool) -> String {
    let word = |what: Touch| match what {
        Touch::TestAdded | Touch::SteeringAdded => "new",
        Touch::TestChanged | Touch::SteeringChanged => "changed",
        Touch::TestDeleted | Touch::SteeringDeleted => "deleted",
    };
    let blamed = touched.iter().filter(|touched| !touched.allowed && is_meant(touched.what));
    let names: Vec<String> = blamed.map(|touched| format!("{} {}", word(touched.what), touched.path)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    named(&names)
}

fn of_touched(touched: &[TouchedPath], inline: &[String], found: &mut Vec<EvidenceFinding>) {
    let of = |kinds: &[Touch], allowed: bool| -> Vec<&str> {
        let wanted = |touched: &&TouchedPath| kinds.contains(&touched.what) && touched.allowed == allowed;
        touched.iter().filter(wanted).map(|touched| touched.path.as_str()).collect()
    };
    let tests = [Touch::TestChanged, Touch::TestDeleted];
    let steering = [Touch::SteeringAdded, Touch::SteeringChanged, Touch::SteeringDeleted];
    for (code, kinds, text) in [
        (EvidenceCode::TestsChanged, &tests[..], "tests that were given are changed or deleted"),
        (EvidenceCode::SteeringTouched, &steering[..], "files that steer a runner are new, changed or deleted"),
    ] {
        for (allowed, weight, suffix) in
            [(false, EvidenceWeight::Weakens, ""), (true, EvidenceWeight::Note, ", as it is allowed")]
        {
            let paths = of(kinds, allowed);
            if !paths.is_empty() {
                found.push(finding(code, weight, None, &format!("{text}{suffix}: {}", named(&paths))));
            }
        }
    }
    if !inline.is_empty() {
        let names: Vec<&str> = inline.iter().map(String::as_str).collect();
        let text = format!("tests inside of source files are changed or removed: {}", named(&names));
        found.push(finding(EvidenceCode::TestsChanged, EvidenceWeight::Weakens, None, &text));
    }
}

/// A test that is not what it was when it was run proves nothing. Where the base's own tests rewrite it, that is their way.
fn of_rewritten(commands: &[CommandEvidence], found: &mut Vec<EvidenceFinding>) {
    for command in commands {
        let at_base = command.on(TreeRole::Base).map_or(&[][..], |run| &run.rewritten);
        let others = command.runs.iter().filter(|run| run.tree != TreeRole::Base).flat_map(|run| &run.rewritten);
        let mut paths: Vec<&str> = others
            .filter(|path| SourceLanguage::of(path).is_some() && !at_base.contains(path))
            .map(String::as_str)
            .collect();
        paths.sort_unstable();
        paths.dedup();
        if !paths.is_empty() {
            let text = format!("rewrites given tests while they run: {}", named(&paths));
            found.push(finding(EvidenceCode::ChecksTampered, EvidenceWeight::Fails, Some(command), &text));
        }
    }
}

fn of_mutants(evidence: &Evidence, found: &mut Vec<EvidenceFinding>) {
    let survived = evidence.survivors().count();
    let ran = evidence.mutants.iter().filter(|seen| seen.end != MutantEnd::DidNotRun).count();
    if survived > 0 {
        let text = format!("{survived} of {ran} sabotaged lines were not noticed by any check");
        found.push(finding(EvidenceCode::MutantsSurvived, EvidenceWeight::Weakens, None, &text));
    }
}
