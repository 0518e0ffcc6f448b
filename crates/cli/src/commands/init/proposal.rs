//! Who sits where in a new project: command lines that could begin right now, or else the examples.

use std::fmt::Write as _;
use tribunal_agents::Vendor;

use crate::args::InitLoop;

/// Seats, and who is proposed for them.
#[derive(Debug)]
pub(super) struct Proposal {
    seats: Vec<(&'static str, Vendor)>,
}

impl Proposal {
    /// The first of `usable` drafts. The second one judges, so that nobody judges their own work; where there is only
    /// one, it does both. Seats of a theater that measure are left to the house.
    pub(super) fn new(kind: InitLoop, usable: &[Vendor]) -> Self {
        let Some(&first) = usable.first() else { return Self { seats: Vec::new() } };
        let second = usable.get(1).copied().unwrap_or(first);
        let (drafts, judges) = match kind {
            InitLoop::Review => ("creator", "reviewer"),
            InitLoop::Joust => ("main", "skeptic"),
            InitLoop::Theater => ("designer", "critic"),
        };
        Self { seats: vec![(drafts, first), (judges, second)] }
    }

    pub(super) fn has_seated(&self, program: &str) -> bool {
        self.seats.iter().any(|(_, vendor)| vendor.program() == program)
    }

    /// The template with these seats: a seat that has an example in it is given to somebody else.
    pub(super) fn seated(&self, toml: &str) -> String {
        let mut toml = toml.to_owned();
        for (seat, vendor) in &self.seats {
            let head = format!("\n[seats.{seat}]\nagent = ");
            if let Some(start) = toml.find(&head).map(|start| start + head.len()) {
                let end = toml[start..].find('\n').map_or(toml.len(), |length| start + length);
                let example = toml[start..end].to_owned();
                toml.replace_range(start..end, &format!("\"{vendor}\"     # the example is {example}"));
            } else {
                let _ = write!(toml, "\n[seats.{seat}]\nagent = \"{vendor}\"\n");
            }
        }
        toml
    }

    /// The agents that the seats name.
    pub(super) fn agents(&self) -> String {
        let mut text = String::new();
        for vendor in Vendor::ALL.into_iter().filter(|vendor| self.has_seated(vendor.program())) {
            let _ = write!(
                text,
                "\n# `{vendor}` is on the PATH, and somebody is logged in: its account is used.\n[agents.{vendor}]\nkind = \
                 \"{vendor}\"\n"
            );
        }
        text
    }

    /// What whoever reads the screen should know before they run it.
    pub(super) fn told(&self) -> Option<String> {
        let seats: Vec<String> = self.seats.iter().map(|(seat, vendor)| format!("`{vendor}` as {seat}")).collect();
        (!seats.is_empty()).then(|| {
            format!(
                "using {}: installed and logged in on this machine; runs use their accounts (`--examples` uses the example agents instead)",
                seats.join(" and ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_drafts_does_not_judge_if_there_is_somebody_else() {
        let all = Vendor::ALL.to_vec();
        for (name, kind, usable, expected) in [
            ("nobody", InitLoop::Review, vec![], vec![]),
            (
                "one",
                InitLoop::Review,
                vec![Vendor::Codex],
                vec![("creator", Vendor::Codex), ("reviewer", Vendor::Codex)],
            ),
            (
                "two",
                InitLoop::Joust,
                vec![Vendor::Claude, Vendor::Gemini],
                vec![("main", Vendor::Claude), ("skeptic", Vendor::Gemini)],
            ),
            ("all", InitLoop::Theater, all, vec![("designer", Vendor::Claude), ("critic", Vendor::Codex)]),
        ] {
            assert_eq!(Proposal::new(kind, &usable).seats, expected, "{name}");
        }
    }

    #[test]
    fn an_example_gives_up_its_seat() {
        let proposal = Proposal::new(InitLoop::Review, &[Vendor::Claude]);
        let toml = "[run]\n\n[seats.creator]\nagent = \"writer\"\n";
        insta::assert_snapshot!(proposal.seated(toml) + &proposal.agents(), @r#"
        [run]

        [seats.creator]
        agent = "claude"     # the example is "writer"

        [seats.reviewer]
        agent = "claude"

        # `claude` is on the PATH, and somebody is logged in: its account is used.
        [agents.claude]
        kind = "claude"
        "#);
        assert_eq!(Proposal::new(InitLoop::Review, &[]).seated(toml), toml, "without anybody it stays as it is");
    }
}
