//! Asking for less motion.

use crate::{
    document::{Document, Page},
    finding::{MeasuredFinding, Weight},
    measure::{Gauge, Measurement, count},
};

pub(crate) fn motion(document: &Document, page: &Page) -> Option<Measurement> {
    let mut moving = page.declarations().filter(|(_, one)| {
        matches!(one.name.as_str(), "animation" | "animation-name")
            && !one.value.to_ascii_lowercase().starts_with("none")
    });
    let first = moving.next()?;
    let moving = 1 + moving.count();
    let asks =
        page.authored().iter().flat_map(|sheet| &sheet.media).any(|query| query.contains("prefers-reduced-motion"));
    let mut gauge = Gauge::new("motion");
    gauge.says(count(moving, "animation"));
    if asks {
        gauge.says("prefers-reduced-motion is respected");
        return Some(gauge.finish(10.0));
    }
    gauge.findings.add("motion.reduced", || MeasuredFinding {
        code: "motion.reduced",
        weight: Weight::Should,
        text: "stop the animation for those who ask for less motion (`prefers-reduced-motion`)".to_owned(),
        place: first.1.span.map(|span| document.place_at(span)),
        evidence: format!("{}: {}", first.1.name, first.1.value),
    });
    Some(gauge.finish(4.0))
}
