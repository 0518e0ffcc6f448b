//! Which tests a command selects, widened so that ours are among them.

use super::adapt::{Edits, option_value, seen_from};
use super::canary::Canary;
use super::runner::TestRunner;
use super::shell::{Word, quoted};

/// Options that take a word, so that the word is not a file.
const PYTEST_TAKING: [&str; 14] = [
    "-k",
    "-m",
    "-n",
    "-p",
    "-c",
    "-o",
    "-W",
    "-r",
    "--rootdir",
    "--tb",
    "--maxfail",
    "--cov",
    "--durations",
    "--basetemp",
];
const CARGO_TAKING: [&str; 17] = [
    "-p",
    "--package",
    "--exclude",
    "-j",
    "--jobs",
    "--features",
    "-F",
    "--target",
    "--target-dir",
    "--profile",
    "-P",
    "--manifest-path",
    "--bin",
    "--test",
    "--example",
    "--bench",
    "-E",
];
const SCRIPT_TAKING: [&str; 12] = [
    "-t",
    "--testNamePattern",
    "--test-name-pattern",
    "--import",
    "-r",
    "--require",
    "--loader",
    "--project",
    "--config",
    "-c",
    "--root",
    "--dir",
];
const GO_TAKING: [&str; 6] = ["-run", "-count", "-timeout", "-tags", "-p", "-bench"];

/// Adds what makes the runner run our tests as well. Without any choice in the line the files are found like others,
/// unless they are to be named.
pub(super) fn widen(
    canary: &Canary,
    folder: &str,
    words: &[Word],
    at: usize,
    is_named: bool,
    edits: &mut Edits,
) -> Result<(), String> {
    let last = words.last().expect("a runner is a word");
    let path = seen_from(folder, &canary.path);
    let names: Vec<&str> = canary.names().collect();
    let (or, bars) = (names.join(" or "), names.join("|"));
    match canary.runner {
        TestRunner::Pytest => {
            let own = positional(words, at, &PYTEST_TAKING);
            replace_value(words, at, &["-k"], edits, |choice| format!("({choice}) or {or}"));
            // One of ours fails, and must not end the run.
            edits.after(last, "--maxfail=0");
            if is_named || !own.is_empty() {
                edits.after(last, &quoted(&path));
            }
        }
        TestRunner::Unittest => {
            let own = positional(words, at, &["-k", "-s", "-p", "-t", "--pattern", "--start-directory"]);
            for name in &names {
                if option_value(words, at, &["-k"]).is_some() {
                    edits.after(last, &format!("-k {}", quoted(name)));
                }
            }
            if own.first().is_some_and(|word| word.text != "discover") {
                edits.after(last, &quoted(&path));
            }
        }
        TestRunner::CargoTest | TestRunner::Nextest => cargo(canary, words, at, edits),
        TestRunner::NodeTest => {
            if option_value(words, at, &["--test-name-pattern"]).is_some() {
                for name in &names {
                    edits.after(&words[at], &quoted(&format!("--test-name-pattern={name}")));
                }
            }
            if is_named || !positional(words, at, &SCRIPT_TAKING).is_empty() {
                edits.after(last, &quoted(&path));
            }
        }
        TestRunner::Vitest | TestRunner::Jest => {
            let options = ["-t", "--testNamePattern"];
            edits.after(last, "--bail=0");
            replace_value(words, at, &options, edits, |choice| format!("({choice})|{bars}"));
            if !positional(words, at, &SCRIPT_TAKING).is_empty() {
                edits.after(last, &quoted(&path));
            }
        }
        TestRunner::GoTest => {
            replace_value(words, at, &["-run"], edits, |choice| format!("({choice})|{bars}"));
            let package = format!("./{}", path.rsplit_once('/').map_or("", |(folder, _)| folder));
            let own = positional(words, at, &GO_TAKING);
            let is_in = |word: &&Word| {
                word.text.ends_with("...") || word.text.trim_end_matches('/') == package.trim_end_matches('/')
            };
            if !own.is_empty() && !own.iter().any(is_in) {
                edits.after(last, &quoted(&package));
            }
        }
        TestRunner::JunitWriter => return Err("no test of ours can be put before it".into()),
    }
    Ok(())
}

