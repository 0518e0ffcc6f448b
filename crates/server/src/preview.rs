//! Drafts as documents for a sandboxed frame.

use pulldown_cmark::{Options, Parser, html};
use tribunal_kernel::Format;

/// What a draft may do in a frame: show itself. No scripts, no forms, nothing from elsewhere, an origin of its own that
/// has no cookies and may not call the API.
pub(crate) const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; \
                                  base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

const STYLE: &str = "body{font:16px/1.6 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem;color:#1d1a16;background:#fff}\
                     pre{white-space:pre-wrap;overflow-wrap:anywhere}code{font-family:ui-monospace,monospace}\
                     table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.25rem .5rem}img{max-width:100%}";

/// The document that shows a draft.
pub(crate) fn document(text: &str, format: Format) -> String {
    let body = match format {
        Format::Html => return text.to_owned(),
        Format::Markdown => {
            let mut body = String::new();
            html::push_html(&mut body, Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH));
            body
        }
        Format::Plain => {
            let mut escaped = String::from("<pre>");
            for c in text.chars() {
                match c {
                    '<' => escaped.push_str("&lt;"),
                    '>' => escaped.push_str("&gt;"),
                    '&' => escaped.push_str("&amp;"),
                    c => escaped.push(c),
                }
            }
            escaped.push_str("</pre>");
            escaped
        }
    };
    format!(
        "<!doctype html><html lang=\"\"><head><meta charset=\"utf-8\"><title>Draft</title><style>{STYLE}</style></head><body>{body}</body></html>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_becomes_a_document() {
        let body = |text, format| {
            let document = document(text, format);
            let from = document.find("<body>").map_or(0, |at| at + 6);
            document[from..].trim_end_matches("</body></html>").to_owned()
        };
        assert_eq!(body("# Hi\n\n*you*", Format::Markdown), "<h1>Hi</h1>\n<p><em>you</em></p>\n");
        assert_eq!(
            body("<script>1 && 2</script>", Format::Plain),
            "<pre>&lt;script&gt;1 &amp;&amp; 2&lt;/script&gt;</pre>"
        );
        assert_eq!(document("<h1>as it is</h1>", Format::Html), "<h1>as it is</h1>");
    }
}
