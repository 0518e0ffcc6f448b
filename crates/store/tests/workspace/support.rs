//! A run written by hand, and workspaces to put it into.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use tribunal_kernel::review::{ReviewGiven, Settings};
use tribunal_kernel::turn::{Bill, TurnErrorKind};
use tribunal_kernel::verdict::Correction;
use tribunal_kernel::{
    Binding, Decision, Digest, Draft, DraftId, Entry, Event, Finding, FindingId, Format, Judgement, Outcome, Round,
    Run, RunId, RunSpec, Said, SeatName, Seq, Severity, Spend, Time, TurnError, TurnId, Verdict,
};
use tribunal_store::workspace::{self, Base};
use uuid::Uuid;

/// 2026-11-15T08:30:00Z
pub(crate) const BEGIN: u64 = 1_794_731_400_000;

/// A run whose events are written by hand, a second apart, with the texts that it cites.
pub(crate) struct Story {
    pub(crate) run: Run,
    pub(crate) blobs: BTreeMap<Digest, String>,
    pub(crate) turns: u32,
}

impl Story {
    pub(crate) fn of(asset: &str) -> Self {
        Self::given(asset, ReviewGiven::default())
    }

    pub(crate) fn given(asset: &str, given: ReviewGiven) -> Self {
        Self::with(asset, given, "second opinion/v2")
    }

    pub(crate) fn with(asset: &str, given: ReviewGiven, reviewer: &str) -> Self {
        let binding = |agent: &str, model: Option<&str>| Binding {
            agent: agent.into(),
            model: model.map(Into::into),
            effort: None,
            persona: None,
            reserve: Spend::default(),
            fallback: None,
        };
        let settings = Settings {
            asset: asset.into(),
            max_iterations: 3,
            stop_in_circles: false,
            stop_on_needs_human: false,
            locked: false,
            given,
        };
        let spec = RunSpec {
            seats: BTreeMap::from([
                (SeatName::new("creator"), binding("writer", Some("opus"))),
                (SeatName::new("reviewer"), binding(reviewer, None)),
            ]),
            max_retries: 2,
            ..RunSpec::new(
                RunId(Uuid::from_u128(0x0193_2f00_0000_7000_8000_0000_0000_0001)),
                "/work/episode".into(),
                Digest::of("the brief"),
                settings,
            )
        };
        let entry = Entry { seq: Seq(1), time: Time(BEGIN), event: Event::RunOpened { spec: Box::new(spec) } };
        Self { run: Run::open(&entry).unwrap(), blobs: BTreeMap::new(), turns: 0 }
    }

    pub(crate) fn event(mut self, event: Event) -> Self {
        let seq = self.run.seq().next();
        self.run.apply(&Entry { seq, time: Time(BEGIN + (seq.0 - 1) * 1000), event }).unwrap();
        self
    }

    pub(crate) fn round(self, round: u32) -> Self {
        self.event(Event::RoundOpened { round: Round(round) })
    }

    pub(crate) fn ask(mut self, seat: &str, task: &str, attempt: u32) -> Self {
        let round = self.run.rounds().last().unwrap().round;
        let asset = self.run.spec().subject();
        let prompt = format!("You are the {seat}. Iteration {round} of “{asset}”, attempt {attempt}.\n");
        let digest = self.store(&prompt);
        self.turns += 1;
        let turn = TurnId(self.turns);
        self.event(Event::TurnStarted {
            turn,
            round,
            seat: SeatName::new(seat),
            task: task.into(),
            attempt,
            prompt: digest,
            stable: 0,
            request: digest,
            reserved: Spend::default(),
            routed: None,
            taken_by: None,
            directives: 0,
        })
    }

    pub(crate) fn answer(self, said: Said) -> Self {
        let turn = TurnId(self.turns);
        self.event(Event::TurnAnswered { turn, raw: Digest::of("raw"), said: Box::new(said), bill: Bill::default() })
    }

