//! The forger's table: ways to change a run, a proof, an artifact or a signature after the fact, and what `verify` says.
//!
//! Whoever can write a log can compute its chain again: where a row says "and the chain is computed again", that is done
//! here as well. What is found only with an anchor says so.

use crate::support::Project;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tribunal_kernel::proof::ProofPredicate;
use tribunal_kernel::{Digest, Entry, Run};

const NO: &str =
    r#"{"verdict": "changes_requested", "summary": "s", "issues": [{"message": "too long", "severity": "error"}]}"#;
const OK: &str =
    r#"{"verdict": "ok", "summary": "s", "issues": [{"message": "a comma too many", "severity": "warning"}]}"#;

/// A review that did not pass: both of its rounds were refused.
fn refused() -> Project {
    let project = Project::with_answers("description", 2, &["done A text.", NO, "done Another text.", NO]);
    let run = project.tribunal(&["run"]);
    assert_eq!(run.code, 1, "{}", run.all());
    let intact = project.tribunal(&["verify"]);
    assert_eq!(intact.code, 0, "{}", intact.all());
    project
}

/// A review that passed, with a proof of it, the artifact, keys, and who may sign.
struct Proven {
    project: Project,
}

impl Proven {
    fn new() -> Self {
        let project = Project::with_answers("description", 2, &["done A text.", OK]);
        let run = project.tribunal(&["run"]);
        assert_eq!(run.code, 0, "{}", run.all());
        for name in ["ada", "eve"] {
            let key = project.path(name);
            let made =
                Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"]).arg(&key).status();
            assert!(made.unwrap().success());
        }
        let public = project.read("ada.pub");
        project.write("signers", &format!("ada@example.org {public}"));
        project.write("artifact.txt", "A text.");
        let proof = project.tribunal(&["proof", "-o", "proof.jsonl", "--key", "ada"]);
        assert_eq!(proof.code, 0, "{}", proof.all());
        let proven = Self { project };
        let (code, said) = proven.verify();
        assert_eq!(code, 0, "{said}");
        assert!(said.ends_with("\nproven\n") && said.contains("signed by ada@example.org (SHA256:"), "{said}");
        proven
    }

    fn verify(&self) -> (i32, String) {
        let args = ["verify", "proof.jsonl", "--artifact", "artifact.txt", "--signers", "signers"];
        let output = self.project.tribunal(&args);
        (output.code, output.stdout)
    }

