//! The index: a projection that can be thrown away.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tribunal_kernel::review::{ReviewGiven, Settings};
use tribunal_kernel::turn::Bill;
use tribunal_kernel::{
    Binding, Decision, Digest, Draft, DraftId, Entry, Event, Finding, FindingId, Format, Judgement, LoopKind, Outcome,
    Round, Run, RunId, RunSpec, Said, Score, SeatName, Seq, Severity, Ship, Spend, Tally, Time, TurnId, Usage, Usd,
    Verdict, theater,
};
use tribunal_store::index::{Index, IndexError, RunFilter, RunStatus};
use uuid::Uuid;

fn id(number: u128) -> RunId {
    RunId(Uuid::from_u128(number))
}

fn opened(number: u128, asset: &str) -> Vec<Event> {
    let binding = |agent: &str| Binding { agent: agent.into(), ..Binding::default() };
    let settings = Settings {
        asset: asset.into(),
        max_iterations: 3,
        stop_in_circles: false,
        stop_on_needs_human: false,
        locked: false,
        given: ReviewGiven::default(),
    };
    let spec = RunSpec {
        seats: BTreeMap::from([
            (SeatName::new("creator"), binding("writer")),
            (SeatName::new("reviewer"), binding("critic")),
        ]),
        max_retries: 2,
        ..RunSpec::new(id(number), "/work/episode".into(), Digest::of("the brief"), settings)
    };
    vec![Event::RunOpened { spec: Box::new(spec) }]
}

/// One iteration that agrees, with a finding beside it.
fn converged(number: u128, asset: &str) -> Vec<Event> {
    let start = |turn, seat: &str, task: &str| Event::TurnStarted {
        turn: TurnId(turn),
        round: Round(1),
        seat: SeatName::new(seat),
        task: task.into(),
        attempt: 1,
        prompt: Digest::of("p"),
        stable: 0,
        request: Digest::of("r"),
        reserved: Spend::default(),
        routed: None,
        taken_by: None,
        directives: 0,
    };
    let answer = |turn, said| Event::TurnAnswered {
        turn: TurnId(turn),
        raw: Digest::of("raw"),
        said: Box::new(said),
        bill: Bill {
            usage: Usage { input_tokens: 100, output_tokens: 10, usd: Some(Usd(2500)), ..Usage::default() },
            elapsed_ms: 5,
            ..Bill::default()
        },
    };
    let finding = |number, severity, text: &str| Finding {
        id: FindingId(Uuid::from_u128(number)),
        severity,
        text: text.into(),
        code: None,
        target: None,
        contested: false,
    };
    let draft = Draft::of(DraftId(Uuid::from_u128(7)), "text", Format::Plain);
    let verdict = Verdict {
        word: "ok".into(),
        findings: vec![finding(9, Severity::Should, "100% too_long"), finding(1, Severity::Note, "Grüße")],
        ..Verdict::new(draft.id, Judgement::Pass)
    };
    let mut events = opened(number, asset);
    events.extend([
        Event::RoundOpened { round: Round(1) },
        start(1, "creator", "draft"),
        answer(1, Said::Draft { draft, done: Some(true), notes: None }),
        start(2, "reviewer", "review"),
        answer(2, Said::Verdict(verdict)),
        Event::RoundClosed {
            round: Round(1),
            decision: Decision::terminal(Outcome::Converged, Round(1), "reviewer_ok_and_creator_done"),
            tally: None,
        },
        Event::RunClosed { outcome: Outcome::Converged, reason: "reviewer_ok_and_creator_done".into(), ship: None },
    ]);
    events
}

/// The run after the first `count` events, which are a second apart.
fn fold(events: &[Event], begin: u64, count: usize) -> Run {
    let entries: Vec<Entry> = (1..)
        .zip(events)
        .take(count)
        .map(|(seq, event)| Entry { seq: Seq(seq), time: Time(begin + seq * 1000), event: event.clone() })
        .collect();
    Run::fold(&entries).unwrap().unwrap()
}