    pub(crate) fn fail(self) -> Self {
        let turn = TurnId(self.turns);
        let error = TurnError { kind: TurnErrorKind::Misfit, message: "not JSON".into(), hint: None };
        self.event(Event::TurnFailed { turn, error, raw: None, bill: Bill::default() })
    }

    pub(crate) fn draft(mut self, id: u128, content: &str, format: Format, done: bool) -> Self {
        self.store(content);
        let draft = Draft::of(draft_id(id), content, format);
        self.ask("creator", "draft", 1).answer(Said::Draft { draft, done: Some(done), notes: None })
    }

    pub(crate) fn review(self, word: &str, findings: Vec<Finding>) -> Self {
        self.ask("reviewer", "review", 1).verdict(word, findings, vec![])
    }

    pub(crate) fn verdict(self, word: &str, findings: Vec<Finding>, corrections: Vec<Correction>) -> Self {
        let judgement = if word == "ok" { Judgement::Pass } else { Judgement::Fail };
        let draft = self.run.drafts().last().unwrap().id;
        let summary = Some(format!("It is {word} – so far."));
        self.answer(Said::Verdict(Verdict {
            word: word.into(),
            summary,
            findings,
            corrections,
            ..Verdict::new(draft, judgement)
        }))
    }

    pub(crate) fn close(self, decision: Decision) -> Self {
        let round = self.run.rounds().last().unwrap().round;
        self.event(Event::RoundClosed { round, decision, tally: None })
    }

    pub(crate) fn converged(self) -> Self {
        let round = self.run.rounds().last().unwrap().round;
        self.close(Decision::terminal(Outcome::Converged, round, "reviewer_ok_and_creator_done"))
    }

    pub(crate) fn goes_on(self) -> Self {
        self.close(Decision::in_progress(None))
    }

    pub(crate) fn store(&mut self, text: &str) -> Digest {
        self.blobs.insert(Digest::of(text), text.into());
        Digest::of(text)
    }

    pub(crate) fn texts(&self) -> impl Fn(Digest) -> Option<String> {
        |digest| self.blobs.get(&digest).cloned()
    }

    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        self.files_on(&Base::fresh("ep_001"))
    }

    pub(crate) fn files_on(&self, base: &Base) -> BTreeMap<String, Vec<u8>> {
        let files = workspace::files(&self.run, &self.texts(), base).unwrap();
        files.into_iter().map(|(path, bytes)| (path.to_str().unwrap().to_owned(), bytes)).collect()
    }

    /// The files in a fresh workspace, written without the care that makes writing slow.
    pub(crate) fn planted(&self) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        self.files().iter().for_each(|(path, bytes)| put(root.path(), path, bytes));
        root
    }

    pub(crate) fn update(&self, root: &Path) -> Vec<PathBuf> {
        workspace::update(root, &self.run, &self.texts()).unwrap()
    }
}

/// Changes requested and not done, then ok and done: the first of the worked cases.
pub(crate) fn two_iterations() -> Story {
    Story::of("description")
        .round(1)
        .draft(0xa1, "# Folge 1\n\nGrüße <b>aus</b> 東京 😀", Format::Markdown, false)
        .ask("reviewer", "review", 1)
        .fail()
        .ask("reviewer", "review", 2)
        .verdict(
            "changes_requested",
            vec![
                finding(0xf1, Severity::MustFix, "Too “loud”.", Some("tone"), Some("content")),
                finding(0xf2, Severity::Note, "No emoji?", None, None),
            ],
            vec![Correction {
                given: "ok".into(),
                rule: "ok_with_errors".into(),
                why: "`ok` contradicts the errors beside it".into(),
            }],
        )
        .goes_on()
        .round(2)
        .draft(0xa2, "# Folge 1\n\n* ruhig\n* [mehr](https://example.org)\n", Format::Markdown, true)
        .review("ok", vec![finding(0xf2, Severity::Should, "Still no emoji.", None, None)])
        .converged()
}

