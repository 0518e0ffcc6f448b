//! What worker, verifier and the desk's own seat are told.

use super::campaign::Campaign;
use super::criterion::Criterion;
use super::iteration::Iteration;
use super::settings::{Settings, VERIFIER, WORKER};
use super::verdict_file::VerdictFile;
use super::work::Work;
use super::{CheckInput, Errand, InspectInput, input};
use crate::evidence::{Touch, TouchedPath};
use crate::prompt::{Content, Part, Prompt};
use crate::trial::Ask;
use crate::{Round, Run};

/// What the desk's own seat is sent to do, for whoever reads the log.
pub(super) fn desk(settings: &Settings, run: &Run, ask: &Ask) -> Prompt {
    let mut parts = vec![Part::Text(format!("Desk: {}\nIteration: {}\nTask: {}", settings.slug, ask.round, ask.task))];
    let mut add = |label, text: String| parts.push(Part::Material { label, content: Content::Text(text) });
    let json = |value: serde_json::Result<String>| value.expect("checks and names are plain JSON");
    match input::errand(run, ask) {
        Some(Errand::Check(CheckInput { commit, checks, files, claim, .. })) => {
            add("the commit", commit);
            add("the checks", json(serde_json::to_string(&checks)));
            add("the files of the checks", json(serde_json::to_string(&files)));
            if let Some(claim) = claim {
                add("the claim in a line", claim);
            }
        }
        Some(Errand::Restore { commit }) => add("the commit", commit),
        Some(Errand::Survey) | None => {}
    }
    Prompt { template: "desk", parts }
}

pub(super) fn worker(settings: &Settings, run: &Run, round: Round) -> Prompt {
    let campaign = Campaign::of(run);
    let mut parts: Vec<Part> = campaign.survey().map(|survey| Part::Given(survey.worker_prompt)).into_iter().collect();
    let verified = campaign.verified();
    let stories = campaign.plan().map(|plan| {
        let told = plan.stories.iter().map(|story| {
            let state = if verified.contains_key(&story.id) { "verified" } else { "open" };
            format!("- {} ({state}): {}", story.id, story.title)
        });
        told.collect::<Vec<_>>().join("\n")
    });
    parts.push(Part::Text(format!(
        "## This iteration\nSeat: {WORKER}\nDesk: {}\nIteration: {round}{}\n\nStories:\n{}\n\nDo one bounded action: what the \
         contract below asks for, and no more. Nobody remembers you: what the next worker must know goes into the files.",
        settings.slug,
        run.limits().rounds.map(|limit| format!(" of at most {limit}")).unwrap_or_default(),
        stories.unwrap_or_default(),
    )));
    let contract = campaign.contract().unwrap_or("Begin with the first open story of the PRD.");
    parts.push(Part::Material { label: "the contract of this iteration", content: Content::Text(contract.to_owned()) });
    if let Some(trouble) = campaign.last_trouble() {
        parts.push(Part::Text(format!("The iteration before failed ({}):", trouble.code)));
        parts.push(Part::Material { label: "what failed last time", content: Content::Text(trouble.text.clone()) });
    }
    if let Some(links) = campaign.history().last().and_then(|(iteration, _)| links(iteration.work?)) {
        parts.push(Part::Text("What the iteration before left and is not part of the work:".into()));
        parts.push(Part::Material { label: "links that lead out", content: Content::Text(links) });
    }
    parts.push(Part::Text(
        "Before you end, write these files; their paths are in your environment.\n\
         - TRIBUNAL_MEMORY: rewrite it. `## Stop Status` with one word on the line below: `continue` (there is more to \
         do), `verify` (something is done and can be checked) or `blocked` (a person is needed); and `## Next Iteration \
         Contract` with what the next worker has to do.\n\
         - TRIBUNAL_CONTEXT: where the work stands.\n\
         - TRIBUNAL_CLAIM, only with `verify`: {\"iteration\": N, \"summary\": \"…\", \"stories_completed\": [\"US-001\"], \
         \"evidence\": {}}\n\
         You cannot change the PRD, the test spec or the tests that they name, and you do not write verdicts. Your claim \
         is checked by running the commands of the test spec in a clean checkout of your work."
            .into(),
    ));
    Prompt { template: "desk_worker", parts }
}

