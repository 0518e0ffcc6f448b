//! The bench: who writes and who judges in a run, and whether a judge is the model whose text it judges.
//!
//! A model likes what it wrote. Whoever seats it as its own judge is told so; nothing is decided by it.

use std::fmt;

use crate::spec::AgentDefinition;
use crate::{Binding, RunSpec, SeatName};

/// Who writes and who judges, as a run is seated. A seat can do both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bench {
    pub writers: Vec<BenchSeat>,
    pub judges: Vec<BenchSeat>,
    /// Whether the loop itself sees to it that a judge has another model than the writer.
    pub is_kept_apart: bool,
}

/// A seat that writes or judges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchSeat {
    pub seat: SeatName,
    /// The models that the loop may choose for it; none: it has the model that it was seated with.
    pub models: Vec<String>,
}

/// A judge who is the model that wrote what it judges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameModel {
    pub judge: SeatName,
    /// The seats that write; the judge's own may be among them.
    pub writers: Vec<SeatName>,
    /// Provider and model.
    pub model: String,
    /// Whether it depends on which models the loop chooses.
    is_possible: bool,
}

/// The kinds of agents that are no model. Everybody else's is one.
const PROGRAMS: [&str; 4] = ["command", "house", "human", "replay"];

impl Bench {
    /// Seats with the models that they were seated with.
    pub fn new<'s>(
        writers: impl IntoIterator<Item = &'s SeatName>,
        judges: impl IntoIterator<Item = &'s SeatName>,
    ) -> Self {
        let seat = |seat: &SeatName| BenchSeat { seat: seat.clone(), models: Vec::new() };
        let (writers, judges) = (writers.into_iter().map(seat).collect(), judges.into_iter().map(seat).collect());
        Self { writers, judges, is_kept_apart: false }
    }
}

impl RunSpec {
    /// The judges who are the model that writes what they judge, as far as agents are models.
    pub fn same_model_judges(&self) -> Vec<SameModel> {
        let bench = (self.def().bench)(self);
        if bench.is_kept_apart {
            return Vec::new();
        }
        bench.judges.iter().flat_map(|judge| self.same_models(judge, &bench.writers)).collect()
    }

    /// Whether a model answers there: programs, people and recordings have no opinion of their own, unless their votes are
    /// controlled.
    pub fn is_model(&self, seat: &SeatName) -> bool {
        self.definition(seat).is_some_and(AgentDefinition::is_model)
    }

    fn definition(&self, seat: &SeatName) -> Option<&AgentDefinition> {
        self.agents.get(&self.seats.get(seat)?.agent)
    }

    fn same_models(&self, judge: &BenchSeat, writers: &[BenchSeat]) -> Vec<SameModel> {
        let mut same = Vec::<SameModel>::new();
        for (voter, model) in self.voters(judge) {
            let is_same = |writer: &&BenchSeat| self.voters(writer).iter().any(|(other, _)| *other == voter);
            let meant: Vec<&BenchSeat> = writers.iter().filter(is_same).collect();
            if !meant.is_empty() {
                let is_possible = judge.models.len() > 1 || meant.iter().any(|writer| writer.models.len() > 1);
                let writers = meant.into_iter().map(|writer| writer.seat.clone()).collect();
                same.push(SameModel { judge: judge.seat.clone(), writers, model, is_possible });
            }
        }
        same
    }

    /// In whose names a seat may speak, and what each is called; of programs none.
    fn voters(&self, BenchSeat { seat, models }: &BenchSeat) -> Vec<(String, String)> {
        let (Some(binding), Some(agent)) = (self.seats.get(seat), self.definition(seat)) else { return Vec::new() };
        if !agent.is_model() {
            return Vec::new();
        }
        let named = |binding: &Binding| (binding.voter(Some(agent)), agent.model_name(binding));
        if models.is_empty() {
            return vec![named(binding)];
        }
        models.iter().map(|model| named(&Binding { model: Some(model.clone()), ..binding.clone() })).collect()
    }
}

impl AgentDefinition {
    fn is_model(&self) -> bool {
        let kind = self.0.get("kind").and_then(serde_json::Value::as_str);
        self.is_controlled() || kind.is_some_and(|kind| !PROGRAMS.contains(&kind))
    }

    /// Whose model it is, and which: `anthropic/claude-sonnet-4-5`.
    fn model_name(&self, binding: &Binding) -> String {
        let said = |key: &str| self.0.get(key).and_then(serde_json::Value::as_str);
        let whose = said("provider").or(said("kind")).unwrap_or(&binding.agent);
        match binding.model.as_deref().or(said("model")) {
            Some(model) => format!("{whose}/{model}"),
            None => whose.to_owned(),
        }
    }
}

