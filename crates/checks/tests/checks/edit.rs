//! The house editor.

use tribunal_checks::{Certainty, DesignTokens, Document, Edit, FixPage, Fixed, Fixing, fix, fix_all};

use crate::support::html;

fn told(fixed: &Fixed) -> String {
    let place = |edit: &Edit| {
        edit.place.as_ref().map_or_else(String::new, |place| format!(" at {}:{}", place.line, place.column))
    };
    let edits = fixed
        .edits
        .iter()
        .map(|edit| format!("{}{}: `{}` -> `{}` ({})", edit.code, place(edit), edit.before, edit.after, edit.why));
    let suggested = fixed.suggestions.iter().map(|edit| {
        let Certainty::Suggested(why) = &edit.certainty else { panic!("{edit:?} is certain") };
        format!("suggested {}{}: `{}` -> `{}` (but {why})", edit.code, place(edit), edit.before, edit.after)
    });
    let refused = fixed.refused.iter().map(|(edit, worse)| format!("refused {} `{}`: {worse}", edit.code, edit.after));
    edits.chain(suggested).chain(refused).collect::<Vec<_>>().join("\n")
}

/// The text of a page after its certain edits.
fn text_of(source: &str) -> String {
    let document = html(source);
    fix(&document, &DesignTokens::default()).text(&document).to_owned()
}

