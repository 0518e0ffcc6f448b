//! Documents that are out to hurt: a clear result, no panic, bounded time.

use proptest::prelude::*;
use tribunal_checks::{DesignTokens, Document, DocumentFormat, a11y, brand, copy, critic, fix, lint, production};

use crate::support::shown;

/// Measures everything that there is to measure.
fn all(source: &str, sheet: &str) -> usize {
    let document = Document::html(source, &|_| Some(sheet.to_owned()));
    let findings = [
        a11y(&document),
        critic(&document),
        brand(&document, &DesignTokens::default()),
        copy(&document),
        production(&document, &|_| false),
    ];
    let linted = lint(source, DocumentFormat::Html, &|_| false).len();
    findings.iter().flatten().map(|one| one.findings.len()).sum::<usize>() + linted
}

const KB: usize = 1024;

#[test]
fn large_pages_of_every_shape() {
    for (name, size, piece) in [
        (
            "paragraphs",
            5 * KB * KB,
            "<p class=a>Some words to read here, and some more of them to fill the line.</p>\n",
        ),
        ("open paragraphs", 200 * KB, "<p>a"),
        ("open blocks", 5 * KB * KB, "<div>"),
        ("open formatting", 200 * KB, "<b class=x><i>"),
        ("text", 200 * KB, "word "),
        ("angles", 200 * KB, "<<<>>>"),
        ("comments", 5 * KB * KB, "<!-- TODO -->"),
        ("attributes", 200 * KB, "<a href=x a=1 b=2 style='color: red'>x</a>"),
        ("fields", 200 * KB, "<label>x<input></label>"),
        ("floating", 200 * KB, "<p style='position:absolute'>x</p>"),
    ] {
        let source = piece.repeat(size / piece.len() + 1);
        let sheet = "h1 ~ p { color: red } p + p, div p { margin: 3px } p:nth-last-child(2n) { color: blue }";
        let source = format!("<style>{sheet}</style>{source}");
        all(&source, "");
        assert!(source.len() >= size, "{name}");
    }
}

#[test]
fn deep_nesting_is_said() {
    let source = "<div>".repeat(10_000) + "x" + &"</div>".repeat(10_000);
    let document = Document::html(&source, &|_| None);
    assert!(shown(&production(&document, &|_| true), "markup").contains("deeper than 512"));
    let sheet = "a{".repeat(10_000) + "color:red" + &"}".repeat(10_000);
    all("<link rel=stylesheet href=a.css><a href=x>y</a>", &sheet);
    all("<p style='width: calc((((((((((((((((((((((((((1px))))))))))))))))))))))))))'>x</p>", "");
    all(&format!("<p style='color: {}red'>x</p>", "rgb(".repeat(5000)), "");
    lint(&("> ".repeat(5_000) + "x"), DocumentFormat::Markdown, &|_| true);
    lint(&"[".repeat(20_000), DocumentFormat::Markdown, &|_| true);
}

#[test]
fn strange_documents_have_results() {
    let binary: String = (0..=255_u8).cycle().take(4096).map(char::from).collect();
    for (name, source) in [
        ("nothing", ""),
        ("white space", " \n\t "),
        ("binary", binary.as_str()),
        ("zeros", "\0\0<p>\0</p>"),
        ("a mark of byte order", "\u{feff}<!doctype html><p>x"),
        ("no body", "<html><head><title>x</title></head></html>"),
        ("a frame set", "<frameset><frame></frameset>"),
        ("tables that leak", "<table><p>x<td><table><b>y"),
        ("an end without a start", "</p></div></html>x</body>"),
        ("an unfinished tag", "<p class="),
        ("an unfinished comment", "<!-- <p>"),
        ("an unfinished script", "<script>if (a < b) {"),
        ("a template", "<template><p>x</p></template><p>y"),
        ("foreign content", "<svg><foreignObject><p>x</p></foreignObject></svg><math><mi>y"),
        ("line ends", "<style>\r\np { color: #777 }\r\n</style>\r\n<p>x</p>"),
        ("broken css", "<style>}{;;@media{p{color:red}@import p{:::}</style><p>x"),
        ("variables in circles", "<style>p{--a:var(--b);--b:var(--a);color:var(--a)}</style><p>x"),
    ] {
        let document = Document::html(source, &|_| None);
        let fixed = fix(&document, &DesignTokens::default());
        let again = fix(&document.revised(fixed.text(&document)), &DesignTokens::default());
        assert_eq!(again.edits, [], "{name}");
        all(source, "");
        lint(source, DocumentFormat::Markdown, &|_| false);
        lint(source, DocumentFormat::Plain, &|_| false);
    }
}

#[test]
fn imports_in_circles_end() {
    let asked = std::cell::RefCell::new(Vec::new());
    let source = "<link rel=stylesheet href=css/a.css><p>x</p>";
    let document = Document::html(source, &|address| {
        asked.borrow_mut().push(address.to_owned());
        match address {
            "css/a.css" => Some("@import 'b.css'; p { color: #777 }".to_owned()),
            "css/b.css" => Some("@import url(../css/a.css); @import 'gone.css'; p { color: red }".to_owned()),
            _ => None,
        }
    });
    assert_eq!(*asked.borrow(), ["css/a.css", "css/b.css", "css/gone.css"]);
    insta::assert_snapshot!(shown(&a11y(&document), "contrast"), @r#"
contrast undecided: 1 text undecided
  undecided: the style sheet `css/gone.css` was not there to read
"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nothing_panics(pieces in proptest::collection::vec(
        prop_oneof![
            Just("<p>"), Just("</p>"), Just("<a href=#x>"), Just("<style>"), Just("</style>"), Just("p{color:"),
            Just("#777;"), Just("}"), Just("<img src='"), Just("'>"), Just("\""), Just("<!--"), Just("-->"), Just("ä"),
            Just("really "), Just("the the "), Just("<h3>"), Just("</h3>"), Just("<"), Just("&amp"), Just("var(--x"),
            Just("<table>"), Just("<td>"), Just("<b>"), Just("</b>"), Just("margin:7px;"), Just("<html lang>"), Just("\r\n"),
        ], 0..40)) {
        let source = pieces.concat();
        all(&source, "p{color:#888}");
        let document = Document::html(&source, &|_| None);
        let fixed = fix(&document, &DesignTokens::default());
        prop_assert!(fixed.edits.is_empty() || fixed.text(&document) != source);
    }
}

/// The tokenizer's work for a tag grows with the square of its attributes.
#[test]
fn a_tag_with_too_many_attributes_ends_the_page_and_words_in_a_script_do_not() {
    let many = (0..10_001).map(|number| format!(" a{number}=b")).collect::<Vec<_>>().concat();
    let cut = |source: &str| {
        let list = production(&Document::html(source, &|_| None), &|_| true);
        list.iter().any(|one| one.undecided.iter().any(|why| why.contains("ten thousand attributes")))
    };
    assert!(cut(&format!("<!doctype html><p>x</p><p{many}>y</p>")));
    assert!(!cut(&format!("<!doctype html><script>if (a<b) c ={many};</script><p>y</p>")));
    assert!(!cut(&format!("<!doctype html><p title='{many}'>y</p>")));
    assert!(!cut("<!doctype html><p a b c>y</p>"));
}
