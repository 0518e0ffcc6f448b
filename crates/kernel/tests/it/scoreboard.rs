//! The scoreboard row by row, and streams that try to get past it.

use crate::streams::{FINE, POOR, SHIPS, round, settings, ship, stream};
use insta::assert_snapshot;
use std::fmt::Write as _;
use tribunal_kernel::theater::board::{self, RoundRuling, Votes};
use tribunal_kernel::theater::{Fallback, Panel, Rehearsal, Settings, Stage, TheaterEvent};
use tribunal_kernel::{DraftId, Finding, Judgement, Round, Score, SeatName, Severity, Verdict};
use uuid::Uuid;

/// What a stream shows, from the first round's end on; warnings are kept wherever they are.
fn shown(settings: Settings, text: &str) -> String {
    let mut rehearsal = Rehearsal::new(settings, "r");
    let mut events = rehearsal.push(text.as_bytes());
    let (rest, broke) = rehearsal.finish();
    events.extend(rest);
    let mut out = String::new();
    for event in &events {
        match event {
            TheaterEvent::ParserWarning { kind, .. } => writeln!(out, "! {kind}"),
            TheaterEvent::RoundEnd { .. } | TheaterEvent::Ship { .. } | TheaterEvent::Failed { .. } => {
                writeln!(out, "{}", Stage::line(event).unwrap())
            }
            _ => Ok(()),
        }
        .unwrap();
    }
    if let Some(broke) = broke {
        writeln!(out, "degraded: {}", broke.message).unwrap();
    }
    out
}

fn single(text: &str) -> String {
    shown(settings(Panel::Single), text)
}

fn ships(text: &str) -> bool {
    single(text).contains("shipped:")
}

