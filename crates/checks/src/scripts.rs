//! What in a page runs: without it, a page is what its source says.

use crate::{document::Document, dom::Element};

/// Elements whose documents may have scripts of their own.
const FRAMES: [&str; 5] = ["iframe", "frame", "object", "embed", "portal"];
/// Types of `<script>` that are data, and never run.
const DATA: [&str; 4] = ["json", "importmap", "speculationrules", "text/template"];

impl Document {
    /// Whether anything in the page may run, or lead it to another page. Markdown runs nothing.
    pub fn runs_scripts(&self) -> bool {
        self.page().is_some_and(|page| page.dom.elements().any(|(_, element)| runs(element)))
    }
}

fn runs(element: &Element) -> bool {
    let is_data = || element.kind().is_some_and(|kind| DATA.iter().any(|data| kind.contains(data)));
    let is_refresh = || element.attr("http-equiv").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("refresh"));
    match &*element.name {
        "script" => !is_data(),
        "meta" => is_refresh(),
        name if FRAMES.contains(&name) => true,
        _ => element.attrs.iter().any(|attr| {
            let value = || attr.value.trim_start().to_ascii_lowercase();
            attr.name.starts_with("on") || value().starts_with("javascript:")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_found() {
        for (html, expected) in [
            ("<p>words", false),
            ("<script type=application/ld+json>{}</script>", false),
            ("<noscript><p>words</noscript>", false),
            ("<script>while (true) {}</script>", true),
            ("<script type=module src=a.js></script>", true),
            ("<svg><script>for (;;);</script></svg>", true),
            ("<body onload='for (;;);'>", true),
            ("<a href=' JavaScript:go()'>go</a>", true),
            ("<iframe srcdoc='<script>for (;;);</script>'></iframe>", true),
            ("<meta http-equiv=Refresh content='0'>", true),
            ("<meta http-equiv=content-type content='text/html'>", false),
        ] {
            assert_eq!(Document::html(html, &|_| None).runs_scripts(), expected, "{html}");
        }
        assert!(!Document::markdown("`<script>`").runs_scripts());
    }
}
