//! The critic's measurements.

use tribunal_checks::{Document, critic};

use crate::support::{brief, page, shown};

const LONG: &str = "A paragraph that is long enough to fill more than one line on every screen that people use today, and then some more.  It goes on.";

#[test]
fn composition() {
    let text = format!("<p>{LONG}</p>");
    let text = text.as_str();
    for (name, style, body, dimension, want) in [
        ("one h1", "", "<h1>a</h1><p>x</p>", "hierarchy", "10.0"),
        ("no h1", "", "<p>x</p>", "hierarchy", "4.0 hierarchy.no-h1"),
        ("two h1", "", "<h1>a</h1><h1>b</h1><p>x</p>", "hierarchy", "8.0 hierarchy.many-h1"),
        ("a faint h1", "h1 { font-size: 16px }", "<h1>a</h1><p>x</p>", "hierarchy", "5.0 hierarchy.ratio"),
        ("a larger h2", "h2 { font-size: 3em }", "<h1>a</h1><h2>b</h2><p>x</p>", "hierarchy", "6.7 hierarchy.order"),
        ("one family", "body { font-family: Inter }", "<p>x</p>", "type", "10.0"),
        (
            "four families",
            "p{font-family:a} b{font-family:b} i{font-family:c} u{font-family:d}",
            "<p>x</p><b>x</b><i>x</i><u>x</u>",
            "type",
            "8.0 type.families",
        ),
        ("on the grid", "p { margin: 8px 16px; padding: 1rem }", "<p>x</p>", "rhythm", "10.0"),
        ("off the grid", "p { margin: 7px; padding: 8px }", "<p>x</p>", "rhythm", "5.0 rhythm.off-grid"),
        ("hairlines", "p { margin: 1px }", "<p>x</p>", "rhythm", "10.0"),
        ("no distances", "p { color: red }", "<p>x</p>", "rhythm", "-"),
        ("even padding", "p { padding: 8px 16px }", "<p>x</p>", "space", "10.0"),
        ("uneven padding", "p { padding: 8px 16px 8px 4px }", "<p>x</p>", "space", "0.0 space.uneven"),
        ("lines that read", "p { max-width: 520px }", text, "space", "10.0"),
        ("lines that are too long", "", text, "space", "0.0 space.long-lines"),
        ("columns", "main { display: grid }", text, "space", "-"),
    ] {
        assert_eq!(brief(&critic(&page(style, body)), dimension), want, "{name}");
    }
}

#[test]
fn a_distance_off_the_grid_says_where() {
    let document = page("\np { margin: 8px 15px }\nh1 { padding: 0.9rem 0 }", "<p style='margin-top: 3px'>x</p>");
    insta::assert_snapshot!(shown(&critic(&document), "rhythm"), @r#"
rhythm 2.5: 1 of 4 distances on the grid of 4 px, 1 on that of 8 px
  should rhythm.off-grid at 2:17: set the distance to 16 px, on the grid of 4 px [margin: 15px (15 px)]
  should rhythm.off-grid at 3:15: set the distance to 16 px, on the grid of 4 px [padding: 0.9rem (14.4 px)]
  should rhythm.off-grid at 3:74: set the distance to 4 px, on the grid of 4 px [margin-top: 3px (3 px)]
"#);
}

#[test]
fn markdown() {
    let wall = format!("# T\n\n{}", "word ".repeat(130));
    for (name, text, dimension, want) in [
        ("one title", "# a\n\ntext", "hierarchy", "10.0"),
        ("none", "text", "hierarchy", "4.0 hierarchy.no-h1"),
        ("two", "# a\n\n# b", "hierarchy", "6.0 hierarchy.many-h1"),
        ("short paragraphs", "# a\n\ntext", "rhythm", "10.0"),
        ("a wall", wall.as_str(), "rhythm", "0.0 rhythm.wall"),
    ] {
        assert_eq!(brief(&critic(&Document::markdown(text)), dimension), want, "{name}");
    }
}
