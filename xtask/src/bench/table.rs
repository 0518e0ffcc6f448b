//! The table that comes out.

use serde_json::{Value, json};

/// A measured number beside what it ought to be.
#[derive(Debug, Clone)]
pub(super) struct Row {
    measure: String,
    value: f64,
    unit: &'static str,
    target: Option<Target>,
}

/// What a number ought to be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    AtLeast(f64),
    AtMost(f64),
}

impl Row {
    /// A measure with a target.
    pub(super) fn new(measure: impl Into<String>, value: f64, unit: &'static str, target: Target) -> Self {
        Self { measure: measure.into(), value, unit, target: Some(target) }
    }

    /// Something to compare with, or to understand the row above.
    pub(super) fn beside(measure: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { measure: format!("  {}", measure.into()), value, unit, target: None }
    }

    /// How much better than its target it is: 1 just meets it.
    fn ratio(&self) -> Option<f64> {
        Some(match self.target? {
            Target::AtLeast(least) => self.value / least,
            Target::AtMost(_) if self.value <= 0.0 => f64::INFINITY,
            Target::AtMost(most) => most / self.value,
        })
    }

    fn cells(&self) -> [String; 4] {
        let target = match self.target {
            Some(Target::AtLeast(least)) => format!(">= {} {}", number(least), self.unit),
            Some(Target::AtMost(most)) => format!("<= {} {}", number(most), self.unit),
            None => String::new(),
        };
        let ratio = match self.ratio() {
            None => String::new(),
            Some(ratio) if ratio < 99.95 => format!("{ratio:.2}"),
            Some(_) => "> 100".to_owned(),
        };
        [self.measure.clone(), format!("{} {}", number(self.value), self.unit), target, ratio]
    }
}

/// The rows for people.
pub(super) fn text(rows: &[Row]) -> String {
    let head = ["measure", "result", "target", "ratio to target"].map(str::to_owned);
    let cells: Vec<[String; 4]> = std::iter::once(head).chain(rows.iter().map(Row::cells)).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [width(0), width(1), width(2), width(3)];
    let [a, b, c, d] = widths;
    let mut lines: Vec<String> = cells
        .iter()
        .map(|[measure, result, target, ratio]| format!("{measure:<a$} | {result:>b$} | {target:>c$} | {ratio:>d$}"))
        .collect();
    lines.insert(1, widths.map(|width| "-".repeat(width)).join("-|-"));
    lines.push("A ratio of 1 or more meets the target.".to_owned());
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The rows for programs: one array.
pub(super) fn json(rows: &[Row]) -> String {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let (least, most) = match row.target {
                Some(Target::AtLeast(least)) => (Some(least), None),
                Some(Target::AtMost(most)) => (None, Some(most)),
                None => (None, None),
            };
            let ratio = row.ratio().filter(|ratio| ratio.is_finite());
            json!({
                "measure": row.measure.trim_start(), "value": row.value, "unit": row.unit,
                "at_least": least, "at_most": most, "ratio": ratio,
            })
        })
        .collect();
    format!("{:#}\n", Value::from(rows))
}

/// As many digits as mean something, thousands apart.
fn number(value: f64) -> String {
    let (magnitude, sign) = (value.abs(), if value < 0.0 { "-" } else { "" });
    if magnitude < 10.0 {
        let text = format!("{magnitude:.3}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        return format!("{sign}{text}");
    }
    if magnitude < 100.0 && magnitude.fract() > 0.05 {
        return format!("{sign}{magnitude:.1}");
    }
    let digits = format!("{magnitude:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    format!("{sign}{out}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_legible() {
        for (value, text) in [
            (2_345_678.4, "2,345,678"),
            (999.6, "1,000"),
            (123.0, "123"),
            (12.34, "12.3"),
            (10.0, "10"),
            (0.1234, "0.123"),
            (1.0, "1"),
            (0.0, "0"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn the_table_says_how_much_better_than_its_target_a_measure_is() {
        let rows = [
            Row::new("fold", 3e6, "events/s", Target::AtLeast(2e6)),
            Row::new("resume", 2.0, "s", Target::AtMost(1.0)),
            Row::new("overhead", -0.1, "ms", Target::AtMost(1.0)),
            Row::beside("bytes alone", 0.1, "s"),
        ];
        assert_eq!(
            text(&rows),
            "\
measure       |             result |                target | ratio to target
--------------|--------------------|-----------------------|----------------
fold          | 3,000,000 events/s | >= 2,000,000 events/s |            1.50
resume        |                2 s |                <= 1 s |            0.50
overhead      |            -0.1 ms |               <= 1 ms |           > 100
  bytes alone |              0.1 s |                       |
A ratio of 1 or more meets the target.
"
        );
        assert_eq!(
            serde_json::from_str::<Value>(&json(&rows[..1])).unwrap(),
            json!([{
                "measure": "fold", "value": 3e6, "unit": "events/s", "at_least": 2e6, "at_most": null, "ratio": 1.5
            }])
        );
    }
}