fn whole(events: &[Event], begin: u64) -> Run {
    fold(events, begin, events.len())
}

fn place() -> (TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(".tribunal/index.sqlite");
    (root, path)
}

fn filled(path: &Path) -> Index {
    let mut index = Index::open(path).unwrap();
    index.update(&whole(&converged(1, "slug"), 1000)).unwrap();
    index.update(&whole(&opened(2, "slug"), 2000)).unwrap();
    index.update(&whole(&converged(3, "title_seo"), 3000)).unwrap();
    index
}

fn listed(index: &Index, filter: &RunFilter) -> Vec<RunId> {
    index.runs(filter).unwrap().into_iter().map(|row| row.run).collect()
}

#[test]
fn a_run_is_shown_as_it_stands() {
    let (_root, path) = place();
    let events = converged(1, "slug");
    let mut index = Index::open(&path).unwrap();
    let mut report = String::new();
    for count in 1..=events.len() {
        index.update(&fold(&events, 0, count)).unwrap();
        let rows = index.runs(&RunFilter::default()).unwrap();
        assert_eq!(rows.len(), 1);
        let row = &rows[0];
        writeln!(
            report,
            "{} {} {} {} rounds={} turns={} {} tokens {} {}",
            row.seq,
            row.kind,
            row.subject,
            row.status,
            row.rounds,
            row.turns,
            row.spent.tokens,
            row.spent.usd,
            row.reason.as_deref().unwrap_or("-"),
        )
        .unwrap();
    }
    insta::assert_snapshot!(report, @"
    1 review slug running rounds=0 turns=0 0 tokens $0.00 -
    2 review slug running rounds=1 turns=0 0 tokens $0.00 -
    3 review slug running rounds=1 turns=1 0 tokens $0.00 -
    4 review slug running rounds=1 turns=1 110 tokens $0.0025 -
    5 review slug running rounds=1 turns=2 110 tokens $0.0025 -
    6 review slug running rounds=1 turns=2 220 tokens $0.0050 -
    7 review slug running rounds=1 turns=2 220 tokens $0.0050 reviewer_ok_and_creator_done
    8 review slug converged rounds=1 turns=2 220 tokens $0.0050 reviewer_ok_and_creator_done
    ");
    let row = index.runs(&RunFilter::default()).unwrap().remove(0);
    assert_eq!((row.opened, row.closed), (Time(1000), Some(Time(8000))));
    assert_eq!((row.kind, row.workspace.as_str()), (LoopKind::Review, "/work/episode"));

    let findings = index.findings(id(1)).unwrap();
    let texts: Vec<_> = findings.iter().map(|finding| (finding.text.as_str(), finding.state.as_str())).collect();
    assert_eq!(texts, [("100% too_long", "open"), ("Grüße", "open")]);
    assert_eq!((findings[0].severity, findings[0].raised), (Severity::Should, Round(1)));
    let seats = index.seats(id(1)).unwrap();
    let seats: Vec<_> =
        seats.iter().map(|seat| (seat.seat.as_str(), seat.agent.as_str(), seat.turns, seat.spent)).collect();
    let spent = Spend { tokens: 110, usd: Usd(2500) };
    assert_eq!(seats, [("creator", "writer", 1, spent), ("reviewer", "critic", 1, spent)]);
}

#[test]
fn what_arrives_late_does_not_overwrite() {
    let (_root, path) = place();
    let events = converged(1, "slug");
    let mut index = Index::open(&path).unwrap();
    index.update(&whole(&events, 0)).unwrap();
    index.update(&fold(&events, 0, 3)).unwrap();
    assert_eq!(index.runs(&RunFilter::default()).unwrap()[0].status, RunStatus::Ended(Outcome::Converged));
    assert_eq!(index.findings(id(1)).unwrap().len(), 2);
}

#[test]
fn filters_narrow_the_list() {
    let (_root, path) = place();
    let index = filled(&path);
    let all = RunFilter::default();
    let text = |text: &str| RunFilter { text: Some(text.into()), ..RunFilter::default() };
    for (name, filter, expected) in [
        ("all, newest first", all.clone(), vec![3, 2, 1]),
        ("subject", RunFilter { subject: Some("slug".into()), ..all.clone() }, vec![2, 1]),
        ("running", RunFilter { status: Some(RunStatus::Running), ..all.clone() }, vec![2]),
        ("ended", RunFilter { status: Some(RunStatus::Ended(Outcome::Converged)), ..all.clone() }, vec![3, 1]),
        ("kind", RunFilter { kind: Some(LoopKind::Review), ..all.clone() }, vec![3, 2, 1]),
        ("workspace", RunFilter { workspace: Some("/elsewhere".into()), ..all.clone() }, vec![]),
        ("limit", RunFilter { limit: 2, ..all.clone() }, vec![3, 2]),
        ("next page", RunFilter { after: Some(id(2)), ..all }, vec![1]),
        ("subject's text", text("TITLE"), vec![3]),
        ("finding's text", text("Grüße"), vec![3, 1]),
        ("percent is a percent sign", text("0% too_"), vec![3, 1]),
        ("underscore is an underscore", text("0_"), vec![]),
        ("not found", text("x' OR 1=1 --"), vec![]),
    ] {
        assert_eq!(listed(&index, &filter), expected.into_iter().map(id).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn it_says_what_it_does_not_know() {
    let (_root, path) = place();
    let index = filled(&path);
    assert_eq!(index.missing(vec![id(9), id(3), id(4), id(1)]).unwrap(), [id(9), id(4)]);
    assert_eq!(index.missing(Vec::new()).unwrap(), []);
}

#[test]
fn deleting_the_file_loses_nothing() {
    let (_root, path) = place();
    let before = filled(&path).runs(&RunFilter::default()).unwrap();
    let mut index = Index::recreate(&path).unwrap();
    assert_eq!(index.runs(&RunFilter::default()).unwrap(), []);
    let runs =
        [whole(&converged(1, "slug"), 1000), whole(&opened(2, "slug"), 2000), whole(&converged(3, "title_seo"), 3000)];
    index.rebuild(&runs).unwrap();
    assert_eq!(index.runs(&RunFilter::default()).unwrap(), before);

    index.rebuild(runs.into_iter().take(1)).unwrap();
    assert_eq!(listed(&index, &RunFilter::default()), [id(1)], "what has no log any more is gone");
    assert_eq!(index.seats(id(3)).unwrap(), []);
    assert_eq!(index.findings(id(3)).unwrap(), []);
}

#[test]
fn it_is_there_after_it_was_closed() {
    let (_root, path) = place();
    drop(filled(&path));
    assert_eq!(Index::open(&path).unwrap().runs(&RunFilter::default()).unwrap().len(), 3);
    let mode: String =
        Connection::open(&path).unwrap().pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}

#[test]
fn what_cannot_be_trusted_is_refused_and_can_be_made_anew() {
    let sql = |text: &'static str| {
        move |path: &Path| {
            drop(filled(path));
            Connection::open(path).unwrap().execute_batch(text).unwrap();
        }
    };
    let cut = |path: &Path| {
        drop(filled(path));
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() - 4096]).unwrap();
    };
    let scribble = |path: &Path| {
        drop(filled(path));
        let mut bytes = fs::read(path).unwrap();
        let page = bytes.len() - 4096;
        bytes[page..page + 64].fill(0xff);
        fs::write(path, bytes).unwrap();
    };
    let text = |path: &Path| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "not a database at all, but long enough to have a header of its own".repeat(20)).unwrap();
    };
    let mut report = String::new();
    for (name, broken) in [
        ("newer", &sql("PRAGMA user_version = 99") as &dyn Fn(&Path)),
        ("a table is missing", &sql("DROP TABLE seats")),
        ("a table too many", &sql("CREATE TABLE notes (x)")),
        ("of another program", &sql("PRAGMA application_id = 7")),
        ("text", &text),
        ("cut off", &cut),
        ("scribbled over", &scribble),
    ] {
        let (_root, path) = place();
        broken(&path);
        let before = fs::read(&path).unwrap();
        let error = Index::open(&path).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), before, "{name}: it is not touched");
        assert!(error.hint().unwrap().contains("tribunal reindex"), "{name}");
        let kind = match error {
            IndexError::Damaged { .. } => "damaged",
            IndexError::Newer { .. } => "newer",
            IndexError::Foreign { .. } => "foreign",
            other => panic!("{name}: {other}"),
        };
        writeln!(report, "{name}: {kind}").unwrap();
        assert_eq!(Index::recreate(&path).unwrap().runs(&RunFilter::default()).unwrap(), [], "{name}");
    }
    insta::assert_snapshot!(report, @"
    newer: newer
    a table is missing: damaged
    a table too many: damaged
    of another program: foreign
    text: damaged
    cut off: damaged
    scribbled over: damaged
    ");
}

