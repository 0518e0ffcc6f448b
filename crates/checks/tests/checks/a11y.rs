//! Accessibility apart from contrast.

use tribunal_checks::{Document, a11y};

use crate::support::{brief, html, page, shown};

#[test]
fn structure() {
    for (name, source, dimension, want) in [
        ("a language", "<html lang=en>", "language", "10.0"),
        ("a long tag", "<html lang=zh-Hant-TW>", "language", "10.0"),
        ("none", "<html>", "language", "0.0 page.lang"),
        ("an empty one", "<html lang=''>", "language", "0.0 page.lang"),
        ("none that exists", "<html lang=english>", "language", "0.0 page.lang"),
        ("a title", "<title>A page</title>", "title", "10.0"),
        ("an empty title", "<title> </title>", "title", "0.0 page.title"),
        ("a picture's title", "<svg><title>x</title></svg>", "title", "0.0 page.title"),
        ("headings in order", "<h1>a</h1><h2>b</h2><h3>c</h3><h2>d</h2>", "headings", "10.0"),
        ("a skipped level", "<h1>a</h1><h3>b</h3>", "headings", "8.0 heading.skipped"),
        ("an empty heading", "<h1>a</h1><h2></h2>", "headings", "6.9 heading.empty"),
        ("no h1", "<h2>a</h2>", "headings", "6.0 heading.no-h1"),
        ("a heading for eyes", "<h1>a</h1><div aria-hidden=true><h4>b</h4></div>", "headings", "10.0"),
        ("a hidden heading", "<h1>a</h1><h4 hidden>b</h4>", "headings", "10.0"),
        ("one main", "<main>x</main>", "landmarks", "10.0"),
        ("no main", "<div>x</div>", "landmarks", "5.0 landmark.main"),
        ("two mains", "<main>x</main><main>y</main>", "landmarks", "7.0 landmark.main"),
        ("zoom", "<meta name=viewport content='width=device-width'>", "zoom", "10.0"),
        (
            "no zoom in the second of two",
            "<meta name=viewport content='width=device-width'><meta name=viewport content='maximum-scale=0.9'>",
            "zoom",
            "0.0 page.zoom",
        ),
        ("no zoom", "<meta name=viewport content='width=device-width, user-scalable=no'>", "zoom", "0.0 page.zoom"),
    ] {
        assert_eq!(brief(&a11y(&html(source)), dimension), want, "{name}");
    }
}

#[test]
fn names() {
    for (name, body, dimension, want) in [
        ("no pictures", "<p>x</p>", "alt", "-"),
        ("text for a picture", "<img src=a alt='A dog'>", "alt", "10.0"),
        ("decoration", "<img src=a alt=''>", "alt", "10.0"),
        ("no text", "<img src=a>", "alt", "0.0 image.alt"),
        ("hidden from readers", "<img src=a aria-hidden=true>", "alt", "-"),
        ("inside what is hidden from readers", "<div aria-hidden=true><img src=a></div>", "alt", "-"),
        ("white space", "<img src=a alt=' '>", "alt", "0.0 image.alt"),
        ("an area", "<map><area href=x></map>", "alt", "0.0 image.alt"),
        ("an area with text", "<map><area href=x alt=Sylt></map>", "alt", "10.0"),
        ("a file's name", "<img src=a alt='IMG_01.jpg'>", "alt", "0.0 image.alt-words"),
        ("a label for it", "<label for=a>Name</label><input id=a>", "labels", "10.0"),
        ("a label around it", "<label>Name <input></label>", "labels", "10.0"),
        ("an aria-label", "<input aria-label=Name>", "labels", "10.0"),
        ("no label", "<input>", "labels", "0.0 form.label"),
        ("a label that nobody has", "<input aria-labelledby=nobody>", "labels", "0.0 form.label"),
        ("a label by its id", "<p id=n>Name</p><input aria-labelledby=n>", "labels", "10.0"),
        ("a picture as label", "<label for=a><img src=x alt=Name></label><input id=a>", "labels", "10.0"),
        ("a silent label", "<label for=a><i aria-hidden=true>Name</i></label><input id=a>", "labels", "0.0 form.label"),
        ("a hidden label", "<label for=a hidden>Name</label><input id=a>", "labels", "10.0"),
        ("its own options are no label", "<label><select><option>x</select></label>", "labels", "0.0 form.label"),
        ("only a placeholder", "<input placeholder=Name>", "labels", "5.0 form.placeholder"),
        ("a button needs none", "<input type=submit>", "labels", "-"),
        ("a button in capitals needs none", "<INPUT TYPE=SUBMIT>", "labels", "-"),
        ("a picture in capitals needs none", "<INPUT TYPE=IMAGE ALT=Home>", "labels", "-"),
        ("a box in capitals needs one", "<INPUT TYPE=CHECKBOX>", "labels", "0.0 form.label"),
        ("a picture in capitals needs an alternative", "<INPUT TYPE=IMAGE SRC=a>", "alt", "0.0 image.alt"),
        ("a link with words", "<a href=x>Prices</a>", "names", "10.0"),
        ("a link without", "<a href=x></a>", "names", "0.0 name.missing"),
        ("a link around a picture", "<a href=x><img src=a alt=Home></a>", "names", "10.0"),
        ("a link around decoration", "<a href=x><img src=a alt=''></a>", "names", "0.0 name.missing"),
        ("a vague link", "<a href=x>here</a>", "names", "9.5 name.vague"),
        ("a labelled button", "<button aria-labelledby=t></button><p id=t>Close</p>", "names", "10.0"),
        ("words that are not shown", "<a href=x><b style='display: none'>x</b></a>", "names", "0.0 name.missing"),
        ("words that are hidden", "<a href=x><b style='visibility: hidden'>x</b></a>", "names", "0.0 name.missing"),
        ("a drawing with a title", "<a href=x><svg><title>Search</title></svg></a>", "names", "10.0"),
        ("inside what is hidden", "<div aria-hidden=true><a href=x></a></div>", "names", "-"),
        ("words for eyes only", "<button><span aria-hidden=true>x</span></button>", "names", "0.0 name.missing"),
    ] {
        assert_eq!(brief(&a11y(&page("", body)), dimension), want, "{name}");
    }
}

