//! The files that a campaign begins with.

use std::fmt::Write as _;
use tribunal_store::desk::DeskFiles;

use super::answers::PlanAnswers;

/// Names and texts, relative to the project.
pub(super) fn files(desk: &DeskFiles, answers: &PlanAnswers) -> Vec<(String, String)> {
    vec![
        (desk.prd(), prd(answers)),
        (desk.test_spec(), test_spec(answers)),
        (desk.worker_prompt(), worker(desk, answers)),
        (desk.verifier_prompt(), verifier(desk, answers)),
        (desk.memory(), memory(answers)),
        (desk.context(), context(answers)),
    ]
}

fn prd(answers: &PlanAnswers) -> String {
    let mut text = format!("# PRD: {}\n\n## Objective\n\n{}\n\n## User Stories\n", answers.slug, answers.objective);
    for (number, story) in (1..).zip(&answers.stories) {
        let _ = write!(text, "\n### US-{number:03}: {}\n\n**Acceptance Criteria**\n", story.title);
        for criterion in &story.criteria {
            let _ = write!(text, "\n- {criterion}");
        }
        text.push('\n');
    }
    text.push_str("\n## Technical Constraints\n\n");
    if answers.constraints.is_empty() {
        text.push_str("<!-- What the work has to keep to, such as: Python 3 and pytest only. -->\n");
    }
    for constraint in &answers.constraints {
        let _ = writeln!(text, "- {constraint}");
    }
    text.push_str("\n## Done When\n\nEvery criterion is met, and every command of the test spec passes.\n");
    text
}

fn test_spec(answers: &PlanAnswers) -> String {
    let mut text = format!("# Test spec: {}\n\n## Verification Commands\n", answers.slug);
    let mut purpose = "";
    for command in &answers.commands {
        if purpose != command.purpose {
            let _ = write!(text, "\n### {}\n\n", command.purpose);
            purpose = &command.purpose;
        }
        let _ = writeln!(text, "```sh\n{}\n```", command.line.trim());
    }
    text.push_str("\n## Criteria → Verification Mapping\n\n| Criterion | Method | Command |\n|---|---|---|\n");
    let test = answers.commands.iter().find(|command| command.purpose == "Test").or(answers.commands.first());
    for (number, story) in (1..).zip(&answers.stories) {
        for (nth, criterion) in (1..).zip(&story.criteria) {
            let line = test.map(|command| format!("`{}`", command.line.trim())).unwrap_or_default();
            let criterion = criterion.replace('|', "\\|");
            let _ = writeln!(text, "| US-{number:03} AC{nth}: {criterion} | automated | {line} |");
        }
    }
    text
}

fn worker(desk: &DeskFiles, answers: &PlanAnswers) -> String {
    format!(
        "# Worker of `{slug}`\n\nYou are a worker with a fresh context: you know nothing but what is in the files.\n\n\
         1. Read {prd}, {spec}, {memory} and {context}.\n\
         2. Do {unit}: the next one that is open, by the contract of this iteration.\n\
         3. Show what is new by a test that fails without your change. Run the commands of the test spec yourself before \
         you claim anything.\n\
         4. Rewrite {memory} and {context} for the worker after you, and claim what is done in {claim}.\n\n\
         Objective: {objective}\n",
        slug = answers.slug,
        prd = desk.prd(),
        spec = desk.test_spec(),
        memory = desk.memory(),
        context = desk.context(),
        claim = desk.claim(),
        unit = answers.iteration_unit,
        objective = answers.objective,
    )
}

fn verifier(desk: &DeskFiles, answers: &PlanAnswers) -> String {
    format!(
        "# Verifier of `{slug}`\n\nYou are a verifier with a fresh context. A claim is not evidence.\n\n\
         1. Read {prd}, {spec} and the claim in {claim}.\n\
         2. Look at the code for every criterion. Run what you want to see run; you cannot change anything.\n\
         3. Write {verdict}: `pass` only if every criterion is met and you have seen why.\n\
         4. On `fail`, say in `next_iteration_contract` what the next worker has to do, in one bounded step.\n\n\
         Objective: {objective}\n",
        slug = answers.slug,
        prd = desk.prd(),
        spec = desk.test_spec(),
        claim = desk.claim(),
        verdict = desk.verdict(),
        objective = answers.objective,
    )
}

fn memory(answers: &PlanAnswers) -> String {
    let first = answers.stories.first().map(|story| story.title.as_str()).unwrap_or_default();
    format!(
        "# {slug} - Campaign Memory\n\n## Stop Status\ncontinue\n\n## Objective\n{objective}\n\n## Current State\nIteration 0 - \
         nothing is done yet\n\n## Next Iteration Contract\nDo US-001: {first}\n\n## Patterns Discovered\n\n## Learnings\n\n## \
         Evidence Chain\n",
        slug = answers.slug,
        objective = answers.objective
    )
}

fn context(answers: &PlanAnswers) -> String {
    let mut text = format!(
        "# {} - Latest Context\n\n## Current Frontier\n### Completed\n### In Progress\n### Next\n",
        answers.slug
    );
    for (number, story) in (1..).zip(&answers.stories) {
        let _ = writeln!(text, "- US-{number:03}: {}", story.title);
    }
    text.push_str(
        "\n## Key Decisions\n\n## Known Issues\n\n## Files Changed This Iteration\n\n## Verification Status\n",
    );
    text
}
