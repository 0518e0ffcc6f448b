//! The house editor.

use tribunal_checks::{DesignTokens, Document, Fixed, fix};

use crate::support::html;

fn told(fixed: &Fixed) -> String {
    let edits = fixed.edits.iter().map(|edit| {
        let place =
            edit.place.as_ref().map_or_else(String::new, |place| format!(" at {}:{}", place.line, place.column));
        format!("{}{place}: `{}` -> `{}` ({})", edit.code, edit.before, edit.after, edit.why)
    });
    let refused = fixed.refused.iter().map(|(edit, worse)| format!("refused {} `{}`: {worse}", edit.code, edit.after));
    edits.chain(refused).collect::<Vec<_>>().join("\n")
}

const FLAWED: &str = "<html>
<head>
<meta name=\"viewport\" content=\"width=device-width, user-scalable=no\">
<style>
body { color: #888; padding: 15px }
a:focus { outline: none }
.spin { animation: spin 1s }
.accent { color: #1560e8 }
</style>
</head>
<body>
<main>
<h1>Lamps for the house</h1>
<p class=\"spin\">We are really good and you are with us in the the house.</p>
<h4>Order</h4>
<img src=\"lamp.png\">
<figure><img src=\"base.png\"><figcaption>The base</figcaption></figure>
<label>Name</label> <input>
<input placeholder=\"Street\">
<p class=\"accent\">It is what you get for the price.</p>
<a href=\"#top\">Back to the start</a>
</main>
</body>
</html>
";

#[test]
fn a_flawed_page_is_fixed_and_every_edit_explained() {
    let tokens = DesignTokens::from_markdown(
        "| token | value |\n|---|---|\n| accent | #0b5fff |\n| ink | #222233 |\n| grey | #888888 |",
    );
    let fixed = fix(&html(FLAWED), &tokens);
    insta::assert_snapshot!(told(&fixed), @r#"
markup.doctype at 1:1: `` -> `<!doctype html>
` (browsers imitate old ones without it)
page.lang at 2:1: `<html>` -> `<html lang="en">` (the words of the page are English)
page.title at 3:7: `` -> `
<title>Lamps for the house</title>` (the first heading names the page)
image.alt at 18:1: `<img src="lamp.png">` -> `<img alt="" src="lamp.png">` (left empty, which says that it only decorates: say what it shows if it does more)
image.alt at 19:9: `<img src="base.png">` -> `<img alt="The base" src="base.png">` (the caption says what it shows)
page.zoom at 5:32: `width=device-width, user-scalable=no` -> `width=device-width` (people may need it larger)
form.label at 20:1: `<label> … <input>` -> `<label for="field-name"> … <input id="field-name">` (the label stands before the field but was not tied to it)
form.placeholder at 21:1: `<input placeholder="Street">` -> `<input aria-label="Street" placeholder="Street">` (the placeholder vanishes with the first letter, the label stays)
focus.hidden at 8:20: `none` -> `2px solid currentColor` (without an outline nobody sees where the keyboard is)
motion.reduced at 10:27: `
` -> `
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important } }
` (some people get sick from motion and say so)
brand.color-near at 10:18: `#1560e8` -> `#0b5fff` (it is 0.035 in OKLab from the token accent)
contrast.text at 7:15: `#888` -> `#222233` (#888888 on #ffffff was 3.54:1, now it is 15.61:1)
rhythm.off-grid at 7:33: `15px` -> `16px` (15 px is off the grid of 4 px)
copy.repeated at 17:62: ` the` -> `` (`the` was written twice)
copy.filler at 17:24: `really ` -> `` (“really” says nothing that is missed)
refused heading.skipped `<h2 … </h2`: critic type would fall from 10.0 to 9.0
"#);
    insta::assert_snapshot!(fixed.text, @r##"
<!doctype html>
<html lang="en">
<head>
<title>Lamps for the house</title>
<meta name="viewport" content="width=device-width">
<style>
body { color: #222233; padding: 16px }
a:focus { outline: 2px solid currentColor }
.spin { animation: spin 1s }
.accent { color: #0b5fff }
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important } }
</style>
</head>
<body>
<main>
<h1>Lamps for the house</h1>
<p class="spin">We are good and you are with us in the house.</p>
<h4>Order</h4>
<img alt="" src="lamp.png">
<figure><img alt="The base" src="base.png"><figcaption>The base</figcaption></figure>
<label for="field-name">Name</label> <input id="field-name">
<input aria-label="Street" placeholder="Street">
<p class="accent">It is what you get for the price.</p>
<a href="#top">Back to the start</a>
</main>
</body>
</html>
"##);
    let again = fix(&html(&fixed.text), &tokens);
    assert_eq!(again.edits, [], "a second run has nothing to do");
}

#[test]
fn a_page_in_order_stays_as_it_is() {
    let source = "<!doctype html><html lang=en><head><title>A</title></head><body><main><h1>A</h1><p>Text.</p></main></body></html>";
    let fixed = fix(&html(source), &DesignTokens::default());
    assert_eq!((fixed.text.as_str(), fixed.edits.len()), (source, 0));
}

#[test]
fn markdown_is_fixed_too() {
    let source = "# Lamps\n\n### Order\n\nWe are really good to you and to the the house.\n\nIn order to order, the form is below.\n";
    let fixed = fix(&Document::markdown(source), &DesignTokens::default());
    insta::assert_snapshot!(fixed.text, @r#"
# Lamps

## Order

We are good to you and to the house.

To order, the form is below.
"#);
    assert_eq!(fix(&Document::markdown(&fixed.text), &DesignTokens::default()).edits, []);
}

#[test]
fn contrast_changes_as_little_as_possible() {
    for (name, style, want) in [
        ("a rule", "p { color: #888 }", "p { color: #767676 }"),
        ("a variable", ":root { --c: #888 } p { color: var(--c) }", ":root { --c: #767676 } p { color: var(--c) }"),
        ("on a dark ground", "p { color: #666; background: #111 }", "p { color: #7c7c7c; background: #111 }"),
        ("nothing to do", "p { color: #111 }", "p { color: #111 }"),
        ("undecided", "p { color: #888; background: url(a.png) }", "p { color: #888; background: url(a.png) }"),
    ] {
        let source = format!(
            "<!doctype html><html lang=en><title>A</title><style>{style}</style><main><h1>A</h1><p>Text of it</p></main>"
        );
        let fixed = fix(&html(&source), &DesignTokens::default());
        let got = fixed.text.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next());
        assert_eq!(got, Some(want), "{name}");
    }
}

/// Found by fuzzing: each of these went on for ever, a pass at a time.
#[test]
fn the_editor_comes_to_rest() {
    for (name, source) in [
        (
            "one colour as text here and as ground there",
            "<style>:root { --a: #3388fb } p { color: var(--a) } b { background: var(--a); color: #1f2328 }</style>\
             <p>Text <b>and more</b></p>",
        ),
        (
            "one ground under light and dark",
            "<style>div { background: #57606a; color: #333 } i { color: #fec7fe }</style><div>Text <i>and more</i></div>",
        ),
        (
            "one colour on light and on dark",
            "<style>i { color: #737373 } b { background: #222 }</style><p><i>a</i> <b><i>b</i></b></p>",
        ),
        ("a viewport with a stray comma", "<meta name=viewport content=\"width=device-width,\">"),
    ] {
        let fixed = fix(&html(source), &DesignTokens::default());
        assert_eq!(fix(&html(&fixed.text), &DesignTokens::default()).edits, [], "{name}");
        assert!(fixed.edits.len() < 10, "{name}:\n{}", told(&fixed));
    }
}
