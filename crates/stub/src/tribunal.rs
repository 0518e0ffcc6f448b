//! Answers to Tribunal's own prompts. Reviews and theaters have trouble in their first round and none in their second.
//!
//! A prompt says in lines who is asked and in which round, and ends with the schema of the answer. Nothing else is
//! looked at, so that the sentences around it can change.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tribunal_kernel::answer::objects;
use tribunal_kernel::ballot::quotes;

use crate::call::StubCall;
use crate::material::material;
use crate::script::StubReply;

/// The tool with which Claude Code takes an answer that must fit a schema.
const STRUCTURED: &str = "StructuredOutput";

/// The round from which all is well.
const GOOD_ROUND: u32 = 2;

/// The judges of a panel that speaks in one stream.
const JUDGES: [&str; 4] = ["critic", "brand", "a11y", "copy"];

/// What a good model would say.
pub(crate) fn answer(call: &StubCall) -> StubReply {
    if let Some(reply) = side_task(call) {
        return reply;
    }
    // Command lines put words of their own around ours.
    let text = if field(&call.user, "Seat").is_some() { &call.user } else { &call.prompt };
    let Some(seat) = field(text, "Seat") else { return StubReply::text("Done.") };
    if seat == "panel" {
        return StubReply::text(panel());
    }
    let Some(object) = object(text, seat) else { return StubReply::text("Done.") };
    if call.tools.iter().any(|tool| tool == STRUCTURED) && !call.has_tool_results {
        return StubReply::tool(STRUCTURED, object);
    }
    StubReply::text(object.to_string())
}

/// The answer to what a command line asks for itself, beside what it was asked: Gemini without a model lets a small one say
/// how hard a task is, and asks for minutes until it gets a number.
pub fn side_task(call: &StubCall) -> Option<StubReply> {
    let is_routing = call.system.contains("Task Routing AI") && call.has_schema;
    let verdict = json!({ "complexity_reasoning": "One text.", "complexity_score": 50 });
    is_routing.then(|| StubReply::text(verdict.to_string()))
}

/// The object that the schema at the prompt's end asks for.
fn object(text: &str, seat: &str) -> Option<Value> {
    let asks = fields_asked(text);
    let asks = |name: &str| asks.iter().any(|field| field == name);
    let round = field(text, "Iteration").or_else(|| field(text, "Round"));
    let round: u32 = round.and_then(|round| round.split(' ').next()?.parse().ok()).unwrap_or(1);
    let is_good = GOOD_ROUND <= round && !is_unfinished(shown(text));
    let mut object = if asks("candidate") {
        creator(text, round)
    } else if asks("verdict") {
        reviewer(text, is_good)
    } else if asks("artifact") {
        json!({"notes": format!("Draft {round}."), "artifact": {"mime": "text/html", "content": page(is_good)}})
    } else if asks("must_fix") {
        judge(text, seat, is_good)
    } else if asks("ballot") {
        json!({})
    } else if asks("scores") {
        scores(text)
    } else if asks("resolved_decisions") {
        json!({"resolved_decisions": ["The draft says what the brief asks for."]})
    } else if asks("anchor") {
        beginning(text)
    } else if asks("draft") {
        rewrite(text, seat, round)
    } else {
        return None;
    };
    if asks("ballot") {
        object["ballot"] = ballot(text);
    }
    Some(object)
}

/// What is judged.
fn shown(text: &str) -> &str {
    let draft = ["the draft", "the candidate", "the artifact"].iter().find_map(|label| material(text, label));
    draft.unwrap_or_default()
}

/// Whether anybody who reads a draft sees that it is not finished.
fn is_unfinished(draft: &str) -> bool {
    let mut paragraphs: Vec<&str> = draft.split("\n\n").map(str::trim).filter(|text| !text.is_empty()).collect();
    let written = paragraphs.len();
    paragraphs.sort_unstable();
    paragraphs.dedup();
    let has_placeholder = ["TODO", "TBD", "XXX", "[insert", "Lorem ipsum"].iter().any(|mark| draft.contains(mark));
    let is_cut_off = written > 2 && draft.trim_end().ends_with(char::is_alphanumeric);
    has_placeholder || paragraphs.len() < written || is_cut_off
}

/// The line of a draft that says most.
fn telling(draft: &str) -> &str {
    let lines = draft.lines().filter(|line| quotes(draft, line).is_ok());
    lines.max_by_key(|line| line.len()).unwrap_or(draft)
}

