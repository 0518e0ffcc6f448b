//! Forks: a trial once more with one thing changed, and nothing is paid twice.

use crate::support::{Output, Project};
use serde_json::json;

/// Judges are content, but for a critic who never is, unless it is the other agent.
const AGENT: &str = r#"#!/bin/sh
cat > /dev/null
echo "$TRIBUNAL_ROUND $TRIBUNAL_SEAT $0" >> calls/all
case "$TRIBUNAL_SEAT.$0" in
  designer.*) printf '{"artifact": {"mime": "text/html", "content": "<h1>v%s</h1>"}}' "$TRIBUNAL_ROUND" ;;
  critic.*agent.sh) echo '{"score": 4, "must_fix": ["Darken it."], "usage": {"input_tokens": 700, "usd": 0.01}}' ;;
  *) echo '{"score": 9, "must_fix": [], "usage": {"input_tokens": 700, "usd": 0.01}}' ;;
esac
"#;

fn project() -> Project {
    let project = Project::theater("seats", AGENT, "");
    project.agent("other.sh", AGENT);
    let toml = project.read("tribunal.toml") + "[agents.other]\nkind = \"command\"\ncommand = [\"./other.sh\"]\n";
    project.write("tribunal.toml", &toml);
    let output = project.tribunal(&["run"]);
    assert_eq!(output.code, 1, "{}", output.all());
    assert_eq!(calls(&project).len(), 15, "five seats in three rounds");
    project.write("calls/all", "");
    project
}

/// Who was called, in order.
fn calls(project: &Project) -> Vec<String> {
    let calls = project.read("calls/all");
    calls.lines().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
}

