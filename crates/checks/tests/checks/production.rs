//! Whether the page would work where it is put.

use tribunal_checks::{Document, Role, production, report};

use crate::support::{brief, html, page, shown};

#[test]
fn what_would_break() {
    for (name, body, dimension, want) in [
        ("a link to a section", "<h1 id=a>x</h1><a href=#a>x</a>", "links", "10.0"),
        ("a dead anchor", "<a href=#a>x</a>", "links", "0.0 link.dead-anchor"),
        ("a file that is there", "<a href=here.html>x</a>", "links", "10.0"),
        ("a file that is not", "<a href=gone.html>x</a>", "links", "0.0 link.dead"),
        ("a path of the site", "<a href=/prices>x</a>", "links", "undecided"),
        ("a step above the root", "<a href=../x.html>x</a><a href=../y.html>y</a>", "links", "undecided"),
        ("a step up and down again", "<a href=x/../here.html>x</a>", "links", "10.0"),
        ("a step up and down to nothing", "<a href=x/../gone.html>x</a>", "links", "0.0 link.dead"),
        ("a route of a script", "<a href='#/settings'>x</a><a href='#!x'>x</a>", "links", "10.0"),
        ("an anchor in another case", "<h1 id=a>x</h1><a href=#A>x</a>", "links", "0.0 link.dead-anchor"),
        ("another site's base", "<base href=https://example.org/><a href=gone.html>x</a>", "links", "10.0"),
        ("nowhere", "<a href=#>x</a>", "links", "10.0 link.nowhere"),
        ("a picture that is there", "<img src=here.png>", "assets", "10.0"),
        ("a picture that is not", "<img src=gone.png>", "assets", "0.0 link.dead"),
        ("a data URL", "<img src='data:image/png;base64,AA'>", "assets", "10.0"),
        ("in a style sheet", "<style>p { background: url(gone.png) }</style>", "assets", "0.0 link.dead"),
        ("an import that is not", "<style>@import 'gone.css';</style>", "assets", "0.0 link.dead"),
        ("an import that is there", "<style>@import url(here.css) print;</style>", "assets", "10.0"),
        ("all in place", "<ul><li>x</ul>", "markup", "10.0"),
        ("a button in a link", "<a href=here.html><button>x</button></a>", "markup", "9.0 markup.nesting"),
        ("a block in a paragraph", "<p>a<div>b</div></p>", "markup", "9.0 markup.nesting"),
        ("an id twice", "<p id=a>x<p id=a>y", "markup", "9.0 markup.duplicate-id"),
    ] {
        let list = production(&page("", body), &|path| path.starts_with("here"));
        assert_eq!(brief(&list, dimension), want, "{name}");
    }
    assert_eq!(brief(&production(&html("<p>x"), &|_| true), "markup"), "9.0 markup.doctype");
    assert_eq!(
        brief(&production(&Document::markdown("[a](b.md) [c](#c)"), &|_| true), "links"),
        "5.0 link.dead-anchor"
    );
}

#[test]
fn a_linked_sheet_names_its_files_from_where_it_is() {
    let source = "<!doctype html><link rel=stylesheet href=css/a.css><p>x</p>";
    let sheet =
        "@font-face { src: url(../here.woff2) } p { background: url(gone.png) } b { background: url(/root.png) }";
    let document = Document::html(source, &|_| Some(sheet.to_owned()));
    let list = production(&document, &|path| ["css/a.css", "here.woff2"].contains(&path));
    insta::assert_snapshot!(shown(&list, "assets"), @r#"
assets 6.7: 1 of 3 assets dead
  must_fix link.dead at css/a.css:1:56: there is no file `css/gone.png`: correct the path or add the file [gone.png]
  undecided: whether the site has `/root.png`
"#);
}

#[test]
fn a_report_is_the_weighted_mean() {
    let document = page("", "<a href=gone.html>x</a><img src=here.png>");
    let report = report(Role::Production, production(&document, &|path| path.starts_with("here")));
    // Links 0.0 and assets 10.0 count twice, markup 10.0 once.
    assert_eq!(report.score, Some(6.0));
    assert_eq!(report.must_fix.len(), 1);
    assert_eq!(tribunal_checks::report(Role::Brand, Vec::new()).score, None);
}