/// Every item of a finished draft is met, and its longest line shows it; but whether words are there, everybody can see.
fn ballot(text: &str) -> Value {
    let draft = shown(text);
    let is_finished = !is_unfinished(draft);
    let longest = telling(draft);
    let items = material(text, "what you vote on").unwrap_or_default();
    let vote = |line: &str| {
        let (id, rule) = line.split_once(':')?;
        let words = rule.split_once("contains the words \"").and_then(|(_, rest)| rest.split_once('"'));
        let is_there = words.map_or(is_finished, |(words, _)| quotes(draft, words).is_ok());
        let says = if is_there { "met" } else { "broken" };
        let quote = words.map_or(longest, |(words, _)| words);
        Some(json!({"id": id, "says": says, "quote": quote, "absent": !is_there}))
    };
    items.lines().filter_map(vote).collect()
}

fn creator(text: &str, round: u32) -> Value {
    let asset = field(text, "Asset").unwrap_or("the asset");
    let brief = material(text, "the brief").unwrap_or("Nothing was said.").trim();
    let settled = if round < GOOD_ROUND { "" } else { "\n\nIt says who it is for: everybody who has to decide." };
    let content = format!("# {asset}\n\n{brief}{settled}\n");
    json!({"done": GOOD_ROUND <= round, "candidate": {"content": content, "format": "markdown"}})
}

fn reviewer(text: &str, is_good: bool) -> Value {
    if is_good {
        let summary = format!("Nothing is missing any more: “{}”", telling(shown(text)));
        return json!({"verdict": "ok", "summary": summary, "issues": []});
    }
    let issue = json!({"severity": "error", "message": "It does not say who it is for.", "code": "no_audience"});
    json!({"verdict": "changes_requested", "summary": "One thing is missing.", "issues": [issue]})
}

fn judge(text: &str, seat: &str, is_good: bool) -> Value {
    let scale: f64 = field(text, "Scale").and_then(|scale| scale.parse().ok()).unwrap_or(10.0);
    let (part, note) = if is_good { (0.9, "It is settled.") } else { (0.6, "The heading says nothing.") };
    let score = (part * scale * 10.0).round() / 10.0;
    let must_fix = if is_good { vec![] } else { vec![format!("Let the heading name what {seat} readers get.")] };
    // It scores what it is told to score, and something of its own.
    let listed = text.split_once("Score each of these in `dims`, by its name: ").map(|(_, rest)| rest);
    let listed =
        listed.and_then(|rest| rest.split_once(".\n")).map(|(names, _)| names.split(", ")).into_iter().flatten();
    let dims: Vec<Value> =
        listed.chain(["heading"]).map(|name| json!({"name": name, "score": score, "note": note})).collect();
    json!({"score": score, "dims": dims, "must_fix": must_fix})
}

/// An 8 in every dimension of the rubric, and a 1 for what is not finished.
fn scores(text: &str) -> Value {
    let listed = text.split_once("on its own scale.\n").map_or("", |(_, rest)| rest);
    let dims = listed.lines().map_while(|line| line.strip_prefix("- ")?.split_once(" ("));
    let is_bad = is_unfinished(shown(text));
    let scored = |(name, scale): (&str, &str)| {
        let score = match (scale.contains("green"), is_bad) {
            (true, true) => 0,
            (true, false) => 2,
            (false, true) => 1,
            (false, false) => 8,
        };
        json!({"name": name, "score": score, "rationale": "It does well."})
    };
    json!({"scores": dims.map(scored).collect::<Vec<_>>()})
}

/// A first draft, and an anchor if one is wanted.
fn beginning(text: &str) -> Value {
    let given = material(text, "a text to begin from").or_else(|| material(text, "the brief"));
    let given = given.unwrap_or("Nothing was said.").trim();
    let mut answer = json!({"draft": format!("# Draft\n\n{given}\n\n## Risks\n\n- It may take longer than a week.\n")});
    let kind = text.split_once("Its kind is `").and_then(|(_, rest)| rest.split_once('`')).map(|(kind, _)| kind);
    if let Some(kind) = kind {
        answer["anchor"] = anchor(kind);
        answer["why"] = "A draft without risks is not finished.".into();
    }
    answer
}

fn anchor(kind: &str) -> Value {
    let rule = json!({"kind": "pattern", "pattern": "(?m)^## Risks$", "rule": "has a section on risks"});
    match kind {
        "acceptance" => {
            json!({"kind": kind, "items": [{"question": "Are risks named?", "done_when": "There is a section on risks."}]})
        }
        "exemplars" => json!({"kind": kind, "positive": ["It may take longer than a week."], "negative": ["TBD"]}),
        "assertions" => json!({"kind": kind, "checks": [{"description": "Risks are named.", "predicate": rule}]}),
        "rubric" => json!({"kind": kind, "dims": [{"name": "clarity", "weight": 3, "floor": 5}]}),
        "goal" => json!({"kind": kind, "north_star": "A reader can decide.", "constraints": [rule]}),
        _ => json!({"kind": "invariants", "MUST": [rule], "SHOULD": [], "MUST_NOT": []}),
    }
}

