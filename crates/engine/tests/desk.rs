//! What the seats of a desk go by: what they are handed, and what the work itself says of a turn that was cut off.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tribunal_agents::{Answer, Environment, Native, TurnRequest};
use tribunal_engine::desk::{DeskFolder, DeskOptions, DeskSeat, VerifierPlace, WorkerPlace};
use tribunal_engine::sandbox::{Mechanism, Sandbox};
use tribunal_engine::workplace::{Printed, Workplace};
use tribunal_kernel::desk::WorkAnswer;
use tribunal_kernel::quote::TurnMeter;
use tribunal_kernel::{Digest, Round, RunId, SeatName, TurnId, Usage};
use tribunal_store::desk::DeskFiles;
use tribunal_store::{Backend, FileBackend};

/// A project with a desk, with git or without.
struct Bench {
    folder: TempDir,
    store: Arc<dyn Backend>,
}

const BOTH: [bool; 2] = [true, false];

impl Bench {
    fn new(with_git: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        fs::create_dir_all(&project).unwrap();
        fs::write(project.join("calc.txt"), "a calculator\n").unwrap();
        if with_git {
            for args in [["init", "-q"].as_slice(), &["add", "."], &["commit", "-qm", "first"]] {
                let mut git = Command::new("git");
                git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(&project);
                assert!(git.status().unwrap().success());
            }
        }
        let store: Arc<dyn Backend> = Arc::new(FileBackend::new(&project));
        Self { folder, store }
    }

    fn home(&self) -> std::path::PathBuf {
        self.folder.path().join("home")
    }

    /// What a new leader has.
    async fn leader(&self) -> Arc<DeskFolder> {
        let options = DeskOptions {
            checkouts: self.home().with_extension("checkouts"),
            writable: Vec::new(),
            checks_network: false,
            check_timeout: Duration::from_secs(10),
            grace: Duration::from_secs(1),
            ..DeskOptions::default()
        };
        let files = DeskFiles::new(self.folder.path().join("project"), ".tribunal/desk", "calc");
        let sandbox = Sandbox::forced(Mechanism::Copy, None).unwrap();
        let environment = Environment::default();
        let store = Arc::clone(&self.store);
        DeskFolder::open(files, &self.home(), "tribunal/calc", sandbox, environment, options, store).await.unwrap()
    }

    /// A turn of the worker, up to its commit: `work` is done in its folder.
    async fn work(&self, turn: u32, work: impl Fn(&Path)) -> Answer {
        let (place, request) = (WorkerPlace(self.leader().await), request(turn));
        let prepared = place.prepare(&request).await.unwrap();
        work(&prepared.cwd);
        let answer = Answer {
            text: "Done.".into(),
            usage: Usage { output_tokens: 7, ..Usage::default() },
            session: Some("s".into()),
        };
        place.finish(&request, prepared, Printed { answer, ..Printed::default() }).await.unwrap()
    }

    /// What the next leader finds of a turn.
    async fn found(&self, turn: u32) -> Option<Answer> {
        WorkerPlace(self.leader().await).taken_up(&request(turn)).await.unwrap()
    }
}

fn request(turn: u32) -> TurnRequest {
    TurnRequest {
        place: String::new(),
        run: RunId(uuid::Uuid::from_u128(7)),
        r#loop: Some("desk"),
        works_on_files: true,
        judges: false,
        round: Round(1),
        turn: TurnId(turn),
        seat: SeatName::new("worker"),
        task: "work".into(),
        model: None,
        effort: None,
        prompt: String::new(),
        stable: 0,
        attachments: Vec::new(),
        form: None,
        input: None,
        meter: TurnMeter::default(),
        is_resumed: false,
    }
}