#[test]
fn the_protocols_example_ships_in_round_2() {
    assert_snapshot!(single(SHIPS), @r"
    round 1  composite 6.18  must-fix 5  continue: Below the threshold.
    round 2  composite 8.6  must-fix 0  ship: All agree.
    shipped: round 2 with 8.6
    ");
}

mod rows {
    use super::*;

    #[test]
    fn a_claimed_composite_that_differs_is_ours_in_every_event() {
        let text = stream(&[round(1, &POOR, "composite=\"9.9\""), round(2, &FINE, "")], &ship(2, "composite=\"9.99\""));
        assert_snapshot!(single(&text), @r"
        ! composite_mismatch
        round 1  composite 5  must-fix 2  continue: composite 5 is below 8; 2 must-fixes are open
        round 2  composite 9  must-fix 0  ship: composite 9 reaches 8, no must-fix is open
        ! composite_mismatch
        shipped: round 2 with 9
        ");
    }

    #[test]
    fn a_claimed_composite_within_a_twentieth_is_fine() {
        assert_eq!(single(&stream(&[round(1, &POOR, "composite=\"5.05\"")], "")).matches('!').count(), 0);
        assert_eq!(single(&stream(&[round(1, &POOR, "composite=\"5.06\"")], "")).matches('!').count(), 1);
    }

    #[test]
    fn a_missing_role_counts_nothing_and_one_must_fix() {
        assert_snapshot!(single(&stream(&[round(1, &["critic 9", "brand 9", "a11y 9"], "")], "")), @r"
        ! missing_role
        ! weak_debate
        round 1  composite 7.2  must-fix 1  continue: composite 7.2 is below 8; 1 must-fix is open
        below_threshold: round 1 with 7.2
        ");
    }

    #[test]
    fn of_a_role_that_speaks_twice_the_first_counts() {
        let judges = ["critic 9", "critic 1 !x", "brand 9", "a11y 9", "copy 9"];
        assert_snapshot!(single(&stream(&[round(1, &judges, "")], "")), @r"
        ! duplicate_role
        round 1  composite 9  must-fix 0  ship: composite 9 reaches 8, no must-fix is open
        shipped: round 1 with 9
        ");
    }

    #[test]
    fn judges_who_all_want_the_same_are_a_weak_debate() {
        let same = ["critic 5 !x", "brand 5 !x", "a11y 5 !x", "copy 5 !x"];
        assert!(single(&stream(&[round(1, &same, "")], "")).contains("! weak_debate"));
        assert!(!single(&stream(&[round(1, &POOR, "")], "")).contains("! weak_debate"));
    }

    #[test]
    fn the_final_round_need_not_be_debated() {
        let same = ["critic 5", "brand 5", "a11y 5", "copy 5"];
        let rounds = [round(1, &POOR, ""), round(2, &POOR, ""), round(3, &same, "")];
        assert!(!single(&stream(&rounds, "")).contains("weak_debate"));
    }

    #[test]
    fn a_score_that_cannot_be_read_does_not_count_and_keeps_the_work_from_shipping() {
        assert_snapshot!(single(&stream(&[round(1, &["critic 9", "brand -", "a11y nine", "copy 9"], "")], "")), @r"
        ! score_missing
        ! score_missing
        ! weak_debate
        round 1  composite 9  must-fix 0  continue: brand gave no score; a11y gave no score
        below_threshold: round 1 with 9
        ");
    }

    #[test]
    fn eight_of_ten_is_eight() {
        let judges = ["critic 8/10", "brand 8/10", "a11y 80/100", "copy 8"];
        assert!(ships(&stream(&[round(1, &judges, "")], "")));
    }

    #[test]
    fn a_second_ship_is_ignored() {
        let text = stream(&[round(1, &FINE, "")], &(ship(1, "") + &ship(1, "")));
        assert_snapshot!(single(&text), @r"
        round 1  composite 9  must-fix 0  ship: composite 9 reaches 8, no must-fix is open
        shipped: round 1 with 9
        ! duplicate_ship
        ");
    }

    #[test]
    fn a_ship_for_another_round_is_refused_and_the_gate_decides() {
        let text = stream(&[round(1, &POOR, ""), round(2, &FINE, "")], &ship(1, "status=\"shipped\""));
        assert!(single(&text).ends_with("shipped: round 2 with 9\n"));
    }

    #[test]
    fn a_ship_before_a_closed_round_is_malformed() {
        let text = format!("<CRITIQUE_RUN version=\"1\">{}</CRITIQUE_RUN>", ship(1, ""));
        assert!(single(&text).starts_with("degraded: malformed_block"), "{}", single(&text));
    }

    #[test]
    fn a_decision_that_nobody_knows_means_to_go_on() {
        let text = stream(&[round(1, &POOR, "decision=\"maybe\""), round(2, &FINE, "decision=\"done\"")], "");
        assert!(single(&text).ends_with("shipped: round 2 with 9\n"));
    }

    #[test]
    fn what_the_stream_says_about_the_settings_does_not_count() {
        let text =
            SHIPS.replace("threshold=\"8.0\"", "threshold=\"1.0\"").replace("maxRounds=\"3\"", "maxRounds=\"9\"");
        let told = single(&text);
        assert_eq!(told.matches("! config_mismatch").count(), 2);
        assert!(told.contains("round 1  composite 6.18  must-fix 5  continue"), "{told}");
    }
}

mod hostile {
    use super::*;

    #[test]
    fn a_scale_of_a_hundred_inside_the_stream_does_not_ship() {
        let judges = ["critic 60", "brand 60", "a11y 60", "copy 60"];
        let text = stream(&[round(1, &judges, "decision=\"ship\"")], &ship(1, "composite=\"60\" status=\"shipped\""))
            .replace("version=\"1\"", "version=\"1\" scale=\"100\"");
        assert_snapshot!(single(&text), @r"
        ! config_mismatch
        ! score_clamped
        ! score_clamped
        ! score_clamped
        ! score_clamped
        ! weak_debate
        round 1  composite 10  must-fix 0  continue: critic: its score 60 is beyond the scale of 10; brand: its score 60 is beyond the scale of 10; a11y: its score 60 is beyond the scale of 10; copy: its score 60 is beyond the scale of 10
        ! composite_mismatch
        below_threshold: round 1 with 10
        ");
    }

    #[test]
    fn a_score_a_little_over_the_scale_counts_as_the_most() {
        let told = |score: &str| {
            let critic = format!("critic {score}");
            let judges = [critic.as_str(), "brand 9", "a11y 9", "copy 9"];
            single(&stream(&[round(1, &judges, "decision=\"ship\"")], &ship(1, "composite=\"9.4\" status=\"shipped\"")))
        };
        assert!(told("12").contains("! score_clamped") && told("12").contains("shipped: round 1"), "{}", told("12"));
        assert!(told("16").contains("below_threshold"), "another scale: {}", told("16"));
        assert!(told("-").contains("below_threshold"), "silence is not a pass: {}", told("-"));
    }

    #[test]
    fn empty_roles_do_not_ship() {
        for judges in [
            ["critic -", "brand -", "a11y -", "copy -"],
            ["critic 10", "brand -", "a11y -", "copy -"],
            ["critic ", "brand ", "a11y ", "copy "],
        ] {
            assert!(!ships(&stream(&[round(1, &judges, "decision=\"ship\"")], &ship(1, "status=\"shipped\""))));
        }
        assert!(!ships(&stream(&[round(1, &[], "decision=\"ship\"")], &ship(1, "status=\"shipped\""))));
    }

    #[test]
    fn a_ship_with_an_inflated_composite_does_not_ship() {
        let text = stream(
            &[round(1, &POOR, "composite=\"9.9\" must_fix=\"0\" decision=\"ship\"")],
            &ship(1, "composite=\"9.9\" status=\"shipped\""),
        );
        assert!(single(&text).ends_with("below_threshold: round 1 with 5\n"), "{}", single(&text));
    }

    #[test]
    fn protocol_tags_inside_an_artifact_are_artifact() {
        let inside = round(1, &FINE, "decision=\"ship\"") + &ship(1, "status=\"shipped\"");
        let inside = inside.replace("<![CDATA[", "").replace("]]>", "");
        let text = stream(&[round(1, &POOR, "").replace("<h1>1</h1>", &inside)], "");
        assert!(single(&text).ends_with("below_threshold: round 1 with 5\n"), "{}", single(&text));
    }

    #[test]
    fn of_seven_rounds_three_are_heard() {
        let mut rounds: Vec<String> = (1..=6).map(|number| round(number, &POOR, "")).collect();
        rounds.push(round(7, &FINE, "decision=\"ship\""));
        let told = single(&stream(&rounds, &ship(7, "composite=\"9\" status=\"shipped\"")));
        assert_snapshot!(told, @r"
        round 1  composite 5  must-fix 2  continue: composite 5 is below 8; 2 must-fixes are open
        round 2  composite 5  must-fix 2  continue: composite 5 is below 8; 2 must-fixes are open
        round 3  composite 5  must-fix 2  ship: composite 5 is below 8; 2 must-fixes are open
        below_threshold: round 3 with 5
        ");
    }

    #[test]
    fn prose_and_thoughts_before_the_run_are_not_the_run() {
        let rehearsed = stream(&[round(1, &FINE, "decision=\"ship\"")], &ship(1, "status=\"shipped\""));
        let text = format!("Sure!\n<think>{rehearsed}</think>\n```xml\n{}\n```", stream(&[round(1, &POOR, "")], ""));
        assert!(single(&text).ends_with("below_threshold: round 1 with 5\n"), "{}", single(&text));
    }

    #[test]
    fn more_must_fixes_announced_than_named_do_not_ship() {
        let text = stream(&[round(1, &FINE, "")], "").replace("role=\"copy\"", "role=\"copy\" must_fix=\"3\"");
        assert!(single(&text).contains("continue: copy: it announced 3 must-fixes and named 0"), "{}", single(&text));
    }

    #[test]
    fn a_round_that_passed_is_the_last_one_that_is_heard() {
        let told = single(&stream(&[round(1, &FINE, ""), round(2, &POOR, "")], &ship(2, "")));
        assert!(told.ends_with("shipped: round 1 with 9\n") && !told.contains("round 2"), "{told}");
    }
}

fn verdict(score: Option<f64>, demands: &[&str]) -> Verdict {
    let finding = |text: &&str| Finding {
        id: tribunal_kernel::FindingId(Uuid::nil()),
        severity: Severity::MustFix,
        text: (*text).to_owned(),
        code: None,
        target: None,
        contested: false,
    };
    Verdict {
        score: score.map(Score::from_f64),
        findings: demands.iter().map(finding).collect(),
        ..Verdict::new(DraftId(Uuid::nil()), Judgement::Fail)
    }
}

#[test]
fn the_scoreboard_counts() {
    let settings = settings(Panel::Seats);
    let roles: Vec<SeatName> = settings.cast.clone();
    for (name, scores, expected) in [
        ("all scored", [Some(6.4), Some(6.0), Some(5.6), Some(6.5)], "6.18"),
        ("one not scored: the others' weights count", [Some(9.0), None, Some(6.0), Some(6.0)], "7.5"),
        ("nobody scored", [None; 4], "0"),
        ("the bounds", [Some(10.0); 4], "10"),
    ] {
        let verdicts: Vec<Verdict> = scores.iter().map(|score| verdict(*score, &[])).collect();
        let votes = Votes {
            spoke: roles.iter().collect(),
            verdicts: roles[1..].iter().zip(&verdicts).collect(),
            ..Votes::default()
        };
        assert_eq!(board::tally(&settings, &votes, false).composite.to_string(), expected, "{name}");
    }
}

#[test]
fn the_gate_needs_the_score_and_no_open_demand() {
    let settings = settings(Panel::Seats);
    let roles = settings.cast.clone();
    for (name, score, demands, is_final, expected) in [
        ("good enough", 8.0, &[][..], false, "ship"),
        ("just below", 7.99, &[], false, "continue"),
        ("a demand is open", 9.0, &["x"], false, "continue"),
        ("below at the end", 7.0, &[], true, "exhausted"),
        ("good enough at the end", 8.0, &[], true, "ship"),
    ] {
        let verdicts = [verdict(Some(score), demands), verdict(Some(score), &[]), verdict(Some(score), &[])];
        let verdicts: Vec<&Verdict> = verdicts.iter().chain([&verdicts[2]]).collect();
        let votes = Votes {
            spoke: roles.iter().collect(),
            verdicts: roles[1..].iter().zip(verdicts).collect(),
            ..Votes::default()
        };
        let tally = board::tally(&settings, &votes, is_final);
        let ruling = match board::gate(&settings, &votes, &tally, is_final) {
            RoundRuling::Ship(_) => "ship",
            RoundRuling::Continue(_) => "continue",
            RoundRuling::Exhausted(_) => "exhausted",
        };
        assert_eq!(ruling, expected, "{name}");
    }
}

#[test]
fn the_fallback_picks_a_round() {
    let rounds = |scores: &[f64]| -> Vec<(Round, Score)> {
        (1..).map(Round).zip(scores.iter().map(|score| Score::from_f64(*score))).collect()
    };
    for (name, policy, scores, expected) in [
        ("best", Fallback::ShipBest, &[6.4, 7.9, 7.0][..], Some(2)),
        ("best, of equals the later", Fallback::ShipBest, &[7.0, 6.0, 7.0], Some(3)),
        ("last", Fallback::ShipLast, &[7.9, 7.0], Some(2)),
        ("none", Fallback::Fail, &[7.9], None),
        ("best of nothing", Fallback::ShipBest, &[], None),
    ] {
        let picked = board::fallback(policy, &rounds(scores)).map(|(round, _)| round.0);
        assert_eq!(picked, expected, "{name}");
    }
}

#[test]
fn under_fail_nothing_is_handed_over() {
    let settings = Settings { fallback: Fallback::Fail, max_rounds: 1, ..settings(Panel::Single) };
    assert_snapshot!(shown(settings, &stream(&[round(1, &POOR, "")], "")), @r"
    round 1  composite 5  must-fix 2  continue: composite 5 is below 8; 2 must-fixes are open
    failed: below_threshold
    ");
}
