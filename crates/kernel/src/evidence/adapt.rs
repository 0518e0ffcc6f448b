//! How a command line is made to write its runner's report at a place that we choose.
//!
//! | runner | asked by | read from |
//! |---|---|---|
//! | pytest | `--junitxml` | a file |
//! | unittest | a program of ours in its place, [`UNITTEST`] | a file |
//! | cargo nextest | a tool configuration | a file |
//! | node --test | `--test-reporter=junit` | a file |
//! | vitest | `--reporter=junit` | a file |
//! | jest | `--json --outputFile` | a file |
//! | other `JUnit` writers | their option | a file |
//! | cargo test | nothing: libtest has no report on stable | the output |
//! | go test | `-json` | the output |

use std::collections::BTreeMap;

use super::adapted::{Adapted, AdaptedLine, ReportAsk, ReportForm};
use super::canary::Canary;
use super::recipe::{self, MAKEFILES};
use super::runner::{JUNIT_WRITERS, Starts, TestRunner, program, starts};
use super::selection;
use super::shell::{self, Simple, Word, quoted};

/// Scripts that call scripts.
const DEEPEST: usize = 4;

/// Runs unittest as `python -m unittest` does, and writes what became of every test.
pub const UNITTEST: &str = include_str!("unittest_report.py");

/// What is asked of a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportWish<'a> {
    /// The folder for the reports, outside of the tree.
    pub folder: &'a str,
    /// Tests of ours that have to run, too.
    pub canary: Option<&'a Canary>,
    /// Whether the canaries are named although the line names no files: for projects that look for tests elsewhere.
    pub names_canary: bool,
    /// Nothing but the tests in these files has to run, where the runner can be told so. It may run all the same.
    pub only: &'a [String],
}

/// Adapts a line. `texts` are the files that commands may stand in, by their paths in the project.
pub fn adapt(line: &str, texts: &BTreeMap<String, String>, wish: &ReportWish<'_>) -> Adapted {
    match Adapter::new(texts, wish).adapt(line) {
        Ok(adapted) => Adapted::Yes(adapted),
        Err(why) => Adapted::No { why },
    }
}

/// The runners that a line uses, with the folder each works in; none if it cannot be adapted.
pub fn runners_of(line: &str, texts: &BTreeMap<String, String>) -> Vec<(TestRunner, String)> {
    let wish = ReportWish { folder: "/reports", ..ReportWish::default() };
    match adapt(line, texts, &wish) {
        Adapted::Yes(adapted) => adapted.asks.iter().map(|ask| (ask.runner, adapted.folder.clone())).collect(),
        Adapted::No { .. } => Vec::new(),
    }
}

struct Adapter<'a> {
    texts: &'a BTreeMap<String, String>,
    wish: &'a ReportWish<'a>,
    done: AdaptedLine,
}

/// Replacements in a line, from left to right.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<(usize, usize, String)>);

impl Edits {
    pub(super) fn after(&mut self, word: &Word, text: &str) {
        self.0.push((word.to, word.to, format!(" {text}")));
    }

    pub(super) fn replace(&mut self, word: &Word, text: String) {
        self.0.push((word.from, word.to, text));
    }

    pub(super) fn apply(mut self, line: &str) -> String {
        self.0.sort_by_key(|(from, to, _)| (*from, *to));
        let mut out = String::new();
        let mut at = 0;
        for (from, to, text) in self.0 {
            out.push_str(&line[at..from]);
            out.push_str(&text);
            at = to;
        }
        out + &line[at..]
    }
}

impl<'a> Adapter<'a> {
    fn new(texts: &'a BTreeMap<String, String>, wish: &'a ReportWish<'a>) -> Self {
        Self { texts, wish, done: AdaptedLine::default() }
    }