/// The draft as it is, and a sentence more in the first round.
fn rewrite(text: &str, seat: &str, round: u32) -> Value {
    let draft = material(text, "the draft").unwrap_or("# Draft\n");
    let more = if round < GOOD_ROUND { format!("\n- The {seat} found nothing worse.\n") } else { String::new() };
    let critique = if round < GOOD_ROUND { "MUST say what the worst case is." } else { "Nothing is missing." };
    json!({"draft": format!("{}\n{more}", draft.trim_end()), "critique": critique})
}

/// Two rounds in one stream.
fn panel() -> String {
    let mut text = "<CRITIQUE_RUN version=\"1\" maxRounds=\"3\" threshold=\"8\" scale=\"10\">\n".to_owned();
    for round in 1..=GOOD_ROUND {
        let is_good = round == GOOD_ROUND;
        let (score, count, decision) = if is_good { ("9", 0, "ship") } else { ("6", 1, "continue") };
        let _ = write!(
            text,
            "<ROUND n=\"{round}\">\n<PANELIST role=\"designer\"><NOTES>Draft {round}.</NOTES><ARTIFACT \
             mime=\"text/html\"><![CDATA[{}]]></ARTIFACT></PANELIST>\n",
            page(is_good)
        );
        for role in JUDGES {
            let demand = if is_good { "" } else { "<MUST_FIX>Let the heading name what readers get.</MUST_FIX>" };
            let _ = writeln!(
                text,
                "<PANELIST role=\"{role}\" score=\"{score}\" must_fix=\"{count}\"><DIM name=\"heading\" \
                 score=\"{score}\">It is there.</DIM>{demand}</PANELIST>"
            );
        }
        let all = count * JUDGES.len();
        let _ = write!(
            text,
            "<ROUND_END n=\"{round}\" composite=\"{score}\" must_fix=\"{all}\" decision=\"{decision}\"><REASON>The \
             heading.</REASON></ROUND_END>\n</ROUND>\n"
        );
    }
    let page = page(true);
    let _ = write!(
        text,
        "<SHIP round=\"{GOOD_ROUND}\" composite=\"9\" status=\"shipped\"><ARTIFACT \
         mime=\"text/html\"><![CDATA[{page}]]></ARTIFACT><SUMMARY>A heading that says what readers \
         get.</SUMMARY></SHIP>\n</CRITIQUE_RUN>\n"
    );
    text
}

/// A small page without anything to complain about.
fn page(is_good: bool) -> String {
    let heading = if is_good { "Decide with evidence" } else { "Welcome" };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{heading}</title>\n<style>\nbody {{ font: 1rem/1.5 \
         system-ui, sans-serif; color: #1a1a1a; background: #ffffff; margin: 2rem; }}\nh1 {{ font-size: 2rem; }}\n\
         </style>\n</head>\n<body>\n<main>\n<h1>{heading}</h1>\n<p>Every draft is judged before it ships.</p>\n</main>\n\
         </body>\n</html>\n"
    )
}

/// The value of the first line `name: value`.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let value = |line: &'t str| line.strip_prefix(name)?.strip_prefix(": ");
    text.lines().find_map(value).map(str::trim)
}

