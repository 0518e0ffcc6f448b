//! The worked cases of the ballot, over the program itself: nothing is met because nobody objected, and whoever judges
//! without looking has no vote. All but the quorum, which is refused before there is a run, are played in the kernel's tests,
//! too.

use crate::support::Project;
use std::fs;
use std::path::Path;

/// Writes what is in `answers/draft`, or in `answers/TASK`.
const WRITER: &str = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_TASK" >> "calls/$TRIBUNAL_SEAT"
cat "answers/$TRIBUNAL_TASK" 2> /dev/null || cat answers/draft
"#;

/// Votes what is in `answers/ballot`, and keeps what it was asked.
const LINTER: &str = r#"#!/bin/sh
cat > calls/prompt
echo "$TRIBUNAL_TASK" >> calls/linter
cat answers/ballot
"#;

const TOML: &str = r#"[run]
loop = "joust"
brief = "Write the plan."
[joust]
name = "plan"
anchor = "anchor.toml"
jousters = ["skeptic"]
linters = ["linter"]
max_rounds = 1
[agents.critic]
kind = "command"
command = ["./linter.sh"]
[agents.writer]
kind = "command"
command = ["./writer.sh"]
[seats.main]
agent = "writer"
[seats.skeptic]
agent = "writer"
[seats.linter]
agent = "critic"
[limits]
grace = "500ms"
"#;

const TWO_QUESTIONS: &str = "kind = \"acceptance\"\nitems = [{ question = \"Who pays?\", done_when = \"a payer is named\" }, { question = \"When?\", done_when = \"a date is named\" }]\n";

/// A joust of one round. The linter's lines are in short: `met QUOTE`, `broken QUOTE`, `absent`.
fn joust(anchor: &str, draft: &str, votes: &[&str]) -> Project {
    let project = Project::bare();
    project.write("tribunal.toml", TOML);
    project.write("anchor.toml", anchor);
    project.write("answers/draft", &serde_json::json!({ "draft": draft }).to_string());
    project.write("answers/ballot", &ballot(votes));
    project.agent("writer.sh", WRITER);
    project.agent("linter.sh", LINTER);
    fs::create_dir(project.path("calls")).unwrap();
    project
}

fn ballot(votes: &[&str]) -> String {
    let line = |(number, vote): (usize, &&str)| {
        let id = format!("R{}", number + 1);
        match vote.split_once(' ') {
            Some((says, quote)) => serde_json::json!({ "id": id, "says": says, "quote": quote, "why": "read it" }),
            None => serde_json::json!({ "id": id, "says": "broken", "absent": true, "why": "it is not there" }),
        }
    };
    let lines: Vec<serde_json::Value> = votes.iter().enumerate().map(line).collect();
    serde_json::json!({ "ballot": lines }).to_string()
}

#[test]
fn what_is_absent_is_broken_and_no_item_is_met_by_silence() {
    let project = joust(TWO_QUESTIONS, "We will see.", &["absent", "absent"]);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(
        output.stdout.contains("needs_human (the rounds are used up; broken: `Who pays?`, `When?`)"),
        "{}",
        output.all()
    );
    assert!(output.stderr.contains("skeptic (round 1): sent back, worth 0: Who pays?: it is not there"));
    assert!(!output.all().contains("every item"), "{}", output.all());
}

#[test]
fn a_linter_who_is_silent_about_an_item_is_told_and_then_it_is_undecided() {
    let project = joust(TWO_QUESTIONS, "Ada pays it all.", &["met Ada pays it all"]);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("needs_human (the rounds are used up; undecided: `When?`)"), "{}", output.all());
    let prompt = project.read("calls/prompt");
    assert!(prompt.contains("`ballot` must answer for each of R1, R2 once: R2 is missing"), "{prompt}");
}

#[test]
fn a_demand_for_a_section_that_is_absent_is_rejected() {
    let anchor = "kind = \"invariants\"\nMUST = [\"contains a section on risks\"]\n";
    let project = joust(anchor, "We move in June.", &["absent"]);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(
        output.stdout.contains("needs_human (the rounds are used up; broken: `contains a section on risks`)"),
        "{}",
        output.all()
    );
    assert_eq!(output.stderr.matches("sent back").count(), 6, "every rewrite: {}", output.all());
}