    fn adapt(mut self, line: &str) -> Result<AdaptedLine, String> {
        let line = self.expand(line)?;
        let commands = shell::read(&line)?;
        let mut edits = Edits::default();
        let mut folder = String::new();
        for command in &commands {
            match starts(command) {
                Starts::Folder => folder = enter(&folder, command)?,
                Starts::Runner { runner, at } => {
                    self.done.hides_exit |= command.hides_exit;
                    self.done.folder.clone_from(&folder);
                    self.ask(runner, command, at, &mut edits)?;
                }
                Starts::Make { at } => {
                    self.done.folder.clone_from(&folder);
                    self.make(command, at, &folder)?;
                }
                Starts::Script { .. } => return Err("scripts call each other too often".into()),
                Starts::Other => {}
            }
        }
        if self.done.asks.is_empty() {
            return Err("no test runner that is known".into());
        }
        self.done.line = edits.apply(&line);
        Ok(self.done)
    }

    /// Puts scripts of `package.json` in the place of the commands that name them.
    fn expand(&mut self, line: &str) -> Result<String, String> {
        let mut line = line.to_owned();
        for _ in 0..DEEPEST {
            let commands = shell::read(&line)?;
            let mut folder = String::new();
            let mut found = None;
            for command in &commands {
                match starts(command) {
                    Starts::Folder => folder = enter(&folder, command)?,
                    Starts::Script { name, at } if found.is_none() => found = Some((command, name, at, folder.clone())),
                    _ => {}
                }
            }
            let Some((command, name, at, folder)) = found else { return Ok(line) };
            let name = name.map_or("test", |name| command.words[name].text.as_str());
            let arguments: Vec<&str> = command.words[at + 1..]
                .iter()
                .filter(|word| word.text != "--")
                .map(|word| &line[word.from..word.to])
                .collect();
            let package = self.texts.get(&join(&folder, "package.json")).ok_or("there is no package.json")?;
            let script = recipe::script(package, name, &arguments.join(" "))?;
            let is_chain = shell::read(&script)?.iter().all(|command| !command.hides_exit);
            if commands.len() > 1 && !is_chain {
                return Err(format!("the script `{name}` is more than commands that follow each other"));
            }
            let first = command.words.first().expect("a script has a program");
            let last = command.words.last().expect("a script has a program");
            line = format!("{}{script}{}", &line[..first.from], &line[last.to..]);
            let bin = join(&folder, "node_modules/.bin");
            if !self.done.bin_folders.contains(&bin) {
                self.done.bin_folders.push(bin);
            }
        }
        Ok(line)
    }

    fn file(&self, extension: &str) -> (String, String) {
        let name = format!("report-{}.{extension}", self.done.asks.len() + 1);
        let path = format!("{}/{name}", self.wish.folder);
        (name, path)
    }

