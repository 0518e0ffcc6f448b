//! Runs, drafts and evidence, read over HTTP; and what is asked of the office.

use tribunal_kernel::{Event, Format, Round};

use crate::support::{Pen, Stage};

const BASE: &str = "/api/projects/shop";

#[tokio::test(flavor = "multi_thread")]
async fn lists_cues_drafts_and_differences() {
    let stage = Stage::open().await;
    let mut pen = Pen::open(&stage.layout(), 1).await;
    let turn = pen.call().await;
    pen.draft(turn, "# Title\n\nOne.\n", Format::Markdown).await;
    pen.index(&stage.layout()).await;
    let run = pen.run;

    let list = stage.get(&format!("{BASE}/runs?text=asset&status=running&loop=review")).await.json();
    assert_eq!(list["runs"][0]["run"], run.to_string());
    assert_eq!(list["runs"][0]["isDriven"], true, "the test holds its lock");
    assert_eq!(list["next"], serde_json::Value::Null);
    assert_eq!(stage.get(&format!("{BASE}/runs?status=shipped")).await.json()["runs"], serde_json::json!([]));
    assert_eq!(stage.get(&format!("{BASE}/runs?status=nonsense")).await.status, 400);

    let cues = stage.get(&format!("{BASE}/runs/{run}/cues")).await.body;
    let types: Vec<String> = cues
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        types,
        ["scene", "round_opened", "turn_started", "panelist_open", "panelist_close", "draft", "turn_ended"]
    );
    assert_eq!(stage.get(&format!("{BASE}/runs/{run}/cues?after=3")).await.body.lines().count(), 3);

    let artifact = stage.get(&format!("{BASE}/runs/{run}/rounds/1/artifact")).await;
    assert_eq!(artifact.body, "# Title\n\nOne.\n");
    assert!(artifact.head.contains("x-tribunal-format: md"));
    let (_, preview) = stage.preview(&format!("{BASE}/runs/{run}/rounds/1/preview")).await;
    assert!(preview.body.contains("<h1>Title</h1>"));
    assert!(preview.head.contains("content-security-policy: sandbox; default-src 'none'"), "{}", preview.head);
    for (path, status) in [("rounds/2/artifact", 404), ("rounds/shipped/preview", 404), ("rounds/x/artifact", 400)] {
        assert_eq!(stage.get(&format!("{BASE}/runs/{run}/{path}")).await.status, status, "{path}");
    }
    for path in ["runs/nonsense", "runs/nonsense/rounds/1/artifact", &format!("runs/{run}/blobs/nonsense")] {
        let refused = stage.get(&format!("{BASE}/{path}")).await;
        assert_eq!((refused.status, refused.json()["code"].as_str()), (400, Some("invalid")), "{path}");
    }
    let diff = stage.get(&format!("{BASE}/runs/{run}/diff?from=1&to=1")).await.json();
    assert_eq!(diff["lines"][0], serde_json::json!({ "kind": "same", "text": "# Title", "from": 1, "to": 1 }));

    let left = stage.get(&format!("{BASE}/runs/{run}/forecast")).await.json();
    assert_eq!((&left["judges"], &left["open"], &left["tooFew"]), (&2.into(), &1.into(), &serde_json::Value::Null));
    assert!(left["hidden"]["expected"].as_f64().is_some_and(|expected| 0.0 < expected), "{left}");

    // What a run cites can be read; what lies beside it cannot.
    let prompt = tribunal_kernel::Digest::of("Write it.");
    assert_eq!(stage.get(&format!("{BASE}/runs/{run}/blobs/{prompt}")).await.body, "Write it.");
    let other = Pen::open(&stage.layout(), 2).await;
    assert_eq!(stage.get(&format!("{BASE}/runs/{}/blobs/{prompt}", other.run)).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_cannot_be_read_is_called_damaged_and_hides_no_other() {
    let stage = Stage::open().await;
    let mut pens = Vec::new();
    for number in 1..=3 {
        let pen = Pen::open(&stage.layout(), number).await;
        pen.index(&stage.layout()).await;
        pens.push(pen);
    }
    let path = |pen: &Pen| format!("{BASE}/runs/{}", pen.run);
    assert_eq!(stage.get(&path(&pens[1])).await.status, 200);
    // What is appended is taken in, and a round cannot open twice.
    let again = Event::RoundOpened { round: Round(1) };
    pens[1].write(vec![again]).await;
    let refused = stage.get(&path(&pens[1])).await;
    assert_eq!(refused.status, 500, "{}", refused.body);
    let error = &refused.json();
    assert_eq!(error["code"], "broken");
    assert!(error["detail"].as_str().unwrap().contains("round_opened"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("verify"), "{error}");

    let mut shown = Vec::new();
    let mut after = String::new();
    for _ in 0..3 {
        let page = stage.get(&format!("{BASE}/runs?limit=1{after}")).await.json();
        shown.extend(page["runs"].as_array().unwrap().iter().map(|row| row["run"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(shown, [pens[2].run.to_string(), pens[0].run.to_string()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changes_a_run_goes_to_the_app() {
    let stage = Stage::open().await;
    let pen = Pen::open(&stage.layout(), 1).await;
    let run = pen.run;
    let posts = [
        ("runs".to_owned(), r#"{"brief": "Shorter."}"#, 202),
        (format!("runs/{run}/interrupt"), "{}", 202),
        (format!("critique/{run}/interrupt"), "{}", 202),
        (format!("runs/{run}/resume"), "{}", 202),
        (format!("runs/{run}/steer"), r#"{"text": "Shorter."}"#, 202),
        (format!("runs/{run}/steer"), r#"{"text": "  "}"#, 400),
        (format!("runs/{run}/reopen"), r#"{"why": "new brief", "rounds": 2}"#, 202),
        (format!("runs/{run}/reopen"), r#"{"why": "new brief", "rounds": 0}"#, 400),
        (format!("runs/{run}/select"), r#"{"round": 1}"#, 202),
        (format!("runs/{run}/answer"), r#"{"turn": 1, "answer": "ok"}"#, 202),
        (format!("runs/{run}/answer"), r#"{"turn": 1, "answer": {"a": 1}}"#, 422),
        (format!("runs/{run}/steer"), r#"{"txt": "Shorter."}"#, 422),
        (format!("runs/{run}/steer"), "not JSON", 400),
        (format!("critique/{}/interrupt", crate::support::run_id(5)), "{}", 404),
        ("artifacts/nothing/critique/rerun".to_owned(), "{}", 404),
    ];
    for (path, body, status) in &posts {
        let answer = stage.post(&format!("{BASE}/{path}"), body).await;
        assert_eq!(answer.status, *status, "{path} {body}: {answer:?}");
        if *status == 202 && path != "runs" {
            assert_eq!(answer.json(), serde_json::json!({ "runId": run, "accepted": true }), "{path}");
        }
    }
    let (path, headers) = (format!("{BASE}/settings"), [("content-type", "application/json")]);
    let set = stage.ask("PUT", &path, &headers, r#"{"key": "theater.enabled", "value": false}"#).await;
    assert_eq!(set.status, 200);
    let asked = stage.clerk.asked.lock().unwrap().join("\n").replace(&run.to_string(), "RUN");
    insta::assert_snapshot!(asked, @r#"
    start Some("Shorter.")
    interrupt RUN
    interrupt RUN
    resume RUN
    steer RUN Shorter.
    reopen RUN new brief 2
    select RUN 1
    answer
    set theater.enabled false
    settings
    "#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_sent_twice_is_done_once() {
    let stage = Stage::open().await;
    let pen = Pen::open(&stage.layout(), 1).await;
    let path = format!("{BASE}/runs/{}/steer", pen.run);
    let headers = [("content-type", "application/json"), ("idempotency-key", "k1")];
    let first = stage.ask("POST", &path, &headers, r#"{"text": "Shorter."}"#).await;
    let again = stage.ask("POST", &path, &headers, r#"{"text": "Shorter."}"#).await;
    assert_eq!((first.status, &first.body), (202, &again.body));
    assert_eq!(stage.clerk.asked.lock().unwrap().len(), 1);
    let other = stage.ask("POST", &path, &headers, r#"{"text": "Longer."}"#).await;
    assert_eq!((other.status, other.code().as_str()), (422, "key_reused"));
    let at_once = futures_util::future::join_all((0..10).map(|_| {
        let headers = [("content-type", "application/json"), ("idempotency-key", "k2")];
        let (stage, path) = (&stage, &path);
        async move { stage.ask("POST", path, &headers, r#"{"text": "At once."}"#).await.status }
    }));
    assert_eq!(at_once.await, [202; 10]);
    assert_eq!(stage.clerk.asked.lock().unwrap().len(), 2);
}
