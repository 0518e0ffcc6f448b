//! The last look before anything ships.

use tribunal_checks::{DocumentFormat, lint};

fn report(text: &str, format: DocumentFormat, files: &[&str]) -> String {
    let findings = lint(text, format, &|path| files.contains(&path));
    findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn html_with_every_flaw() {
    let page = r##"<!doctype html>
<html lang="en"><body>
<!-- TODO ask legal -->
<h1 id="start">TODO: a headline</h1>
<p>Lorem ipsum dolor sit amet.</p>
<p>See <code>TODO</code> comments and <a href="#start">the start</a>.</p>
<a href="#end">end</a> <a href="gone.html?x#y">gone</a> <a href="here.html">here</a> <a href="#">up</a>
<a href="/pricing">prices</a> <a href="https://example.org">out</a> <a href="mailto:a@example.org">mail</a>
<img src="data:image/png;base64,AA" alt="FIXME">
<img srcset="one.png 1x, two.png 2x" src="one.png" alt="">
</body></html>"##;
    insta::assert_snapshot!(report(page, DocumentFormat::Html, &["here.html", "one.png"]), @r#"
should placeholder.todo at 3:6: finish what `TODO` stands for, or take it out [TODO ask legal -->]
must_fix placeholder.todo at 4:16 h1#start: finish what `TODO` stands for, or take it out [TODO: a headline]
must_fix placeholder.lorem at 5:4 body > p:nth-of-type(1): replace the filler text (`lorem ipsum`) with real words [Lorem ipsum dolor sit amet.]
must_fix link.dead-anchor at 7:1 body > a:nth-of-type(1): nothing here has the id `end`: correct the link or add the id [#end]
must_fix link.dead at 7:24 body > a:nth-of-type(2): there is no file `gone.html`: correct the path or add the file [gone.html?x#y]
should link.nowhere at 7:86 body > a:nth-of-type(4): the link leads nowhere: give it an address [#]
must_fix placeholder.todo at 9:42 body > img:nth-of-type(1): finish what `FIXME` stands for, or take it out [FIXME]
must_fix link.dead at 10:1 body > img:nth-of-type(2): there is no file `two.png`: correct the path or add the file [two.png]
"#);
}

#[test]
fn markdown_with_every_flaw() {
    let page = "# Big *Plan*\n\nTBD, see [the plan](#big-plan), [the end](#the-end) and [notes](notes.md).\n\n\
        ```\nTODO in code is about code\n```\n\n![](chart.png)\n\n<a id=\"extra\"></a>\n[extra](#extra)\n\n\
        - [ ] lorem ipsum\n\n`FIXME`\n\n<!-- FIXME later -->\n";
    insta::assert_snapshot!(report(page, DocumentFormat::Markdown, &["chart.png"]), @r#"
must_fix placeholder.todo at 3:1: finish what `TBD` stands for, or take it out [TBD, see]
must_fix placeholder.lorem at 14:7: replace the filler text (`lorem ipsum`) with real words [lorem ipsum]
should placeholder.todo at 18:6: finish what `FIXME` stands for, or take it out [FIXME later -->]
must_fix link.dead-anchor at 3:33: nothing here has the id `the-end`: correct the link or add the id [#the-end]
must_fix link.dead at 3:57: there is no file `notes.md`: correct the path or add the file [notes.md]
"#);
}

#[test]
fn plain_text() {
    insta::assert_snapshot!(report("Dear all,\nTODO greet.\nMASTODON", DocumentFormat::Plain, &[]), @r#"
must_fix placeholder.todo at 2:1: finish what `TODO` stands for, or take it out [TODO greet. MASTODON]
"#);
}

#[test]
fn clean_documents_have_no_findings() {
    for (name, text, format) in [
        ("html", "<!doctype html><html lang=en><body><h1 id=a>Hi</h1><a href=#a>up</a>", DocumentFormat::Html),
        ("markdown", "# Hi\n\n[up](#hi) [Top](#top)", DocumentFormat::Markdown),
        ("plain", "Hi", DocumentFormat::Plain),
        ("nothing", "", DocumentFormat::Html),
        ("spanish", "<html lang=es><p>TODO INCLUIDO</p>", DocumentFormat::Html),
    ] {
        assert_eq!(report(text, format, &[]), "", "{name}");
    }
}