    fn envelopes(&self) -> Vec<Value> {
        self.project.read("proof.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn write(&self, envelopes: &[Value]) {
        let lines: String = envelopes.iter().map(|envelope| format!("{envelope}\n")).collect();
        self.project.write("proof.jsonl", &lines);
    }

    /// Changes what is said in an envelope, and nothing else.
    fn change(&self, number: usize, change: impl FnOnce(&mut Value)) {
        let mut envelopes = self.envelopes();
        let mut statement = payload(&envelopes[number]);
        change(&mut statement);
        envelopes[number]["payload"] = json!(STANDARD.encode(statement.to_string()));
        self.write(&envelopes);
    }

    /// Signs every envelope once more, as whoever has this key.
    fn sign(&self, key: &str, namespace: &str) {
        let mut envelopes = self.envelopes();
        for envelope in &mut envelopes {
            let sig = signature(&self.project.path(key), namespace, envelope);
            envelope["signatures"] = json!([{ "keyid": "whatever it says", "sig": sig }]);
        }
        self.write(&envelopes);
    }

    /// Changes both statements as a forger with an allowed key would: everything fits together but with the log.
    fn resaid(&self, change: impl Fn(&mut Value)) {
        self.change(1, |statement| change(&mut statement["predicate"]));
        self.refit();
    }

    /// Brings the test result to what the other statement says, and signs both.
    fn refit(&self) {
        let statement = payload(&self.envelopes()[1]);
        if let Ok(predicate) = serde_json::from_value::<ProofPredicate>(statement["predicate"].clone()) {
            let result = json!(predicate.test_result());
            self.change(0, |other| {
                other["predicate"] = result;
                other["subject"] = statement["subject"].clone();
            });
        }
        self.sign("ada", "tribunal-proof");
    }

    /// Changes the log in the proof, computes its chain again, and says what follows from it.
    fn relogged(&self, change: impl Fn(&mut Vec<Value>)) {
        self.change(1, |statement| {
            let predicate = &mut statement["predicate"];
            let (lines, entries) = rechained(predicate["lines"].as_str().unwrap(), change);
            let hashes: Vec<Digest> =
                lines.lines().map(|line| Digest::parse(&line[line.len() - 66..line.len() - 2]).unwrap()).collect();
            let run = Run::fold(entries).unwrap().unwrap();
            if let Ok(own) = ProofPredicate::of(&run, [hashes[0], *hashes.last().unwrap()]) {
                let texts = predicate["texts"].clone();
                *predicate = json!(own);
                predicate["texts"] = texts;
            } else {
                predicate["log"]["head"] = json!(hashes.last().unwrap());
                predicate["log"]["events"] = json!(hashes.len());
            }
            predicate["lines"] = json!(lines);
        });
        self.refit();
    }
}

fn payload(envelope: &Value) -> Value {
    let bytes = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// A signature of an envelope, made by ssh-keygen alone.
fn signature(key: &Path, namespace: &str, envelope: &Value) -> String {
    let (kind, bytes) =
        (envelope["payloadType"].as_str().unwrap(), STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap());
    let mut message = format!("DSSEv1 {} {kind} {} ", kind.len(), bytes.len()).into_bytes();
    message.extend(bytes);
    let file = key.with_extension("message");
    fs::write(&file, message).unwrap();
    let signed = Command::new("ssh-keygen")
        .args(["-Y", "sign", "-n", namespace, "-f"])
        .arg(key)
        .stdin(fs::File::open(&file).unwrap())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    assert!(signed.status.success());
    let text = String::from_utf8(signed.stdout).unwrap();
    text.lines().filter(|line| !line.starts_with("-----")).collect()
}

/// A log with changed events, its chain computed again.
fn rechained(log: &str, change: impl Fn(&mut Vec<Value>)) -> (String, Vec<Entry>) {
    let mut events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut events);
    let (mut lines, mut entries, mut prev) = (String::new(), Vec::new(), "0".repeat(64));
    for (seq, line) in (1..).zip(events) {
        let (time, event) = (line["time"].as_str().unwrap(), &line["event"]);
        let body = format!(r#"{{"seq":{seq},"time":"{time}","prev":"{prev}","event":{event}"#);
        prev = Digest::of(&body).to_string();
        lines.push_str(&format!("{body},\"hash\":\"{prev}\"}}\n"));
        entries.push(serde_json::from_value(json!({ "seq": seq, "time": time, "event": event })).unwrap());
    }
    (lines, entries)
}

/// Changes the log of the only run, and computes its chain again.
fn rewrite(project: &Project, change: impl Fn(&mut Vec<Value>)) {
    let path = project.log();
    let (lines, _) = rechained(&fs::read_to_string(&path).unwrap(), change);
    fs::write(path, lines).unwrap();
}

/// The last event of this type.
fn last<'e>(events: &'e mut [Value], name: &str) -> &'e mut Value {
    let found = events.iter_mut().rev().find(|line| line["event"]["type"] == name);
    &mut found.unwrap()["event"]["data"]
}

/// The last verdict that complains.
fn complaining(events: &mut [Value]) -> &mut serde_json::Map<String, Value> {
    let said = events.iter_mut().rev().filter_map(|line| line.pointer_mut("/event/data/said/data"));
    said.filter_map(Value::as_object_mut).find(|verdict| verdict.contains_key("findings")).unwrap()
}

fn blob(project: &Project, text: &str) -> PathBuf {
    project.path(&format!(".tribunal/blobs/{}", Digest::of(text)))
}

fn store(project: &Project, text: &str) -> String {
    fs::write(blob(project, text), text).unwrap();
    Digest::of(text).to_string()
}

type ForgedRun = (&'static str, fn(&Project), &'static str);

