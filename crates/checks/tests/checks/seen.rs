//! The browser eye over recorded snapshots: `testdata/checks/snapshots` has each page beside what Chromium said of it.

use tribunal_checks::seen::{STYLES, Snapshot, View, measure_seen, seen_elements};
use tribunal_checks::{DesignTokens, Document, Eye, KnownFiles, Role};

const PAGE: &str = include_str!("../../../../testdata/checks/snapshots/layers.html");
const REST: &str = include_str!("../../../../testdata/checks/snapshots/layers.json");
const FOCUSED: &str = include_str!("../../../../testdata/checks/snapshots/layers.focused.json");

fn view(dark: bool, width: u32) -> View {
    let read = |text: &str| Snapshot::read(text).expect("a recorded snapshot");
    View { width, dark, rest: read(REST), focused: Some(read(FOCUSED)) }
}

#[test]
fn layers_are_seen_as_they_are_painted() {
    let told: Vec<String> = seen_elements(&view(false, 1280))
        .into_iter()
        .map(|one| {
            let verdict = match one.passes {
                Ok(true) => "passes".to_owned(),
                Ok(false) => "fails".to_owned(),
                Err(why) => format!("undecided, {why}"),
            };
            let colors = one.colors.map(|(text, ground)| format!(" ({} on {})", text.hex(), ground.hex()));
            format!("{} {} {verdict}{}", one.code, one.name, colors.unwrap_or_default())
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

/// What a box scrolls stands on the box's own ground, wherever it is now, in boxes within boxes, too. An empty part of a
/// pseudo-element covers nothing.
#[test]
fn what_is_scrolled_away_keeps_its_ground() {
    let rest = Snapshot::read(include_str!("../../../../testdata/checks/snapshots/scrolled.json")).unwrap();
    let view = View { width: 1280, dark: false, rest, focused: None };
    let contrasts = seen_elements(&view).into_iter().filter(|one| one.code == "contrast.text");
    let told: Vec<String> = contrasts
        .map(|one| {
            let colors = one.colors.map(|(text, ground)| format!("{} on {}", text.hex(), ground.hex()));
            format!("{} {:?} {}", one.name, one.passes, colors.unwrap_or_default())
        })
        .collect();
    assert_eq!(
        told,
        [
            "nav#side > p Ok(true) #eeeeee on #333333",
            "nav#side > p Ok(true) #eeeeee on #333333",
            "nav#side > p Ok(true) #eeeeee on #333333",
            "main#page > h1 Ok(true) #dddddd on #222222",
            "pre#code Ok(true) #dddddd on #222222",
            "html > body > label Ok(true) #000000 on #ffffff",
        ]
    );
}

#[test]
fn findings_are_where_the_source_says_and_say_who_saw() {
    let document = Document::html(PAGE, &|_| None);
    let views = [view(false, 1280), view(false, 375)];
    let report = measure_seen(Role::A11y, &document, &DesignTokens::default(), &KnownFiles(&|_| true), &views);
    let seen: Vec<String> = report.dims.iter().filter(|dim| dim.eye == Eye::Browser).map(ToString::to_string).collect();
    insta::assert_snapshot!(seen.join("\n"));
    let headings = report.dims.iter().find(|dim| dim.dimension == "headings").unwrap();
    assert_eq!(headings.eye, Eye::Static, "what needs no layout stays where it was");
}

#[test]
fn without_a_view_nothing_changes() {
    let document = Document::html(PAGE, &|_| None);
    let none = measure_seen(Role::A11y, &document, &DesignTokens::default(), &KnownFiles(&|_| true), &[]);
    assert_eq!(none, tribunal_checks::measure(Role::A11y, &document, &DesignTokens::default(), &|_| true));
    let text = Document::markdown("# Words");
    let seen = measure_seen(Role::A11y, &text, &DesignTokens::default(), &KnownFiles(&|_| true), &[view(false, 1280)]);
    assert!(seen.dims.iter().all(|dim| dim.eye == Eye::Static), "a text has no look");
}

#[test]
fn what_is_no_snapshot_is_refused() {
    for (name, text, want) in [
        ("nothing", "", "EOF"),
        ("something else", "[]", "invalid"),
        ("no document", r#"{"documents": [], "strings": []}"#, "it has no document"),
        ("cut off", &REST[..REST.len() / 2], "EOF"),
        (
            "a parent behind its child",
            r#"{"strings": [], "documents": [{"nodes": {"parentIndex": [5], "nodeType": [1], "nodeName": [0], "nodeValue": [0],
               "backendNodeId": [1], "attributes": [[]]}, "layout": {"nodeIndex": [], "styles": [], "bounds": []},
               "textBoxes": {"layoutIndex": [], "bounds": []}}]}"#,
            "a node stands before its parent",
        ),
        (
            "a box of three numbers",
            r#"{"strings": [], "documents": [{"nodes": {"parentIndex": [], "nodeType": [], "nodeName": [], "nodeValue": [],
               "backendNodeId": [], "attributes": []}, "layout": {"nodeIndex": [0], "styles": [[]], "bounds": [[1, 2, 3]]},
               "textBoxes": {"layoutIndex": [], "bounds": []}}]}"#,
            "a box without four numbers",
        ),
    ] {
        let error = Snapshot::read(text).unwrap_err().to_string();
        assert!(error.contains(want), "{name}: {error}");
    }
}

#[test]
fn the_browser_is_asked_for_what_has_the_focus() {
    let points = Snapshot::read(REST).unwrap().focus_points();
    assert_eq!(points.controls.len(), 4, "four links");
    assert!(!points.around.is_empty());
    assert!(STYLES.contains(&"outline-style"));
}
