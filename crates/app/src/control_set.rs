//! Trying a judge on what is known: twenty faults in ten texts, and as many demands that are met.

use serde::Deserialize;
use tribunal_anchors::{RequirementLevel, Rule, Test};
use tribunal_config::AgentKind;
use tribunal_engine::Clock as _;
use tribunal_kernel::SeatName;
use tribunal_kernel::ballot::{Ballot, VoteWord};
use tribunal_kernel::consult::Opinion;
use tribunal_kernel::grade::{CatchRate, Grades};

use crate::check::voter;
use crate::consult::Consultant;
use crate::error::AppError;
use crate::project::Project;
use crate::seating::bind;

/// The seat that is asked.
const JUDGE: &str = "judge";

/// One text, and what is known of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownText {
    text: String,
    met: Vec<String>,
    broken: Vec<String>,
    #[serde(default)]
    breaks: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ControlSet {
    texts: Vec<KnownText>,
}

/// An agent that was tried, and how it did; or why it could not be.
#[derive(Debug)]
pub struct TriedJudge {
    pub agent: String,
    pub model: Option<String>,
    pub rate: Result<CatchRate, String>,
}

impl ControlSet {
    fn built_in() -> Self {
        toml::from_str(include_str!("control_set.toml")).expect("the built-in set is valid TOML")
    }
}

impl KnownText {
    /// What is asked of it, mixed, each with whether it is broken.
    fn items(&self) -> Vec<(RequirementLevel, Rule, bool)> {
        let rule = |words: &String| Rule { test: Test::Semantic, id: None, rule: words.clone() };
        let of = |words: &[String], level: RequirementLevel, is_broken: bool| {
            words.iter().map(move |words| (level, rule(words), is_broken)).collect::<Vec<_>>()
        };
        let mut items = of(&self.met, RequirementLevel::Must, false);
        items.extend(of(&self.broken, RequirementLevel::Must, true));
        items.extend(of(&self.breaks, RequirementLevel::MustNot, true));
        // In an order that says nothing of the answer.
        items.sort_by(|(_, one, _), (_, other, _)| one.rule.cmp(&other.rule));
        items
    }
}

/// How many calls it takes to try one agent.
pub fn calls() -> usize {
    ControlSet::built_in().texts.len()
}

/// Tries agents, each on every text; what they show is kept. Without names: every model of the configuration.
pub async fn try_judges(project: &Project, names: &[String]) -> Result<Vec<TriedJudge>, AppError> {
    let config = project.config();
    let models = config.agents.iter().filter(|(_, agent)| agent.kind.is_model()).map(|(name, _)| name.clone());
    let names: Vec<String> = if names.is_empty() { models.collect() } else { names.to_vec() };
    if names.is_empty() {
        return Err(AppError::invalid(
            "there is no model to try",
            "define one in tribunal.toml, or name an agent: `tribunal agents controls NAME`",
        ));
    }
    for name in &names {
        bind(config, JUDGE, name)?; // refused before anything is paid
        if config.agents.get(name).is_some_and(|agent| matches!(agent.kind, AgentKind::House | AgentKind::Human)) {
            return Err(AppError::invalid(
                format!("agent `{name}` is not somebody whose opinion can be tried"),
                "choose a model, or a program that answers for one",
            ));
        }
    }
    for name in &names {
        let judge = Consultant::new(project, SeatName::new(JUDGE), bind(config, JUDGE, name)?, "lint");
        judge.check_priced().await?;
    }
    let set = ControlSet::built_in();
    let mut tried = Vec::new();
    for name in names {
        let binding = bind(config, JUDGE, &name)?;
        let (model, voter) = (binding.model.clone(), voter(project, &binding));
        let judge = Consultant::new(project, SeatName::new(JUDGE), binding, "lint").judging();
        let rate = try_one(project, &judge, &set, voter).await;
        if let Ok(rate) = &rate {
            let change = |grades: &mut Grades| grades.remember_rate(rate.clone());
            project.store.grades().change(Box::new(change)).await?;
        }
        tried.push(TriedJudge { agent: name, model, rate: rate.map_err(|error| error.to_string()) });
    }
    Ok(tried)
}

async fn try_one(
    project: &Project,
    judge: &Consultant<'_>,
    set: &ControlSet,
    voter: String,
) -> Result<CatchRate, AppError> {
    let mut rate = CatchRate { voter, at: project.clock.now(), faults: 0, caught: 0, fair: 0, alarms: 0 };
    for (number, known) in (1..).zip(&set.texts) {
        project.console.say(&format!("{}: text {number} of {}", judge.binding().agent, set.texts.len()));
        let items = known.items();
        let ballot = Ballot::of(items.iter().map(|(level, rule, _)| (*level, rule)));
        let opinion = Opinion { ballot: &ballot, text: &known.text, is_controlled: false };
        let ask = |attempt| opinion.prompt("draft", judge.seat(), attempt);
        let said = judge.ask_again(ask, |answer, attempt, is_last| opinion.read(answer, attempt, is_last)).await?;
        for (_, rule, is_broken) in &items {
            let says = said.votes.iter().find(|vote| vote.item == rule.name()).map(|vote| vote.says);
            let is_noticed = u32::from(says == Some(VoteWord::Broken));
            if *is_broken {
                (rate.faults, rate.caught) = (rate.faults + 1, rate.caught + is_noticed);
            } else {
                (rate.fair, rate.alarms) = (rate.fair + 1, rate.alarms + is_noticed);
            }
        }
    }
    Ok(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_has_twenty_faults_in_ten_texts_and_nobody_can_tell_them_by_their_order() {
        let set = ControlSet::built_in();
        assert_eq!(set.texts.len(), 10);
        let items: Vec<_> = set.texts.iter().map(KnownText::items).collect();
        let broken = items.iter().flatten().filter(|(_, _, is_broken)| *is_broken).count();
        assert_eq!((broken, items.iter().map(Vec::len).sum::<usize>()), (20, 40));
        for place in 0..4 {
            let broken = items.iter().filter(|items| items[place].2).count();
            assert!((2..=8).contains(&broken), "{broken} of ten are broken at place {place}");
        }
    }
}