const RUNS: [ForgedRun; 20] = [
    (
        "a letter of the log",
        |project| {
            let text = fs::read_to_string(project.log()).unwrap();
            fs::write(project.log(), text.replacen("too long", "too lung", 1)).unwrap();
        },
        "do not match its hash",
    ),
    (
        "a line of the log is taken out",
        |project| {
            let text = fs::read_to_string(project.log()).unwrap();
            let kept: Vec<&str> = text.lines().enumerate().filter(|(n, _)| *n != 3).map(|(_, line)| line).collect();
            fs::write(project.log(), kept.join("\n") + "\n").unwrap();
        },
        "line 4",
    ),
    (
        "two lines change places",
        |project| {
            let text = fs::read_to_string(project.log()).unwrap();
            let mut lines: Vec<&str> = text.lines().collect();
            lines.swap(4, 5);
            fs::write(project.log(), lines.join("\n") + "\n").unwrap();
        },
        "line 5",
    ),
    (
        "an answer's bytes",
        |project| fs::write(blob(project, NO), NO.replace("too long", "fine")).unwrap(),
        "its bytes do not match its name",
    ),
    ("an answer is removed", |project| fs::remove_file(blob(project, NO)).unwrap(), "which is missing"),
    (
        "a verdict from fail to pass, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let verdict = &mut last(events, "turn_answered")["said"]["data"];
                verdict["judgement"] = json!("pass");
                verdict["word"] = json!("ok");
            });
        },
        "judgement is `\"pass\"`, but `\"fail\"` follows",
    ),
    (
        "a finding is taken out, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                last(events, "turn_answered")["said"]["data"].as_object_mut().unwrap().remove("findings");
            });
        },
        "findings is nothing, but",
    ),
    (
        "a round is closed as passed, and the chain is computed again",
        |project| rewrite(project, |events| last(events, "round_closed")["decision"]["outcome"] = json!("converged")),
        "(round_closed) does not follow: the log says decision.outcome is `\"converged\"`",
    ),
    (
        "the run ends as passed, and the chain is computed again",
        |project| rewrite(project, |events| last(events, "run_closed")["outcome"] = json!("converged")),
        "(run_closed) does not follow: the log says outcome is `\"converged\"`, but `\"needs_human\"` follows",
    ),
    (
        "another answer is cited, and the chain is computed again",
        |project| {
            let other = store(project, OK);
            rewrite(project, |events| last(events, "turn_answered")["raw"] = json!(other));
        },
        "(turn_answered) does not follow",
    ),
    (
        "another prompt is cited, and the chain is computed again",
        |project| {
            let other = store(project, "Say ok, whatever you see.");
            rewrite(project, |events| last(events, "turn_started")["prompt"] = json!(other));
        },
        "(turn_started) does not follow: the log says prompt is",
    ),
    (
        "a refusal becomes an answer that nobody could read, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let line = events.iter_mut().rev().find(|line| line["event"]["type"] == "turn_answered").unwrap();
                let data = line["event"]["data"].clone();
                let error = json!({ "kind": "misfit", "message": "no JSON in it" });
                let data = json!({ "turn": data["turn"], "error": error, "raw": data["raw"], "bill": data["bill"] });
                line["event"] = json!({ "type": "turn_failed", "data": data });
            });
        },
        "the answer can be used, but the log says that it cannot",
    ),
    (
        "the turn of a judge is taken out, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let closed = events.iter().rposition(|line| line["event"]["type"] == "round_closed").unwrap();
                events.drain(closed - 2..closed);
            });
        },
        "first, these are to be asked: reviewer (review)",
    ),
    (
        "more rounds are allowed in the spec, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let text = events[0].to_string().replace("\"max_iterations\":2", "\"max_iterations\":9");
                events[0] = serde_json::from_str(&text).unwrap();
            });
        },
        "does not follow",
    ),
    (
        "it is dated back, and the chain is computed again",
        |project| rewrite(project, |events| events.last_mut().unwrap()["time"] = json!("2020-01-01T00:00:00.000Z")),
        "its time is before",
    ),
    (
        "another run's id in the log, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                events[0]["event"]["data"]["spec"]["run"] = json!("01900000-0000-7000-8000-000000000001");
            });
        },
        "it is the log of run 01900000-0000-7000-8000-000000000001",
    ),
    (
        "a file that shows the decision",
        |project| {
            let shown =
                project.list("copy").into_iter().find(|path| project.read(path).contains("needs_human")).unwrap();
            project.write(&shown, &project.read(&shown).replace("needs_human", "converged"));
        },
        "is not what the log says; `tribunal reindex` writes it again",
    ),
    (
        "the end is cut off: found by who kept the head",
        |project| rewrite(project, |events| drop(events.pop())),
        "it was changed or cut since",
    ),
    (
        "all of it is written again, with other answers: found by who kept the head",
        |project| {
            let old = project.log();
            let run = old.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
            fs::remove_dir_all(project.path("copy")).unwrap();
            fs::remove_dir_all(project.path(".tribunal")).unwrap();
            let other = Project::with_answers("description", 2, &["done A text.", OK]);
            assert_eq!(other.tribunal(&["run"]).code, 0);
            let new = other.log().parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
            let kept = other.path(".tribunal/runs");
            let (lines, _) = rechained(&fs::read_to_string(other.log()).unwrap(), |events| {
                for line in events {
                    *line = serde_json::from_str(&line.to_string().replace(&new, &run)).unwrap();
                }
            });
            fs::write(other.log(), lines).unwrap();
            fs::rename(kept.join(&new), kept.join(&run)).unwrap();
            let copied =
                Command::new("cp").arg("-a").arg(other.path(".tribunal")).arg(project.path(".tribunal")).status();
            assert!(copied.unwrap().success());
        },
        "it was changed or cut since",
    ),
    (
        "an instruction of a person is put in, and the chain is computed again",
        |project| {
            rewrite(project, |events| {
                let at = events.iter().rposition(|line| line["event"]["type"] == "turn_started").unwrap();
                let event = json!({ "type": "directive_given", "data": { "by": "ada", "text": "Be kind." } });
                events.insert(at, json!({ "time": events[at]["time"], "event": event }));
            });
        },
        "(turn_started) does not follow",
    ),
];

