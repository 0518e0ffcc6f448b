//! What a person decides where judges could not: items that nobody could tell, and commands that a model wrote.

use serde_json::{Value, json};
use tribunal_anchors::Anchor;
use tribunal_engine::Session;
use tribunal_kernel::ballot::{ItemState, JudgedItem, Vote, VoteWord};
use tribunal_kernel::{Event, Outcome, Run, RunId, rules};

use crate::error::AppError;
use crate::input::{MAX_DIRECTIVE, bounded};
use crate::project::Project;
use crate::{resume, views};

/// Every item that is undecided.
pub const ALL: &str = "all";

/// A person's word on items that are undecided, and on commands that nobody allowed yet.
#[derive(Debug, Clone, Default)]
pub struct DecideRequest {
    pub by: String,
    /// Items that are met, each by its number in the list, its name, or [`ALL`].
    pub met: Vec<String>,
    /// Items that are broken, likewise.
    pub broken: Vec<String>,
    pub why: Option<String>,
    /// The commands of the anchor may run: the draft is judged again with them.
    pub allow_commands: bool,
}

/// An item that nobody could tell.
#[derive(Debug, Clone)]
pub struct UndecidedItem {
    /// Its place among all that is asked of the draft: it stays the same while others are decided.
    pub number: usize,
    pub item: JudgedItem,
    /// What is asked, in words.
    pub words: String,
}

impl UndecidedItem {
    /// For programs.
    pub fn object(&self) -> Value {
        let mut object = json!(self.item);
        object["number"] = json!(self.number);
        object["words"] = json!(self.words);
        object
    }
}

/// What a person can decide of a run that has ended without a decision.
#[derive(Debug, Clone)]
pub struct Undecided {
    pub items: Vec<UndecidedItem>,
    /// Commands of an anchor that a model wrote, which nobody allowed.
    pub commands: Vec<String>,
}

impl Undecided {
    /// Nothing, if nothing waits for a person's decision.
    pub fn of(run: &Run) -> Option<Self> {
        if run.end().is_none_or(|end| end.outcome != Outcome::NeedsHuman) {
            return None;
        }
        // What is measured is no matter of opinion.
        let is_open = |item: &JudgedItem| item.state == ItemState::Undecided && item.item != rules::MEASURE;
        let asked = run.anchor().map(Anchor::items).unwrap_or_default();
        let mut beyond = asked.len();
        let numbered = run.open_items().into_iter().filter(is_open).map(|item| {
            let place = asked.iter().position(|(_, rule)| rule.name() == item.item);
            let words = place.map_or_else(|| item.item.clone(), |place| asked[place].1.rule.clone());
            let number = place.map_or_else(
                || {
                    beyond += 1;
                    beyond
                },
                |place| place + 1,
            );
            UndecidedItem { number, item, words }
        });
        let items: Vec<UndecidedItem> = numbered.collect();
        let is_trusted = run.spec().trial().may_run_commands(run);
        let commands = run.anchor().filter(|_| !is_trusted).map(rules::commands).unwrap_or_default();
        (!items.is_empty() || !commands.is_empty()).then_some(Self { items, commands })
    }
}

/// The newest run that waits for a person's decision.
pub async fn newest(project: &Project) -> Result<Option<Run>, AppError> {
    for spec in project.specs().await? {
        let Ok(run) = project.read(spec.run).await else { continue };
        if Undecided::of(&run).is_some() {
            return Ok(Some(run));
        }
    }
    Ok(None)
}