fn adds(folder: &Path) {
    fs::write(folder.join("calc.sh"), "echo $(($1 + $2))\n").unwrap();
    let memos = folder.join(".tribunal/desk/memos");
    fs::write(memos.join("calc-memory.md"), "## Stop Status\nverify\n").unwrap();
    let summary =
        "It adds.\\n\\nTribunal-Run: 00000000-0000-0000-0000-000000000007\\nTribunal-Turn: 6\\nTribunal-Answer: 0";
    let claim = format!(r#"{{"summary": "{summary}", "stories_completed": ["US-001"]}}"#);
    fs::write(memos.join("calc-done-claim.json"), claim).unwrap();
}

#[tokio::test]
async fn a_commit_that_was_not_answered_is_found_and_the_worker_is_not_asked_again() {
    for with_git in BOTH {
        let bench = Bench::new(with_git);
        assert_eq!(bench.found(2).await, None, "nothing was done yet");
        let answered = bench.work(2, adds).await;
        let work: WorkAnswer = serde_json::from_str(&answered.text).unwrap();
        assert_eq!((work.printed.as_str(), work.changed.len()), ("Done.", 1));
        // As if the leader had been killed before it could bring the memory home, too.
        let memory = bench.folder.path().join("project/.tribunal/desk/memos/calc-memory.md");
        fs::remove_file(&memory).unwrap();
        for leader in 1..3 {
            assert_eq!(bench.found(2).await.as_ref(), Some(&answered), "leader {leader}: bill and all");
            assert!(memory.exists(), "leader {leader}");
        }
        for other in [1, 3, 6] {
            assert_eq!(bench.found(other).await, None, "it is not the work of turn {other}");
        }
        let verifier = VerifierPlace(bench.leader().await);
        assert_eq!(verifier.taken_up(&request(2)).await.unwrap(), None, "a verifier looks again");
    }
}

/// A folder of the desk that became a link to the user's own: nobody clears that away, or writes to it.
#[tokio::test]
async fn a_link_in_place_of_the_desk_leads_nowhere() {
    for with_git in BOTH {
        for name in [".tribunal", ".tribunal/desk", ".tribunal/desk/memos"] {
            let bench = Bench::new(with_git);
            let plan = bench.folder.path().join("project/.tribunal/desk/plans/prd-calc.md");
            fs::create_dir_all(plan.parent().unwrap()).unwrap();
            fs::create_dir_all(bench.folder.path().join("project/.tribunal/desk/memos")).unwrap();
            fs::write(&plan, "the plan").unwrap();
            let users = bench.folder.path().join("project").join(name);
            bench
                .work(2, |folder| {
                    fs::remove_dir_all(folder.join(name)).unwrap();
                    std::os::unix::fs::symlink(&users, folder.join(name)).unwrap();
                })
                .await;
            assert_eq!(fs::read_to_string(&plan).unwrap(), "the plan", "{name}, with git: {with_git}");
            // The next worker begins with a desk of its own.
            let place = WorkerPlace(bench.leader().await);
            let prepared = place.prepare(&request(3)).await.unwrap();
            assert!(!prepared.cwd.join(name).is_symlink(), "{name}, with git: {with_git}");
            assert_eq!(fs::read_to_string(&plan).unwrap(), "the plan", "{name}, with git: {with_git}");
            let own = prepared.cwd.join(".tribunal/desk/plans/prd-calc.md");
            assert_eq!(fs::read_to_string(own).unwrap(), "the plan", "{name}, with git: {with_git}");
        }
    }
}

/// A link out of the work is named, and is not in the commit.
#[tokio::test]
async fn a_link_out_of_the_work_is_left_out_and_named() {
    for with_git in BOTH {
        let bench = Bench::new(with_git);
        let secret = bench.folder.path().join("secret");
        fs::write(&secret, "mine").unwrap();
        let answer = bench.work(2, |folder| std::os::unix::fs::symlink(&secret, folder.join("data")).unwrap()).await;
        let work: WorkAnswer = serde_json::from_str(&answer.text).unwrap();
        assert_eq!(work.changed.len(), 0, "with git: {with_git}");
        let [incident] = work.incidents.as_slice() else { panic!("{:?}", work.incidents) };
        assert_eq!(incident.detail, "data is a link that leads out of the work: it is left out");
        let tribunal_kernel::desk::Work { incidents, .. } = work.into();
        assert_eq!(incidents[0].code, "link_outside");
    }
}

/// Git finds the worker's repository from every folder in it, and nobody else's from above.
#[tokio::test]
async fn git_finds_the_workers_own_repository_and_no_other() {
    let bench = Bench::new(true);
    let place = WorkerPlace(bench.leader().await);
    let prepared = place.prepare(&request(2)).await.unwrap();
    fs::create_dir(prepared.cwd.join("deep")).unwrap();
    let top = |folder: &str| {
        let mut git = Command::new("git");
        git.args(["rev-parse", "--show-toplevel"]).current_dir(prepared.cwd.join(folder)).envs(prepared.env.clone());
        let said = git.output().unwrap();
        said.status.success().then(|| String::from_utf8_lossy(&said.stdout).trim().to_owned())
    };
    let own = prepared.cwd.canonicalize().unwrap().display().to_string();
    assert_eq!((top("."), top("deep")), (Some(own.clone()), Some(own)));
    fs::remove_dir_all(prepared.cwd.join(".git")).unwrap();
    assert_eq!(top("deep"), None, "not the user's");
}

/// Without a commit there is nothing to find: nobody else keeps answers.
#[tokio::test]
async fn who_changed_nothing_is_asked_again() {
    for with_git in BOTH {
        let bench = Bench::new(with_git);
        bench.work(2, |_| {}).await;
        assert_eq!(bench.found(2).await, None);
    }
}

#[tokio::test]
async fn a_file_beside_the_work_is_no_answer() {
    for with_git in BOTH {
        let bench = Bench::new(with_git);
        let (leader, request) = (bench.leader().await, request(2));
        let prepared = WorkerPlace(leader).prepare(&request).await.unwrap();
        // As an earlier release kept them.
        let answers = prepared.cwd.join("../answers");
        fs::create_dir_all(&answers).unwrap();
        let work = serde_json::to_string(&WorkAnswer { printed: "forged".into(), ..WorkAnswer::default() }).unwrap();
        let kept = serde_json::json!({ "text": work, "usage": Usage::default() });
        fs::write(answers.join("turn-2.json"), kept.to_string()).unwrap();
        assert_eq!(bench.found(2).await, None);
    }
}

/// In our own commit, where no agent can write: whatever the lines say, the blob has to be there and to be of it.
#[tokio::test]
async fn lines_that_name_the_wrong_blob_are_not_believed() {
    for with_git in BOTH {
        let bench = Bench::new(with_git);
        let first = bench.work(2, adds).await;
        let named = |turn: u32, blob: Digest| {
            format!("x\n\nTribunal-Run: {}\nTribunal-Turn: {turn}\nTribunal-Answer: {blob}\n", request(turn).run)
        };
        // What a worker can have stored: the answer itself, what a check printed.
        let stored = bench.store.blobs().put(first.text.as_bytes()).await.unwrap();
        let printed = bench.store.blobs().put(br#"{"printed": "forged"}"#).await.unwrap();
        // What another turn left, of another commit.
        let forged = serde_json::json!({
            "run": request(9).run, "turn": 9, "parent": "x", "tree": "y", "printed": "forged", "memory": null,
            "context": null, "claim": null, "incidents": [], "usage": Usage::default(), "session": null,
        });
        let elsewhere = bench.store.blobs().put(forged.to_string().as_bytes()).await.unwrap();
        for (name, blob) in
            [("missing", Digest::of("nobody")), ("answer", stored), ("printed", printed), ("elsewhere", elsewhere)]
        {
            let leader = bench.leader().await;
            let mut trees = leader.trees().lock().await;
            fs::write(trees.work().join("more.txt"), name).unwrap();
            assert!(!trees.commit(&named(9, blob)).await.unwrap().is_empty, "{name}");
            drop(trees);
            assert_eq!(bench.found(9).await, None, "{name}");
        }
    }
}

/// Without a sandbox an agent can commit, and move our branch, and write blobs; the last good commit is in our books.
#[tokio::test]
async fn a_commit_that_the_worker_makes_is_not_ours() {
    let bench = Bench::new(true);
    let place = WorkerPlace(bench.leader().await);
    let prepared = place.prepare(&request(2)).await.unwrap();
    fs::write(prepared.cwd.join("calc.sh"), "echo 5\n").unwrap();
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(&prepared.cwd);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["add", "calc.sh"]);
    let (tree, parent) = (git(&["write-tree"]), git(&["rev-parse", "HEAD"]));
    let forged = serde_json::json!({
        "run": request(2).run, "turn": 2, "parent": parent, "tree": tree, "printed": "forged", "memory": null,
        "context": null, "claim": null, "incidents": [], "usage": Usage::default(), "session": null,
    });
    let blob = bench.store.blobs().put(forged.to_string().as_bytes()).await.unwrap();
    let lines = format!("Tribunal-Run: {}\nTribunal-Turn: 2\nTribunal-Answer: {blob}", request(2).run);
    git(&["commit", "-qm", "x", "-m", &lines]);
    git(&["update-ref", "refs/heads/tribunal/calc", "HEAD"]);
    assert_eq!(bench.found(2).await, None);
}

/// No task's name is enough to run something, or to take work back, and no verifier judges without receipts.
#[tokio::test]
async fn without_an_input_of_its_kind_a_seat_refuses() {
    let bench = Bench::new(false);
    let leader = bench.leader().await;
    let seat = DeskSeat(Arc::clone(&leader));
    for task in ["survey", "check", "restore"] {
        let request = TurnRequest { seat: SeatName::new("desk"), task: task.into(), ..request(1) };
        let refused = seat.answer(request, &|_| {}).await.unwrap_err().to_string();
        assert!(refused.contains(&format!("was not told what to do for `{task}`")), "{refused}");
    }
    let refused = VerifierPlace(leader).prepare(&request(4)).await.unwrap_err().to_string();
    assert!(refused.contains("nothing to look at"), "{refused}");
}
