//! Workflow commands of GitHub Actions, which show a finding beside its line.

use std::fmt::Write;

use super::{FileReport, ReportLevel, shown::line};

/// One command for everything that counts. GitHub shows ten of each kind a step; the log has them all.
pub fn github(files: &[FileReport]) -> String {
    let mut out = String::new();
    for file in files {
        for finding in file.counting() {
            let command = match finding.level {
                ReportLevel::Must => "error",
                ReportLevel::Should => "warning",
                ReportLevel::Note => "notice",
            };
            let path = finding.path(&file.path);
            let mut properties: Vec<(&str, String)> = Vec::new();
            if !path.is_empty() {
                properties.push(("file", path.to_owned()));
                if let Some(span) = &finding.span {
                    properties.push(("line", span.line.to_string()));
                    properties.push(("col", span.column.to_string()));
                }
            }
            properties.push(("title", finding.rule.to_string()));
            write(&mut out, command, &properties, &finding.told());
        }
        for undecided in &file.undecided {
            let command = if undecided.fails { "error" } else { continue };
            let told = format!("undecided: {}: {}", undecided.rule, undecided.why);
            write(&mut out, command, &[("file", file.path.clone()), ("title", undecided.rule.clone())], &told);
        }
    }
    out
}

fn write(out: &mut String, command: &str, properties: &[(&str, String)], message: &str) {
    let properties: Vec<String> =
        properties.iter().map(|(name, value)| format!("{name}={}", property(value))).collect();
    let _ = writeln!(out, "::{command} {}::{}", properties.join(","), data(&line(message)));
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A colon or a comma would end it.
fn property(text: &str) -> String {
    data(&super::visible(text)).replace(':', "%3A").replace(',', "%2C")
}
