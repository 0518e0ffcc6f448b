//! Text for pictures.

use crate::{
    document::{Document, Page},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, count, share},
};

/// Words that say nothing about a picture.
const EMPTY_WORDS: &[&str] = &["image", "picture", "photo", "img", "icon", "graphic", "bild", "foto", "grafik"];

pub(crate) fn measure(document: &Document, page: &Page) -> Option<Measurement> {
    let mut gauge = Gauge::new("alt");
    let (mut all, mut good) = (0, 0);
    for (id, element) in page.dom.elements() {
        let is_image = match &*element.name {
            "img" => true,
            "input" => element.kind().as_deref() == Some("image"),
            "area" => element.has("href"),
            "svg" => element.attr("role") == Some("img"),
            _ => false,
        };
        let silent = matches!(element.attr("role"), Some("presentation" | "none"));
        // An area has no box of its own: it is there when its map is.
        let holder = if &*element.name == "area" { page.dom.node(id).parent.unwrap_or(id) } else { id };
        if !is_image || silent || !page.is_heard(holder) {
            continue;
        }
        all += 1;
        let name = super::names::name(page, id);
        let problem = match element.attr("alt") {
            None if name.is_empty() => Some(("image.alt", Weight::MustFix, "no `alt`".to_owned())),
            Some(alt) if alt.trim().is_empty() && &*element.name != "img" && name.is_empty() => {
                Some(("image.alt", Weight::MustFix, "an empty `alt` on something that acts".to_owned()))
            }
            Some(alt) if is_blank(alt) && name.is_empty() => {
                Some(("image.alt", Weight::MustFix, "an `alt` of white space, which is not empty".to_owned()))
            }
            Some(alt) if says_nothing(alt) => Some(("image.alt-words", Weight::Should, format!("alt=\"{alt}\""))),
            _ => None,
        };
        match problem {
            None => good += 1,
            Some((code, weight, evidence)) => gauge.findings.add(code, || MeasuredFinding {
                code,
                weight,
                text: "say in `alt` what the picture tells, or leave it empty when it only decorates".to_owned(),
                place: Some(document.place_of(page, id)),
                evidence,
            }),
        }
    }
    gauge.says(format!("{good} of {} with text", count(all, "picture")));
    (all > 0).then(|| gauge.finish(share(good, all)))
}

/// White space is no text, and it does not say "decoration" either: some screen readers read the file's name then.
pub(crate) fn is_blank(alt: &str) -> bool {
    !alt.is_empty() && alt.trim().is_empty()
}

/// A file name, or a word for any picture.
pub(crate) fn says_nothing(alt: &str) -> bool {
    let alt = alt.trim().to_lowercase();
    let is_file = [".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif"].iter().any(|end| alt.ends_with(end));
    is_file || EMPTY_WORDS.contains(&alt.as_str())
}