/// Everything that could be done to a page and to the style sheet `a.css` that it may link.
fn all_of(source: &str, sheet: &str, takes_suggestions: bool) -> Fixed {
    let document = Document::html(source, &|path| (path == "a.css").then(|| sheet.to_owned()));
    let tokens = DesignTokens::default();
    let fixing = Fixing { tokens: &tokens, takes_suggestions, may_change: &|_| true, wants: &mut |_| true };
    fix_all(&[FixPage { name: "page.html", document: &document }], fixing)
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
    let document = html(FLAWED);
    let fixed = fix(&document, &tokens);
    insta::assert_snapshot!(told(&fixed), @r#"
page.lang at 1:1: `<html>` -> `<html lang="en">` (the words of the page are English)
page.title at 2:7: `` -> `
<title>Lamps for the house</title>` (the first heading names the page)
image.alt at 18:9: `<img src="base.png">` -> `<img alt="" src="base.png">` (the caption says what it shows)
page.zoom at 4:32: `width=device-width, user-scalable=no` -> `width=device-width` (people may need it larger)
form.label at 19:1: `<label> … <input>` -> `<label for="field-name"> … <input id="field-name">` (the label stands before the field but was not tied to it)
focus.hidden at 7:20: `none` -> `2px solid currentColor` (without an outline nobody sees where the keyboard is)
motion.reduced at 9:27: `
` -> `
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after { animation-duration: 0.01ms !important; animation-delay: 0s !important; animation-iteration-count: 1 !important }
}
` (some people get sick from motion and say so)
suggested markup.doctype at 1:1: `` -> `<!doctype html>
` (but browsers lay the page out differently then)
suggested image.alt at 20:1: `<img src="lamp.png">` -> `<img alt="" src="lamp.png">` (but nobody said whether the picture only decorates)
suggested form.placeholder at 23:1: `<input placeholder="Street">` -> `<input aria-label="Street" placeholder="Street">` (but nobody wrote a label: a placeholder may be an example)
suggested rhythm.off-grid at 6:30: `15px` -> `16px` (but it moves what is around it)
suggested copy.repeated at 18:62: ` the` -> `` (but it changes the words)
suggested copy.filler at 18:24: `really ` -> `` (but it changes the words)
refused heading.skipped `2 … 2`: critic type would fall from 10.0 to 9.0
refused brand.color-near `#0b5fff`: a contrast would fall from 5.42:1 to 5.12:1
refused contrast.text `#767676`: there would be one more brand.color-near
"#);
    insta::assert_snapshot!(fixed.text(&document), @r##"
<html lang="en">
<head>
<title>Lamps for the house</title>
<meta name="viewport" content="width=device-width">
<style>
body { color: #888; padding: 15px }
a:focus { outline: 2px solid currentColor }
.spin { animation: spin 1s }
.accent { color: #1560e8 }
@media (prefers-reduced-motion: reduce) {
  *, ::before, ::after { animation-duration: 0.01ms !important; animation-delay: 0s !important; animation-iteration-count: 1 !important }
}
</style>
</head>
<body>
<main>
<h1>Lamps for the house</h1>
<p class="spin">We are really good and you are with us in the the house.</p>
<h4>Order</h4>
<img src="lamp.png">
<figure><img alt="" src="base.png"><figcaption>The base</figcaption></figure>
<label for="field-name">Name</label> <input id="field-name">
<input placeholder="Street">
<p class="accent">It is what you get for the price.</p>
<a href="#top">Back to the start</a>
</main>
</body>
</html>
"##);
    let again = fix(&html(fixed.text(&document)), &tokens);
    assert_eq!(again.edits, [], "a second run has nothing to do");
}

#[test]
fn a_page_in_order_stays_as_it_is() {
    let source = "<!doctype html><html lang=en><head><title>A</title></head><body><main><h1>A</h1><p>Text.</p></main></body></html>";
    let fixed = fix(&html(source), &DesignTokens::default());
    assert_eq!((fixed.texts.len(), fixed.edits.len()), (0, 0));
}

/// Words are somebody's, and headings of another level look different: nothing of a text is certain.
#[test]
fn markdown_has_suggestions_alone() {
    let source = "# Lamps\n\n### Order\n\nWe are really good to you and to the the house.\n\nIn order to order, the form is below.\n";
    let document = Document::markdown(source);
    let tokens = DesignTokens::default();
    let fixed = fix(&document, &tokens);
    assert_eq!((fixed.text(&document), fixed.edits.len(), fixed.suggestions.len()), (source, 0, 4), "{}", told(&fixed));
    let fixing = Fixing { tokens: &tokens, takes_suggestions: true, may_change: &|_| true, wants: &mut |_| true };
    let taken = fix_all(&[FixPage { name: "", document: &document }], fixing);
    insta::assert_snapshot!(taken.text(&document), @r#"
# Lamps

## Order

We are good to you and to the house.

To order, the form is below.
"#);
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
        let text = text_of(&source);
        let got = text.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next());
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
        assert_eq!(fix(&html(&text_of(source)), &DesignTokens::default()).edits, [], "{name}");
        assert!(fixed.edits.len() < 10, "{name}:\n{}", told(&fixed));
        let all = all_of(source, "", true);
        let text = all.texts.get("page.html").map_or(source, String::as_str);
        assert_eq!(all_of(text, "", true).edits, [], "{name}, with suggestions");
    }
}

/// A page with everything in order around a body, with the style sheet `a.css`.
fn framed(style: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>A</title><link rel=stylesheet href=a.css><style>{style}</style></head>\
         <body><main><h1>A</h1>{body}</main></body></html>"
    )
}

/// Every row is a page that an editor without doubts would change, and what it must not be sure of.
#[test]
fn what_is_not_certain_is_a_suggestion_or_nothing() {
    for (name, style, body, want) in [
        ("a filler", "", "<p>It is really good.</p>", "copy.filler"),
        ("a word twice", "", "<p>To the the house.</p>", "copy.repeated"),
        ("a distance", "p { margin: 7px }", "<p>Text</p>", "rhythm.off-grid"),
        ("a picture that may tell something", "", "<img src=a.png>", "image.alt"),
        ("a picture that is a link's name", "", "<a href='#x'><img src=a.png></a>", ""),
        ("a picture that can be used", "", "<a href='#x'>Go there <img src=a.png tabindex=0></a>", "image.alt"),
        ("a placeholder", "", "<input placeholder=Street>", "form.placeholder"),
        ("the label of a box before", "", "<input type=checkbox aria-label=x><label>A</label> <input>", ""),
        ("words between label and field", "", "<label>A</label> or <input>", ""),
        ("headings in two sizes", "", "<h3>Lower</h3>", "heading.skipped"),
        (
            "headings that a rule tells apart",
            "h2, h3 { font: 20px serif; margin: 0 } h3::before { content: 'x' }",
            "<h3>Lower</h3>",
            "heading.skipped",
        ),
        (
            "headings that a rule of another width tells apart",
            "h2, h3 { font: 20px serif; margin: 0 } @media print { h3 { color: red } }",
            "<h3>Lower</h3>",
            "heading.skipped",
        ),
        (
            "a colour that fine text has, too",
            ".a { color: #888 } .b { font-size: 30px }",
            "<p class=a>Text</p><p class='a b'>Large</p>",
            "contrast.text",
        ),
        (
            "a colour that hidden text has, too",
            "p { color: #888 } .h { display: none }",
            "<p>Text</p><p class=h>Menu</p>",
            "contrast.text",
        ),
        (
            "a colour that is undecided elsewhere",
            "p { color: #888 } .g { background: linear-gradient(#fff, #000) }",
            "<p>Text</p><p class=g>Over it</p>",
            "contrast.text",
        ),
        (
            "a variable that is a border, too",
            ":root { --c: #888 } p { color: var(--c); border: 1px solid var(--c) }",
            "<p>Text</p>",
            "contrast.text",
        ),
        ("a colour that would be another one", "p { color: #eee }", "<p>Text</p>", "contrast.text"),
        (
            "a ground that would be another one",
            "b { color: #fff; background: #ffd400 }",
            "<p><b>Text</b></p>",
            "contrast.text",
        ),
        (
            "focus that is shown otherwise elsewhere",
            "a:focus, b:focus { outline: none } b:focus { box-shadow: 0 0 2px red }",
            "<a href='#x'>Go there</a> <b tabindex=0>Me</b>",
            "focus.hidden",
        ),
        (
            "focus that changes something",
            "a:focus { outline: none; letter-spacing: 1px }",
            "<a href='#x'>Go there</a>",
            "focus.hidden",
        ),
    ] {
        let source = framed(style, body);
        let fixed = all_of(&source, "", false);
        assert_eq!(fixed.edits, [], "{name}");
        let codes: Vec<&str> = fixed.suggestions.iter().map(|edit| edit.code).collect();
        assert_eq!(codes.first().copied().unwrap_or_default(), want, "{name}:\n{}", told(&fixed));
    }
}

/// A sheet that could not be read may change everything: nothing about the look is touched, whatever is asked for.
#[test]
fn a_page_whose_sheets_were_not_read_keeps_its_look() {
    let style = "p { color: #888 } a:focus { outline: none }";
    let source = framed(style, "<p>Text <a href='#x'>Go there</a></p>").replace("a.css", "gone.css");
    let fixed = all_of(&source, "", true);
    assert_eq!((fixed.edits.len(), fixed.suggestions.len()), (0, 0), "{}", told(&fixed));
}

/// What is certain, and what the page is then.
#[test]
fn what_is_certain_is_done() {
    for (name, style, body, want) in [
        ("a picture beside words", "", "<a href='#x'><img src=a.png> Go there</a>", "<img alt=\"\" src=a.png>"),
        (
            "a picture with a caption",
            "",
            "<figure><img src=a.png><figcaption>An oven</figcaption></figure>",
            "<img alt=\"\" src=a.png>",
        ),
        (
            "a label before its field",
            "",
            "<label>City</label> <input>",
            "<label for=\"field-city\">City</label> <input id=\"field-city\">",
        ),
        (
            "a label before a field with an id",
            "",
            "<label>City</label> <input id=c>",
            "<label for=\"c\">City</label> <input id=c>",
        ),
        (
            "headings that look alike",
            "h2, h3 { font: 20px serif; margin: 0 }",
            "<h3>Lower</h3><h3>More</h3>",
            "<h2>Lower</h2><h2>More</h2>",
        ),
        ("faint text", "p { color: #888 }", "<p>Text</p>", "p { color: #767676 }"),
        ("faint text in two places", "p, b { color: #888 }", "<p>Text <b>and more</b></p>", "p, b { color: #767676 }"),
        (
            "an outline at the focus",
            "a:focus { outline: none }",
            "<a href='#x'>Go there</a>",
            "outline: 2px solid currentColor",
        ),
        ("an outline at rest", "a { outline: 0 }", "<a href='#x'>Go there</a>", "a { outline: revert }"),
        ("motion", "p { animation: spin 1s }", "<p>Text</p>", "prefers-reduced-motion"),
    ] {
        let source = framed(style, body);
        let fixed = all_of(&source, "", false);
        let text = fixed.texts.get("page.html").map_or("", String::as_str);
        assert!(text.contains(want), "{name}:\n{text}\n{}", told(&fixed));
        assert_eq!(all_of(text, "", false).edits, [], "{name}, again");
    }
}

#[test]
fn linked_style_sheets_are_changed_where_they_are_the_users_own() {
    let source = framed("", "<p>Text</p>");
    let sheet = "p { color: #888 }\r\nb { animation: spin 1s }\r\n";
    let fixed = all_of(&source, sheet, false);
    assert_eq!(fixed.texts.keys().collect::<Vec<_>>(), ["a.css"], "{}", told(&fixed));
    let text = &fixed.texts["a.css"];
    assert!(text.starts_with("p { color: #767676 }\r\n") && text.contains("reduce) {\r\n  *,"), "{text:?}");
    assert_eq!(fixed.edits[0].file, "a.css");
    assert_eq!(all_of(&source, text, false).edits, []);
    let long = format!("p {{ color: #888 }} {}", "b{margin:0}".repeat(100));
    let fixed = all_of(&source, &long, true);
    assert_eq!(fixed.edits, [], "what is minified stays");
    assert!(told(&fixed).contains("`a.css` is not changed"), "{}", told(&fixed));
}

/// What is fine for one page can be wrong for another that has the same sheet.
#[test]
fn a_shared_sheet_is_measured_on_every_page() {
    let sheet = "p { color: #888 }";
    let (light, dark) = (framed("", "<p>Text</p>"), framed("p { background: #111 }", "<p>Text</p>"));
    let read = |source: &str| Document::html(source, &|_| Some(sheet.to_owned()));
    let (light, dark) = (read(&light), read(&dark));
    let edits = |pages: &[FixPage<'_>]| {
        let tokens = DesignTokens::default();
        let fixing = Fixing { tokens: &tokens, takes_suggestions: true, may_change: &|_| true, wants: &mut |_| true };
        fix_all(pages, fixing).edits.len()
    };
    let (first, second) = (FixPage { name: "a", document: &light }, FixPage { name: "b", document: &dark });
    assert_eq!(edits(std::slice::from_ref(&first)), 1);
    assert_eq!(edits(&[first, second]), 0, "on the dark page the text would be fainter");
}

/// Whoever says no is not asked again, and what is left goes on.
#[test]
fn an_edit_that_nobody_wants_is_not_made() {
    let source = framed(
        "",
        "<a href='#x'><img src=a.png> A</a><a href='#x'><img src=a.png> B</a><a href='#x'><img src=a.png> C</a>",
    );
    let document = Document::html(&source, &|_| Some(String::new()));
    let mut asked = 0;
    let tokens = DesignTokens::default();
    let mut wants = |_: &Edit| {
        asked += 1;
        asked != 2
    };
    let fixing = Fixing { tokens: &tokens, takes_suggestions: false, may_change: &|_| true, wants: &mut wants };
    let fixed = fix_all(&[FixPage { name: "", document: &document }], fixing);
    assert_eq!(fixed.edits.len(), 2, "{}", told(&fixed));
    assert_eq!(fixed.text(&document).matches("<img alt=\"\" src=a.png>").count(), 2);
    assert_eq!(asked, 3);
}
