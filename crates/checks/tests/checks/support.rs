//! Short ways to measure small documents.

use tribunal_checks::{Document, Measurement};

pub(crate) fn html(source: &str) -> Document {
    Document::html(source, &|_| None)
}

/// A page with everything in order around the body's content.
pub(crate) fn page(style: &str, body: &str) -> Document {
    html(&format!(
        "<!doctype html><html lang=\"en\"><head><title>T</title><style>{style}</style></head><body><main>{body}</main></body></html>"
    ))
}

/// One dimension in words, or `-` where it does not apply.
pub(crate) fn shown(list: &[Measurement], dimension: &str) -> String {
    list.iter().find(|one| one.dimension == dimension).map_or_else(|| "-".to_owned(), ToString::to_string)
}

/// The score of a dimension and the codes of its findings, such as `6.9 contrast.text`.
pub(crate) fn brief(list: &[Measurement], dimension: &str) -> String {
    let Some(one) = list.iter().find(|one| one.dimension == dimension) else { return "-".to_owned() };
    let mut words: Vec<String> = one.decided.then(|| format!("{:.1}", one.score)).into_iter().collect();
    words.extend(one.findings.iter().map(|finding| finding.code.to_owned()));
    words.extend(one.undecided.iter().map(|_| "undecided".to_owned()));
    words.join(" ")
}