#[test]
fn words_that_the_draft_does_not_have_break_nothing() {
    let anchor = "kind = \"invariants\"\nMUST = [\"be brief\"]\n";
    let project = joust(anchor, "We move in June.", &["broken forty pages of it"]);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("needs_human (the rounds are used up; undecided: `be brief`)"), "{}", output.all());
    let log = fs::read_to_string(project.log()).unwrap();
    let correction = r#""given":"be brief: broken","rule":"quote_not_found","why":"the draft does not say"#;
    assert_eq!(log.matches(correction).count(), 3, "one for every draft");
}

#[test]
fn the_first_draft_is_judged_too_when_every_rewrite_is_rejected() {
    let anchor =
        "kind = \"invariants\"\nMUST = [{ kind = \"pattern\", pattern = \"(?m)^## Risks$\", rule = \"has risks\" }]\n";
    let project = joust(anchor, "We move in June.", &[]);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("needs_human (the rounds are used up; broken: `has risks`)"), "{}", output.all());
    assert_eq!((project.calls("skeptic"), project.calls("linter")), (3, 0), "{}", output.all());
}

#[test]
fn a_quorum_of_two_with_one_linter_is_refused_before_the_first_call() {
    let project = joust("kind = \"invariants\"\nMUST = [\"be brief\"]\n", "We move.", &["met We move"]);
    project.write("tribunal.toml", &TOML.replace("max_rounds = 1", "max_rounds = 1\nquorum = 2"));
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 2, "{}", output.all());
    assert!(output.stderr.contains("`joust.quorum` is 2"), "{}", output.all());
    assert_eq!((project.calls("main"), project.calls("linter")), (0, 0));
}

#[test]
fn under_another_anchor_a_converged_run_is_judged_again() {
    let anchor = "kind = \"invariants\"\nMUST = [\"says what could go wrong\"]\n";
    let project = joust(anchor, "It could take longer.", &["met It could take longer"]);
    let output = project.tribunal(&["run"]);
    assert!(output.stdout.contains("converged (every item of the anchor is met)"), "{}", output.all());
    project.write("other.toml", "kind = \"invariants\"\nMUST = [\"names who pays\"]\n");
    assert_eq!(project.tribunal(&["reanchor", "plan", "other.toml"]).code, 2, "it is over");
    assert_eq!(project.tribunal(&["reopen", "plan", "--why", "who pays?", "--rounds", "1"]).code, 0);
    assert_eq!(project.tribunal(&["reanchor", "plan", "other.toml"]).code, 0);
    project.write("answers/ballot", &ballot(&["absent"]));
    let before = project.calls("linter");
    let resumed = project.tribunal(&["resume", "plan"]);
    assert_eq!(resumed.code, 1, "{}", resumed.all());
    assert!(
        resumed.stdout.contains("needs_human (the rounds are used up; broken: `names who pays`)"),
        "{}",
        resumed.all()
    );
    let rewrites = resumed.stderr.matches(": rewrite ").count();
    assert_eq!(project.calls("linter") - before, rewrites + 1, "the draft that stood, too: {}", resumed.all());
}

#[test]
fn a_measured_goal_is_worth_more_while_it_gets_better() {
    let goal = "kind = \"goal\"\nnorth_star = \"fewer words\"\nmeasure = { command = [\"wc\", \"-w\"], direction = \"minimise\" }\n";
    let project = joust(goal, "", &[]);
    project.write("tribunal.toml", &TOML.replace("max_rounds = 1", "max_rounds = 2\nplateau_rounds = 1"));
    // 1001 words, and 200 fewer each time.
    project.agent(
        "writer.sh",
        r#"#!/bin/sh
cat > /dev/null
echo x >> calls/all
words=$((1201 - 200 * $(wc -l < calls/all)))
printf '{"draft": "%s"}' "$(yes word | head -n $words | paste -sd ' ' -)"
"#,
    );
    let output = project.tribunal(&["run"]);
    let worth: Vec<&str> =
        output.stderr.lines().filter_map(|line| line.split_once("accepted, worth ")).map(|(_, worth)| worth).collect();
    assert_eq!(worth, ["0", "0.19", "0.39", "0.59", "0.79"], "{}", output.all());
    assert!(output.stdout.contains("(the rounds are used up)"), "no plateau: {}", output.all());
    let status = project.tribunal(&["status", "plan"]);
    assert!(status.stdout.contains("rules 1001, rules 801, rules 601"), "{}", status.all());
}

#[test]
fn a_reviewer_who_always_says_ok_has_no_vote() {
    let project = Project::with_answers("description", 1, &["done A content", "ok"]);
    let toml = project.read("tribunal.toml").replace("[agents.critic]\n", "[agents.critic]\ncontrols = true\n");
    project.write("tribunal.toml", &toml);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("needs_human (no judge passed its control: reviewer"), "{}", output.all());
}

