//! Language, title, headings and landmarks: what tells people where they are.

use crate::{
    document::{Document, Page},
    dom::NodeId,
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, beyond, count},
};

/// Every heading with its level, in the order of the page.
pub(crate) fn heading_list(page: &Page) -> Vec<(NodeId, u8)> {
    let level = |id: NodeId| {
        let element = page.dom.element(id)?;
        if element.attr("role") == Some("heading") {
            return element.attr("aria-level").and_then(|level| level.trim().parse().ok()).or(Some(2));
        }
        match page.dom.name(id).as_bytes() {
            [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
            _ => None,
        }
    };
    page.dom.elements().filter_map(|(id, _)| Some((id, level(id)?))).filter(|(id, _)| page.is_heard(*id)).collect()
}

pub(crate) fn headings(document: &Document, page: &Page) -> Measurement {
    let mut gauge = Gauge::new("headings");
    let list = heading_list(page);
    let mut before = 0;
    for (id, level) in &list {
        if super::names::text(page, *id).is_empty() {
            gauge.findings.add("heading.empty", || MeasuredFinding {
                code: "heading.empty",
                weight: Weight::MustFix,
                text: "give the heading words, or take it out".to_owned(),
                place: Some(document.place_of(page, *id)),
                evidence: format!("h{level} without text"),
            });
        }
        if *level > before + 1 && before > 0 {
            gauge.findings.add("heading.skipped", || MeasuredFinding {
                code: "heading.skipped",
                weight: Weight::Should,
                text: format!("make it an h{}: a level is missing above it", before + 1),
                place: Some(document.place_of(page, *id)),
                evidence: format!("h{level} after h{before}"),
            });
        }
        before = *level;
    }
    let tops = list.iter().filter(|(_, level)| *level == 1).count();
    if tops == 0 {
        gauge.findings.add("heading.no-h1", || MeasuredFinding {
            code: "heading.no-h1",
            weight: Weight::Should,
            text: "start the page with an h1 that names it".to_owned(),
            place: list.first().map(|(id, _)| document.place_of(page, *id)),
            evidence: format!("{}, no h1", count(list.len(), "heading")),
        });
    }
    let outline: Vec<String> = list.iter().take(12).map(|(_, level)| format!("h{level}")).collect();
    gauge.says(if list.is_empty() { "no headings".to_owned() } else { outline.join(" ") });
    let skipped = gauge.findings.count("heading.skipped");
    let empty = gauge.findings.count("heading.empty");
    let missing = if tops == 0 { 4.0 } else { 0.0 };
    gauge.finish(beyond(skipped, 0, 2.0) - 3.0 * empty as f64 - missing)
}

pub(crate) fn language(document: &Document, page: &Page) -> Measurement {
    let mut gauge = Gauge::new("language");
    let place = page.find("html").map(|(id, _)| document.place_of(page, id));
    let finding = |evidence: String| MeasuredFinding {
        code: "page.lang",
        weight: Weight::MustFix,
        text: "say the page's language in `<html lang>`: screen readers choose their voice by it".to_owned(),
        place,
        evidence,
    };
    match &page.language {
        None => {
            gauge.says("no lang");
            gauge.findings.add("page.lang", || finding("no `lang`".to_owned()));
            gauge.finish(0.0)
        }
        Some(lang) if !is_tag(lang) => {
            gauge.says(format!("lang=\"{lang}\""));
            gauge.findings.add("page.lang", || finding(format!("`{lang}` is no language tag")));
            gauge.finish(0.0)
        }
        Some(lang) => {
            gauge.says(format!("lang=\"{lang}\""));
            gauge.finish(10.0)
        }
    }
}

/// `de`, `pt-BR`, `zh-Hant-TW`: a language of two or three letters, then short parts.
fn is_tag(lang: &str) -> bool {
    let mut parts = lang.split('-');
    let first = parts.next().unwrap_or_default();
    (2..=3).contains(&first.len())
        && first.chars().all(|c| c.is_ascii_alphabetic())
        && parts.all(|part| (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric()))
}

pub(crate) fn title(document: &Document, page: &Page) -> Measurement {
    let mut gauge = Gauge::new("title");
    // A title inside an SVG names the picture, not the page.
    let title = page.find("title").map(|(id, _)| (id, page.dom.text(id)));
    match title {
        Some((_, text)) if !text.is_empty() => {
            gauge.says(format!("\u{201c}{text}\u{201d}"));
            gauge.finish(10.0)
        }
        other => {
            let place = other.as_ref().map(|(id, _)| document.place_of(page, *id));
            gauge.says("no title");
            gauge.findings.add("page.title", || MeasuredFinding {
                code: "page.title",
                weight: Weight::MustFix,
                text: "give the page a `<title>` that says what it is".to_owned(),
                place,
                evidence: if other.is_some() { "the title is empty" } else { "no `<title>`" }.to_owned(),
            });
            gauge.finish(0.0)
        }
    }
}

pub(crate) fn landmarks(document: &Document, page: &Page) -> Measurement {
    let mut gauge = Gauge::new("landmarks");
    let role = |id: NodeId| page.dom.attr(id, "role").map(str::trim).filter(|role| !role.is_empty());
    let is_main = |id: NodeId| role(id).map_or_else(|| page.dom.name(id) == "main", |role| role == "main");
    let mains: Vec<NodeId> =
        page.dom.elements().map(|(id, _)| id).filter(|id| is_main(*id) && page.is_heard(*id)).collect();
    // A landmark in another one is not where people look for it.
    let is_landmark = |id: NodeId| {
        role(id).map_or_else(
            || matches!(page.dom.name(id), "nav" | "aside" | "main"),
            |role| matches!(role, "navigation" | "complementary" | "main" | "banner" | "contentinfo" | "search"),
        )
    };
    let inner = mains.iter().find_map(|id| Some((*id, page.dom.ancestors(*id).find(|above| is_landmark(*above))?)));
    gauge.says(count(mains.len(), "main landmark"));
    match mains[..] {
        [_] => match inner {
            None => gauge.finish(10.0),
            Some((id, outer)) => {
                gauge.findings.add("landmark.nested", || MeasuredFinding {
                    code: "landmark.nested",
                    weight: Weight::Should,
                    text: "take `<main>` out of the landmark around it".to_owned(),
                    place: Some(document.place_of(page, id)),
                    evidence: format!("`<main>` in `{}`", page.dom.selector(outer)),
                });
                gauge.finish(7.0)
            }
        },
        [] => {
            gauge.findings.add("landmark.main", || MeasuredFinding {
                code: "landmark.main",
                weight: Weight::Should,
                text: "put the page's own content into `<main>`, so that people can jump to it".to_owned(),
                place: page.find("body").map(|(id, _)| document.place_of(page, id)),
                evidence: "no `<main>`".to_owned(),
            });
            gauge.finish(5.0)
        }
        [_, second, ..] => {
            gauge.findings.add("landmark.main", || MeasuredFinding {
                code: "landmark.main",
                weight: Weight::Should,
                text: "keep one `<main>`: the others are sections".to_owned(),
                place: Some(document.place_of(page, second)),
                evidence: format!("{} `<main>`", mains.len()),
            });
            gauge.finish(7.0)
        }
    }
}

/// Whether people may make the page larger. Every one counts: which of several a browser goes by is its own affair.
pub(crate) fn zoom(document: &Document, page: &Page) -> Option<Measurement> {
    let viewports = page.dom.elements().filter(|(_, element)| {
        &*element.name == "meta" && element.attr("name").is_some_and(|name| name.eq_ignore_ascii_case("viewport"))
    });
    let mut gauge = Gauge::new("zoom");
    let (mut all, mut wrong) = (0, 0);
    for (id, meta) in viewports {
        all += 1;
        let content = meta.attr("content").unwrap_or_default().to_ascii_lowercase().replace(' ', "");
        gauge.says(content.clone());
        let limit = content.split([',', ';']).find_map(|part| part.strip_prefix("maximum-scale=")?.parse::<f64>().ok());
        let fixed = content.contains("user-scalable=no") || content.contains("user-scalable=0");
        if fixed || limit.is_some_and(|limit| limit < 2.0) {
            wrong += 1;
            gauge.findings.add("page.zoom", || MeasuredFinding {
                code: "page.zoom",
                weight: Weight::MustFix,
                text: "let people zoom: take `user-scalable` and `maximum-scale` out".to_owned(),
                place: Some(document.place_of(page, id)),
                evidence: content.clone(),
            });
        }
    }
    (all > 0).then(|| gauge.finish(if wrong > 0 { 0.0 } else { 10.0 }))
}