#[test]
fn every_change_of_a_run_is_found() {
    for (what, forge, words) in RUNS {
        let project = refused();
        let log = fs::read_to_string(project.log()).unwrap();
        let head = log.trim_end()[log.trim_end().len() - 66..log.trim_end().len() - 2].to_owned();
        let run = project.log().parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        // Somebody else keeps the head: without it the last rows cannot be found, and say so.
        if what.contains("kept the head") {
            project.write("tribunal-heads.txt", &format!("{run} {} {head}\n", log.lines().count()));
        }
        forge(&project);
        let found = project.tribunal(&["verify"]);
        assert_eq!(found.code, 1, "{what}: {}", found.all());
        assert!(found.stdout.contains(words), "{what}: `{words}` is not in {}", found.all());
    }
}

type ForgedProof = (&'static str, fn(&Proven), &'static str);

const PROOFS: [ForgedProof; 22] = [
    ("the artifact", |it| it.project.write("artifact.txt", "A text!"), "artifact.txt is not what was judged"),
    (
        "what the proof says of the outcome",
        |it| it.change(1, |statement| statement["predicate"]["reason"] = json!("everybody loved it")),
        "does not fit what was signed",
    ),
    (
        "what the test result says",
        |it| it.change(0, |statement| statement["predicate"]["passedTests"] = json!(["everything"])),
        "does not fit what was signed",
    ),
    (
        "the signature of another envelope",
        |it| {
            let mut envelopes = it.envelopes();
            envelopes[1]["signatures"] = envelopes[0]["signatures"].clone();
            it.write(&envelopes);
        },
        "does not fit what was signed",
    ),
    ("signed by somebody else", |it| it.sign("eve", "tribunal-proof"), "signers does not have this key"),
    ("signed for something else", |it| it.sign("ada", "git"), "does not fit what was signed"),
    (
        "nobody signed it",
        |it| {
            let mut envelopes = it.envelopes();
            envelopes.iter_mut().for_each(|envelope| envelope["signatures"] = json!([]));
            it.write(&envelopes);
        },
        "nobody signed envelope 1",
    ),
    (
        "only one half is signed by who may",
        |it| {
            let mut envelopes = it.envelopes();
            let sig = signature(&it.project.path("eve"), "tribunal-proof", &envelopes[1]);
            envelopes[1]["signatures"] = json!([{ "sig": sig }]);
            it.write(&envelopes);
        },
        "nobody in signers signed all of it",
    ),
    (
        "a signature that is none",
        |it| {
            let mut envelopes = it.envelopes();
            envelopes[0]["signatures"][0]["sig"] = json!("AAAA");
            it.write(&envelopes);
        },
        "does not fit what was signed",
    ),
    (
        "the key was allowed until last year",
        |it| {
            let key = it.project.read("ada.pub");
            it.project.write("signers", &format!("ada@example.org valid-before=\"20200101\" {key}"));
        },
        "signers",
    ),
    (
        "the key is allowed for something else",
        |it| {
            let key = it.project.read("ada.pub");
            it.project.write("signers", &format!("ada@example.org namespaces=\"git\" {key}"));
        },
        "signers",
    ),
    (
        "a complaint is taken out of the log, and an allowed key signs it",
        |it| {
            it.relogged(|events| {
                complaining(events).remove("findings");
            });
        },
        "(turn_answered) does not follow: turn 2, reviewer: the log says findings is nothing",
    ),
    (
        "a decision in the log, and an allowed key signs it",
        |it| it.relogged(|events| last(events, "round_closed")["decision"]["reason"] = json!("all were happy")),
        "(round_closed) does not follow",
    ),
    (
        "the model of a judge, and an allowed key signs it",
        |it| it.resaid(|predicate| predicate["seats"][1]["model"] = json!("opus")),
        "it does not say what its log says: in the proof seats.2.model is `\"opus\"`, but `null` follows",
    ),
    (
        "a waiver that nobody gave, and an allowed key signs it",
        |it| it.resaid(|predicate| predicate["waivers"] = json!([{ "code": "contrast.text", "why": "grey is fine" }])),
        "it does not say what its log says: in the proof waivers.1",
    ),
    (
        "it is about another artifact, and an allowed key signs it",
        |it| {
            it.change(1, |statement| statement["subject"][0]["digest"]["sha256"] = json!(Digest::of("My text.")));
            it.refit();
            it.project.write("artifact.txt", "My text.");
        },
        "it is not about what its log is about",
    ),
    (
        "the test result alone is about another artifact, and an allowed key signs it",
        |it| {
            it.change(0, |statement| statement["subject"][0]["digest"]["sha256"] = json!(Digest::of("My text.")));
            it.sign("ada", "tribunal-proof");
        },
        "its two statements are not about the same",
    ),
    (
        "the test result is taken out, and an allowed key signs it",
        |it| {
            it.write(&it.envelopes()[1..]);
            it.sign("ada", "tribunal-proof");
        },
        "a proof has one statement of Tribunal's and one test result",
    ),
    (
        "the end of the log is cut off, and an allowed key signs it",
        |it| it.relogged(|events| drop(events.pop())),
        "its log proves nothing: the run has not ended",
    ),
    (
        "the log is left out, and an allowed key signs it",
        |it| {
            it.resaid(|predicate| {
                predicate.as_object_mut().unwrap().remove("lines");
            });
        },
        "its log is not in it: what was decided is only claimed",
    ),
    (
        "an answer in the proof, and an allowed key signs it",
        |it| {
            it.resaid(|predicate| {
                let texts = predicate["texts"].as_object_mut().unwrap();
                let name = Digest::of(OK).to_string();
                assert!(texts.contains_key(&name), "what the judge answered is in the proof");
                texts.insert(name, json!(OK.replace("a comma too many", "nothing")));
            });
        },
        "in it does not match its name",
    ),
    (
        "a field that nobody knows, and an allowed key signs it",
        |it| it.resaid(|predicate| predicate["approvedBy"] = json!("the board")),
        "unknown field `approvedBy`",
    ),
];

