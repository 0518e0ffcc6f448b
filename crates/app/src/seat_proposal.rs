//! Who could sit where: command lines that could begin right now, for seats that nobody has.

use std::fmt::Write as _;
use tribunal_agents::Vendor;
use tribunal_config::Config;

use crate::project::SettingText;

/// Seats, and who is proposed for them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SeatProposal {
    seats: Vec<ProposedSeat>,
}

/// A seat and its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ProposedSeat {
    seat: &'static str,
    vendor: Vendor,
    /// What the agent is called in the configuration.
    agent: String,
}

impl SeatProposal {
    /// The first of `usable` drafts. The second one judges, so that nobody judges their own work; where there is only
    /// one, it does both.
    pub fn new(drafts: &'static str, judges: &'static str, usable: &[Vendor]) -> Self {
        let Some(&first) = usable.first() else { return Self::default() };
        let second = usable.get(1).copied().unwrap_or(first);
        let seat = |seat, vendor: Vendor| ProposedSeat { seat, vendor, agent: vendor.program().to_owned() };
        Self { seats: vec![seat(drafts, first), seat(judges, second)] }
    }

    /// The same for the seats that nobody has. Who is configured keeps its name and its seat.
    pub fn missing(config: &Config, drafts: &'static str, judges: &'static str, usable: &[Vendor]) -> Self {
        let vendor_in =
            |seat: &str| config.agent_in(seat).and_then(|(_, agent)| Vendor::from_word(agent.kind.as_str()));
        let mut taken: Vec<Vendor> = [drafts, judges].into_iter().filter_map(vendor_in).collect();
        let mut seats = Vec::new();
        for seat in [drafts, judges].into_iter().filter(|seat| config.agent_in(seat).is_none()) {
            let other = usable.iter().find(|vendor| !taken.contains(vendor)).or_else(|| usable.first());
            let Some(&vendor) = other else { return Self::default() };
            taken.push(vendor);
            let named = config.agents.iter().find(|(_, agent)| agent.kind.as_str() == vendor.program());
            let agent = named.map_or_else(|| vendor.program().to_owned(), |(name, _)| name.clone());
            seats.push(ProposedSeat { seat, vendor, agent });
        }
        Self { seats }
    }

    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    pub fn has_seated(&self, program: &str) -> bool {
        self.seats.iter().any(|seat| seat.vendor.program() == program)
    }

    /// As settings that are stronger than every file.
    pub fn settings(&self) -> Vec<SettingText> {
        self.seats.iter().map(|seat| (format!("seats.{}.agent", seat.seat), seat.agent.clone())).collect()
    }

    /// The template with these seats: a seat that has an example in it is given to somebody else.
    pub fn seated(&self, toml: &str) -> String {
        let mut toml = toml.to_owned();
        for ProposedSeat { seat, agent, .. } in &self.seats {
            let head = format!("\n[seats.{seat}]\nagent = ");
            if let Some(start) = toml.find(&head).map(|start| start + head.len()) {
                let end = toml[start..].find('\n').map_or(toml.len(), |length| start + length);
                let example = toml[start..end].to_owned();
                toml.replace_range(start..end, &format!("\"{agent}\"     # the example is {example}"));
            } else {
                let _ = write!(toml, "\n[seats.{seat}]\nagent = \"{agent}\"\n");
            }
        }
        toml
    }

    /// The agents that the seats name.
    pub fn agents(&self) -> String {
        let mut text = String::new();
        for vendor in Vendor::ALL.into_iter().filter(|vendor| self.has_seated(vendor.program())) {
            let _ = write!(
                text,
                "\n# `{vendor}` is on the PATH, and somebody is logged in: its account is used.\n[agents.{vendor}]\nkind = \
                 \"{vendor}\"\n"
            );
            // Without a model nobody knows what it costs, and it does not say so itself.
            if !matches!(vendor, Vendor::Claude | Vendor::Opencode) {
                text.push_str("reserve_usd = 0.50     # set aside for each of its turns: nobody says what they cost\n");
            }
        }
        text
    }

    /// Who would sit where: "`claude` as worker and `codex` as verifier".
    pub fn told(&self) -> Option<String> {
        let told = |seat: &ProposedSeat| format!("`{}` as {}", seat.agent, seat.seat);
        let seats: Vec<String> = self.seats.iter().map(told).collect();
        (!seats.is_empty()).then(|| seats.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(proposal: &SeatProposal) -> String {
        proposal.settings().iter().map(|(key, agent)| format!("{key}={agent}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn whoever_drafts_does_not_judge_if_there_is_somebody_else() {
        let all = Vendor::ALL.to_vec();
        for (name, usable, expected) in [
            ("nobody", vec![], ""),
            ("one", vec![Vendor::Codex], "seats.a.agent=codex seats.b.agent=codex"),
            ("two", vec![Vendor::Claude, Vendor::Gemini], "seats.a.agent=claude seats.b.agent=gemini"),
            ("all", all, "seats.a.agent=claude seats.b.agent=codex"),
        ] {
            assert_eq!(seats(&SeatProposal::new("a", "b", &usable)), expected, "{name}");
        }
    }

    #[test]
    fn only_empty_seats_are_given_away_and_names_are_kept() {
        let both = [Vendor::Claude, Vendor::Codex];
        let mine = "[agents.mine]\nkind = \"claude\"\n";
        for (name, toml, usable, expected) in [
            ("nothing configured", "", &both[..], "seats.worker.agent=claude seats.verifier.agent=codex"),
            ("nobody there", "", &[], ""),
            ("an agent has a name", mine, &both, "seats.worker.agent=mine seats.verifier.agent=codex"),
            ("a worker sits there", "[seats.worker]\nagent = \"claude\"\n", &both, "seats.verifier.agent=codex"),
            ("a verifier sits there", "[seats.verifier]\nagent = \"claude\"\n", &both, "seats.worker.agent=codex"),
            ("only itself", "[seats.worker]\nagent = \"claude\"\n", &both[..1], "seats.verifier.agent=claude"),
            ("both sit there", "[seats.worker]\nagent = \"claude\"\n[seats.verifier]\nagent = \"claude\"\n", &both, ""),
        ] {
            let project = Some(("/p/tribunal.toml".into(), toml.to_owned()));
            let sources = tribunal_config::Sources { cwd: "/p".into(), project, ..Default::default() };
            let config = tribunal_config::load(&sources).unwrap().config;
            assert_eq!(seats(&SeatProposal::missing(&config, "worker", "verifier", usable)), expected, "{name}");
        }
    }

    #[test]
    fn an_example_gives_up_its_seat() {
        let proposal = SeatProposal::new("creator", "reviewer", &[Vendor::Claude]);
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
        assert_eq!(
            SeatProposal::new("creator", "reviewer", &[]).seated(toml),
            toml,
            "without anybody it stays as it is"
        );
    }
}