pub(crate) fn draft_id(id: u128) -> DraftId {
    DraftId(Uuid::from_u128(id << 64 | 0x4000_8000_0000_0000_0000))
}

pub(crate) fn finding(id: u128, severity: Severity, text: &str, code: Option<&str>, target: Option<&str>) -> Finding {
    Finding {
        id: FindingId(Uuid::from_u128(id)),
        severity,
        text: text.into(),
        code: code.map(Into::into),
        target: target.map(Into::into),
        contested: false,
    }
}

pub(crate) fn value(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

pub(crate) fn file(root: &Path, path: &str) -> Value {
    value(&fs::read(root.join(path)).unwrap())
}

pub(crate) fn put(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A candidate, as another tool writes it.
pub(crate) fn foreign(asset: &str, id: u128, content: &str, created_at: &str) -> Value {
    json!({
        "candidate_id": draft_id(id), "asset_id": asset, "format": "plain", "content": content,
        "created_at": created_at, "provenance": [], "mood": "a key that we do not know",
    })
}

pub(crate) fn put_candidate(root: &Path, asset: &str, id: u128, content: &str, created_at: &str) {
    let path = format!("copy/candidates/{asset}/candidate_{}.json", draft_id(id));
    put(root, &path, foreign(asset, id, content, created_at).to_string());
}

/// Every file under `root` but our own folder.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend((!path.ends_with(".tribunal")).then_some(path));
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

pub(crate) fn listing(files: &BTreeMap<String, Vec<u8>>) -> String {
    files.keys().fold(String::new(), |mut out, name| {
        writeln!(out, "{name}").unwrap();
        out
    })
}

pub(crate) fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/review").join(name)
}

/// What the independent reader says of workspaces; nothing where there is no Python.
pub(crate) fn load<'a>(roots: impl IntoIterator<Item = &'a Path>) -> Option<String> {
    let output = Command::new("python3").arg(testdata("load.py")).args(roots).output().ok()?;
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.success(), text.lines().all(|line| line.ends_with("files are fine")), "{text}");
    Some(text)
}

pub(crate) fn assert_loads<'a>(roots: impl IntoIterator<Item = &'a Path>) {
    if let Some(said) = load(roots) {
        assert!(said.lines().all(|line| line.ends_with("files are fine")), "{said}");
    }
}

/// A workspace whose files do not depend on the name of its folder.
pub(crate) fn named_root() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    put(root.path(), "episode.yaml", "episode_id: ep_001\n");
    root
}

/// A workspace of another tool, with everything that we do not touch.
pub(crate) fn inhabited() -> (TempDir, Value) {
    let root = tempfile::tempdir().unwrap();
    let state = json!({
        "schema_version": 1, "episode_id": "ep_7", "root_dir": "episodes/7", "created_at": "2026-01-01T00:00:00.123456+00:00",
        "auphonic_production_uuid": "abc",
        "chapters": [{"title": "Anfang", "start_sec": 0.0, "end_sec": 12.25, "summary": null}],
        "tracks": [{"track_id": "a", "path": "a.flac", "label": null, "role": null, "provenance": []}],
        "provenance": [{"kind": "rss", "ref": "x", "created_at": null, "metadata": {"n": 1e22}}],
        "assets": [
            {"asset_id": "slug", "kind": "slug", "reviews": [], "selected_candidate_id": draft_id(8),
             "candidates": [foreign("slug", 8, "picked", "2026-01-01T00:00:00Z")], "note": "ours?"},
            {"asset_id": "description", "kind": "description", "selected_candidate_id": draft_id(9),
             "candidates": [foreign("description", 9, "picked", "2026-01-01T00:00:00Z")],
             "reviews": [{"iteration": 7, "verdict": "ok"}]},
        ],
    });
    put(root.path(), "state.json", state.to_string());
    (root, state)
}