    /// Asks a runner that stands in the line itself.
    fn ask(&mut self, runner: TestRunner, command: &Simple, at: usize, edits: &mut Edits) -> Result<(), String> {
        let words = &command.words;
        let (call, last) = (&words[at], words.last().expect("a runner is a word"));
        let mut form = ReportForm::Junit;
        let mut file = None;
        match runner {
            TestRunner::Pytest => {
                let (name, path) = self.file("xml");
                edits.after(last, &quoted(&format!("--junitxml={path}")));
                file = Some(name);
            }
            TestRunner::Unittest => {
                let (name, path) = self.file("xml");
                self.done.files.push(("unittest_report.py".into(), UNITTEST.into()));
                let program = quoted(&format!("{}/unittest_report.py", self.wish.folder));
                // `-m unittest` becomes our program and the place of its report.
                edits.replace(&words[at - 1], program);
                edits.replace(call, quoted(&path));
                file = Some(name);
            }
            TestRunner::Nextest => {
                let (name, path) = self.file("xml");
                let profile = option_value(words, at, &["-P", "--profile"]).unwrap_or("default");
                self.done.files.push(("nextest.toml".into(), nextest_config(profile, &path)));
                let config = format!("tribunal:{}/nextest.toml", self.wish.folder);
                edits.after(call, &format!("--tool-config-file {}", quoted(&config)));
                (form, file) = (ReportForm::NextestJunit, Some(name));
            }
            TestRunner::NodeTest => {
                let (name, path) = self.file("xml");
                edits.after(call, &node_options(&path));
                file = Some(name);
            }
            TestRunner::Vitest => {
                let (name, path) = self.file("xml");
                let options = format!("--reporter=default --reporter=junit --outputFile.junit={path}");
                let options = options.split(' ').map(quoted).collect::<Vec<_>>().join(" ");
                let run = if call.text == "run" { "" } else { "--run " };
                edits.after(call, &format!("{run}{options}"));
                file = Some(name);
            }
            TestRunner::Jest => {
                let (name, path) = self.file("json");
                edits.after(call, &format!("--json {}", quoted(&format!("--outputFile={path}"))));
                (form, file) = (ReportForm::JestJson, Some(name));
            }
            TestRunner::CargoTest => {
                for word in words[at..].iter().filter(|word| is_loud_or_quiet(&word.text)) {
                    edits.replace(word, String::new());
                }
                form = ReportForm::Libtest;
                self.libtest();
            }
            TestRunner::GoTest => {
                edits.after(call, "-json");
                form = ReportForm::GoJson;
            }
            TestRunner::JunitWriter => {
                let (name, path) = self.file("xml");
                let option =
                    JUNIT_WRITERS.iter().find(|(writer, _)| *writer == program(call)).map(|(_, option)| *option);
                let option = option.ok_or("no way is known to ask for its report")?;
                edits.after(last, &format!("{option} {}", quoted(&path)));
                file = Some(name);
            }
        }
        if let Some(canary) = self.wish.canary.filter(|canary| canary.runner == runner) {
            selection::widen(canary, &self.done.folder, words, at, self.wish.names_canary, edits)?;
        }
        if !self.wish.only.is_empty() {
            selection::narrow(runner, self.wish.only, &self.done.folder, words, at, edits);
        }
        self.done.asks.push(ReportAsk { runner, form, file });
        Ok(())
    }

    /// Whatever hides the lines that are read.
    fn libtest(&mut self) {
        for (name, value) in
            [("CARGO_TERM_QUIET", "false"), ("CARGO_TERM_COLOR", "never"), ("RUST_TEST_NOCAPTURE", "0")]
        {
            self.done.env.push((name.into(), value.into()));
        }
    }

    /// Asks the runner that a Makefile starts, through the environment.
    fn make(&mut self, command: &Simple, at: usize, folder: &str) -> Result<(), String> {
        let (folder, lines) = make_lines(self.texts, command, at, folder)?;
        let mut used = None;
        for line in &lines {
            // What is not understood is not a runner that we can ask, so it is passed over.
            let Ok(commands) = shell::read(line) else { continue };
            for command in &commands {
                if let Starts::Runner { runner, .. } = starts(command)
                    && used.replace((runner, command.hides_exit)).is_some()
                {
                    return Err("its Makefile starts several test runs".into());
                }
            }
        }
        let (runner, hides) = used.ok_or("its Makefile starts no test runner that is known")?;
        self.done.hides_exit |= hides || command.hides_exit;
        self.done.folder.clone_from(&folder);
        let extra = self.wish.canary.filter(|canary| canary.runner == runner && self.wish.names_canary);
        let (form, file, variable) = match runner {
            TestRunner::Pytest => {
                let (name, path) = self.file("xml");
                let own =
                    extra.map(|canary| format!(" {}", quoted(&seen_from(&folder, &canary.path)))).unwrap_or_default();
                (ReportForm::Junit, Some(name), ("PYTEST_ADDOPTS", quoted(&format!("--junitxml={path}")) + &own))
            }
            TestRunner::NodeTest => {
                let (name, path) = self.file("xml");
                (ReportForm::Junit, Some(name), ("NODE_OPTIONS", node_options(&path)))
            }
            TestRunner::GoTest => (ReportForm::GoJson, None, ("GOFLAGS", "-json".into())),
            TestRunner::CargoTest => {
                self.libtest();
                (ReportForm::Libtest, None, ("CARGO_TERM_PROGRESS_WHEN", "never".into()))
            }
            other => return Err(format!("its Makefile starts {other}, which takes no options from the environment")),
        };
        self.done.env.push((variable.0.into(), variable.1));
        self.done.asks.push(ReportAsk { runner, form, file });
        Ok(())
    }
}