#[test]
fn interaction() {
    for (name, style, body, dimension, want) in [
        ("the browser's outline", "", "<a href=x>a</a>", "focus", "10.0"),
        ("taken away", "a { outline: none }", "<a href=x>a</a>", "focus", "0.0 focus.hidden"),
        ("taken away at focus", "a:focus { outline: 0 }", "<a href=x>a</a>", "focus", "0.0 focus.hidden"),
        (
            "replaced",
            "a { outline: 0 } a:focus-visible { box-shadow: 0 0 0 2px red }",
            "<a href=x>a</a>",
            "focus",
            "10.0",
        ),
        ("for the mouse only", "a:focus:not(:focus-visible) { outline: none }", "<a href=x>a</a>", "focus", "10.0"),
        ("given back", "* { outline: none } a:focus { outline: 2px solid }", "<a href=x>a</a>", "focus", "10.0"),
        ("nothing to focus", "* { outline: none }", "<p>x</p>", "focus", "-"),
        ("a high button", "button { padding: 12px }", "<button>a</button>", "targets", "10.0"),
        ("a low button", "button { padding: 2px }", "<button>a</button>", "targets", "undecided"),
        ("as high as the browser makes it", "", "<button>a</button><input><select></select>", "targets", "-"),
        ("a picture to press", "", "<input type=image alt=a>", "targets", "-"),
        ("a link in text", "", "<p><a href=x>a</a></p>", "targets", "-"),
        ("a height", "a { display: block; height: 20px }", "<a href=x>a</a>", "targets", "undecided"),
        ("a least height", "a { display: block; min-height: 44px }", "<a href=x>a</a>", "targets", "10.0"),
        ("no motion", "", "<p>x</p>", "motion", "-"),
        ("motion", "p { animation: spin 1s }", "<p>x</p>", "motion", "4.0 motion.reduced"),
        (
            "motion on request",
            "p { animation: spin 1s } @media (prefers-reduced-motion) { p { animation: none } }",
            "<p>x</p>",
            "motion",
            "10.0",
        ),
    ] {
        assert_eq!(brief(&a11y(&page(style, body)), dimension), want, "{name}");
    }
}

#[test]
fn markdown() {
    for (name, text, dimension, want) in [
        ("headings in order", "# a\n## b\n### c", "headings", "10.0"),
        ("a skipped level", "# a\n\n### b", "headings", "8.0 heading.skipped"),
        ("a picture", "![A dog](a.png)", "alt", "10.0"),
        ("a picture without text", "![](a.png)", "alt", "0.0 image.alt-words"),
        ("a link", "[Prices](a.md)", "names", "10.0"),
        ("a link without words", "[](a.md)", "names", "0.0 name.missing"),
    ] {
        assert_eq!(brief(&a11y(&Document::markdown(text)), dimension), want, "{name}");
    }
}

#[test]
fn findings_have_places() {
    let document = html("<html>\n<body>\n  <h1>A</h1>\n  <h4>B</h4>\n  <img src=a>\n  <a href=x></a>\n</body>");
    let list = a11y(&document);
    let all = ["headings", "alt", "names", "language"].map(|dimension| shown(&list, dimension)).join("\n");
    insta::assert_snapshot!(all, @r#"
headings 8.0: h1 h4
  should heading.skipped at 4:3 body > h4: make it an h2: a level is missing above it [h4 after h1]
alt 0.0: 0 of 1 picture with text
  must_fix image.alt at 5:3 body > img: say in `alt` what the picture tells, or leave it empty when it only decorates [no `alt`]
names 0.0: 0 of 1 control have a name
  must_fix name.missing at 6:3 body > a: give the link words, or an `aria-label` when it shows a picture only [a link without a name]
language 0.0: no lang
  must_fix page.lang at 1:1 html: say the page's language in `<html lang>`: screen readers choose their voice by it [no `lang`]
"#);
}
