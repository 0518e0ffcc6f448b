//! Changes of a proof, its artifact, its signatures and the list of who may sign.

use super::proven::{Proven, payload, signature};
use super::{OK, complaining, last};
use serde_json::{Value, json};
use tribunal_kernel::Digest;

type ForgedProof = (&'static str, fn(&Proven), &'static str);

const PROOFS: [ForgedProof; 45] = [
    ("the artifact", |it| it.project.write("artifact.txt", "A text!"), "artifact.txt is not what was judged"),
    (
        "the artifact with another line ending",
        |it| it.project.write("artifact.txt", "A text.\r\n"),
        "artifact.txt is not what was judged",
    ),
    ("nobody may sign", |it| it.project.write("signers", "# nobody yet\n"), "nobody in signers signed all of it"),
    (
        "the only signer is somebody who is not meant",
        |it| it.project.write("signers", &format!("!ada@example.org {}", it.project.read("ada.pub"))),
        "nobody in signers signed all of it",
    ),
    (
        "the key is allowed from next year on",
        |it| {
            let key = it.project.read("ada.pub");
            it.project.write("signers", &format!("ada@example.org valid-after=\"29990101\" {key}"));
        },
        "key is not yet valid",
    ),
    (
        "the envelope is said to have something else in it",
        |it| {
            let mut envelopes = it.envelopes();
            envelopes[1]["payloadType"] = json!("application/json");
            it.write(&envelopes);
        },
        "line 2 is an envelope for something else: application/json",
    ),
    (
        "a second signature that is worth nothing",
        |it| {
            let mut envelopes = it.envelopes();
            let other = envelopes[0]["signatures"][0].clone();
            envelopes[1]["signatures"].as_array_mut().unwrap().push(other);
            it.write(&envelopes);
        },
        "a signature of envelope 2 does not fit what was signed",
    ),
    (
        "a key of the envelope twice",
        |it| {
            let proof = it.project.read("proof.jsonl");
            it.project.write("proof.jsonl", &proof.replacen('{', r#"{"payloadType":"application/json","#, 1));
        },
        "the key `payloadType` is there twice",
    ),
    (
        "a digest twice, and an allowed key signs it",
        |it| it.retold(r#""digest":{"#, &format!(r#""digest":{{"sha256":"{}","#, Digest::of("My text."))),
        "the key `sha256` is there twice",
    ),
    (
        "something behind it",
        |it| it.project.write("proof.jsonl", &(it.project.read("proof.jsonl") + "{}\n")),
        "line 3 is no DSSE envelope",
    ),
    (
        "bytes behind an envelope",
        |it| it.project.write("proof.jsonl", &it.project.read("proof.jsonl").replacen("}\n", "}\u{0}\n", 1)),
        "line 1 is no DSSE envelope",
    ),
    (
        "bytes behind a statement, and an allowed key signs it",
        |it| it.retold("", "{}"),
        "is no statement of ours: trailing characters",
    ),
    (
        "all of it twice",
        |it| it.project.write("proof.jsonl", &it.project.read("proof.jsonl").repeat(2)),
        "a proof has one statement of Tribunal's and one test result",
    ),
    (
        "the form of a statement, and an allowed key signs it",
        |it| {
            it.change(1, |statement| statement["_type"] = json!("https://in-toto.io/Statement/v0.1"));
            it.sign("ada", "tribunal-proof");
        },
        "a statement is of a type that is not known",
    ),
    (
        "one predicate is said to be the other, and an allowed key signs it",
        |it| {
            it.change(0, |statement| statement["predicateType"] = json!("urn:tribunal:proof:v1"));
            it.sign("ada", "tribunal-proof");
        },
        "envelope 1 is no statement of ours",
    ),
    (
        "what it cost, and an allowed key signs it",
        |it| it.resaid(|predicate| predicate["costs"]["usdMicros"] = json!(1)),
        "it does not say what its log says: in the proof costs.usdMicros",
    ),
    (
        "the head of its log, and an allowed key signs it",
        |it| it.resaid(|predicate| predicate["log"]["head"] = json!(Digest::of("another log"))),
        "it does not say what its log says: in the proof log.head",
    ),
    (
        "its judge was never asked, and an allowed key signs it",
        |it| {
            it.relogged(|events| {
                let closed = events.iter().rposition(|line| line["event"]["type"] == "round_closed").unwrap();
                events.drain(closed - 4..closed);
            });
        },
        "first, these are to be asked: reviewer (review)",
    ),
    (
        "nobody looked at what was shipped, and an allowed key signs it",
        |it| {
            it.relogged(|events| {
                let closed = events.iter().rposition(|line| line["event"]["type"] == "round_closed").unwrap();
                events.drain(closed - 2..closed);
            });
        },
        "first, these are to be asked: last_look (last_look)",
    ),
    (
        "what its judge answered is left out, and an allowed key signs it",
        |it| {
            it.resaid(|predicate| {
                predicate["texts"].as_object_mut().unwrap().remove(&Digest::of(OK).to_string()).unwrap();
            });
        },
        "says how the work was judged, and the proof does not have the text for it",
    ),
    (
        "half a line behind its log, and an allowed key signs it",
        |it| {
            it.resaid(|predicate| predicate["lines"] = json!(format!("{}{{}}", predicate["lines"].as_str().unwrap())));
        },
        "the log in it ends in the middle of a line",
    ),
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
            for envelope in &mut envelopes {
                envelope["signatures"] = json!([]);
            }
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
        "a field that nobody knows is put into the log, and an allowed key signs it",
        |it| it.relogged(|events| last(events, "round_closed")["note"] = json!("approved by the board")),
        "(round_closed) is not as it would be written",
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
        "a tree that the log does not have is put beside the artifact, and an allowed key signs it",
        |it| {
            it.change(1, |statement| statement["subject"][0]["digest"]["gitTree"] = json!("7".repeat(40)));
            it.refit();
        },
        "it is not about what its log is about",
    ),
    (
        "a digest of another kind is put beside the artifact's, and an allowed key signs it",
        |it| {
            it.change(1, |statement| statement["subject"][0]["digest"]["sha512"] = json!("a".repeat(128)));
            it.refit();
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

#[test]
fn who_signed_is_said_as_far_as_the_list_of_signers_says_it() {
    let proven = Proven::new();
    let (project, key) = (&proven.project, proven.project.read("ada.pub"));
    let verify = |more: &[&str]| {
        let args = ["verify", "proof.jsonl", "--artifact", "artifact.txt", "--signers", "signers"];
        project.tribunal(&[&args[..], more].concat())
    };
    // A pattern is nobody's name.
    project.write("signers", &format!("!eve@example.org,*@example.org {key}"));
    let said = verify(&[]);
    assert!(said.code == 0 && said.stdout.contains("the list names nobody"), "{}", said.all());
    assert!(!said.stdout.contains("signed by"), "{}", said.all());
    project.write("signers", &format!("*@example.org,ada@example.org {key}"));
    assert!(verify(&[]).stdout.contains("signed by ada@example.org"), "{}", verify(&[]).all());

    // A key that may not sign any more, whoever is allowed.
    project.write("revoked", &project.read("eve.pub"));
    assert_eq!(verify(&["--revoked", "revoked"]).code, 0, "{}", verify(&["--revoked", "revoked"]).all());
    project.write("revoked", &key);
    let said = verify(&["--revoked", "revoked"]);
    assert!(said.code == 1 && said.stdout.contains("revoked revokes this key"), "{}", said.all());
    project.write("revoked", "this is no list\n");
    assert_eq!(verify(&["--revoked", "revoked"]).code, 1, "what cannot be read revokes");
    assert_eq!(verify(&["--revoked", "nothing"]).code, 2);

    // Somebody else may sign as well: it is said, and worth nothing.
    let alone = proven.envelopes();
    let mut both = alone.clone();
    for envelope in &mut both {
        let sig = signature(&project.path("eve"), "tribunal-proof", envelope);
        envelope["signatures"].as_array_mut().unwrap().push(json!({ "sig": sig }));
    }
    proven.write(&both);
    let said = verify(&[]);
    assert!(said.code == 0 && said.stdout.contains("signed by ada@example.org"), "{}", said.all());
    assert!(said.stdout.contains("signers does not have this key"), "{}", said.all());
}

#[test]
fn a_proof_of_another_run_is_none_of_this_one() {
    let (one, other) = (Proven::new(), Proven::new());
    // The same brief, the same answers: only who kept the head of a run knows which it was.
    let (kept, foreign) = (one.envelopes(), other.envelopes());
    let head = payload(&kept[1])["predicate"]["log"]["head"].as_str().unwrap().to_owned();
    one.write(&foreign);
    one.sign("ada", "tribunal-proof");
    assert_eq!(one.verify().0, 0, "{}", one.verify().1);
    let args = ["verify", "proof.jsonl", "--artifact", "artifact.txt", "--signers", "signers", "--expect", &head];
    let said = one.project.tribunal(&args);
    assert!(said.code == 1 && said.stdout.contains("was expected"), "{}", said.all());
    // Half of each fits together nowhere.
    one.write(&[kept[0].clone(), foreign[1].clone()]);
    one.sign("ada", "tribunal-proof");
    let (code, said) = one.verify();
    assert!(code == 1 && said.contains("its test result is not what its own statement says"), "{said}");
}
