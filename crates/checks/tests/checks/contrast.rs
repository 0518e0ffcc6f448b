//! Contrast: known ratios, and the colours that the cascade gives.

use tribunal_checks::{Rgba, a11y};

use crate::support::{brief, page, shown};

/// Pairs that style guides and contrast checkers quote to two places: the greys around 4.5:1 and 3:1, the named colours of
/// HTML, the browsers' blue. The file below has more of them, from a program that is not ours.
const KNOWN: &[(&str, &str, f64)] = &[
    ("#000000", "#ffffff", 21.0),
    ("#ffffff", "#ffffff", 1.0),
    ("#767676", "#ffffff", 4.54),
    ("#777777", "#ffffff", 4.47),
    ("#757575", "#ffffff", 4.60),
    ("#949494", "#ffffff", 3.03),
    ("#959595", "#ffffff", 2.99),
    ("#595959", "#ffffff", 7.00),
    ("#5a5a5a", "#ffffff", 6.89),
    ("#ff0000", "#ffffff", 3.99),
    ("#00ff00", "#ffffff", 1.37),
    ("#0000ff", "#ffffff", 8.59),
    ("#ff0000", "#000000", 5.25),
    ("#00ff00", "#000000", 15.3),
    ("#0000ff", "#000000", 2.44),
    ("#ffff00", "#ffffff", 1.07),
    ("#ffff00", "#000000", 19.55),
    ("#00ffff", "#ffffff", 1.25),
    ("#ff00ff", "#ffffff", 3.13),
    ("#808080", "#ffffff", 3.94),
    ("#808080", "#000000", 5.31),
    ("#c0c0c0", "#000000", 11.54),
    ("#800000", "#ffffff", 10.94),
    ("#008000", "#ffffff", 5.13),
    ("#000080", "#ffffff", 16.0),
    ("#808000", "#ffffff", 4.19),
    ("#800080", "#ffffff", 9.42),
    ("#008080", "#ffffff", 4.77),
    ("#333333", "#ffffff", 12.63),
    ("#666666", "#ffffff", 5.74),
    ("#999999", "#ffffff", 2.84),
    ("#cccccc", "#ffffff", 1.60),
    ("#111111", "#ffffff", 18.88),
    ("#222222", "#ffffff", 15.91),
    ("#444444", "#ffffff", 9.73),
    ("#555555", "#ffffff", 7.45),
    ("#888888", "#ffffff", 3.54),
    ("#aaaaaa", "#ffffff", 2.32),
    ("#bbbbbb", "#ffffff", 1.91),
    ("#dddddd", "#ffffff", 1.35),
    ("#eeeeee", "#ffffff", 1.16),
    ("#0000ee", "#ffffff", 9.40),
    ("#ffa500", "#ffffff", 1.97),
    ("#ffa500", "#000000", 10.63),
];

#[test]
fn ratios_are_those_that_are_known() {
    assert!(KNOWN.len() >= 40);
    for (text, ground, want) in KNOWN {
        let (text_color, ground_color) = (Rgba::parse(text).unwrap(), Rgba::parse(ground).unwrap());
        let ratio = text_color.contrast(ground_color);
        assert!((ratio - want).abs() < 0.011, "{text} on {ground}: {ratio:.3}, known as {want}");
        assert!((ground_color.contrast(text_color) - ratio).abs() < 1e-12, "{text} on {ground}, turned around");
    }
}

/// Ratios that axe-core computed. `cargo xtask agreement` compares the file with axe, and `--write` makes it again.
const GOLDEN: &str = include_str!("../../../../testdata/checks/contrast.tsv");

/// axe reckons with fractions of a byte, as no screen does; between two very dark colours that shows.
const GOLDEN_TOLERANCE: f64 = 0.05;