#[test]
fn a_value_that_we_did_not_write_is_damage() {
    let (_root, path) = place();
    let index = filled(&path);
    Connection::open(&path)
        .unwrap()
        .execute("UPDATE runs SET status = 'glorious' WHERE subject = 'title_seo'", [])
        .unwrap();
    let error = index.runs(&RunFilter::default()).unwrap_err();
    assert!(matches!(error, IndexError::Damaged { .. }), "{error}");
}

#[test]
fn many_open_and_write_at_once() {
    let (_root, path) = place();
    std::thread::scope(|scope| {
        for writer in 0..6_u32 {
            let path = &path;
            scope.spawn(move || {
                let mut index = Index::open(path).unwrap();
                for number in 0..10 {
                    let run = whole(&converged(u128::from(writer * 100 + number), "slug"), u64::from(number));
                    index.update(&run).unwrap();
                }
            });
        }
    });
    assert_eq!(listed(&Index::open(&path).unwrap(), &RunFilter::default()).len(), 60);
}

/// A theater of one round that is handed over.
fn theater(number: u128, outcome: Outcome) -> Vec<Event> {
    let Event::RunOpened { mut spec } = opened(number, "x").remove(0) else { unreachable!("it opens a run") };
    let settings = theater::Settings::new("shop", "landing", theater::Panel::Seats);
    spec.settings = settings.into();
    let draft = Draft::of(DraftId(Uuid::from_u128(7)), "<p>x</p>", Format::Html);
    let composite = Score::from_f64(8.62);
    let tally = Tally { composite, must_fix: 0, missing: Vec::new(), open: Vec::new(), warnings: Vec::new() };
    let ship = Ship { round: Round(1), draft, composite: Some(composite), summary: None };
    vec![
        Event::RunOpened { spec },
        Event::RoundOpened { round: Round(1) },
        Event::RoundClosed {
            round: Round(1),
            decision: Decision::terminal(Outcome::Shipped, Round(1), "fine"),
            tally: Some(Box::new(tally)),
        },
        Event::RunClosed { outcome, reason: "fine".into(), ship: Some(Box::new(ship)) },
    ]
}