#[test]
fn a_linter_who_says_met_to_everything_and_quotes_the_whole_draft_has_no_vote() {
    let draft = "It could take longer, as ever, and cost more.";
    let project = joust("kind = \"invariants\"\nMUST = [\"says what could go wrong\"]\n", draft, &[]);
    // Attention items alone are enough.
    let toml = TOML.replace("[agents.critic]\n", "[controls]\nper_judge = 0\n[agents.critic]\ncontrols = true\n");
    project.write("tribunal.toml", &toml);
    let vote = format!(r#"{{"id": "\1", "says": "met", "quote": "{draft}"}}"#);
    let linter = format!(
        "#!/bin/sh\ncat > calls/prompt\necho x >> calls/linter\ngrep -o '^R[0-9]*:' calls/prompt | sed 's/\\(.*\\):/{vote}/' \
         | paste -sd, - | sed 's/.*/{{\"ballot\": [&]}}/'\n"
    );
    project.agent("linter.sh", &linter);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(
        output
            .stdout
            .contains("needs_human (the rounds are used up; undecided: `says what could go wrong`; no vote: linter"),
        "{}",
        output.all()
    );
    let void = "failed: the judge got wrong what is known of the draft, so its vote does not count";
    assert_eq!(output.stderr.matches(void).count(), 2, "{}", output.all());
    assert_eq!(project.calls("linter"), 2, "void, then no vote: {}", output.all());
    let prompt = project.read("calls/prompt");
    assert_eq!(prompt.matches("contains the words \"").count(), 2, "{prompt}");
    assert!(!prompt.contains("could not be used"), "nothing is fed back: {prompt}");
}

#[test]
fn a_scripted_reviewer_without_a_ballot_is_heard_as_ever() {
    let project = Project::bare();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/release-notes");
    for name in
        ["tribunal.toml", "brief.md", "facts.txt", "agents/creator.sh", "agents/reviewer.sh", "agents/prompt.sh"]
    {
        project.write(name, &fs::read_to_string(example.join(name)).unwrap());
    }
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.contains("converged (reviewer_ok_and_creator_done)"), "{}", output.all());
    let log = fs::read_to_string(project.log()).unwrap();
    assert!(!log.contains("\"votes\"") && !log.contains("inattentive"), "no ballot was put");
}

/// That invented dimensions are fed back to models is in the truth suite, `panel/lie-attentive`: a program would say the same again.
#[test]
fn what_was_measured_holds_whatever_judges_name_their_dimensions() {
    let page = "<!doctype html><html lang=\"en\"><head><title>Bread</title></head><body style=\"background:#fff\"><main>\
                <h1>Bread</h1><p style=\"color:#eaeaea\">Rye bread for all of us.</p></main></body></html>";
    let answer = serde_json::json!({ "artifact": { "mime": "text/html", "content": page } });
    let agent = r#"#!/bin/sh
cat > "calls/prompt-$TRIBUNAL_SEAT"
case "$TRIBUNAL_SEAT" in
  designer) cat page.json ;;
  *) echo '{"score": 9, "dims": [{"name": "vibe", "score": 9, "note": "great"}], "must_fix": []}' ;;
esac
"#;
    let project = Project::theater("seats", agent, "max_rounds = 1");
    project.write("page.json", &answer.to_string());
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert!(output.stdout.contains("below_threshold (1 must-fix is open)"), "{}", output.all());
    let report = fs::read_to_string(project.artifact("report.md")).unwrap();
    assert!(report.contains("1.20:1"), "{report}");
}

#[test]
fn a_ship_with_other_bytes_than_were_judged_hands_over_the_judged_ones() {
    let agent = r#"#!/bin/sh
cat > /dev/null
echo '<CRITIQUE_RUN version="1"><ROUND n="1">'
echo '<PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<h1>judged</h1>]]></ARTIFACT></PANELIST>'
for role in critic brand a11y copy; do echo "<PANELIST role=\"$role\" score=\"9\"></PANELIST>"; done
echo '<ROUND_END n="1" decision="ship"></ROUND_END></ROUND><SHIP round="1" composite="9">'
echo '<ARTIFACT mime="text/html"><![CDATA[<h1>slipped in</h1>]]></ARTIFACT></SHIP></CRITIQUE_RUN>'
"#;
    let project = Project::theater("single", agent, "");
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(fs::read_to_string(project.artifact("shipped.html")).unwrap(), "<h1>judged</h1>", "{}", output.all());
}
