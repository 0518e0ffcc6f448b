//! Streams of the panel's protocol, in short.

use tribunal_kernel::theater::{DESIGNER, Panel, Settings};

/// The protocol's example, with everything that a stream can have.
pub(crate) const SHIPS: &str = include_str!("../../../../testdata/theater/ships-in-round-2.txt");

/// The default panel, seated like this.
pub(crate) fn settings(panel: Panel) -> Settings {
    Settings::new("shop", "landing", panel)
}

/// A judge's block, in short: `critic 6.4 !Fix this !And that`, `critic -` without a score.
pub(crate) fn panelist(short: &str) -> String {
    let (head, demands) = short.split_once(" !").unwrap_or((short, ""));
    let (role, score) = head.split_once(' ').unwrap_or((head, "-"));
    let score = if score == "-" { String::new() } else { format!(" score=\"{score}\"") };
    let demands = demands.split(" !").filter(|text| !text.is_empty());
    let demands: Vec<String> = demands.map(|text| format!("<MUST_FIX>{text}</MUST_FIX>")).collect();
    let demands = demands.concat();
    format!("<PANELIST role=\"{role}\"{score}>{demands}</PANELIST>")
}

/// A round: the designer's draft and these judges, and what the round claims of itself.
pub(crate) fn round(number: u32, judges: &[&str], end: &str) -> String {
    let judges: String = judges.iter().map(|judge| panelist(judge)).collect();
    format!(
        "<ROUND n=\"{number}\"><PANELIST role=\"{DESIGNER}\"><ARTIFACT mime=\"text/html\"><![CDATA[<h1>{number}</h1>]]>\
         </ARTIFACT></PANELIST>{judges}<ROUND_END n=\"{number}\" {end}></ROUND_END></ROUND>"
    )
}

pub(crate) fn stream(rounds: &[String], ship: &str) -> String {
    format!("<CRITIQUE_RUN version=\"1\">{}{ship}</CRITIQUE_RUN>", rounds.concat())
}

pub(crate) const FINE: [&str; 4] = ["critic 9", "brand 9", "a11y 9", "copy 9"];
pub(crate) const POOR: [&str; 4] = ["critic 5 !a", "brand 5 !b", "a11y 5", "copy 5"];

pub(crate) fn ship(round: u32, claims: &str) -> String {
    format!(
        "<SHIP round=\"{round}\" {claims}><ARTIFACT mime=\"text/html\"><![CDATA[<h1>final</h1>]]></ARTIFACT></SHIP>"
    )
}