/// Chooses the tests in these files, for runners that take files as they are. A line that chooses more narrowly than by folders
/// keeps its choice, and so does every line if not all files are tests by their names: what else is new beside them may belong
/// to tests in other files.
pub(super) fn narrow(runner: TestRunner, files: &[String], folder: &str, words: &[Word], at: usize, edits: &mut Edits) {
    let (taking, choosing): (&[&str], &[&str]) = match runner {
        TestRunner::Pytest => (&PYTEST_TAKING, &["-k", "-m"]),
        TestRunner::Unittest => (&[], &["-k"]),
        TestRunner::Vitest | TestRunner::Jest => (&SCRIPT_TAKING, &["-t", "--testNamePattern"]),
        _ => return,
    };
    let is_test = |file: &String| {
        let name = file.rsplit('/').next().unwrap_or(file);
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        match runner {
            TestRunner::Pytest | TestRunner::Unittest => {
                extension == "py" && (stem.starts_with("test_") || stem.ends_with("_test"))
            }
            _ => stem.rsplit('.').next().is_some_and(|kind| kind == "test" || kind == "spec"),
        }
    };
    let is_here = |file: &String| folder.is_empty() || file.starts_with(&format!("{folder}/"));
    if option_value(words, at, choosing).is_some() || !files.iter().all(|file| is_test(file) && is_here(file)) {
        return;
    }
    let files: Vec<String> = files.iter().map(|file| seen_from(folder, file)).collect();
    let own: Vec<&Word> = positional(words, at, taking).into_iter().filter(|word| word.text != "run").collect();
    // It looks for tests in folders only when it is told to.
    if runner == TestRunner::Unittest && !own.is_empty() {
        return;
    }
    let is_in = |file: &String, word: &Word| file.starts_with(&format!("{}/", word.text.trim_end_matches('/')));
    if !own.is_empty() && !files.iter().all(|file| own.iter().any(|word| is_in(file, word))) {
        return;
    }
    for word in own {
        edits.replace(word, String::new());
    }
    let last = words.last().expect("a runner is a word");
    if runner == TestRunner::Jest {
        edits.after(last, "--runTestsByPath");
    }
    for file in files {
        edits.after(last, &quoted(&file));
    }
}

fn cargo(canary: &Canary, words: &[Word], at: usize, edits: &mut Edits) {
    let call = &words[at];
    let dashes = words.iter().position(|word| word.text == "--").unwrap_or(words.len());
    let own = &words[at + 1..dashes];
    let selects = |word: &Word| {
        matches!(word.text.as_str(), "--lib" | "--bins" | "--bin" | "--test" | "--doc" | "--example" | "--examples")
            || ["--bin=", "--test=", "--example="].iter().any(|option| word.text.starts_with(option))
    };
    if !own.iter().any(|word| word.text.contains("fail-fast") || word.text.starts_with("--max-fail")) {
        edits.after(call, "--no-fail-fast");
    }
    let stem = canary.path.rsplit('/').next().unwrap_or(&canary.path).trim_end_matches(".rs");
    // `--doc` stands alone, and ours are no documentation.
    if own.iter().any(selects) && !own.iter().any(|word| word.text == "--doc") {
        edits.after(call, &format!("--test {stem}"));
    }
    let has_expression = option_value(own, 0, &["-E", "--filter-expr", "--filterset"]).is_some();
    let mut filters = positional(&words[..dashes], at, &CARGO_TAKING);
    let inner = words.get(dashes + 1..).unwrap_or_default();
    filters.extend(inner.iter().filter(|word| !word.text.starts_with('-')));
    let names = canary.names().collect::<Vec<_>>().join(" ");
    if canary.runner == TestRunner::Nextest && has_expression {
        for name in canary.names() {
            edits.after(call, &format!("-E 'test({name})'"));
        }
    } else if !filters.is_empty() {
        match (canary.runner, words.get(dashes)) {
            (TestRunner::Nextest, _) => edits.after(call, &names),
            (_, Some(dashes)) => edits.after(dashes, &names),
            (_, None) => edits.after(words.last().expect("there is a call"), &format!("-- {names}")),
        }
    }
}

/// The words that are neither options nor their values.
fn positional<'w>(words: &'w [Word], at: usize, taking: &[&str]) -> Vec<&'w Word> {
    let mut found = Vec::new();
    let mut words = words.iter().skip(at + 1);
    while let Some(word) = words.next() {
        if taking.contains(&word.text.as_str()) {
            words.next();
        } else if !word.text.starts_with('-') {
            found.push(word);
        }
    }
    found
}

/// Changes the value of an option where it stands.
fn replace_value(words: &[Word], at: usize, names: &[&str], edits: &mut Edits, change: impl Fn(&str) -> String) {
    let mut words = words.iter().skip(at + 1).peekable();
    while let Some(word) = words.next() {
        if names.contains(&word.text.as_str()) {
            if let Some(value) = words.next() {
                edits.replace(value, quoted(&change(&value.text)));
            }
        } else if let Some((name, value)) = word.text.split_once('=').filter(|(name, _)| names.contains(name)) {
            edits.replace(word, quoted(&format!("{name}={}", change(value))));
        }
    }
}
