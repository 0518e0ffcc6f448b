//! Who may come in.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{Pen, Stage, TOKEN};

const BASE: &str = "/api/projects/shop";

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reads_or_changes_anything_without_the_token() {
    let stage = Stage::open().await;
    let pen = Pen::open(&stage.layout(), 1).await;
    let reads = ["/api/session", "/api/projects", "/metrics", "/api/openapi.json"].map(str::to_owned);
    let of_run = ["", "/cues", "/rounds/1/artifact", "/rounds/1/preview", "/questions"];
    let of_run = of_run.map(|path| format!("{BASE}/runs/{}{path}", pen.run));
    for path in reads.iter().chain(&of_run).chain(&[format!("{BASE}/events"), format!("{BASE}/runs")]) {
        for headers in [vec![], vec![("authorization", "Bearer wrong")], vec![("cookie", "tribunal_1=wrong")]] {
            let answer = stage.request("GET", path, &headers, b"").await;
            assert_eq!((answer.status, answer.code().as_str()), (401, "token"), "{path}");
        }
    }
    let post = stage.request("POST", &format!("{BASE}/runs"), &[("content-type", "application/json")], b"{}").await;
    assert_eq!(post.status, 401);
    assert!(stage.clerk.asked.lock().unwrap().is_empty());
    assert_eq!(stage.request("GET", "/healthz", &[], b"").await.status, 200, "that it lives is no secret");
    assert_eq!(stage.request("GET", "/", &[], b"").await.status, 200, "nor is the empty page");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_traded_for_two_halves_that_are_worth_nothing_alone() {
    let stage = Stage::open().await;
    let answer = stage.request("GET", &format!("/?token={TOKEN}"), &[], b"").await;
    assert_eq!(answer.status, 303);
    let half = answer.location().strip_prefix("/?key=").expect("the page's half is in the address").to_owned();
    let line = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    let (cookie, rest) = line.split_once("; ").unwrap();
    assert!(cookie.starts_with(&format!("tribunal_{}=", stage.address.port())), "{cookie}");
    assert_eq!(rest, "path=/; httponly; samesite=strict; max-age=604800");
    for text in [&answer.head, &half] {
        assert!(!text.contains(TOKEN), "the token is nowhere in it: {text}");
    }
    let session = async |headers: &[(&str, &str)], path: &str| stage.request("GET", path, headers, b"").await.status;
    let key = ("x-tribunal-key", half.as_str());
    assert_eq!(session(&[("cookie", cookie), key], "/api/session").await, 200);
    assert_eq!(session(&[("cookie", cookie)], &format!("/api/session?key={half}")).await, 200, "as a stream asks");
    // What another server of this machine gets is the cookie; what a script could find is the half.
    assert_eq!(session(&[("cookie", cookie)], "/api/session").await, 401);
    assert_eq!(session(&[key], "/api/session").await, 401);
    let value = cookie.split_once('=').unwrap().1;
    for guess in [value, &half] {
        let bearer = format!("Bearer {guess}");
        assert_eq!(session(&[("authorization", &bearer)], "/api/session").await, 401, "neither is the token");
    }
    let old = format!("tribunal_{}={TOKEN}", stage.address.port());
    assert_eq!(session(&[("cookie", &old), key], "/api/session").await, 401, "the token is no cookie");
    let wrong = stage.request("GET", "/?token=wrong-wrong-wrong-wrong-wrong", &[], b"").await;
    assert!(wrong.status == 200 && !wrong.head.contains("set-cookie"), "{}", wrong.head);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_shows_the_project_s_pictures_and_nothing_else_of_it() {
    let stage = Stage::open().await;
    let mut pen = Pen::open(&stage.layout(), 1).await;
    let turn = pen.call().await;
    pen.draft(turn, "![Bread](art/bread.png)\n", tribunal_kernel::Format::Markdown).await;
    let root = stage.folder.path();
    fs::create_dir_all(root.join("art")).unwrap();
    fs::write(root.join("art/bread.png"), "BREAD").unwrap();
    fs::write(root.join("art/bread.woff2"), "FONT").unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.png"), "TOP SECRET").unwrap();
    fs::write(root.join("secret.html"), "TOP SECRET").unwrap();
    fs::write(root.join(".env"), "TOP SECRET").unwrap();
    symlink(outside.path().join("secret.png"), root.join("art/link.png")).unwrap();
    symlink(outside.path(), root.join("away")).unwrap();
    let (address, draft) = stage.preview(&format!("{BASE}/runs/{}/rounds/1/preview", pen.run)).await;
    assert!(draft.body.contains("<img src=\"art/bread.png\""), "{draft:?}");
    let folder = address.strip_suffix("/draft.html").expect("the draft lies where its pictures are found");
    let files = format!("http://{}{folder}/", stage.address).to_lowercase();
    assert!(draft.head.contains(&format!("img-src data: {files};")), "nothing but its own pictures: {}", draft.head);

    // As the frame asks: without a cookie, from nobody's origin.
    let frame = [("sec-fetch-site", "cross-site"), ("origin", "null")];
    let picture = stage.request("GET", &format!("{folder}/art/bread.png"), &frame, b"").await;
    assert_eq!((picture.status, picture.body.as_str()), (200, "BREAD"));
    assert!(picture.head.contains("content-type: image/png"), "{}", picture.head);
    assert!(picture.head.contains("x-content-type-options: nosniff"), "{}", picture.head);
    let font = stage.request("GET", &format!("{folder}/art/bread.woff2"), &frame, b"").await;
    assert!(font.status == 200 && font.head.contains("access-control-allow-origin: null"), "{}", font.head);
    assert!(!picture.head.contains("access-control-allow-origin"), "seen and not read: {}", picture.head);
    for (place, status) in
        [("image", 200), ("style", 200), ("empty", 403), ("iframe", 403), ("object", 403), ("script", 403)]
    {
        let asked = [frame[0], frame[1], ("sec-fetch-dest", place)];
        let answer = stage.request("GET", &format!("{folder}/art/bread.png"), &asked, b"").await;
        assert_eq!(answer.status, status, "{place}");
    }

    for path in [
        "art/link.png",
        "away/secret.png",
        "secret.html",
        ".env",
        ".tribunal/index.sqlite",
        "../secret.png",
        "art/../../secret.png",
        "..%2fsecret.png",
        "%2e%2e/secret.png",
        "%252e%252e/secret.png",
        "art%2f..%2f..%2fsecret.png",
        "art/bread.png%00.html",
        "%2fetc%2fhostname.png",
        "/etc/hostname.png",
        "art%5c..%5cbread.png",
        "art/missing.png",
        "art",
        "",
    ] {
        let refused = stage.request("GET", &format!("{folder}/{path}"), &frame, b"").await;
        assert!(!refused.body.contains("TOP SECRET"), "{path}: {refused:?}");
        assert_ne!(refused.status, 200, "{path}: {refused:?}");
    }

    // The ticket is for this draft, in this frame, and reads nothing else.
    let host = [("host", "evil.example"), ("origin", "null")];
    assert_eq!(stage.request("GET", &format!("{folder}/art/bread.png"), &host, b"").await.status, 403);
    let page = [("origin", "http://evil.example"), ("sec-fetch-site", "cross-site")];
    assert_eq!(stage.request("GET", &format!("{folder}/art/bread.png"), &page, b"").await.status, 403);
    assert_eq!(stage.request("POST", &format!("{folder}/art/bread.png"), &frame, b"").await.status, 403);
    let forged = folder.replacen(".1.", ".shipped.", 1);
    assert_eq!(stage.request("GET", &format!("{forged}/art/bread.png"), &frame, b"").await.status, 403);
    let ticket = folder.rsplit_once('/').unwrap().1;
    let bearer = format!("Bearer {ticket}");
    assert_eq!(stage.request("GET", "/api/session", &[("authorization", &bearer)], b"").await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_pages_and_other_names_are_refused() {
    let stage = Stage::open().await;
    let pen = Pen::open(&stage.layout(), 1).await;
    let (bearer, host) = (format!("Bearer {TOKEN}"), stage.address.to_string());
    let path = format!("{BASE}/runs/{}/interrupt", pen.run);
    let cases: [(&str, &str); 6] = [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://127.0.0.1:1"),
        ("sec-fetch-site", "cross-site"),
        ("host", "evil.example"),
        ("host", "127.0.0.1.evil.example"),
    ];
    for (name, value) in cases {
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json"), (name, value)];
        let post = stage.request("POST", &path, &headers, b"{}").await;
        assert_eq!((post.status, post.code().as_str()), (403, "foreign"), "POST, {name}: {value}");
        let get = stage.request("GET", "/", &headers, b"").await;
        assert_eq!(get.status, 403, "GET, {name}: {value}");
    }
    assert!(stage.clerk.asked.lock().unwrap().is_empty());
    let own = format!("http://{host}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json"), ("origin", own.as_str())];
    assert_eq!(stage.request("POST", &path, &headers, b"{}").await.status, 202, "our own page may");
    // What a form of another page can send without being asked is no request of ours.
    let form = [("authorization", bearer.as_str()), ("content-type", "text/plain")];
    assert_eq!(stage.request("POST", &path, &form, b"{}").await.status, 415);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_leads_out() {
    let stage = Stage::open().await;
    let mut pen = Pen::open(&stage.layout(), 1).await;
    let turn = pen.call().await;
    pen.draft(turn, "a draft", tribunal_kernel::Format::Plain).await;
    let secret = stage.folder.path().join("secret.txt");
    fs::write(&secret, "TOP SECRET").unwrap();
    // Links where artifacts and blobs lie: neither is read through.
    let (run, layout) = (pen.run, stage.layout());
    fs::create_dir_all(layout.artifact(run, "asset-1")).unwrap();
    symlink(&secret, layout.artifact(run, "asset-1").join("round-1.html")).unwrap();
    let digest = tribunal_kernel::Digest::of("not what is there");
    symlink(&secret, layout.blob(digest)).unwrap();
    let cited = tribunal_kernel::Digest::of("a draft");
    fs::remove_file(layout.blob(cited)).unwrap();
    symlink(&secret, layout.blob(cited)).unwrap();
    for path in [
        "/../secret.txt".to_owned(),
        "/..%2fsecret.txt".to_owned(),
        "/%2e%2e/%2e%2e/secret.txt".to_owned(),
        "/assets/../../secret.txt".to_owned(),
        format!("{BASE}/runs/..%2f..%2f..%2fsecret.txt/cues"),
        format!("{BASE}/runs/{run}/rounds/..%2f..%2f..%2fsecret.txt/artifact"),
        format!("{BASE}/runs/{run}/rounds/1%00/artifact"),
        format!("{BASE}/runs/{run}/blobs/..%2f..%2fsecret.txt"),
        format!("{BASE}/runs/{run}/blobs/{digest}"),
        format!("{BASE}/runs/{run}/rounds/1/artifact"),
        format!("{BASE}/runs/{run}/rounds/1/preview"),
        format!("{BASE}/artifacts/..%2f..%2fsecret.txt/critique/rerun"),
        format!("/api/projects/..%2f..%2fshop/runs/{run}"),
    ] {
        let answer = stage.get(&path).await;
        assert!(!answer.body.contains("TOP SECRET"), "{path}: {answer:?}");
        assert_ne!(answer.status, 200, "{path}: {answer:?}");
        if answer.status == 303 {
            let led = stage.request("GET", answer.location(), &[], b"").await;
            assert!(led.status != 200 && !led.body.contains("TOP SECRET"), "{path}: {led:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_is_refused_before_it_is_read() {
    let stage = Stage::open().await;
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let body = vec![b' '; 100 << 20];
    let answer = stage.request("POST", &format!("{BASE}/runs"), &headers, &body).await;
    assert!(answer.status == 413 || answer.status == 0, "refused, or cut off while it was still sending: {answer:?}");
    assert!(stage.clerk.asked.lock().unwrap().is_empty());
    let mut refused = 0;
    for _ in 0..200 {
        refused += u32::from(stage.post(&format!("{BASE}/runs"), "{}").await.status == 429);
    }
    assert!(refused > 50, "{refused} of 200 in a row");
    assert_eq!(stage.get("/api/session").await.status, 200, "who only reads goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_tells_the_browser_what_it_may_do() {
    let stage = Stage::open().await;
    for path in ["/", "/api/session", "/api/nothing", "/healthz", "/no-such-file.js"] {
        let head = stage.get(path).await.head;
        for header in [
            "content-security-policy: ",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "x-frame-options: ",
        ] {
            assert!(head.contains(header), "{path} lacks {header}: {head}");
        }
        assert!(!head.contains("access-control-allow"), "{path}");
        assert!(!head.contains("unsafe-inline") && !head.contains("unsafe-eval"), "{path}");
    }
    assert_eq!(stage.get("/api/projects/other/runs").await.status, 404);
}