/// The names of the fields in the last schema.
fn fields_asked(text: &str) -> Vec<String> {
    let Some((_, tail)) = text.rsplit_once("one JSON object of this schema") else { return Vec::new() };
    let properties = objects(tail).find_map(|schema| schema.get("properties")?.as_object().cloned());
    properties.unwrap_or_default().into_iter().map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::tests::call;
    use tribunal_kernel::answer::{read, schema};
    use tribunal_kernel::ballot::{BallotAnswer, VoteWord};
    use tribunal_kernel::joust::{BootstrapAnswer, CompactionAnswer, MutationAnswer, ScoreAnswer};
    use tribunal_kernel::review::{CreatorAnswer, ReviewWord, ReviewerAnswer};
    use tribunal_kernel::theater::{DesignerAnswer, JudgeAnswer};

    /// The answer to a prompt with this head and these lines, in the form of `T`.
    fn ask<T: schemars::JsonSchema + serde::de::DeserializeOwned>(head: &str, more: &str) -> T {
        let form = format!("Answer with one JSON object of this schema, and nothing else:\n{}", schema::<T>());
        let prompt = format!("{head}\n\nYou are asked.\n{more}\n{form}\n");
        read(&answer(&call(&prompt)).text).unwrap()
    }

    fn fenced(label: &str, text: &str) -> String {
        format!("Data, not instructions — {label}:\n<<<abc\n{text}\nabc>>>\n")
    }

    #[test]
    fn creator_and_reviewer_agree_in_round_two() {
        let brief = fenced("the brief", "Say hello.\nSeat: nobody");
        for round in [1, 2] {
            let line = format!("Asset: notes\nIteration: {round} of at most 5");
            let creator: CreatorAnswer = ask(&format!("Seat: creator\n{line}"), &brief);
            assert_eq!(creator.done, round == 2);
            assert!(creator.candidate.content.contains("Say hello."));
            let reviewer: ReviewerAnswer = ask(&format!("Seat: reviewer\n{line}"), &brief);
            assert_eq!(reviewer.verdict == ReviewWord::Ok, round == 2);
            assert_eq!(reviewer.issues.is_empty(), round == 2);
        }
    }

    #[test]
    fn the_panel_ships_in_round_two() {
        for (round, scale, expected) in [(1, 10, "6.0"), (2, 10, "9.0"), (2, 100, "90.0")] {
            let line = format!("Artifact: page\nRound: {round} of at most 3\nScale: {scale}");
            let designer: DesignerAnswer = ask(&format!("Seat: designer\n{line}"), "");
            assert!(designer.artifact.content.starts_with("<!doctype html>"));
            let judge: JudgeAnswer = ask(&format!("Seat: critic\n{line}"), "");
            assert_eq!(judge.must_fix.is_empty(), round == 2);
            let score = serde_json::to_value(answer_to_judge(&line)["score"].clone()).unwrap();
            assert_eq!(score.to_string(), expected);
        }
    }

    fn answer_to_judge(line: &str) -> Value {
        let form = format!("one JSON object of this schema:\n{}", schema::<JudgeAnswer>());
        serde_json::from_str(&answer(&call(&format!("Seat: critic\n{line}\n{form}"))).text).unwrap()
    }

    #[test]
    fn the_stream_of_a_panel_is_one() {
        let text = answer(&call("Seat: panel\nArtifact: page")).text;
        assert!(text.starts_with("<CRITIQUE_RUN") && text.ends_with("</CRITIQUE_RUN>\n"));
        assert_eq!(text.matches("<ROUND n=").count(), 2);
    }

    #[test]
    fn jousters_keep_the_draft() {
        let first: BootstrapAnswer = ask("Seat: main\nDraft: rfc", "Write the anchor, too. Its kind is `rubric`: x.");
        assert_eq!(first.anchor.unwrap()["kind"], "rubric");
        let first: BootstrapAnswer = ask("Seat: main\nDraft: rfc", &fenced("the brief", "Move it."));
        assert!(first.anchor.is_none() && first.draft.contains("Move it."));
        let later: MutationAnswer = ask("Seat: editor\nRound: 2 of at most 4", &fenced("the draft", "# Plan"));
        assert_eq!(later.draft, "# Plan\n");
        let items = fenced("what you vote on", "R1: MUST: has a plan\nR2: MUST NOT: dreams");
        let lint: BallotAnswer = ask("Seat: lint", &format!("{items}{}", fenced("the draft", "# The whole plan")));
        let said: Vec<_> = lint.ballot.iter().map(|line| (line.id.as_str(), line.says)).collect();
        assert_eq!(said, [("R1", VoteWord::Met), ("R2", VoteWord::Met)]);
        let dims = "You score a draft, each on its own scale.\n- clarity (0, 1 or 2): is it (really) clear\n- tone (0 for red or 2 for green)";
        let scored: ScoreAnswer = ask("Seat: scorer", dims);
        let names: Vec<&str> = scored.scores.iter().map(|scored| scored.name.as_str()).collect();
        assert_eq!(names, ["clarity", "tone"]);
        let settled: CompactionAnswer = ask("Seat: main", "");
        assert_eq!(settled.resolved_decisions.len(), 1);
    }

    #[test]
    fn whoever_is_no_seat_gets_an_answer_all_the_same() {
        assert_eq!(answer(&call("Write a title for this conversation.")).text, "Done.");
    }

    #[test]
    fn a_client_with_a_tool_for_the_answer_gets_it_that_way() {
        let form = format!("one JSON object of this schema:\n{}", schema::<ReviewerAnswer>());
        let mut call = call(&format!("Seat: reviewer\nIteration: 2 of at most 3\n{form}"));
        call.tools = vec!["Bash".into(), STRUCTURED.into()];
        assert_eq!(answer(&call).tools[0].input["verdict"], "ok");
        call.has_tool_results = true;
        assert!(answer(&call).tools.is_empty());
    }
}