#[test]
fn ratios_are_those_of_another_program() {
    let rows: Vec<Vec<&str>> = GOLDEN.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert!(rows.len() >= 40, "{} pairs", rows.len());
    for row in rows {
        let [text, ground, want] = row[..] else { panic!("{row:?} has not three cells") };
        let want: f64 = want.parse().unwrap();
        let below = Rgba::parse(ground).expect(ground).over(Rgba::WHITE);
        let ratio = Rgba::parse(text).expect(text).over(below).contrast(below);
        let bytes_only = text.len() == 7 && ground.len() == 7 && text.starts_with('#') && ground.starts_with('#');
        let tolerance = if bytes_only { 0.000_1 } else { GOLDEN_TOLERANCE };
        assert!((ratio - want).abs() <= tolerance, "{text} on {ground}: {ratio:.4}, not {want}");
    }
}

#[test]
fn every_way_to_write_a_colour() {
    for (text, want) in [
        ("#abc", "#aabbcc"),
        ("#abcd", "#aabbccdd"),
        ("RebeccaPurple", "#663399"),
        ("rgb(255, 128, 0)", "#ff8000"),
        ("rgb(100% 50% 0%)", "#ff8000"),
        ("rgba(0, 0, 0, 0.5)", "#00000080"),
        ("rgb(0 0 0 / 50%)", "#00000080"),
        ("hsl(120, 100%, 25%)", "#008000"),
        ("hsl(240deg 100% 50%)", "#0000ff"),
        ("hsl(0.5turn 100% 50%)", "#00ffff"),
        ("hwb(0 0% 0%)", "#ff0000"),
        ("oklch(62.796% 0.25768 29.234)", "#ff0000"),
        ("oklab(1 0 0)", "#ffffff"),
        ("lab(50% 0 0)", "#777777"),
        ("lch(0% 0 0)", "#000000"),
        ("color(srgb 1 0 0)", "#ff0000"),
        ("color-mix(in srgb, red, blue)", "#800080"),
        ("color-mix(in srgb, white 25%, black)", "#404040"),
        ("transparent", "#00000000"),
    ] {
        assert_eq!(Rgba::parse(text).map(Rgba::hex).as_deref(), Some(want), "{text}");
    }
    for text in ["", "currentcolor", "var(--x)", "12px", "rgb(1 2)", "hsl(a b c)", "color(display-p3 1 0 0)"] {
        assert_eq!(Rgba::parse(text), None, "{text}");
    }
}

/// The score, the codes, and the first evidence (the lowest ratio).
fn lowest(style: &str, body: &str) -> String {
    let list = a11y(&page(style, body));
    let evidence = list.iter().find(|one| one.dimension == "contrast").and_then(|one| one.evidence.first().cloned());
    evidence.unwrap_or_default()
}