#[test]
fn every_change_of_a_proof_is_found() {
    let proven = Proven::new();
    let (proof, signers) = (proven.project.read("proof.jsonl"), proven.project.read("signers"));
    for (what, forge, words) in PROOFS {
        proven.project.write("proof.jsonl", &proof);
        proven.project.write("signers", &signers);
        proven.project.write("artifact.txt", "A text.");
        forge(&proven);
        let (code, said) = proven.verify();
        assert_eq!(code, 1, "{what}: {said}");
        assert!(said.contains(words), "{what}: `{words}` is not in {said}");
        assert!(said.ends_with("\nnot proven\n"), "{what}: {said}");
    }
    assert!(RUNS.len() + PROOFS.len() >= 30, "the table is long enough");
}

#[test]
fn nothing_is_proven_by_what_was_not_given() {
    let proven = Proven::new();
    let verify = |args: &[&str]| proven.project.tribunal(&[&["verify", "proof.jsonl"], args].concat());
    for (args, words) in [
        (&["--artifact", "artifact.txt"][..], "it is not known who may sign"),
        (&["--signers", "signers"], "it was not held against anything"),
        (&[], "it is not known who may sign"),
        (&["--artifact", "artifact.txt", "--signers", "signers", "--expect", &"0".repeat(64)], "was expected"),
    ] {
        let said = verify(args);
        assert_eq!(said.code, 1, "{args:?}: {}", said.all());
        assert!(said.stdout.contains(words) && said.stdout.ends_with("not proven\n"), "{args:?}: {}", said.all());
    }
    for args in
        [&["--artifact", "nothing.txt", "--signers", "signers"][..], &["--signers", "nobody"], &["--expect", "abc"]]
    {
        assert_eq!(verify(args).code, 2, "{args:?}: {}", verify(args).all());
    }
    let told = verify(&["--artifact", "artifact.txt", "--signers", "signers", "--json"]);
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(told["proven"], true, "{told}");
    assert!(told["claimed"].to_string().contains("reviewer (critic)"), "{told}");
    // Commands of strangers are not run.
    let rerun = verify(&["--artifact", "artifact.txt", "--rerun"]);
    assert!(rerun.code == 1 && rerun.stdout.contains("nothing was run again"), "{}", rerun.all());
}
