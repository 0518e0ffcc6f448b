//! What turns in flight say, in lines: text comes in pieces that end anywhere.

use std::collections::BTreeMap;
use tribunal_kernel::text::head;
use tribunal_kernel::watch::LiveFrame;
use tribunal_kernel::{Run, TurnId};

/// A line that is longer is shown before it ends, so that something moves.
const WIDE: usize = 120;

/// What was said and not shown yet, by turn.
#[derive(Debug, Default)]
pub(crate) struct LiveLines {
    begun: BTreeMap<TurnId, (String, String)>,
}

impl LiveLines {
    /// The lines that are whole now.
    pub(crate) fn take(&mut self, run: &Run, frame: LiveFrame) -> Vec<String> {
        let LiveFrame { turn, role, text, tool } = frame;
        if !run.in_flight().any(|in_flight| in_flight.id == turn) {
            return Vec::new(); // the log has told it
        }
        if let Some(tool) = tool {
            return vec![shown(role.as_str(), &format!("uses {tool}"))];
        }
        let (_, begun) = self.begun.entry(turn).or_insert_with(|| (role.to_string(), String::new()));
        begun.push_str(&text);
        let mut lines = Vec::new();
        loop {
            let end = begun.find('\n').or_else(|| (begun.len() > WIDE).then(|| broken(begun)));
            let Some(end) = end else { break };
            let line: String = begun.drain(..end).collect();
            *begun = begun.trim_start_matches('\n').to_owned();
            lines.extend((!line.trim().is_empty()).then(|| shown(role.as_str(), &line)));
        }
        lines
    }

    /// What the turns that have ended said last.
    pub(crate) fn rest(&mut self, run: &Run) -> Vec<String> {
        let over = |turn: &TurnId| !run.in_flight().any(|in_flight| in_flight.id == *turn);
        let ended: Vec<TurnId> = self.begun.keys().copied().filter(over).collect();
        let rest = ended.into_iter().filter_map(|turn| self.begun.remove(&turn));
        rest.filter(|(_, text)| !text.trim().is_empty()).map(|(role, text)| shown(&role, &text)).collect()
    }
}

/// Where a wide line is broken: behind its last word, if it has several.
fn broken(line: &str) -> usize {
    let wide = head(line, WIDE);
    wide.rfind(' ').filter(|at| *at > 0).map_or(wide.len(), |at| at + 1)
}

/// Marked, because no log has it. Nothing in it moves a cursor.
fn shown(role: &str, text: &str) -> String {
    let is_odd = |c: char| {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let plain: String = text.chars().map(|c| if is_odd(c) { ' ' } else { c }).collect();
    format!("  ~ {role}: {}", plain.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_kernel::{Entry, SeatName, Seq};
    use tribunal_store::conformance::{events, run_id};

    #[test]
    fn pieces_become_lines_and_what_is_over_is_not_told_again() {
        let entries: Vec<Entry> = (1..)
            .zip(events(run_id(1)))
            .map(|(seq, (time, event))| Entry { seq: Seq(seq), time, event })
            .take(4)
            .collect();
        let in_flight = |run: &Run| run.in_flight().next().map(|turn| (turn.id, turn.seat.clone()));
        let count =
            (1..=4).find(|count| in_flight(&Run::fold(&entries[..*count]).unwrap().unwrap()).is_some()).unwrap();
        let run = Run::fold(&entries[..count]).unwrap().unwrap();
        let (turn, role) = in_flight(&run).unwrap();
        let said = |text: &str| LiveFrame { turn, role: role.clone(), text: text.into(), tool: None };
        let mut lines = LiveLines::default();
        assert_eq!(lines.take(&run, said("Hel")), [] as [String; 0]);
        assert_eq!(
            lines.take(&run, said("lo\n\nthere\u{1b}[2J\nand")),
            ["  ~ creator: Hello", "  ~ creator: there [2J"]
        );
        let used = LiveFrame { tool: Some("Bash".into()), ..said("") };
        assert_eq!(lines.take(&run, used), ["  ~ creator: uses Bash"]);
        let long = lines.take(&run, said(&" word".repeat(30)));
        assert_eq!(long.len(), 1, "{long:?}");
        let stranger = LiveFrame { turn: TurnId(99), role: SeatName::new("x"), text: "x\n".into(), tool: None };
        assert_eq!(lines.take(&run, stranger), [] as [String; 0]);
        let over = Run::fold(&entries).unwrap().unwrap();
        let is_over = over.in_flight().all(|in_flight| in_flight.id != turn);
        assert_eq!(lines.rest(&over).len(), usize::from(is_over));
    }
}
