//! Type: how many families and sizes there are, and whether the sizes belong together.

use std::collections::BTreeMap;

use super::hierarchy::text_size;
use crate::{
    document::Page,
    dom::{Kind, NodeId},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, beyond, count, share},
};

/// The scales that designers use, from a major second to the golden section. Finer ones would fit anything.
const SCALES: [f64; 7] = [1.125, 1.2, 1.25, 1.333, 1.414, 1.5, 1.618];
/// How far a size may be from its step.
const TOLERANCE: f64 = 0.025;
const FREE_FAMILIES: usize = 2;
const FREE_SIZES: usize = 6;

pub(crate) fn measure(page: &Page) -> Option<Measurement> {
    let mut families: BTreeMap<String, usize> = BTreeMap::new();
    let mut sizes: BTreeMap<i64, usize> = BTreeMap::new();
    for id in page.dom.descendants(NodeId::DOCUMENT) {
        let Kind::Text { text, .. } = &page.dom.node(id).kind else { continue };
        let Some(parent) = page.dom.node(id).parent.filter(|_| !text.trim().is_empty()) else { continue };
        if !page.is_seen(parent) || page.dom.element(parent).is_none_or(|element| !element.is_html()) {
            continue;
        }
        let style = page.styles.of(parent);
        let family = style.families.first().map_or("serif", String::as_str).to_lowercase();
        // Code is set in its own face by custom.
        if !family.contains("mono") {
            *families.entry(family).or_insert(0) += text.len();
        }
        *sizes.entry(tenth(style.font_size)).or_insert(0) += text.len();
    }
    if sizes.is_empty() {
        return None;
    }
    let mut gauge = Gauge::new("type");
    let names: Vec<&str> = families.keys().map(String::as_str).take(6).collect();
    gauge.says(format!("{}: {}", families_of(families.len()), names.join(", ")));
    let list: Vec<String> = sizes.keys().map(|size| format!("{}", *size as f64 / 10.0)).take(12).collect();
    gauge.says(format!("{}: {} px", count(sizes.len(), "size"), list.join(", ")));
    if families.len() > FREE_FAMILIES {
        gauge
            .findings
            .add("type.families", || finding("type.families", "set the page in two families at most", families.len()));
    }
    if sizes.len() > FREE_SIZES {
        gauge
            .findings
            .add("type.sizes", || finding("type.sizes", "use fewer sizes: six tell everything apart", sizes.len()));
    }
    let base = text_size(page);
    let all: Vec<f64> = sizes.keys().map(|size| *size as f64 / 10.0).collect();
    let (scale, fit) = SCALES
        .iter()
        .map(|scale| (*scale, all.iter().filter(|size| fits(**size, base, *scale)).count()))
        .max_by_key(|(_, fit)| *fit)
        .unwrap_or((1.2, 0));
    gauge.says(format!("{fit} of {} fit a scale of {scale} on {base:.0} px", all.len()));
    let score = 0.4 * beyond(families.len(), FREE_FAMILIES, 2.5)
        + 0.3 * beyond(sizes.len(), FREE_SIZES, 1.0)
        + 0.3 * share(fit, all.len());
    Some(gauge.finish(score))
}

fn families_of(number: usize) -> String {
    if number == 1 { "1 family".to_owned() } else { format!("{number} families") }
}

fn finding(code: &'static str, text: &str, number: usize) -> MeasuredFinding {
    MeasuredFinding { code, weight: Weight::Should, text: text.to_owned(), place: None, evidence: number.to_string() }
}

fn fits(size: f64, base: f64, scale: f64) -> bool {
    let step = (size / base).ln() / scale.ln();
    let nearest = base * scale.powf(step.round());
    (size / nearest - 1.0).abs() <= TOLERANCE
}

#[expect(clippy::cast_possible_truncation, reason = "font sizes are clamped to ten thousand pixels")]
fn tenth(size: f64) -> i64 {
    (size * 10.0).round() as i64
}
