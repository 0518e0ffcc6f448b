//! People in seats: asked, left alone, answering later, in another process.

use crate::people::wait_for;
use crate::support::{Output, Project, creator, reviewer};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, SystemTime};
use tribunal_kernel::Time;

/// A review in which these seats are taken by people, with these lines for each of them.
fn review(seats: &[&str], settings: &str) -> Project {
    let project = Project::with_answers("description", 2, &["draft a", "changes_requested", "done b", "ok"]);
    let mut toml = project.read("tribunal.toml");
    for seat in seats {
        let (agent, program) = if *seat == "creator" { ("writer", "creator") } else { ("critic", "reviewer") };
        let program = format!("[agents.{agent}]\nkind = \"command\"\ncommand = [\"./{program}.sh\"]\n");
        assert!(toml.contains(&program), "{toml}");
        toml = toml.replace(&program, &format!("[agents.{agent}]\nkind = \"human\"\n{settings}\n"));
    }
    project.write("tribunal.toml", &toml);
    project
}

/// The program with this on its stdin.
fn tell(project: &Project, args: &[&str], text: &str) -> Output {
    let mut child = project.command(args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    Output::of(child)
}

/// Questions and answers; the time of a question lies beside it.
fn answers(project: &Project) -> Vec<String> {
    let name = |path: &String| path.rsplit('/').next().unwrap().to_owned();
    let files = project.list(".tribunal/runs");
    let is_text = |path: &&String| path.contains("/answers/") && !path.ends_with(".asked.json");
    files.iter().filter(is_text).map(name).collect()
}

/// The only file of a run that ends like this.
fn file(project: &Project, end: &str) -> String {
    project.list(".tribunal/runs").into_iter().find(|path| path.ends_with(end)).unwrap()
}

#[test]
fn a_run_that_waits_for_a_person_leaves_and_goes_on_with_the_answer() {
    let project = review(&["reviewer"], "");
    let left = project.tribunal(&["run"]);
    assert_eq!(left.code, 1, "{}", left.all());
    assert!(left.stdout.contains("description: waiting for a person: reviewer, run "), "{}", left.all());
    assert!(left.stderr.contains("`tribunal answer "), "{}", left.all());
    assert_eq!(answers(&project), ["turn-2.question.md"]);

    // Nothing is held, and everybody can see how it stands.
    let status = project.tribunal(&["status"]);
    assert!(status.stdout.contains("waiting for a person: reviewer"), "{}", status.all());
    let json = project.json(&["status", "--json"]);
    let summary = &json["runs"][0];
    assert_eq!(summary["status"], "waiting");
    assert_eq!(summary["awaits"], json!([{ "seat": "reviewer", "turn": 2 }]));
    assert!(project.tribunal(&["status", "description"]).stdout.contains("`tribunal answer"));
    assert_eq!(project.tribunal(&["verify"]).code, 0);

    // Running again asks nobody anew.
    let again = project.tribunal(&["run", "--json"]);
    assert_eq!(again.code, 1, "{}", again.all());
    let report: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((&report["exit"], &report["runs"][0]["status"]), (&json!(1), &json!("waiting")));
    assert_eq!((project.calls("creator"), answers(&project).len()), (1, 1));

    // The question, and what there is to fill in.
    let shown = project.tribunal(&["answer"]);
    assert_eq!(shown.code, 1, "{}", shown.all());
    assert!(shown.stdout.contains("verdict = \"\""), "{}", shown.all());
    assert!(shown.stdout.starts_with("Please review `description`"), "{}", shown.all());
    for heading in ["The brief\n---------\n", "The candidate\n-------------\n"] {
        assert!(shown.stdout.contains(heading), "{heading}: {}", shown.all());
    }
    // Nothing of what only a machine needs: in the terminal, and in the file that waits, which is the prompt in the log.
    let waiting = project.read(&file(&project, "question.md"));
    for text in [&shown.stdout, &waiting] {
        for word in ["Data, not instructions", "<<<", "JSON", "$schema", "\"properties\"", "Seat:", "You are the"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
    let shown = tell(&project, &["answer", "description", "--json"], "");
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!((&shown["seat"], &shown["turn"]), (&json!("reviewer"), &json!(2)));
    // A program is told the schema.
    assert!(shown["schema"]["properties"]["verdict"].is_object(), "{shown}");
    let titles: Vec<&Value> = shown["sections"].as_array().unwrap().iter().map(|section| &section["title"]).collect();
    assert_eq!(titles, ["The brief", "The candidate"]);

    // A form, then JSON in the next round.
    let form = "verdict = \"Changes requested\"\n[[issues]]\nmessage = \"Warmer.\"\ncode = \"tone\"\n";
    let next = tell(&project, &["answer", "description"], form);
    assert_eq!(next.code, 1, "{}", next.all());
    assert!(next.stdout.contains("waiting for a person: reviewer"), "{}", next.all());
    assert_eq!(project.calls("creator"), 2);
    let review = project.read("copy/reviews/description/iteration_01.critic.json");
    assert!(review.contains("Warmer."), "{review}");
    project.write("ok.json", &reviewer("ok"));
    let end = project.tribunal(&["answer", "--seat", "reviewer", "--file", "ok.json", "--json"]);
    assert_eq!(end.code, 0, "{}", end.all());
    let report: Value = serde_json::from_str(&end.stdout).unwrap();
    assert_eq!(report["runs"][0]["status"], "converged");
    assert_eq!(project.read("copy/selected/description.txt"), "b\n");
    let nobody = tell(&project, &["answer", "description"], "x");
    assert_eq!(nobody.code, 2, "{}", nobody.all());
    assert!(nobody.stderr.contains("is not waiting for a person"), "{}", nobody.all());
}

#[test]
fn an_answer_that_does_not_fit_is_refused_and_kept() {
    let project = review(&["reviewer"], "");
    project.write("answers/creator.1", &creator("done a"));
    assert_eq!(project.tribunal(&["run"]).code, 1);
    let rows = [
        ("verdict = \"fine\"\n", "`verdict` is `fine`, but it must be one of: ok, changes requested, needs human"),
        ("Looks good to me!", "holds no complete JSON object"),
        (r#"{"verdict": "fine"}"#, "unknown variant `fine`"),
        ("# nothing\n", "`verdict` is not filled in"),
    ];
    for (text, why) in rows {
        let refused = tell(&project, &["answer"], text);
        assert_eq!(refused.code, 2, "{}", refused.all());
        assert!(refused.stderr.contains(why), "{}", refused.all());
        assert!(refused.stderr.contains("is saved"), "{}", refused.all());
        let shown = project.tribunal(&["answer"]).stdout;
        assert!(shown.contains(text.trim()), "what was written is there at the next try: {shown}");
    }
    let long = tell(&project, &["answer"], &format!("verdict = \"ok\"\nsummary = \"{}\"\n", "x".repeat(1 << 20)));
    assert_eq!(long.code, 2, "{}", long.stderr);
    assert!(long.stderr.contains("the limit is 1048576"), "as at every other edge: {}", long.stderr);
    // Nothing of it is in the log: the person was not asked again, and no attempt was used up.
    assert!(!project.tribunal(&["log", "--json"]).stdout.contains("turn_failed"));
    let corrected = tell(&project, &["answer"], "verdict = \"ok\"\n");
    assert_eq!(corrected.code, 0, "{}", corrected.all());
    assert_eq!(answers(&project), ["turn-2.question.md", "turn-2.txt"]);
}

#[test]
fn a_brief_is_as_long_in_a_file_as_in_words() {
    let project = review(&["reviewer"], "");
    project.write("long.md", &"x".repeat((1 << 20) + 1));
    let refused = project.tribunal(&["run", "--brief", "long.md"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(
        refused.stderr.contains("long.md: it has more than 1048576 bytes, which is the limit"),
        "{}",
        refused.all()
    );
    assert_eq!(project.calls("creator"), 0);
}

#[test]
fn killed_while_it_waits_it_asks_nobody_anew_and_takes_what_was_given_meanwhile() {
    let project = review(&["reviewer"], "");
    project.write("answers/creator.1", &creator("done a"));
    let mut child = project.spawn(&["run"]);
    // The question itself, and not the file that is about to become it.
    wait_for(|| answers(&project).iter().any(|name| name.ends_with(".question.md")));
    child.kill().unwrap();
    child.wait().unwrap();
    let question = file(&project, "question.md");
    let asked = || {
        let changed = fs::metadata(project.path(&question)).unwrap().modified().unwrap();
        (changed, project.read(&file(&project, "asked.json")))
    };
    let before = asked();
    assert_eq!(project.tribunal(&["resume"]).code, 1);
    assert_eq!(asked(), before);
    // Whatever writes the file, a page for example, has answered.
    fs::write(project.path(&question.replace("question.md", "txt")), reviewer("ok")).unwrap();
    let end = project.tribunal(&["resume"]);
    assert_eq!(end.code, 0, "{}", end.all());
    assert_eq!(project.calls("creator"), 1);
}

#[test]
fn a_person_who_takes_too_long_is_not_waited_for() {
    let project = review(&["reviewer"], "turn = \"60s\"");
    project.write("tribunal.toml", &project.read("tribunal.toml").replace("[run]\n", "[run]\nmax_retries = 0\n"));
    assert_eq!(project.tribunal(&["run"]).code, 1);
    // The times of files change when they are copied: they say nothing.
    let question = fs::File::options().write(true).open(project.path(&file(&project, "question.md"))).unwrap();
    question.set_modified(SystemTime::now() - Duration::from_secs(61)).unwrap();
    assert_eq!(project.tribunal(&["resume"]).code, 1);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let since = Time::default().plus(now.checked_sub(Duration::from_secs(61)).unwrap());
    project.write(&file(&project, "asked.json"), &json!({"since": since.to_string()}).to_string());
    let end = project.tribunal(&["resume"]);
    assert_eq!(end.code, 4, "{}", end.all());
    assert!(end.all().contains("took longer than 60 s"), "{}", end.all());
}

#[test]
fn an_answer_reaches_a_run_that_somebody_drives() {
    // Nobody is asked twice, and the one who answers does not drive: the other process still does.
    let project =
        Project::theater("seats", SLOW_DESIGNER, "cast = [\"designer\", \"critic\", \"copy\"]\nmax_rounds = 1");
    let toml =
        project.read("tribunal.toml").replace("[seats.critic]\nagent = \"actor\"", "[seats.critic]\nagent = \"ada\"");
    project.write("tribunal.toml", &format!("{toml}\n[agents.ada]\nkind = \"human\"\n"));
    let child = project.spawn(&["run"]);
    wait_for(|| !answers(&project).is_empty());
    let given = tell(&project, &["answer", "--json"], "score = 9");
    assert_eq!(given.code, 0, "{}", given.all());
    assert_eq!(serde_json::from_str::<Value>(&given.stdout).unwrap()["taken"], true, "{}", given.all());
    project.write("go", "");
    let output = Output::of(child);
    assert_eq!(output.code, 0, "{}", output.all());
}

/// Its judge `copy` waits for a file; the rest answers at once.
const SLOW_DESIGNER: &str = r#"#!/bin/sh
cat > /dev/null
case "$TRIBUNAL_SEAT" in
  designer) printf '{"artifact": {"mime": "text/html", "content": "<h1>v1</h1>"}}' ;;
  *) while [ ! -e go ]; do sleep 0.05; done; echo '{"score": 9, "must_fix": []}' ;;
esac
"#;

#[test]
fn two_people_judge_a_theater_at_once() {
    let project =
        Project::theater("seats", SLOW_DESIGNER, "cast = [\"designer\", \"critic\", \"copy\"]\nmax_rounds = 1");
    let mut toml = project.read("tribunal.toml");
    for (seat, name) in [("critic", "ada"), ("copy", "grace")] {
        toml =
            toml.replace(&format!("[seats.{seat}]\nagent = \"actor\""), &format!("[seats.{seat}]\nagent = \"{name}\""));
        toml = format!("{toml}\n[agents.{name}]\nkind = \"human\"\n");
    }
    project.write("tribunal.toml", &toml);
    let left = project.tribunal(&["run"]);
    assert_eq!(left.code, 1, "{}", left.all());
    assert!(
        left.stderr.contains("a round ends after 90 s, even while a person is thinking (copy, critic)"),
        "{}",
        left.all()
    );
    assert_eq!(project.json(&["status", "--json"])["runs"][0]["awaits"].as_array().unwrap().len(), 2);
    let which = tell(&project, &["answer"], "score = 9");
    assert_eq!(which.code, 2, "{}", which.all());
    assert!(which.stderr.contains("--seat"), "{}", which.all());
    let one = tell(&project, &["answer", "--seat", "copy"], "score = 9");
    assert_eq!(one.code, 1, "{}", one.all());
    assert!(one.stdout.contains("waiting for a person: critic,"), "{}", one.all());
    let twice = tell(&project, &["answer", "--seat", "copy"], "score = 1");
    assert_eq!(twice.code, 2, "{}", twice.all());
    let both = tell(&project, &["answer"], "score = \"8.5\"\nmust_fix = []");
    assert_eq!(both.code, 0, "{}", both.all());
    assert_eq!(
        project.json(&["status", "--json"])["runs"][0]["ship"]["composite"].as_f64(),
        Some(8.666_666),
        "{}",
        both.all()
    );
}

#[test]
fn a_person_can_be_the_author() {
    let project = review(&["creator"], "");
    project.write("answers/reviewer.1", &reviewer("ok"));
    assert_eq!(project.tribunal(&["run"]).code, 1);
    let text =
        "done = \"yes\"\n[candidate]\nformat = \"plain\"\ncontent = '''\nOne line.\nAnother {with} \"quotes\".\n'''\n";
    let end = tell(&project, &["answer"], text);
    assert_eq!(end.code, 0, "{}", end.all());
    assert_eq!(project.read("copy/selected/description.txt"), "One line.\nAnother {with} \"quotes\".\n");
    // Whoever sits there, an interrupt is one.
    let project = review(&["creator", "reviewer"], "");
    assert_eq!(project.tribunal(&["run"]).code, 1);
    assert_eq!(project.tribunal(&["interrupt"]).code, 0);
    assert_eq!(tell(&project, &["answer"], &creator("done x")).code, 2, "nobody is awaited any more");
    assert_eq!(project.tribunal(&["resume"]).code, 1);
    assert_eq!(tell(&project, &["answer"], &creator("done x")).code, 1, "now the reviewer is");
    assert_eq!(tell(&project, &["answer"], &reviewer("ok")).code, 0);
}

#[test]
fn seats_that_a_person_cannot_take_are_refused_before_anything_happens() {
    let project = Project::theater("single", SLOW_DESIGNER, "");
    let toml =
        project.read("tribunal.toml").replace("kind = \"command\"\ncommand = [\"./agent.sh\"]", "kind = \"human\"");
    project.write("tribunal.toml", &toml);
    let refused = project.tribunal(&["run"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(refused.stderr.contains("cannot sit in the seat `panel`"), "{}", refused.all());
    let project = review(&["reviewer"], "");
    assert_eq!(project.tribunal(&["run"]).code, 1);
    let asked = project.tribunal(&["ask", "reviewer", "Why?"]);
    assert_eq!(asked.code, 2, "{}", asked.all());
    assert!(asked.stderr.contains("is a person"), "{}", asked.all());
    let doctor = project.json(&["agents", "doctor", "--json"]);
    assert!(doctor["agents"].as_array().unwrap().iter().all(|agent| agent["problem"].is_null()), "{doctor}");
}

#[test]
fn a_recorded_review_replayed_without_agents_decides_the_same() {
    let project = Project::with_answers("description", 2, &["draft a", "changes_requested", "done b", "ok"]);
    // The creator's first answer could not be used.
    let playback = project
        .read("creator.sh")
        .replace("#!/bin/sh\n", "#!/bin/sh\n[ -e tried ] || { touch tried; echo hm; exit; }\n");
    project.agent("creator.sh", &playback);
    assert_eq!(project.tribunal(&["run"]).code, 0);
    let first = project.json(&["status", "--json"])["runs"][0].clone();
    let id = first["run"].as_str().unwrap();
    let decided = project.read("copy/selected/description.txt");
    fs::remove_dir_all(project.path("copy")).unwrap();
    for name in ["creator.sh", "reviewer.sh", "state.json"] {
        fs::remove_file(project.path(name)).unwrap();
    }
    // A workspace of its own: the asset is decided in the first one.
    fs::create_dir(project.path("again")).unwrap();
    let mut toml = project.read("tribunal.toml").replace("[run]\n", "[run]\nworkspace = \"again\"\n");
    for (agent, program) in [("writer", "creator"), ("critic", "reviewer")] {
        let program = format!("[agents.{agent}]\nkind = \"command\"\ncommand = [\"./{program}.sh\"]\n");
        assert!(toml.contains(&program), "{toml}");
        toml = toml.replace(&program, &format!("[agents.{agent}]\nkind = \"replay\"\nrun = \"{id}\"\n"));
    }
    project.write("tribunal.toml", &toml);
    let replayed = project.json(&["run", "--json"])["runs"][0].clone();
    for key in ["status", "reason", "rounds"] {
        assert_eq!(replayed[key], first[key], "{key}: {replayed}");
    }
    assert_eq!((&first["turns"], &replayed["turns"]), (&json!(6), &json!(5)), "attempts that failed are not repeated");
    assert_ne!(replayed["run"], first["run"]);
    assert_eq!(project.read("again/copy/selected/description.txt"), decided);

    // What was not recorded cannot be said.
    let short = project.tribunal(&["run", "slug"]);
    assert_eq!(short.code, 0, "answers are found by seat and task: {}", short.all());
    project.write("tribunal.toml", &toml.replace(id, "ffffffff-none"));
    let missing = project.tribunal(&["run", "title_detail"]);
    assert_eq!(missing.code, 2, "{}", missing.all());
    assert!(missing.stderr.contains("there is no run `ffffffff-none` to replay"), "{}", missing.all());
}

#[test]
fn a_replay_that_runs_out_says_what_is_missing() {
    let project = Project::with_answers("description", 1, &["draft a", "changes_requested"]);
    assert_eq!(project.tribunal(&["run"]).code, 1);
    let id = project.json(&["status", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
    let toml = project.read("tribunal.toml").replace("max_iterations = 1", "max_iterations = 2");
    let toml = toml
        .replace("kind = \"command\"\ncommand = [\"./reviewer.sh\"]", &format!("kind = \"replay\"\nrun = \"{id}\""));
    project.write("tribunal.toml", &toml.replace("asset = \"description\"", "asset = \"slug\""));
    project.write("answers/creator.2", &creator("done b"));
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 4, "{}", output.all());
    assert!(output.all().contains("has no answer of the reviewer to `review` in round 2"), "{}", output.all());
}

/// The program at a terminal: stdin and stderr are one. What was typed there, and what stood there at the end.
fn at_terminal(project: &Project, args: &[&str], typed: &str, editor: Option<&str>) -> (Output, String) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let terminal = || fs::File::options().read(true).write(true).open(&name).unwrap();
    let mut command = project.command(args);
    command.env_remove("VISUAL").env_remove("EDITOR").env_remove("CI").env("TERM", "xterm");
    command.envs(editor.map(|editor| ("EDITOR", editor)));
    let child = command.stdin(terminal()).stderr(terminal()).spawn().unwrap();
    drop(command); // and with it our ends of the terminal
    let mut screen = fs::File::from(master);
    screen.write_all(typed.as_bytes()).unwrap();
    let reader = std::thread::spawn(move || {
        let (mut shown, mut buffer) = (Vec::new(), [0; 4096]);
        // The end of a terminal is an error.
        while let Ok(read @ 1..) = std::io::Read::read(&mut screen, &mut buffer) {
            shown.extend_from_slice(&buffer[..read]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    });
    let output = Output::of(child);
    (output, reader.join().unwrap())
}

/// Keeps what it is shown, and changes what `edits` says: a script of sed for each time.
fn editor(project: &Project, edits: &[&str]) {
    for (number, edit) in (1..).zip(edits) {
        project.write(&format!("edits/{number}"), edit);
    }
    let script = "#!/bin/sh\necho x >> calls/editor\nn=$(wc -l < calls/editor | tr -d ' ')\ncp \"$1\" calls/form-$n\nsed -i -f edits/$n \"$1\"\n";
    project.agent("editor.sh", script);
}

#[test]
fn at_a_terminal_a_person_is_asked_in_their_editor() {
    let project = review(&["reviewer"], "");
    project.write("answers/creator.1", &creator("done a"));
    editor(&project, &["s/^verdict = .*/verdict = \"fine\"/\n", "s/^verdict = .*/verdict = \"ok\"/\n"]);
    let (output, shown) = at_terminal(&project, &["run"], "", Some("./editor.sh"));
    assert_eq!(output.code, 0, "{}{shown}", output.all());
    assert_eq!(project.calls("editor"), 2);
    let first = project.read("calls/form-1");
    assert!(first.contains("verdict = \"\"") && first.contains("The candidate\n---"), "{first}");
    let second = project.read("calls/form-2");
    assert!(second.starts_with("#! `verdict` is `fine`") && second.contains("verdict = \"fine\""), "{second}");
}

#[test]
fn at_a_terminal_whoever_leaves_the_form_empty_answers_later() {
    let project = review(&["reviewer"], "");
    project.write("answers/creator.1", &creator("done a"));
    editor(&project, &["", "s/^verdict = .*/verdict = \"ok\"/\n"]);
    let (output, shown) = at_terminal(&project, &["run"], "", Some("./editor.sh"));
    assert_eq!(output.code, 1, "{}{shown}", output.all());
    assert!(shown.contains("waiting for a person: reviewer"), "{shown}");
    let (output, shown) = at_terminal(&project, &["answer"], "", Some("./editor.sh"));
    assert_eq!(output.code, 0, "{}{shown}", output.all());
}

#[test]
fn at_a_terminal_without_an_editor_a_person_is_asked_line_by_line() {
    let project = review(&["reviewer"], "");
    project.write("answers/creator.1", &creator("done a"));
    // The verdict, no issue, a summary.
    let (output, shown) = at_terminal(&project, &["run"], "perhaps\nok\nn\nFine.\n", None);
    assert_eq!(output.code, 0, "{}{shown}", output.all());
    assert!(shown.contains("must be one of: ok, changes requested, needs human"), "{shown}");
    assert!(project.read("copy/reviews/description/iteration_01.critic.json").contains("Fine."));
}
