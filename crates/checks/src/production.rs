//! Production: whether the page would work where it is put.

use std::collections::BTreeMap;

use crate::{
    document::{Body, Document, Page, join},
    dom::{Kind, NodeId},
    finding::{Findings, MeasuredFinding, Weight},
    lint::{DocumentFormat, Reach, addresses, anchors, lint},
    measure::{Gauge, Measurement, beyond, count, share},
    target::{Target, target},
};

/// Measures what would break in use. `exists` says whether a path relative to the document is there.
pub fn production(document: &Document, exists: &dyn Fn(&str) -> bool) -> Vec<Measurement> {
    match &document.body {
        Body::Html(page) => {
            let mut list: Vec<Measurement> = links(document, page, exists).into_iter().collect();
            list.extend(assets(document, page, exists));
            list.push(nesting(document, page));
            list
        }
        Body::Markdown(markdown) => {
            let found = lint(&document.source, DocumentFormat::Markdown, exists);
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

fn links(document: &Document, page: &Page, exists: &dyn Fn(&str) -> bool) -> Option<Measurement> {
    let leads = |name: &str| matches!(name, "a" | "area" | "form");
    walk(document, page, exists, "links", "link", &|name| leads(name))
}

fn assets(document: &Document, page: &Page, exists: &dyn Fn(&str) -> bool) -> Option<Measurement> {
    walk(document, page, exists, "assets", "asset", &|name| !matches!(name, "a" | "area" | "form"))
}

fn walk(
    document: &Document,
    page: &Page,
    exists: &dyn Fn(&str) -> bool,
    dimension: &'static str,
    noun: &str,
    wanted: &dyn Fn(&str) -> bool,
) -> Option<Measurement> {
    let known = anchors(&page.dom);
    let reach = Reach { anchor: &|anchor| known.contains(anchor), exists };
    let mut gauge = Gauge::new(dimension);
    let (mut all, mut dead) = (0, 0);
    let mut judge = |address: &str, place: &dyn Fn() -> Option<crate::place::SourceLocation>, gauge: &mut Gauge| {
        if let Target::Root(path) = target(address) {
            gauge.undecided(format!("whether the site has `{path}`"));
            return;
        }
        all += 1;
        if let Some((code, weight, text)) = reach.judge(address) {
            dead += usize::from(weight == Weight::MustFix);
            gauge.findings.add(code, || MeasuredFinding {
                code,
                weight,
                text,
                place: place(),
                evidence: address.trim().to_owned(),
            });
        }
    };
    for (id, element) in page.dom.elements().filter(|(_, element)| wanted(&element.name)) {
        for (attr, address) in addresses(element) {
            if attr != "action" || !address.trim().is_empty() {
                judge(&address, &|| Some(document.place_of(page, id)), &mut gauge);
            }
        }
    }
    if dimension == "assets" {
        for sheet in page.authored() {
            for (address, span) in sheet.urls.iter().filter(|(address, _)| !address.starts_with('#')) {
                // Sheets name what they need from where they are.
                let address = sheet.file.as_deref().map_or_else(|| address.clone(), |file| join(file, address));
                judge(&address, &|| span.map(|span| document.place_at(span)), &mut gauge);
            }
        }
    }
    gauge.says(format!("{dead} of {} dead", count(all, noun)));
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
        "li" if !matches!(parent, "ul" | "ol" | "menu" | "") => Some(format!("li in {parent}")),
        "a" | "button" | "select" | "textarea" | "input" => {
            let outer = dom.ancestors(id).find(|node| acts(*node))?;
            Some(format!("{name} in {}", dom.name(outer)))
        }
        // A paragraph ends before a block: its own end tag then makes an empty one.
        "p" if dom.element(id).is_some_and(|p| p.open.is_none()) && dom.node(id).first.is_none() => {
            Some("an end tag </p> whose paragraph was closed by a block in it".to_owned())
        }
        "ul" | "ol" => dom.children(id).find_map(|child| match &dom.node(child).kind {
            Kind::Element(element) if !matches!(&*element.name, "li" | "script" | "template") => {
                Some(format!("{} in {name}", element.name))
            }
            _ => None,
        }),
        "div" | "p" | "section" | "table" if matches!(parent, "span" | "b" | "i" | "em" | "strong") => {
            Some(format!("{name} in {parent}"))
        }
        _ => None,
    }
}
