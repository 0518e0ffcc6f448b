//! Commands of an anchor: run on a page, in the sandbox, by the seat that runs them in trials.

use tribunal_agents::TurnRequest;
use tribunal_anchors::{Anchor, LintResult};
use tribunal_engine::{Rules, Seating};
use tribunal_kernel::ballot::VoteWord;
use tribunal_kernel::rules::{self, RulesAnswer, RulesInput};
use tribunal_kernel::{Round, RunId, SeatName, TurnId, TurnInput};

use super::Page;

/// Takes in what the commands of an anchor say of a page. One that could not be run stays pending, and a note says why.
/// Whoever checks against an anchor named its file, so its commands are a person's.
pub(super) async fn run(seating: &Seating, anchor: &Anchor, page: &Page, result: &mut LintResult) {
    let commands = rules::checkable(anchor).into_iter().filter(|(_, rule)| rule.command().is_some());
    let names: Vec<String> = commands.map(|(_, rule)| rule.name().to_owned()).collect();
    if names.is_empty() {
        return;
    }
    let input = RulesInput { anchor: Box::new(anchor.clone()), draft: page.text.as_str().into(), may_run: true };
    let request = TurnRequest {
        place: String::new(),
        // An id of its own: whoever cleans up after a run must not end us.
        run: RunId(tribunal_store::new_id()),
        r#loop: None,
        works_on_files: false,
        judges: false,
        round: Round(1),
        turn: TurnId(1),
        seat: SeatName::new(rules::RULES),
        task: "check".into(),
        model: None,
        effort: None,
        prompt: String::new(),
        stable: 0,
        attachments: Vec::new(),
        form: None,
        input: Some(TurnInput::Rules(input)),
        meter: tribunal_kernel::quote::TurnMeter::default(),
        is_resumed: false,
    };
    let answer = tribunal_engine::consult(seating, Rules::NAME, request).await;
    let answer: Result<RulesAnswer, String> = answer
        .result
        .map_err(|error| error.message)
        .and_then(|answer| serde_json::from_str(&answer.text).map_err(|error| error.to_string()));
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => {
            result.notes.push(format!("commands could not be run: {why}"));
            return;
        }
    };
    for name in names {
        let Some(vote) = answer.votes.iter().find(|vote| vote.item == name) else { continue };
        let why = vote.why.as_deref().unwrap_or("the command did not pass");
        match vote.says {
            VoteWord::Met => drop(result.ran(&name, true, "")),
            VoteWord::Broken => drop(result.ran(&name, false, why)),
            VoteWord::CannotTell => result.notes.push(format!("`{name}` is undecided: {why}")),
        }
    }
}
