//! What the source alone says against a page, beside what a browser saw: a page may show a browser something else than it
//! has in it, by a script or by who asks, and nobody is told of a fault that is dropped in silence.

use super::View;
use crate::finding::{MeasuredFinding, Weight};
use crate::measure::{MAX_REASONS, MUST_FIX_CAP, Measurement};

/// The browser's measurement, with the faults of the source that it does not share: told as undecided where the browser
/// shows it otherwise, kept where the browser was not asked.
pub(super) fn beside(seen: Option<Measurement>, source: Measurement, views: &[View]) -> Option<Measurement> {
    let own = seen.as_ref().map_or(&[][..], |seen| seen.findings.as_slice());
    let left = source.findings.iter().filter(|finding| finding.weight == Weight::MustFix);
    let left: Vec<MeasuredFinding> = left.filter(|one| !own.iter().any(|other| is_same(one, other))).cloned().collect();
    if left.is_empty() {
        return seen;
    }
    let mut seen = seen.unwrap_or(Measurement { decided: false, score: 0.0, findings: Vec::new(), ..source });
    let in_the_dark = views.iter().any(|view| view.dark);
    let (unasked, otherwise): (Vec<_>, Vec<_>) =
        left.into_iter().partition(|finding| !in_the_dark && finding.text.contains(DARK));
    let (listed, more) = otherwise.split_at(otherwise.len().min(MAX_REASONS));
    for finding in listed {
        let place = finding.place.as_ref().map_or_else(String::new, |place| format!("{place}: "));
        seen.undecided.push(format!(
            "{place}by its source it fails ({}), and the browser shows it otherwise: a script may change it",
            finding.evidence
        ));
    }
    if !more.is_empty() {
        seen.undecided.push(format!("{} more places that fail by their source alone", more.len()));
    }
    if !unasked.is_empty() {
        seen.score = if seen.decided { seen.score.min(MUST_FIX_CAP) } else { MUST_FIX_CAP };
        seen.decided = true;
        seen.findings.extend(unasked);
    }
    Some(seen)
}

/// How findings of the other scheme are told.
const DARK: &str = " in the dark scheme";

/// The same fault: at the same place, or of the same pair of colours, which is told once wherever it is first.
fn is_same(one: &MeasuredFinding, other: &MeasuredFinding) -> bool {
    let place = |finding: &MeasuredFinding| finding.place.as_ref().map(|place| (place.line, place.column));
    let is_dark = |finding: &MeasuredFinding| finding.text.contains(DARK);
    one.code == other.code
        && is_dark(one) == is_dark(other)
        && (place(one) == place(other) || pair(&one.text).is_some_and(|pair_of| pair(&other.text) == Some(pair_of)))
}

/// `#777777 on #888888`, where a finding is about two colours.
fn pair(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split(|c: char| c.is_whitespace() || c == ',');
    let first = words.find(|word| word.starts_with('#'))?;
    (words.next() == Some("on")).then_some(())?;
    words.next().filter(|word| word.starts_with('#')).map(|second| (first, second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Gauge;
    use crate::place::SourceLocation;

    fn finding(line: u32, text: &str) -> MeasuredFinding {
        let place = Some(SourceLocation { line, column: 1, ..SourceLocation::default() });
        let (code, weight, evidence) = ("contrast.text", Weight::MustFix, "1.16:1, needs 4.5:1".to_owned());
        MeasuredFinding { code, weight, text: text.to_owned(), place, evidence }
    }

    fn measured(findings: &[MeasuredFinding]) -> Measurement {
        let mut gauge = Gauge::new("contrast");
        for finding in findings {
            gauge.findings.add("contrast.text", || finding.clone());
        }
        gauge.finish(10.0)
    }

    #[test]
    fn a_fault_of_the_source_is_never_dropped_in_silence() {
        let faint = finding(5, "make the text readable: #eeeeee on #ffffff, here and in 2 more places");
        let source = || measured(std::slice::from_ref(&faint));
        let told = beside(Some(measured(&[])), source(), &[]).unwrap();
        assert_eq!(told.findings, []);
        assert_eq!(told.undecided.len(), 1);
        assert!(told.undecided[0].starts_with("5:1: by its source it fails (1.16:1"), "{}", told.undecided[0]);
        let nothing = beside(None, source(), &[]).unwrap();
        assert!(!nothing.decided, "a page without any words for the browser does not pass");
        assert_eq!(nothing.undecided.len(), 1);
    }

    #[test]
    fn what_both_say_is_said_once() {
        let one = finding(5, "make the text readable: #eeeeee on #ffffff");
        for (name, other) in [
            ("the same pair elsewhere", finding(9, "make the text readable: #eeeeee on #ffffff at 375 px")),
            ("the same place in other colours", finding(5, "make the text readable: #dddddd on #ffffff")),
        ] {
            let told = beside(Some(measured(std::slice::from_ref(&other))), measured(std::slice::from_ref(&one)), &[])
                .unwrap();
            assert_eq!((told.findings, told.undecided), (vec![other], Vec::new()), "{name}");
        }
        assert_eq!(beside(None, measured(&[]), &[]), None);
    }

    #[test]
    fn a_scheme_that_no_browser_was_asked_for_stays_the_sources_to_judge() {
        let dark = finding(5, "make the text readable: #333333 on #222222 in the dark scheme");
        let told = beside(Some(measured(&[])), measured(std::slice::from_ref(&dark)), &[]).unwrap();
        assert_eq!(told.findings, [dark]);
        assert!(told.score <= MUST_FIX_CAP);
        assert_eq!(told.undecided, Vec::<String>::new());
    }
}
