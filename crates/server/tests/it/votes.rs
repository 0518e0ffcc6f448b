//! Links that vote, as a browser, a scanner of mail and a stranger open them.

use crate::support::Stage;

/// A run that has a name of its own at any time.
const RUN: &str = "01a1ef03-00c7-7000-8000-000000000001";

/// Without a token: whoever has the link may use it.
fn path(answer: &str) -> String {
    format!("/vote/{RUN}/turn-2/{answer}/1000/ab")
}

#[tokio::test]
async fn opening_a_link_shows_what_it_would_do_and_only_the_button_does_it() {
    let stage = Stage::open().await;
    for method in ["GET", "HEAD"] {
        // As a link in a mail is opened.
        let shown = stage.request(method, &path("ok"), &[("sec-fetch-site", "cross-site")], b"").await;
        assert_eq!(shown.status, 200, "{method}");
    }
    assert_eq!(*stage.clerk.asked.lock().unwrap(), Vec::<String>::new(), "a scanner of mail votes for nobody");
    let shown = stage.request("GET", &path("ok"), &[], b"").await;
    assert!(shown.body.contains("<h1>&lt;b&gt;&amp;</h1>") && shown.body.contains("One?<br>"), "{}", shown.body);
    assert!(shown.body.contains("<form method=\"post\">"), "{}", shown.body);
    assert!(shown.head.contains("form-action 'self'") && shown.head.contains("no-store"), "{}", shown.head);
    // Another page cannot press it.
    let foreign = stage.request("POST", &path("ok"), &[("origin", "http://evil.example")], b"").await;
    assert_eq!(foreign.status, 403);
    let foreign = stage.request("POST", &path("ok"), &[("sec-fetch-site", "cross-site")], b"").await;
    assert_eq!(foreign.status, 403);
    assert_eq!(stage.clerk.asked.lock().unwrap().len(), 0);
    let cast = stage.request("POST", &path("ok"), &[], b"").await;
    assert_eq!((cast.status, cast.body.contains("is recorded")), (200, true), "{}", cast.body);
    assert_eq!(*stage.clerk.asked.lock().unwrap(), [format!("vote {RUN} turn-2 ok")]);
}

#[tokio::test]
async fn a_link_that_does_not_vote_says_why() {
    let stage = Stage::open().await;
    let rows = [
        (path("forged"), 403, "was not made by this project"),
        (path("late"), 410, "has expired"),
        (path("used"), 409, "was used already"),
        (path("closed"), 409, "no longer open"),
        ("/vote/x/turn-2/ok/1000/ab".into(), 403, "was not made by this project"),
        (path("ok").replace("/1000/", "/+1000/"), 403, "was not made by this project"),
        (path("ok").replace("/1000/", "/soon/"), 403, "was not made by this project"),
    ];
    for (path, status, why) in rows {
        for method in ["GET", "POST"] {
            let refused = stage.request(method, &path, &[], b"").await;
            assert_eq!(refused.status, status, "{method} {path}");
            assert!(refused.body.contains(why) && refused.body.contains("Not recorded"), "{}", refused.body);
        }
    }
}