fn told(output: &Output) -> String {
    let is_id = |word: &str| word.trim_end_matches([';', ':']).len() == 36 && word.matches('-').count() == 4;
    let line =
        |line: &str| line.split(' ').map(|word| if is_id(word) { "ID" } else { word }).collect::<Vec<_>>().join(" ");
    output.stdout.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn only_what_differs_is_paid() {
    let project = project();
    let files = project.snapshot();
    let output = project.tribunal(&["fork", "--from-round", "2", "--seat", "critic=other", "--dry-run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    insta::assert_snapshot!(told(&output), @r#"
    7 answers of run ID are reused; from round 2 about 700 tokens, $0.01, or 3500 tokens, $0.05 if it takes as many rounds as before; at most about 24250 tokens, $0.00 without a11y, brand, copy, critic, designer: no price is known (`[prices.MODEL]`)
      seats.critic.agent: "other" instead of "actor"
    "#);
    assert_eq!(calls(&project), Vec::<String>::new());
    assert_eq!(project.snapshot(), files, "a dry run changes nothing");
    // Its critic reports what it costs, and there is nobody to ask.
    let refused = project.tribunal(&["fork", "--from-round", "2", "--seat", "critic=other"]);
    assert_eq!(refused.code, 2, "{}", refused.all());
    assert!(refused.stderr.contains("costs money") && refused.stderr.contains("`--yes`"), "{}", refused.all());
    assert_eq!(
        (calls(&project), project.snapshot()),
        (Vec::<String>::new(), files),
        "nobody is paid who was not agreed to"
    );
    let quote = project.json(&["fork", "--from-round", "2", "--seat", "critic=other", "--dry-run", "--json"]);
    assert_eq!((&quote["least"]["usd"], &quote["free"]), (&json!(10_000), &json!(false)), "{quote}");

    let output = project.tribunal(&["fork", "--from-round", "2", "--seat", "critic=other", "--yes"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(calls(&project), ["2 critic"], "{}", output.all());
    insta::assert_snapshot!(told(&output), @r#"
    ID compared with ID
      seats.critic.agent: "other" instead of "actor"
    round 1: as before, composite 7, must-fix 1, the run continues
    round 2: composite 9, must-fix 0, shipped; before: composite 7, must-fix 1, the run continues
    round 3: was not played; before: composite 7, must-fix 1, below_threshold
    outcome: shipped, before: below_threshold
    spent: 700 tokens, $0.01 for 1 call, 13 more were answered already; before: 8400 tokens, $0.12
    "#);
    let fork = project.json(&["status", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
    let listed = project.tribunal(&["status"]).stdout;
    assert_eq!(listed.matches("fork of ").count(), 1, "{listed}");
    let newest = project.json(&["status", "--json"])["runs"][0].clone();
    assert_eq!(newest["fork_from"], 2, "{newest}");
    // By its name, and without one, the run is meant and not the fork of it, which is newer.
    for name in [None, Some("artifact")] {
        let args: Vec<&str> =
            ["fork"].into_iter().chain(name).chain(["--from-round", "2", "--dry-run", "--json"]).collect();
        assert_eq!(project.json(&args)["of"], newest["fork_of"], "{args:?}");
    }
    let status = project.tribunal(&["status", &fork]);
    assert!(status.stdout.contains(", from round 2"), "{}", status.all());
    assert!(status.stdout.contains("critic (other): 2 calls, 1 answered already"), "{}", status.all());
    assert_eq!(project.tribunal(&["verify"]).code, 0);

    // The fork's own answers stand in a fork of it, and the trial that was forked is still the one that counts.
    let again =
        project.json(&["fork", &fork, "--from-round", "2", "--set", "theater.score_threshold=9.5", "--yes", "--json"]);
    assert_eq!(again["fork"]["outcome"], json!({ "was": "shipped", "is": "below_threshold", "flips": true }));
    let mut anew = calls(&project).split_off(1);
    anew.sort_unstable();
    let rounds =
        ["2", "3"].map(|round| ["a11y", "brand", "copy", "critic", "designer"].map(|seat| format!("{round} {seat}")));
    assert_eq!(anew, rounds.concat(), "the threshold stands in every prompt: {again}");
}

#[test]
fn a_fork_that_was_killed_goes_on_without_paying_twice() {
    let project = project();
    let slow =
        AGENT.replace("cat > /dev/null", "cat > /dev/null; [ -e calls/slept ] || { touch calls/slept; sleep 30; }");
    project.agent("other.sh", &slow);
    let mut child = project.spawn(&["fork", "--from-round", "2", "--seat", "critic=other", "--yes"]);
    crate::people::wait_for(|| project.path("calls/slept").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let fork = project.json(&["status", "--json"])["runs"][0]["run"].as_str().unwrap().to_owned();
    let output = project.tribunal(&["resume", &fork]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(calls(&project), ["2 critic"], "{}", output.all());
}

#[test]
fn what_cannot_be_forked_is_refused_before_anything_is_written() {
    let project = project();
    let files = project.snapshot();
    for (args, why) in [
        (["--from-round", "9", "--seat", "critic=other"], "has rounds 1 to 3"),
        (["--from-round", "2", "--seat", "janitor=other"], "has no seat `janitor`"),
        (["--from-round", "2", "--seat", "critic=nobody"], "unknown agent `nobody`"),
        (["--from-round", "2", "--set", "theater.max_rounds=99"], "max_rounds"),
    ] {
        let output = project.tribunal(&[&["fork"], &args[..]].concat());
        assert_eq!(output.code, 2, "{}", output.all());
        assert!(output.stderr.contains(why), "{}", output.all());
    }
    assert_eq!(project.snapshot(), files);
}

#[test]
fn a_review_is_forked_beside_the_workspace() {
    let project = Project::with_answers(
        "description",
        3,
        &["draft a", "changes_requested", "draft b", "changes_requested", "draft c", "changes_requested"],
    );
    let toml = project.read("tribunal.toml") + "[agents.kind]\nkind = \"command\"\ncommand = [\"./kind.sh\"]\n";
    project.write("tribunal.toml", &toml);
    project.agent("kind.sh", "#!/bin/sh\ncat > /dev/null\necho '{\"verdict\": \"ok\", \"summary\": \"s\"}'\n");
    project.write("answers/creator.2", &crate::support::creator("done b"));
    assert_eq!(project.tribunal(&["run"]).code, 1);
    let (creator, before) = (project.calls("creator"), project.list("copy"));
    // It has never been called: nobody knows whether it costs something.
    let unasked = project.tribunal(&["fork", "--from-round", "2", "--seat", "reviewer=kind"]);
    assert_eq!(unasked.code, 2, "{}", unasked.all());
    assert!(unasked.stderr.contains("or may"), "{}", unasked.all());
    let output = project.tribunal(&["fork", "--from-round", "2", "--seat", "reviewer=kind", "--yes"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert_eq!(project.calls("creator"), creator, "its second draft was paid for");
    assert_eq!(project.list("copy"), before, "the workspace is as it was");
    assert_eq!(project.tribunal(&["run"]).code, 1, "the asset stays as it was decided");
    std::fs::remove_dir_all(project.path("copy")).unwrap();
    assert_eq!(project.tribunal(&["reindex"]).code, 0);
    assert_eq!(project.list("copy"), before, "the fork, which is newer, does not keep its files from being written");
}

/// The reviewer says what it takes, and will be asked about another draft: what changes for one seat is another question
/// for the next, although nobody touched that one.
#[test]
fn a_program_that_says_its_price_is_not_asked_again_unasked() {
    let project =
        Project::with_answers("description", 2, &["draft a", "changes_requested", "draft b", "changes_requested"]);
    let usage = r#" {"usage": {"input_tokens": 90, "output_tokens": 10, "usd": 0.02}}"#;
    let priced = project.read("answers/reviewer.2") + usage;
    project.write("answers/reviewer.2", &priced);
    assert_eq!(project.tribunal(&["run"]).code, 1);
    let calls = (project.calls("creator"), project.calls("reviewer"));
    // Both have answered before; the creator for nothing.
    let unasked = project.tribunal(&["fork", "--from-round", "2", "--seat", "creator=critic"]);
    assert_eq!(unasked.code, 2, "{}", unasked.all());
    assert!(unasked.stderr.contains("--yes"), "{}", unasked.all());
    assert_eq!((project.calls("creator"), project.calls("reviewer")), calls, "nobody was called");
}

#[test]
fn a_page_that_was_mended_without_any_configuration_can_be_forked() {
    let project = Project::bare();
    project.write("page.html", "<!doctype html><html lang=en><title>t</title><h1>Bread</h1><p>TODO</p><img src=x.png>");
    project.tribunal(&["run", "page.html"]);
    let output = project.tribunal(&["fork", "--from-round", "1", "--set", "theater.max_rounds=1", "--dry-run"]);
    assert_eq!(output.code, 0, "{}", output.all());
    assert!(output.stdout.contains("theater.max_rounds: 1 instead of 3"), "{}", output.all());
}