impl fmt::Display for SameModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { judge, writers, model, is_possible } = self;
        let others: Vec<&str> = writers.iter().filter(|writer| *writer != judge).map(SeatName::as_str).collect();
        let is = if *is_possible { "can be" } else { "is" };
        match (others.is_empty(), writers.contains(judge)) {
            (true, _) => write!(f, "{judge} judges what it writes itself: {model}"),
            (false, true) => {
                write!(
                    f,
                    "{judge} judges what it writes itself, and {is} the same model as {}: {model}",
                    others.join(", ")
                )
            }
            (false, false) => write!(f, "{judge} {is} the same model as {}: {model}", others.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theater::Panel;
    use crate::{Digest, LoopSettings, RunId, desk, joust, review, theater};
    use serde_json::{Value, json};
    use tribunal_anchors::AnchorKind;
    use uuid::Uuid;

    /// Seats as `seat agent model`.
    fn told(settings: impl Into<LoopSettings>, seats: &[&str]) -> String {
        let mut spec = RunSpec::new(RunId(Uuid::nil()), ".".into(), Digest::of("brief"), settings);
        let agents: [(&str, Value); 5] = [
            ("claude", json!({"kind": "claude", "provider": null, "command": []})),
            ("other", json!({"kind": "claude", "provider": null, "command": []})),
            ("api", json!({"kind": "http", "provider": "anthropic", "command": []})),
            ("script", json!({"kind": "command", "command": ["./a.sh"]})),
            ("asks", json!({"kind": "command", "command": ["./a.sh"], "controls": true})),
        ];
        spec.agents = agents.map(|(name, agent)| (name.to_owned(), AgentDefinition(agent))).into();
        for seat in seats {
            let mut words = seat.split(' ');
            let mut word = || words.next().map(str::to_owned);
            let (seat, agent, model) = (word().unwrap(), word().unwrap(), word());
            spec.seats.insert(SeatName::new(seat), Binding { agent, model, ..Binding::default() });
        }
        spec.same_model_judges().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    fn of_review() -> review::Settings {
        serde_json::from_value(json!({"asset": "slug", "max_iterations": 3})).unwrap()
    }

    fn of_joust(linters: &[&str]) -> joust::Settings {
        let linters = linters.iter().map(|seat| SeatName::new(*seat)).collect();
        joust::Settings { linters, ..joust::Settings::new("rfc", AnchorKind::Invariants, &["editor"]) }
    }

    #[test]
    fn a_judge_who_is_the_model_that_wrote_is_named() {
        for (name, seats, expected) in [
            (
                "same",
                ["creator claude sonnet", "reviewer claude sonnet"],
                "reviewer is the same model as creator: claude/sonnet",
            ),
            (
                "by another name",
                ["creator claude sonnet", "reviewer other sonnet"],
                "reviewer is the same model as creator: claude/sonnet",
            ),
            ("its own model", ["creator claude", "reviewer claude"], "reviewer is the same model as creator: claude"),
            ("another model", ["creator claude sonnet", "reviewer claude opus"], ""),
            ("another provider", ["creator claude sonnet", "reviewer api sonnet"], ""),
            ("programs", ["creator script", "reviewer script"], ""),
            (
                "a script that asks a model",
                ["creator asks", "reviewer asks"],
                "reviewer is the same model as creator: command",
            ),
        ] {
            assert_eq!(told(of_review(), &seats), expected, "{name}");
        }
        assert_eq!(
            told(of_review(), &["creator unknown", "reviewer unknown"]),
            "",
            "an old log does not say what they are"
        );
    }

    #[test]
    fn who_judges_depends_on_the_loop() {
        let seats = ["main api m1", "editor api m1", "lawyer claude"];
        let own = "main judges what it writes itself, and is the same model as editor: anthropic/m1";
        assert_eq!(told(of_joust(&["main"]), &seats), own);
        assert_eq!(told(of_joust(&["lawyer"]), &seats), "", "a linter that does not write");
        let scored =
            joust::Settings { kind: AnchorKind::Rubric, scorers: vec![SeatName::new("editor")], ..of_joust(&["main"]) };
        assert!(told(scored, &seats).starts_with("editor judges what it writes itself, and"));
        let theater = |panel| theater::Settings::new("p", "page", panel);
        let seats = ["designer api m1", "critic api m1", "brand api m2", "a11y script", "copy api m1", "panel api m1"];
        assert_eq!(
            told(theater(Panel::Seats), &seats),
            "critic is the same model as designer: anthropic/m1; copy is the same model as designer: anthropic/m1"
        );
        assert_eq!(told(theater(Panel::Single), &seats), "panel judges what it writes itself: anthropic/m1");
        assert_eq!(told(theater(Panel::Off), &seats), "", "nobody judges");
    }

    #[test]
    fn a_desk_chooses_another_model_where_it_can() {
        let seats = ["worker claude", "verifier claude"];
        let desk = |ladder: &[&str], verifier_ladder: &[&str], verifier_model: Option<&str>| desk::Settings {
            ladder: ladder.iter().map(|model| (*model).to_owned()).collect(),
            verifier_ladder: verifier_ladder.iter().map(|model| (*model).to_owned()).collect(),
            verifier_model: verifier_model.map(str::to_owned),
            ..desk::Settings::new("calc")
        };
        assert_eq!(told(desk(&["haiku", "opus"], &["haiku", "opus"], None), &seats), "");
        let one = "verifier can be the same model as worker: claude/opus";
        assert_eq!(told(desk(&["haiku", "opus"], &["opus"], None), &seats), one);
        assert_eq!(told(desk(&["haiku", "opus"], &[], Some("opus")), &seats), one);
        assert_eq!(told(desk(&[], &[], None), &seats), "verifier is the same model as worker: claude");
    }
}