#[test]
fn a_theater_has_a_row_for_its_artifact() {
    let (_root, path) = place();
    let mut index = Index::open(&path).unwrap();
    index.update(&fold(&theater(1, Outcome::Shipped), 0, 2)).unwrap();
    assert_eq!(index.artifact(id(1)).unwrap().unwrap().status, None, "it goes on");
    index.update(&whole(&theater(1, Outcome::Shipped), 0)).unwrap();
    let row = index.artifact(id(1)).unwrap().unwrap();
    assert_eq!((row.project.as_str(), row.artifact.as_str()), ("shop", "landing"));
    assert_eq!((row.score, row.status.as_deref(), row.protocol_version), (Some(8.62), Some("shipped"), 1));
    assert_eq!(row.rounds_json, r#"[{"round":1,"composite":8.62,"mustFix":0}]"#);
    let relative = format!(".tribunal/runs/{}/artifacts/landing/transcript.ndjson", id(1));
    assert_eq!(row.transcript_path, relative);
    assert_eq!(index.artifact(id(2)).unwrap(), None);
}

/// The names of columns are an interface: other programs read the file, too.
#[test]
fn other_programs_find_every_column_by_its_name() {
    let (_root, path) = place();
    let mut index = Index::open(&path).unwrap();
    index.update(&whole(&converged(1, "description"), 0)).unwrap();
    index.update(&whole(&theater(2, Outcome::Shipped), 0)).unwrap();
    let connection = Connection::open(&path).unwrap();
    let mut told = String::new();
    for query in [
        "SELECT run, loop, subject, workspace, status, reason, rounds, turns, tokens, usd_micros, opened, closed, seq FROM runs",
        "SELECT run, place, finding, seat, severity, state, text, raised FROM findings",
        "SELECT run, seat, agent, model, turns, tokens, usd_micros FROM seats",
        "SELECT run, project, artifact, critique_score, critique_rounds_json, critique_transcript_path, critique_status, \
         critique_protocol_version FROM artifacts",
    ] {
        let mut statement = connection.prepare(query).unwrap();
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let values =
            statement.query_row([], |row| (0..names.len()).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>());
        let _ = writeln!(told, "{}", query.rsplit(' ').next().unwrap());
        for (name, value) in names.iter().zip(values.unwrap()) {
            let _ = writeln!(told, "  {name}: {value:?}");
        }
    }
    insta::assert_snapshot!(told, @r#"
    runs
      run: Text("00000000-0000-0000-0000-000000000001")
      loop: Text("review")
      subject: Text("description")
      workspace: Text("/work/episode")
      status: Text("converged")
      reason: Text("reviewer_ok_and_creator_done")
      rounds: Integer(1)
      turns: Integer(2)
      tokens: Integer(220)
      usd_micros: Integer(5000)
      opened: Integer(1000)
      closed: Integer(8000)
      seq: Integer(8)
    findings
      run: Text("00000000-0000-0000-0000-000000000001")
      place: Integer(1)
      finding: Text("00000000-0000-0000-0000-000000000009")
      seat: Text("reviewer")
      severity: Text("should")
      state: Text("open")
      text: Text("100% too_long")
      raised: Integer(1)
    seats
      run: Text("00000000-0000-0000-0000-000000000001")
      seat: Text("creator")
      agent: Text("writer")
      model: Null
      turns: Integer(1)
      tokens: Integer(110)
      usd_micros: Integer(2500)
    artifacts
      run: Text("00000000-0000-0000-0000-000000000002")
      project: Text("shop")
      artifact: Text("landing")
      critique_score: Real(8.62)
      critique_rounds_json: Text("[{\"round\":1,\"composite\":8.62,\"mustFix\":0}]")
      critique_transcript_path: Text(".tribunal/runs/00000000-0000-0000-0000-000000000002/artifacts/landing/transcript.ndjson")
      critique_status: Text("shipped")
      critique_protocol_version: Integer(1)
    "#);
}

#[test]
fn every_outcome_fits_the_seven_statuses_and_nothing_else_does() {
    let (_root, path) = place();
    let mut index = Index::open(&path).unwrap();
    let outcomes = [
        Outcome::Shipped,
        Outcome::BelowThreshold,
        Outcome::TimedOut,
        Outcome::OverBudget,
        Outcome::Interrupted,
        Outcome::Degraded,
        Outcome::Failed,
        Outcome::Legacy,
    ];
    for (number, outcome) in (1..).zip(outcomes) {
        index.update(&whole(&theater(number, outcome), 0)).unwrap();
        assert!(index.artifact(id(number)).unwrap().unwrap().status.is_some(), "{outcome}");
    }
    let connection = Connection::open(&path).unwrap();
    let refused = connection.execute("UPDATE artifacts SET critique_status = 'great'", []);
    assert!(refused.unwrap_err().to_string().contains("CHECK"));
}