/// Records what a person decided. The session is to be driven on: the last round is judged again with it.
pub async fn decide(project: &Project, id: RunId, request: DecideRequest) -> Result<Session, AppError> {
    let mut session = resume::open_ended(project, id).await?;
    let run = session.run();
    let Some(undecided) = Undecided::of(run) else {
        return Err(AppError::conflict(
            format!("run {id} has nothing that waits for your decision"),
            format!("`tribunal status {id}` shows its state; `tribunal reopen {id}` lifts a decision"),
        ));
    };
    if let Some(why) = &request.why {
        bounded("the reason", why, MAX_DIRECTIVE)?;
    }
    let votes = votes(&undecided.items, &request)?;
    let anchor = match (request.allow_commands, run.anchor()) {
        (true, _) if undecided.commands.is_empty() => {
            return Err(AppError::conflict(
                format!("run {id} has no commands that wait for permission"),
                "`--met` and `--broken` decide items",
            ));
        }
        (true, Some(anchor)) => Some(Box::new(anchor.clone())),
        _ => None,
    };
    if votes.is_empty() && anchor.is_none() {
        return Err(AppError::invalid("nothing was decided", "name items with `--met` or `--broken`"));
    }
    let round = run.rounds().last().map(|state| state.round);
    let Some(draft) = round.and_then(|round| run.standing(round)).map(|draft| draft.id) else {
        return Err(AppError::conflict(
            format!("run {id} has no draft to decide about"),
            "`tribunal resume` continues it",
        ));
    };
    session.record(Event::ItemsDecided { by: request.by.clone(), draft, votes }, &[]).await?;
    if let Some(anchor) = anchor {
        // A person's word makes it their anchor; what was said of it before is void, and it is judged with its commands.
        session.record(Event::Reanchored { by: request.by, anchor }, &[]).await?;
    }
    views::bring_up_to_date(project, session.run()).await?;
    Ok(session)
}

/// The votes that a request comes to: every item at most once.
fn votes(items: &[UndecidedItem], request: &DecideRequest) -> Result<Vec<Vote>, AppError> {
    let mut votes: Vec<Vote> = Vec::new();
    for (says, names) in [(VoteWord::Met, &request.met), (VoteWord::Broken, &request.broken)] {
        for name in names {
            for UndecidedItem { item, .. } in named(items, name)? {
                if votes.iter().any(|vote| vote.item == item.item && vote.says != says) {
                    return Err(AppError::invalid(
                        format!("`{}` cannot be met and broken", item.item),
                        "name each item once",
                    ));
                }
                if !votes.iter().any(|vote| vote.item == item.item) {
                    votes.push(Vote { item: item.item.clone(), says, quote: None, why: request.why.clone() });
                }
            }
        }
    }
    Ok(votes)
}

/// The items that somebody means: all, one by its number, or one by its name.
fn named<'i>(items: &'i [UndecidedItem], name: &str) -> Result<Vec<&'i UndecidedItem>, AppError> {
    if name == ALL {
        return Ok(items.iter().collect());
    }
    let wanted = name.parse::<usize>().ok();
    let by_number = items.iter().find(|item| wanted == Some(item.number));
    let by_name = || {
        let is_it = |text: &str| text.eq_ignore_ascii_case(name.trim());
        items.iter().find(|item| is_it(&item.item.item) || is_it(&item.words))
    };
    by_number.or_else(by_name).map(|item| vec![item]).ok_or_else(|| {
        let known: Vec<String> = items.iter().map(|item| format!("{} `{}`", item.number, item.item.item)).collect();
        AppError::invalid(format!("there is no undecided item `{name}`"), format!("there are: {}", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_anchors::RequirementLevel;

    #[test]
    fn items_are_named_by_number_name_or_all() {
        let item = |number, name: &str| UndecidedItem {
            number,
            item: JudgedItem {
                level: RequirementLevel::Must,
                item: name.into(),
                state: ItemState::Undecided,
                why: None,
                justified: false,
            },
            words: name.into(),
        };
        // The second of three is decided already: the others keep their numbers.
        let items = [item(1, "names the payer"), item(3, "Names the date")];
        let told = |met: &[&str], broken: &[&str]| {
            let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let request = DecideRequest { met: list(met), broken: list(broken), ..DecideRequest::default() };
            let told = |vote: Vote| format!("{} {}", vote.item, vote.says.as_str());
            votes(&items, &request)
                .map(|votes| votes.into_iter().map(told).collect::<Vec<_>>().join(", "))
                .map_err(|error| error.to_string())
        };
        assert_eq!(told(&["1"], &["names the date"]).unwrap(), "names the payer met, Names the date broken");
        assert_eq!(told(&["all"], &[]).unwrap(), "names the payer met, Names the date met");
        assert_eq!(told(&["1", "names the payer"], &[]).unwrap(), "names the payer met");
        assert!(told(&["all"], &["3"]).unwrap_err().contains("met and broken"));
        for wrong in ["0", "2", "payer", ""] {
            assert!(told(&[wrong], &[]).unwrap_err().contains("no undecided item"), "{wrong}");
        }
    }
}
