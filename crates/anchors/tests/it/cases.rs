//! The worked cases of the contract that concern anchors and scores, each under its own name.

use std::{cmp::Ordering, collections::BTreeMap};

use tribunal_anchors::{
    Aggregate, Anchor, Color, CriterionScore, DraftStanding, RequirementLevel, Rubric, Syntax, overall, plateau, snap,
};

use crate::{anchor, check, must, shown};

fn millionths(values: &[u64]) -> Vec<Aggregate> {
    values.iter().map(|value| Aggregate(value * 10_000)).collect()
}

fn rubric(dims: &str) -> Rubric {
    match anchor(&format!("kind = \"rubric\"\ndims = [{dims}]")) {
        Anchor::Rubric(rubric) => rubric,
        other => panic!("{other:?}"),
    }
}

fn given(scores: &[(&str, f64)]) -> Vec<(String, f64)> {
    scores.iter().map(|(name, score)| ((*name).to_owned(), *score)).collect()
}

#[test]
fn plateau_k_2_epsilon_002() {
    for (hundredths, want) in [
        (vec![50, 50], false),
        (vec![50, 50, 50], true),
        (vec![80, 81, 81], true),
        (vec![80, 70, 60], true),
        (vec![50, 60, 70], false),
        (vec![50, 52, 50], true),
        (vec![10, 20, 50, 50, 50], true),
        (vec![], false),
    ] {
        assert_eq!(plateau(&millionths(&hundredths), 2, Aggregate(20_000)), want, "{hundredths:?}");
    }
}

#[test]
fn green_with_little_is_better_than_yellow_with_much() {
    let green = DraftStanding { tier: Some(Color::Green), aggregate: Aggregate(100_000) };
    let yellow = DraftStanding { tier: Some(Color::Yellow), aggregate: Aggregate(990_000) };
    let plain = DraftStanding { tier: None, aggregate: Aggregate(500_000) };
    for (name, a, b, want) in [
        ("green .1 with yellow .99", green, yellow, Ordering::Greater),
        ("yellow with green", yellow, green, Ordering::Less),
        ("a tier counts only where both have one", green, plain, Ordering::Less),
        ("a tie", plain, plain, Ordering::Equal),
    ] {
        assert_eq!(a.compare(b), want, "{name}");
    }
    assert!(plain.may_replace(plain), "ties are accepted");
    assert!(!yellow.may_replace(green));
}

#[test]
fn rubric_weights_2_3_1_scores_8_13_0() {
    let rubric = rubric("{ name = 'a', weight = 2 }, { name = 'b', weight = 3 }, { name = 'c', weight = 1 }");
    let missing = rubric.scores(&given(&[("a", 8.0), ("b", 13.0)]));
    assert_eq!(missing[2].score, 0, "a missing dimension is 0");
    assert_eq!(Aggregate::of(&missing).to_string(), "0.705128");
}

#[test]
fn snap_takes_the_nearest_and_ties_go_down() {
    for (score, want) in
        [(4.0, 3), (6.5, 5), (10.5, 8), (1.5, 1), (-3.0, 0), (99.0, 13), (f64::NAN, 0), (f64::INFINITY, 13), (7.0, 8)]
    {
        assert_eq!(snap(score), want, "{score}");
    }
}

#[test]
fn a_should_without_justification_is_a_violation() {
    let anchor = anchor("kind = \"invariants\"\nSHOULD = [{ kind = 'pattern', id = 'r', pattern = 'x' }]");
    let result = check(&anchor, "no such letter");
    assert!(result.valid, "the lint says valid");
    assert_eq!(result.should_violations.len(), 1);

    let justified = BTreeMap::from([("r".to_owned(), "there is none in this language".to_owned())]);
    let settled = result.clone().settle(&justified);
    assert!(settled.valid);
    let repeated = BTreeMap::from([("SHOULD: r".to_owned(), "there is none".to_owned())]);
    assert!(result.clone().settle(&repeated).valid, "the level may be repeated");

    for (name, words) in [("nothing said", BTreeMap::new()), ("blanks", BTreeMap::from([("r".into(), " ".into())]))] {
        let settled = result.clone().settle(&words);
        assert!(!settled.valid, "{name}");
        assert_eq!(shown(&settled), "SHOULD: r (unjustified)", "{name}");
    }
}