pub(super) fn verifier(settings: &Settings, run: &Run, round: Round) -> Prompt {
    let campaign = Campaign::of(run);
    let mut parts: Vec<Part> =
        campaign.survey().map(|survey| Part::Given(survey.verifier_prompt)).into_iter().collect();
    let iteration = Iteration::of(run, round);
    let scope = iteration.work.map(|work| campaign.scope(work)).unwrap_or_default();
    let stories = campaign.plan().map(|plan| {
        let criteria = Criterion::of(plan, &scope);
        let judged = plan.stories.iter().filter(|story| scope.contains(&story.id));
        let told = judged.map(|story| {
            let own = criteria.iter().filter(|criterion| *criterion.story == story.id).map(|criterion| {
                let proof = iteration.receipts.map(|receipts| criterion.proof(plan, receipts).told());
                let proof = proof.map(|proof| format!(" ({proof})")).unwrap_or_default();
                format!("  - {}: {}{proof}", criterion.name(), criterion.text)
            });
            format!("- {}: {}\n{}", story.id, story.title, own.collect::<Vec<_>>().join("\n"))
        });
        told.collect::<Vec<_>>().join("\n")
    });
    parts.push(Part::Text(format!(
        "## This verification\nSeat: {VERIFIER}\nDesk: {}\nIteration: {round}\n\nA worker claims that something is done. A \
         claim is not evidence. You are in a clean checkout of its work and can change nothing. Judge every criterion of \
         these stories by what you see:",
        settings.slug
    )));
    let stories = stories.unwrap_or_default();
    parts.push(Part::Material { label: "the stories to judge", content: Content::Text(stories) });
    if let Some(claim) = iteration.work.and_then(|work| work.claim.as_ref()) {
        let text = serde_json::to_string_pretty(claim).expect("a claim is plain JSON");
        parts.push(Part::Material { label: "the claim", content: Content::Text(text) });
    }
    if let Some(links) = iteration.work.and_then(links) {
        parts.push(Part::Text(
            "The worker left links that lead out of its folder. They are not part of the work, and what it did through them \
             is not either:"
                .into(),
        ));
        parts.push(Part::Material { label: "links that lead out", content: Content::Text(links) });
    }
    if let Some(InspectInput { mut receipts }) = input::inspected(run, round) {
        let evidence = receipts.evidence.take();
        let text = serde_json::to_string_pretty(&receipts).expect("receipts are plain JSON");
        parts
            .push(Part::Text("The checks were run for you, in a clean checkout; what failed there has failed:".into()));
        parts.push(Part::Material { label: "the receipts", content: Content::Text(text) });
        if let Some(evidence) = evidence {
            parts.push(Part::Text(
                "The same commands without the work and with it, and what is to be known of them. A line that was broken \
                 on purpose without any check noticing is told as `survived`:"
                    .into(),
            ));
            let seen = evidence.side_by_side() + &changed(&evidence.touched);
            parts.push(Part::Material { label: "base and work side by side", content: Content::Text(seen) });
        }
        if let Some(diff) = receipts.diff {
            parts.push(Part::Text(
                "What the work changed, as text that the worker wrote; `git show` in your checkout has all of it:"
                    .into(),
            ));
            parts.push(Part::Material { label: "the diff", content: Content::Blob(diff) });
        }
    }
    parts.push(Part::Text(
        "Name every criterion in `criteria_results` as it is numbered above (`US-001 AC1`), with what you saw as its \
         evidence between backticks: a line that the work added, or the place of one (`src/calc.py:12`), or a line of a \
         check's output that is not there without the work. Lines that were there before count only for what is to stay as \
         it was, or if the work added nothing. A pass that leaves one out, or has nothing to show for one that no command \
         proves, is sent back."
            .into(),
    ));
    parts.push(Part::Text(format!(
        "Write your verdict to the file that TRIBUNAL_VERDICT names, as one JSON object of this schema:\n{}",
        crate::answer::schema::<VerdictFile>()
    )));
    Prompt { template: "desk_verifier", parts }
}

/// What was left out of the work, if something was.
fn links(work: &Work) -> Option<String> {
    let told: Vec<&str> = work.incidents.iter().filter(|it| it.is_link()).map(|it| it.detail.as_str()).collect();
    (!told.is_empty()).then(|| told.join("\n"))
}

/// The tests and what steers them, as far as the work touched them.
fn changed(touched: &[TouchedPath]) -> String {
    let told = touched.iter().map(|touched| {
        let what = match touched.what {
            Touch::TestAdded => "a new test",
            Touch::TestChanged => "a test, changed",
            Touch::TestDeleted => "a test, deleted",
            Touch::SteeringAdded => "steers a runner, new",
            Touch::SteeringChanged => "steers a runner, changed",
            Touch::SteeringDeleted => "steers a runner, deleted",
        };
        format!("{}: {what}\n", touched.path)
    });
    told.collect()
}