#[test]
fn colours_come_from_the_cascade() {
    for (name, style, body, want) in [
        ("the browser's", "", "<p>x</p>", "lowest 21.00:1 (#000000 on #ffffff)"),
        ("a link", "", "<a href=#>x</a>", "lowest 9.39:1 (#0000ee on #ffffff)"),
        ("inherited", "body { color: #777 }", "<p>x</p>", "lowest 4.47:1 (#777777 on #ffffff)"),
        ("the later rule", "p { color: red } p { color: #777 }", "<p>x</p>", "lowest 4.47:1 (#777777 on #ffffff)"),
        (
            "specificity",
            ".a { color: #777 } p { color: red }",
            "<p class=a>x</p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        (
            "important",
            "p { color: #777 !important } #a { color: red }",
            "<p id=a>x</p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        (
            "the style attribute",
            "p { color: red }",
            "<p style='color:#777'>x</p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        ("a variable", ":root { --c: #777 } p { color: var(--c) }", "<p>x</p>", "lowest 4.47:1 (#777777 on #ffffff)"),
        ("a fallback", "p { color: var(--none, #777) }", "<p>x</p>", "lowest 4.47:1 (#777777 on #ffffff)"),
        (
            "a variable set nearer",
            ":root { --c: red } p { --c: #777; color: var(--c) }",
            "<p>x</p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        (
            "currentcolor",
            "p { color: #777 } b { color: currentColor }",
            "<p><b>x</b></p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        (
            "a variable that is none: what stood before is lost",
            "p { color: #777; color: var(--none) }",
            "<p>x</p>",
            "lowest 21.00:1 (#000000 on #ffffff)",
        ),
        (
            "unset",
            "p { color: #777 } b { color: red; color: unset }",
            "<p><b>x</b></p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        ("initial", "main { color: #777 } p { color: initial }", "<p>x</p>", "lowest 21.00:1 (#000000 on #ffffff)"),
        (
            "an inherited ground",
            "main { background: #000 } p { background: #fff; background: inherit; color: #fff }",
            "<p>x</p>",
            "lowest 21.00:1 (#ffffff on #000000)",
        ),
        (
            "a ground unset",
            "main { background: #000 } p { background: #fff; background-color: unset; color: #fff }",
            "<p>x</p>",
            "lowest 21.00:1 (#ffffff on #000000)",
        ),
        ("a field", "input { color: #777 }", "<input value=x>", "lowest 4.47:1 (#777777 on #ffffff)"),
        ("a text field", "textarea { color: #777 }", "<textarea>x</textarea>", "lowest 4.47:1 (#777777 on #ffffff)"),
        ("a list", "select { color: #777 }", "<select><option>x</select>", "lowest 3.89:1 (#777777 on #efefef)"),
        ("opacity", "p { opacity: 0.5 }", "<p>x</p>", "lowest 3.94:1 (#808080 on #ffffff)"),
        (
            "opacity of a group",
            "div { opacity: .5; background: #000; color: #fff }",
            "<div>x</div>",
            "lowest 3.94:1 (#ffffff on #808080)",
        ),
        ("a translucent colour", "p { color: rgb(0 0 0 / 50%) }", "<p>x</p>", "lowest 3.94:1 (#808080 on #ffffff)"),
        (
            "a translucent ground",
            "div { background: rgb(0 0 0 / 50%); color: #fff }",
            "<div>x</div>",
            "lowest 3.94:1 (#ffffff on #808080)",
        ),
        (
            "the ground of an ancestor",
            "main { background: #000 } p { color: #fff }",
            "<p>x</p>",
            "lowest 21.00:1 (#ffffff on #000000)",
        ),
        ("not()", "p:not(.b) { color: #777 }", "<p>x</p>", "lowest 4.47:1 (#777777 on #ffffff)"),
        (
            "is() and where()",
            ":is(p, li) { color: #777 } :where(#x) { color: red }",
            "<p id=x>x</p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        ("nesting", "main { p { color: #777 } }", "<p>x</p>", "lowest 4.47:1 (#777777 on #ffffff)"),
        ("nesting with &", "p { &.a { color: #777 } }", "<p class=a>x</p>", "lowest 4.47:1 (#777777 on #ffffff)"),
        (
            "a layer below",
            "p { color: #777 } @layer l { #x { color: red } }",
            "<p id=x>x</p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        (
            "the order of layers",
            "@layer a, b; @layer b { p { color: #777 } } @layer a { p { color: red } }",
            "<p>x</p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        (
            "a query that holds",
            "@media (min-width: 600px) { p { color: #777 } }",
            "<p>x</p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
        ("one that does not", "@media print { p { color: #777 } }", "<p>x</p>", "lowest 21.00:1 (#000000 on #ffffff)"),
        ("hover is not at rest", "p:hover { color: #eee }", "<p>x</p>", "lowest 21.00:1 (#000000 on #ffffff)"),
        (
            "a broken rule before",
            "p { color: } } .x{ p { color: #777 }",
            "<p>x</p>",
            "lowest 21.00:1 (#000000 on #ffffff)",
        ),
        (
            "a broken declaration",
            "p { color: #777; color: nonsense; : }",
            "<p>x</p>",
            "lowest 4.47:1 (#777777 on #ffffff)",
        ),
    ] {
        assert_eq!(lowest(style, body), want, "{name}");
    }
}

#[test]
fn text_that_counts_and_text_that_does_not() {
    for (name, style, body, want) in [
        ("faint", "p { color: #777 }", "<p>x</p>", "0.0 contrast.text"),
        ("large", "p { color: #777; font-size: 24px }", "<p>x</p>", "10.0"),
        ("large by inheritance", "main { font-size: 24px } p { color: #777; font: inherit }", "<p>x</p>", "10.0"),
        ("large and bold", "p { color: #777; font: bold 19px serif }", "<p>x</p>", "10.0"),
        ("nearly large", "p { color: #777; font-size: 23px }", "<p>x</p>", "0.0 contrast.text"),
        ("half of it", "b { color: #777 }", "<p>x</p><b>y</b>", "5.0 contrast.text"),
        ("one finding for one pair", "b { color: #777 }", "<b>x</b><b>y</b><b>z</b>", "0.0 contrast.text"),
        ("not displayed", "p { color: #eee; display: none }", "<p>x</p>", "-"),
        ("hidden", "p { color: #eee; visibility: hidden }", "<p>x</p>", "-"),
        ("clipped", "p { color: #eee; clip: rect(0 0 0 0) }", "<p>x</p>", "-"),
        ("no size", "p { color: #eee; font-size: 0 }", "<p>x</p>", "-"),
        ("marks between words", "p { color: #eee }", "<p>· | …</p>", "-"),
        ("a symbol", "p { color: #eee }", "<p>×</p>", "0.0 contrast.text"),
        ("a password", "input { color: #eee }", "<input type=password value=x>", "-"),
        ("the label of what is off", "label { color: #eee }", "<label>x <input disabled></label>", "-"),
        ("the label of another", "label { color: #eee }", "<label for=a>x</label><input id=a disabled>", "-"),
        ("the label of what is on", "label { color: #eee }", "<label>x <input></label>", "0.0 contrast.text"),
        ("off", "button { color: #eee }", "<button disabled>x</button>", "-"),
        ("a gradient", "p { background: linear-gradient(red, blue) }", "<p>x</p>", "undecided"),
        (
            "a gradient behind a ground",
            "main { background: linear-gradient(red, blue) } p { background: #fff }",
            "<p>x</p>",
            "10.0",
        ),
        ("a picture", "p { background: url(a.png) }", "<p>x</p>", "undecided"),
        ("out of the flow, and read wherever it lies", "p { position: absolute }", "<p>x</p>", "10.0"),
        (
            "out of the flow, and not read everywhere",
            "p { position: absolute } section { background: #111; height: 90px }",
            "<p>x</p><section></section>",
            "undecided",
        ),
        (
            "out of the flow, beside a picture",
            "p { position: absolute } section { background: url(a.png); height: 90px }",
            "<p>x</p><section></section>",
            "undecided",
        ),
        ("out of the flow, and faint on the page", "p { position: absolute; color: #999 }", "<p>x</p>", "undecided"),
        ("out of the flow on its own ground", "p { position: fixed; background: #fff }", "<p>x</p>", "10.0"),
        ("a filter", "p { filter: brightness(2) }", "<p>x</p>", "undecided"),
        ("a colour of another space", "p { color: color(display-p3 1 0 0) }", "<p>x</p>", "undecided"),
        (
            "dark only",
            "@media (prefers-color-scheme: dark) { body { background: #222 } }",
            "<p>x</p>",
            "5.0 contrast.text",
        ),
    ] {
        assert_eq!(brief(&a11y(&page(style, body)), "contrast"), want, "{name}");
    }
}

#[test]
fn a_finding_says_where_and_how_much() {
    let document = page("\n.lead { color: #999 }\n", "\n<h1>Hi</h1>\n  <p class=lead>One</p>\n<p class=lead>Two</p>");
    insta::assert_snapshot!(shown(&a11y(&document), "contrast"), @r#"
contrast 3.3: lowest 2.84:1 (#999999 on #ffffff); 1 of 3 texts pass
  must_fix contrast.text at 5:3 body > main > p.lead:nth-of-type(1): make the text readable: #999999 on #ffffff, here and in 1 place more [2.84:1, needs 4.5:1]
"#);
}