#[test]
fn a_draft_without_risks_is_rejected_and_nothing_is_left_to_ask() {
    let result = check(&must("{ kind = 'pattern', pattern = '^## Risks$' }"), "# Plan\n\n## Costs\n");
    assert!(!result.valid);
    assert_eq!(shown(&result), "nothing matches `^## Risks$`");
    assert!(result.pending.is_empty(), "no model has anything to say");
    assert!(check(&must("{ kind = 'pattern', pattern = '^## Risks$' }"), "# Plan\n\n## Risks\n").valid);
}

#[test]
fn invariants_score_13_or_0() {
    let anchor = anchor(
        "kind = \"invariants\"\nMUST = ['contains \"a\"']\nSHOULD = ['contains \"b\"']\nMUST_NOT = ['contain \"c\"']",
    );
    let scores: Vec<_> = check(&anchor, "a c").scores.into_iter().map(|s| (s.score, s.max, s.floor)).collect();
    assert_eq!(scores, [(13, 13, Some(13)), (0, 13, None), (0, 13, Some(13))]);
}

#[test]
fn rubric_weights_are_clamped() {
    for (given, want) in [(-4, 1), (0, 1), (1, 1), (3, 3), (5, 5), (99, 5)] {
        let rubric = rubric(&format!("{{ name = 'a', weight = {given} }}"));
        assert_eq!(rubric.dims[0].weight.get(), want, "{given}");
    }
}

#[test]
fn colors_are_0_1_2_of_2_with_floor_1() {
    for (color, points, broken) in [(Color::Red, 0, true), (Color::Yellow, 1, false), (Color::Green, 2, false)] {
        let score = CriterionScore::color("law", color);
        assert_eq!((score.score, score.max, score.floor), (points, 2, Some(1)), "{color:?}");
        assert_eq!(score.below_floor().is_some(), broken, "{color:?}");
    }
}

#[test]
fn no_dimension_regresses_and_no_floor_breaks() {
    let rubric = rubric("{ name = 'clarity', floor = 5 }, { name = 'law', scale = 'color' }");
    let before = rubric.scores(&given(&[("clarity", 8.0), ("law", 2.0)]));
    let after = rubric.scores(&given(&[("clarity", 3.2), ("law", 1.0)]));
    insta::assert_snapshot!(shown(&rubric.judge(after, Some(&before))), @r"
    clarity scores 3 of 13, and the floor is 5
    clarity falls from 8 to 3
    law falls from 2 to 1
    ");
    assert!(rubric.judge(before.clone(), Some(&before)).valid, "ties are accepted");
}

#[test]
fn the_overall_aggregate_is_the_plain_mean() {
    assert_eq!(overall(&[]), Aggregate::ONE, "1 when there are none");
    assert_eq!(overall(&millionths(&[50, 100])), Aggregate(750_000));
    let met = |met| vec![CriterionScore::met("x", met, RequirementLevel::Must)];
    let standing = DraftStanding::of(&[met(true), met(false), vec![CriterionScore::color("law", Color::Yellow)]]);
    assert_eq!(standing, DraftStanding { tier: Some(Color::Yellow), aggregate: Aggregate(500_000) });
}

#[test]
fn an_anchor_in_a_models_answer_reads_like_a_file() {
    let answer = r#"{"kind": "invariants", "MUST": ["must have a heading Risks", "is fair"]}"#;
    let anchor: Anchor = serde_json::from_str(answer).unwrap();
    assert_eq!(anchor, Anchor::read(answer, Syntax::Json).unwrap());
    let error = serde_json::from_str::<Anchor>(r#"{"kind": "goal"}"#).unwrap_err().to_string();
    assert_eq!(error, "`north_star` is missing, expected what the work is to get better at");
}