/// The folder that make works in, and the command lines that it runs there.
pub(super) fn make_lines(
    texts: &BTreeMap<String, String>,
    command: &Simple,
    at: usize,
    folder: &str,
) -> Result<(String, Vec<String>), String> {
    let mut folder = folder.to_owned();
    let (mut file, mut targets) = (None, Vec::new());
    let mut words = command.words[at + 1..].iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-C" | "--directory" => folder = join(&folder, &words.next().ok_or("`-C` without a folder")?.text),
            "-f" | "--file" => file = words.next().map(|word| word.text.clone()),
            "-j" | "-l" | "-k" | "-B" | "-s" => {}
            text if text.starts_with("-j") || text.starts_with("--") || shell::is_assignment(text) => {}
            text if text.starts_with('-') => return Err(format!("`make {text}` is not followed")),
            text => targets.push(text.to_owned()),
        }
    }
    let found = match &file {
        Some(file) => texts.get(&join(&folder, file)),
        None => MAKEFILES.iter().find_map(|name| texts.get(&join(&folder, name))),
    };
    let makefile = found.ok_or("there is no Makefile")?;
    let mut lines = Vec::new();
    if targets.is_empty() {
        lines.extend(recipe::target(makefile, None)?);
    }
    for target in &targets {
        lines.extend(recipe::target(makefile, Some(target))?);
    }
    Ok((folder, lines))
}

fn node_options(path: &str) -> String {
    let path = quoted(&format!("--test-reporter-destination={path}"));
    format!("--test-reporter=junit {path} --test-reporter=spec --test-reporter-destination=stdout")
}

fn nextest_config(profile: &str, path: &str) -> String {
    let text = |text: &str| serde_json::Value::String(text.to_owned()).to_string();
    // The output is kept so that a test that ended its own process is told apart from one that passed.
    format!("[profile.{}.junit]\npath = {}\nstore-success-output = true\n", text(profile), text(path))
}

/// Options of cargo test that change what is printed of a test.
fn is_loud_or_quiet(word: &str) -> bool {
    matches!(word, "-q" | "--quiet" | "--nocapture" | "--no-capture" | "--show-output")
}

/// The value of an option, `-P ci` or `--profile=ci`.
pub(super) fn option_value<'w>(words: &'w [Word], from: usize, names: &[&str]) -> Option<&'w str> {
    let words = &words[from..];
    words.iter().enumerate().find_map(|(at, word)| {
        if names.contains(&word.text.as_str()) {
            return words.get(at + 1).map(|word| word.text.as_str());
        }
        names.iter().find_map(|name| word.text.strip_prefix(name)?.strip_prefix('='))
    })
}

/// The folder after a `cd`.
pub(super) fn enter(folder: &str, command: &Simple) -> Result<String, String> {
    match &command.words[..] {
        [_, to]
            if to.is_literal
                && !to.text.starts_with(['/', '~', '-'])
                && !to.text.split('/').any(|part| part == "..") =>
        {
            Ok(join(folder, &to.text))
        }
        _ => Err("it changes to a folder that is not known".into()),
    }
}

/// A path below a folder of the project.
pub(super) fn join(folder: &str, path: &str) -> String {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    match (folder, path) {
        ("", path) | (path, "" | ".") => path.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// A path of the project, as seen from one of its folders.
pub(super) fn seen_from(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        return path.to_owned();
    }
    match path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) {
        Some(inner) => inner.to_owned(),
        None => "../".repeat(folder.split('/').count()) + path,
    }
}
