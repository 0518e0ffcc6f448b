//! Markdown as HTML, for pasting.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};

/// `markdown` as HTML with one final newline.
///
/// A model wrote the text, so HTML in it is shown and not obeyed, and a link leads only where a reader expects: who
/// wants HTML proposes a candidate in that format.
pub(super) fn render(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(markdown, options).map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: harmless(dest_url), title, id })
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Image { link_type, dest_url: harmless(dest_url), title, id })
        }
        other => other,
    });
    let mut out = String::with_capacity(markdown.len() * 2);
    html::push_html(&mut out, events);
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The address, or none when it has a scheme that runs something.
fn harmless(url: CowStr<'_>) -> CowStr<'_> {
    const SCHEMES: [&str; 4] = ["http", "https", "mailto", "tel"];
    let scheme = url.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| !scheme.contains(['/', '?', '#']));
    match scheme {
        Some(scheme) if !SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme)) => CowStr::Borrowed(""),
        _ => url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_html() {
        insta::assert_snapshot!(render("# Über\n\n- *a*\n- [b](https://example.org/?a=1&b=2)\n\n| x |\n|---|\n| 1 |"), @r#"
        <h1>Über</h1>
        <ul>
        <li><em>a</em></li>
        <li><a href="https://example.org/?a=1&amp;b=2">b</a></li>
        </ul>
        <table><thead><tr><th>x</th></tr></thead><tbody>
        <tr><td>1</td></tr>
        </tbody></table>
        "#);
    }

    #[test]
    fn nothing_in_it_runs() {
        let text =
            "<script>alert(1)</script>\n\na <b onclick=x>b</b> [c](javascript:alert(1)) ![d](JavaScript:x) [e](#f:g)";
        insta::assert_snapshot!(render(text), @r##"
        &lt;script&gt;alert(1)&lt;/script&gt;
        <p>a &lt;b onclick=x&gt;b&lt;/b&gt; <a href="">c</a> <img src="" alt="d" /> <a href="#f:g">e</a></p>
        "##);
    }

    #[test]
    fn an_empty_text_is_an_empty_line() {
        assert_eq!(render(""), "\n");
    }
}
