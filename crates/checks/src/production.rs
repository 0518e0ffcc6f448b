//! Production: whether the page would work where it is put.

use std::collections::BTreeMap;

use crate::{
    address::Addresses,
    document::{Body, Document, Page},
    dom::NodeId,
    finding::{Findings, MeasuredFinding, Weight},
    lint::{DocumentFormat, Judged, Reach, based, lint_at, named_by},
    measure::{Gauge, Measurement, beyond, count, share},
    place::SourceLocation,
    surroundings::{Anchors, KnownFiles, Surroundings},
};

/// Measures what would break in use. `exists` says whether a path below the root is there.
pub fn production(document: &Document, exists: &dyn Fn(&str) -> bool) -> Vec<Measurement> {
    production_in(document, &KnownFiles(exists))
}

/// The same with everything that is around the document.
pub fn production_in(document: &Document, around: &dyn Surroundings) -> Vec<Measurement> {
    match &document.body {
        Body::Html(page) => {
            let (own, based) = (Anchors::of_dom(&page.dom), based(&page.dom, &document.addresses));
            let reach = Reach { addresses: &based, own: &own, around };
            let mut list: Vec<Measurement> = links(document, page, &reach).into_iter().collect();
            list.extend(assets(document, page, &reach));
            list.push(nesting(document, page));
            list
        }
        Body::Markdown(markdown) => {
            let found = lint_at(&document.source, DocumentFormat::Markdown, &document.addresses, around);
            let found: Vec<MeasuredFinding> =
                found.into_iter().filter(|finding| finding.code.starts_with("link.")).collect();
            if markdown.links.is_empty() {
                return Vec::new();
            }
            let mut gauge = Gauge::new("links");
            let dead = found.len().min(markdown.links.len());
            gauge.says(format!("{dead} of {} dead", count(markdown.links.len(), "link")));
            for finding in found {
                gauge.findings.add(finding.code, || finding);
            }
            vec![gauge.finish(share(markdown.links.len() - dead, markdown.links.len()))]
        }
    }
}

fn links(document: &Document, page: &Page, reach: &Reach<'_>) -> Option<Measurement> {
    let leads = |name: &str| matches!(name, "a" | "area" | "form");
    walk(document, page, reach, "links", "link", &|name| leads(name))
}

fn assets(document: &Document, page: &Page, reach: &Reach<'_>) -> Option<Measurement> {
    walk(document, page, reach, "assets", "asset", &|name| !matches!(name, "a" | "area" | "form"))
}

fn walk(
    document: &Document,
    page: &Page,
    reach: &Reach<'_>,
    dimension: &'static str,
    noun: &str,
    wanted: &dyn Fn(&str) -> bool,
) -> Option<Measurement> {
    let mut gauge = Gauge::new(dimension);
    let (mut all, mut dead) = (0, 0);
    let mut judge = |from: &Addresses, address: &str, place: &dyn Fn() -> Option<SourceLocation>, gauge: &mut Gauge| {
        match reach.judge_from(from, address) {
            // Said once for all of them, where the reason is the same.
            Judged::Open(why) => gauge.undecided(why),
            Judged::Fine => all += 1,
            Judged::Wrong { code, weight, text } => {
                all += 1;
                dead += usize::from(weight == Weight::MustFix);
                gauge.findings.add(code, || MeasuredFinding {
                    code,
                    weight,
                    text,
                    place: place(),
                    evidence: address.trim().to_owned(),
                });
            }
        }
    };
    for (id, element) in page.dom.elements().filter(|(_, element)| wanted(&element.name)) {
        for (attr, address) in named_by(element) {
            if attr != "action" || !address.trim().is_empty() {
                judge(reach.addresses, &address, &|| Some(document.place_of(page, id)), &mut gauge);
            }
        }
    }
    if dimension == "assets" {
        for sheet in page.authored() {
            for (address, span) in sheet.urls.iter().filter(|(address, _)| !address.starts_with('#')) {
                // Sheets name what they need from where they are.
                let moved = sheet.file.as_deref().map(|file| document.addresses.from_file(file));
                let from = moved.as_ref().unwrap_or(reach.addresses);
                judge(from, address, &|| span.map(|span| document.place_at(span)), &mut gauge);
            }
        }
    }
    gauge.says(format!("{dead} of {} dead", count(all, noun)));
    if all == 0 && gauge.is_open() {
        return Some(gauge.leave_open());
    }
    (all > 0).then(|| gauge.finish(share(all - dead, all)))
}

fn nesting(document: &Document, page: &Page) -> Measurement {
    let mut gauge = Gauge::new("markup");
    if page.dom.doctype.is_none() {
        gauge.findings.add("markup.doctype", || MeasuredFinding {
            code: "markup.doctype",
            weight: Weight::Should,
            text: "begin with `<!doctype html>`: without it browsers imitate old ones".to_owned(),
            place: None,
            evidence: "no doctype".to_owned(),
        });
    }
    if let Some(cut) = page.dom.cut {
        gauge.undecided(cut);
    }
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, element) in page.dom.elements() {
        if let Some(name) = element.attr("id") {
            let uses = ids.entry(name).or_insert(0);
            *uses += 1;
            if *uses == 2 {
                gauge.findings.add("markup.duplicate-id", || MeasuredFinding {
                    code: "markup.duplicate-id",
                    weight: Weight::Should,
                    text: format!("give the id `{name}` to one element only"),
                    place: Some(document.place_of(page, id)),
                    evidence: format!("id=\"{name}\" again"),
                });
            }
        }
        if let Some(problem) = misplaced(page, id) {
            add(&mut gauge.findings, document, page, id, problem);
        }
    }
    let wrong = gauge.findings.count("markup.nesting");
    let twice = gauge.findings.count("markup.duplicate-id");
    let bare = gauge.findings.count("markup.doctype");
    gauge.says(format!("{}, {}", count(wrong, "misplaced element"), count(twice, "repeated id")));
    gauge.finish(beyond(wrong + twice + bare, 0, 1.0))
}

fn add(findings: &mut Findings, document: &Document, page: &Page, id: NodeId, problem: String) {
    findings.add("markup.nesting", || MeasuredFinding {
        code: "markup.nesting",
        weight: Weight::Should,
        text: "put the element where it may stand: browsers guess otherwise".to_owned(),
        place: Some(document.place_of(page, id)),
        evidence: problem,
    });
}

/// What stands where it must not, after the parser has made the best of it.
fn misplaced(page: &Page, id: NodeId) -> Option<String> {
    let dom = &page.dom;
    let name = dom.name(id);
    let parent = dom.node(id).parent.map_or("", |parent| dom.name(parent));
    let acts = |node: NodeId| matches!(dom.name(node), "a" | "button") && dom.element(node).is_some();
    match name {
        "a" | "button" | "select" | "textarea" | "input" => {
            let outer = dom.ancestors(id).find(|node| acts(*node))?;
            Some(format!("{name} in {}", dom.name(outer)))
        }
        // A paragraph ends before a block: its own end tag then makes an empty one.
        "p" if dom.element(id).is_some_and(|p| p.open.is_none()) && dom.node(id).first.is_none() => {
            Some("an end tag </p> whose paragraph was closed by a block in it".to_owned())
        }
        "div" | "p" | "section" | "table" if matches!(parent, "span" | "b" | "i" | "em" | "strong") => {
            Some(format!("{name} in {parent}"))
        }
        _ => None,
    }
}
