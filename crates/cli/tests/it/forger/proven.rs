//! A run with a proof, and what a forger can do to it.

use super::{OK, rechained};
use crate::support::Project;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tribunal_kernel::proof::ProofPredicate;
use tribunal_kernel::{Digest, Run};

/// A review that passed, with a proof of it, the artifact, keys, and who may sign.
pub(super) struct Proven {
    pub(super) project: Project,
}

impl Proven {
    pub(super) fn new() -> Self {
        let project = Project::with_answers("description", 2, &["done A text.", OK]);
        let run = project.tribunal(&["run"]);
        assert_eq!(run.code, 0, "{}", run.all());
        for name in ["ada", "eve"] {
            Self::key(&project, name);
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

    /// Makes a key and the file of its public half.
    pub(super) fn key(project: &Project, name: &str) {
        let key = project.path(name);
        let made =
            Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"]).arg(&key).status();
        assert!(made.unwrap().success());
    }

    pub(super) fn verify(&self) -> (i32, String) {
        let args = ["verify", "proof.jsonl", "--artifact", "artifact.txt", "--signers", "signers"];
        let output = self.project.tribunal(&args);
        (output.code, output.stdout)
    }

    pub(super) fn envelopes(&self) -> Vec<Value> {
        self.project.read("proof.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(super) fn write(&self, envelopes: &[Value]) {
        let lines: Vec<String> = envelopes.iter().map(ToString::to_string).collect();
        self.project.write("proof.jsonl", &(lines.join("\n") + "\n"));
    }

    /// Changes what is said in an envelope, and nothing else.
    pub(super) fn change(&self, number: usize, change: impl FnOnce(&mut Value)) {
        let mut envelopes = self.envelopes();
        let mut statement = payload(&envelopes[number]);
        change(&mut statement);
        envelopes[number]["payload"] = json!(STANDARD.encode(statement.to_string()));
        self.write(&envelopes);
    }

    /// Signs every envelope once more, as whoever has this key.
    pub(super) fn sign(&self, key: &str, namespace: &str) {
        let mut envelopes = self.envelopes();
        for envelope in &mut envelopes {
            let sig = signature(&self.project.path(key), namespace, envelope);
            envelope["signatures"] = json!([{ "keyid": "whatever it says", "sig": sig }]);
        }
        self.write(&envelopes);
    }

    /// Changes the text of our statement, such as no writer of JSON would have it, and signs both.
    pub(super) fn retold(&self, from: &str, to: &str) {
        let mut envelopes = self.envelopes();
        let bytes = STANDARD.decode(envelopes[1]["payload"].as_str().unwrap()).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let text = if from.is_empty() { text + to } else { text.replacen(from, to, 1) };
        envelopes[1]["payload"] = json!(STANDARD.encode(text));
        self.write(&envelopes);
        self.sign("ada", "tribunal-proof");
    }

    /// Changes both statements as a forger with an allowed key would: everything fits together but with the log.
    pub(super) fn resaid(&self, change: impl Fn(&mut Value)) {
        self.change(1, |statement| change(&mut statement["predicate"]));
        self.refit();
    }

    /// Brings the test result to what the other statement says, and signs both.
    pub(super) fn refit(&self) {
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
    pub(super) fn relogged(&self, change: impl Fn(&mut Vec<Value>)) {
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

pub(super) fn payload(envelope: &Value) -> Value {
    let bytes = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// A signature of an envelope, made by ssh-keygen alone.
pub(super) fn signature(key: &Path, namespace: &str, envelope: &Value) -> String {
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
