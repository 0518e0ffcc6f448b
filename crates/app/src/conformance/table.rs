//! The grades as a table in Markdown. No times and no versions of ours: the same trials give the same table.

use std::fmt::Write as _;
use tribunal_kernel::grade::Grades;

/// One line an agent and model, by its last cycle.
pub(super) fn table(grades: &Grades) -> String {
    let mut text = String::from(
        "| agent | model | version | cycles | shipped | clean | grade | what went wrong |\n|---|---|---|---|---|---|---|---|\n",
    );
    for record in &grades.records {
        let Some(cycle) = record.grade() else { continue };
        let count = cycle.count();
        let grade = if count.passes() { "passes" } else { "below the bars" };
        let mut wrong: Vec<(String, usize)> = Vec::new();
        for played in cycle.played.iter().filter(|played| !played.is_clean()) {
            let what = match (&played.degraded, played.trouble.as_slice()) {
                (Some(reason), _) => format!("degraded: {reason}"),
                (None, trouble) if played.is_shipped() => trouble.join(", "),
                (None, _) => played.outcome.to_string(),
            };
            match wrong.iter_mut().find(|(known, _)| *known == what) {
                Some((_, times)) => *times += 1,
                None => wrong.push((what, 1)),
            }
        }
        let wrong: Vec<String> = wrong.into_iter().map(|(what, times)| format!("{times} × {what}")).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} of {} | {} of {} | {grade} | {} |",
            cell(&record.agent),
            cell(record.model.as_deref().unwrap_or("–")),
            cell(cycle.program.as_deref().unwrap_or("–")),
            record.cycles.len(),
            count.shipped,
            count.played,
            count.clean,
            count.shipped,
            if wrong.is_empty() { "–".to_owned() } else { cell(&wrong.join("; ")) },
        );
    }
    text
}

/// A text that does not end the cell it is in.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::grade::{Cycle, Played};
    use tribunal_kernel::{Outcome, Time};

    #[test]
    fn a_line_says_how_the_last_cycle_went() {
        let played = |outcome, degraded: Option<&str>, trouble: &[&str]| Played {
            template: "t".into(),
            outcome,
            attempts: 1,
            degraded: degraded.map(str::to_owned),
            trouble: trouble.iter().map(|&kind| kind.to_owned()).collect(),
            elapsed_ms: 5,
        };
        let cycle = |played| Cycle { at: Time(1), tribunal: "0".into(), program: Some("1.2.3 | x".into()), played };
        let mut grades = Grades::default();
        grades.entry("good", Some("large")).take(cycle(vec![played(Outcome::Shipped, None, &[])]));
        grades.entry("bad", None).take(cycle(vec![
            played(Outcome::Shipped, None, &["unknown_tag", "score_missing"]),
            played(Outcome::Degraded, Some("malformed_block"), &[]),
            played(Outcome::Failed, Some("malformed_block"), &[]),
            played(Outcome::TimedOut, None, &[]),
        ]));
        insta::assert_snapshot!(table(&grades), @r"
        | agent | model | version | cycles | shipped | clean | grade | what went wrong |
        |---|---|---|---|---|---|---|---|
        | bad | – | 1.2.3 \| x | 1 | 1 of 4 | 0 of 1 | below the bars | 1 × unknown_tag, score_missing; 2 × degraded: malformed_block; 1 × timed_out |
        | good | large | 1.2.3 \| x | 1 | 1 of 1 | 1 of 1 | passes | – |
        ");
    }
}
