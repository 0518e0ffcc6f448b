//! Rows about blocks: roles, scores, claims, order, balance and size.

use tribunal_wire::{Fact, ParserSettings, StreamEnd};

use crate::support::{
    DRAFT, DRAFT_LINES, SPECIMEN, after_round, artifacts, at, between, critic, error, in_critic, in_round, parse,
    parse_under, round, warnings,
};

#[test]
fn a_block_of_unknown_role_is_dropped() {
    let rows = [
        (
            "stranger",
            r#"<PANELIST role="intern" score="99"><MUST_FIX>x</MUST_FIX><b><DIM score="77">y</DIM></PANELIST>"#,
        ),
        ("no role", "<PANELIST score=\"9\"><NOTES>x</NOTES></PANELIST>"),
        ("with an artifact", "<PANELIST role='x'><ARTIFACT><![CDATA[</PANELIST>]]></ARTIFACT></PANELIST>"),
        ("empty", "<PANELIST role='x'/>"),
    ];
    for (name, block) in rows {
        let stream = round(block);
        let record = parse(&stream);
        assert_eq!(in_round(&record), "! unknown_role\n", "{name}");
        assert_eq!(warnings(&record), [("unknown_role", at(&stream, block))], "{name}");
    }
}

#[test]
fn scores_are_clamped_or_missing_with_a_warning() {
    let rows = [
        ("fine", "score=\"10\"", " score=10", ""),
        ("above", "score=\"11\"", " score=10", "! score_clamped (said 11)\n"),
        ("below", "score=\"-2.5\"", " score=0", "! score_clamped (said -2.5)\n"),
        ("of ten", "score=\"8/10\"", " score=8", ""),
        ("of a hundred", "score=\"85 / 100\"", " score=8.5", ""),
        ("more than all", "score=\"12/10\"", " score=10", "! score_clamped (said 12)\n"),
        ("missing", "", "", "! score_missing\n"),
        ("empty", "score=\"\"", "", "! score_missing\n"),
        ("words", "score=\"high\"", "", "! score_missing\n"),
        ("no number", "score=\"NaN\"", "", "! score_missing\n"),
        ("of nothing", "score=\"8/0\"", "", "! score_missing\n"),
    ];
    for (name, score, said, warning) in rows {
        let record = parse(round(&format!("<PANELIST role=\"critic\" {score}></PANELIST>")));
        assert_eq!(in_round(&record), format!("  critic{said}\n{warning}  /critic\n"), "{name}");
    }
    let settings = ParserSettings { scale: 100.0, ..ParserSettings::default() };
    let record = parse_under(settings, round("<PANELIST role=\"critic\" score=\"8/10\"/>"));
    assert_eq!(in_round(&record), "  critic score=80\n  /critic\n", "of ten on a scale of a hundred");
}

#[test]
fn the_designer_needs_no_score_and_dims_are_clamped_too() {
    assert!(warnings(&parse(round(""))).is_empty());
    let record = parse(critic("<DIM name=\"x\" score=\"40\">a</DIM><DIM>b</DIM><DIM name=\"y\" score=\"?\"/>"));
    let expected = "! score_clamped (said 40)\n    critic dim \"x\" score=10 \"a\"\n    critic dim \"\" \"b\"\n    critic dim \"y\" \"\"\n";
    assert_eq!(in_critic(&record), expected);
}

#[test]
fn the_configuration_wins_over_what_the_stream_claims() {
    let rows: [(&str, &str, &[&str]); 6] = [
        ("the same", "maxRounds=\"3\" threshold=\"8\" scale=\"10.0\"", &[]),
        ("nothing", "", &[]),
        ("scale", "scale=\"100\"", &["config_mismatch (scale)"]),
        ("threshold", "threshold=\"2\"", &["config_mismatch (threshold)"]),
        (
            "rounds and scale",
            "maxRounds=\"7\" scale=\"5\"",
            &["config_mismatch (maxRounds)", "config_mismatch (scale)"],
        ),
        ("unreadable", "maxRounds=\"many\"", &["config_mismatch (maxRounds)"]),
    ];
    for (name, claims, expected) in rows {
        let stream = round("<PANELIST role=\"critic\" score=\"60\"/>")
            .replace("version=\"1\"", &format!("version=\"1\" {claims}"));
        let record = parse(&stream);
        let mut warned: Vec<String> = Vec::new();
        for event in &record.events {
            if let Fact::Warned(warning) = &event.fact
                && warning.kind() == "config_mismatch"
            {
                assert_eq!(event.position, 0, "{name}");
                warned.push(warning.to_string());
            }
        }
        assert_eq!(warned, expected, "{name}");
        // Whatever scale the stream has in mind: 60 is more than our 10.
        assert!(record.to_string().contains("critic score=10\n! score_clamped (said 60)\n"), "{name}");
    }
}

#[test]
fn a_role_that_speaks_twice_is_heard_once() {
    let block = "<PANELIST role=\"CRITIC\" score=\"9\"><MUST_FIX>b</MUST_FIX></PANELIST>";
    let stream = round(&format!("<PANELIST role=\"critic\" score=\"6\"><MUST_FIX>a</MUST_FIX></PANELIST>{block}"));
    let record = parse(&stream);
    assert_eq!(in_round(&record), "  critic score=6\n    critic must fix \"a\"\n  /critic\n! duplicate_role\n");
    assert_eq!(warnings(&record), [("duplicate_role", at(&stream, block))]);
    // Another draft of the same round neither replaces the first nor is it seen.
    let record = parse(round(DRAFT));
    assert_eq!(in_round(&record), "! duplicate_role\n");
}

#[test]
fn a_role_may_speak_again_in_the_next_round() {
    let second = "<ROUND n=\"2\"><PANELIST role=\"designer\"/><PANELIST role=\"critic\" score=\"9\"/></ROUND>";
    let record = parse(after_round(second));
    assert!(warnings(&record).is_empty(), "{record}");
}

#[test]
fn of_two_ships_the_first_counts() {
    let ship = |text: &str| {
        format!("<SHIP round=\"1\"><ARTIFACT mime=\"a/b\">{text}</ARTIFACT><SUMMARY>{text}</SUMMARY></SHIP>")
    };
    let (first, second) = (ship("one"), ship("two"));
    let stream = after_round(&format!("{first}{second}"));
    let record = parse(&stream);
    assert_eq!(artifacts(&record), [b"<p>".as_slice(), b"one"]);
    assert_eq!(warnings(&record), [("duplicate_ship", at(&stream, &second))]);
    assert_eq!(record.end, Ok(StreamEnd::RunEnded));
}

#[test]
fn a_ship_before_a_closed_round_is_malformed() {
    let rows = [
        ("before any round", "<CRITIQUE_RUN version=\"1\"><SHIP round=\"1\"/></CRITIQUE_RUN>".to_owned()),
        ("inside a round", round("<SHIP round=\"1\"></SHIP>")),
    ];
    for (name, stream) in rows {
        assert_eq!(error(&parse(&stream)), ("malformed_block", at(&stream, "<SHIP")), "{name}");
    }
}

#[test]
fn a_ship_claims_what_it_likes() {
    let rows = [
        (
            "all of it",
            "round=\"7\" composite=\"9.9\" status=\"timed_out\"",
            "ship round=7 composite=9.9 status=timed_out",
        ),
        ("nothing", "", "ship"),
        ("rubbish", "round=\"last\" composite=\"inf\" status=\"great\"", "ship"),
    ];
    for (name, claims, line) in rows {
        let record = parse(after_round(&format!("<SHIP {claims}><ARTIFACT mime=\"a/b\">x</ARTIFACT></SHIP>")));
        assert!(record.to_string().contains(&format!("\n{line}\n  shipped artifact \"a/b\"\n")), "{name}: {record}");
    }
}

#[test]
fn unbalanced_tags_are_malformed() {
    let rows = [
        ("round closes an open panelist", round("<PANELIST role=\"critic\" score=\"1\">"), "</ROUND>"),
        ("run closes an open round", round("").replace("</ROUND>", ""), "</CRIT"),
        ("closing tag of nothing", round("</PANELIST>"), "</PANELIST></ROUND>"),
        ("closing tag of no leaf", critic("</DIM>"), "</DIM>"),
        ("leaf in a leaf", critic("<NOTES>a<MUST_FIX>b</MUST_FIX></NOTES>"), "<MUST_FIX"),
        ("leaf never closed", critic("<NOTES>a"), "</PANELIST></ROUND>"),
        ("other leaf closed", critic("<NOTES>a</DIM></NOTES>"), "</DIM>"),
        ("tag without end", critic("<DIM name=\"x\" <NOTES>a</NOTES>"), "<DIM"),
        ("closing tag without end", critic("<DIM>x</DIM <NOTES>"), "</DIM"),
    ];
    for (name, stream, tag) in rows {
        assert_eq!(error(&parse(&stream)), ("malformed_block", at(&stream, tag)), "{name}");
    }
}

#[test]
fn tags_out_of_place_are_malformed() {
    let end = "<ROUND_END n=\"1\"/>";
    let rows = [
        ("panelist without round", after_round("<PANELIST role=\"copy\"/>"), "<PANELIST role=\"copy\""),
        ("panelist in a panelist", critic("<PANELIST role=\"copy\"/>"), "<PANELIST role=\"copy\""),
        (
            "panelist after the round's end",
            round(&format!("{end}<PANELIST role=\"copy\"/>")),
            "<PANELIST role=\"copy\"",
        ),
        ("panelist in a ship", after_round("<SHIP><PANELIST role=\"copy\"/></SHIP>"), "<PANELIST role=\"copy\""),
        ("round in a round", round("<ROUND n=\"2\"></ROUND>"), "<ROUND n=\"2\""),
        ("round after the ship", after_round("<SHIP/><ROUND n=\"2\"></ROUND>"), "<ROUND n=\"2\""),
        ("round's end without round", after_round(end), "<ROUND_END"),
        ("two ends", round(&format!("{end}<ROUND_END n='1'/>")), "<ROUND_END n='1'"),
        ("run in a run", round("<CRITIQUE_RUN version='1'>"), "<CRITIQUE_RUN version='1'"),
        ("round skipped", after_round("<ROUND n=\"3\"></ROUND>"), "<ROUND n=\"3\""),
        ("round twice", after_round("<ROUND n='1'></ROUND>"), "<ROUND n='1'"),
        ("another round's end", round("<ROUND_END n=\"2\"/>"), "<ROUND_END"),
    ];
    for (name, stream, tag) in rows {
        assert_eq!(error(&parse(&stream)), ("malformed_block", at(&stream, tag)), "{name}");
    }
}

#[test]
fn a_stream_that_ends_inside_the_run_is_malformed() {
    let complete = SPECIMEN.trim_end().len();
    let run_opened = at(SPECIMEN, ">") + 1;
    for len in 0..complete {
        let record = parse(&SPECIMEN[..len]);
        if (len as u64) < run_opened {
            assert_eq!(record.end, Ok(StreamEnd::NoRun), "{len} bytes");
        } else {
            assert_eq!(error(&record), ("malformed_block", len as u64), "{len} bytes");
        }
    }
    let cut = parse(&SPECIMEN[..SPECIMEN.find("Darken").unwrap() + 4]).end.unwrap_err();
    let opened = at(SPECIMEN, "<MUST_FIX");
    assert_eq!(
        cut.to_string(),
        format!("malformed_block at byte {}: stream ended inside MUST_FIX, opened at byte {opened}", opened + 14)
    );
}

#[test]
fn a_block_over_the_cap_is_an_error() {
    let cap = 1024;
    let settings = ParserSettings { max_block_bytes: cap, ..ParserSettings::default() };
    let content = |says: &str| at(&critic(says), "score=\"6\">") + 10;
    let fill =
        |open: &str, close: &str, len: usize| format!("{open}{}{close}", "x".repeat(len - open.len() - close.len()));
    for (name, open, close) in [
        ("notes", "<NOTES>", "</NOTES>"),
        ("must-fix", "<MUST_FIX>", "</MUST_FIX>"),
        ("text outside leaves", "", ""),
        ("artifact of no designer", "<ARTIFACT>", "</ARTIFACT>"),
        ("CDATA", "<NOTES><![CDATA[", "]]></NOTES>"),
        ("comment", "<!--", "-->"),
        ("unknown tag", "<b ", ">"),
        ("one attribute", "<DIM name=\"", "\"/>"),
        ("skipped leaf", "<REASON>", "</REASON>"),
    ] {
        let fits = critic(&fill(open, close, cap));
        assert_eq!(parse_under(settings.clone(), &fits).end, Ok(StreamEnd::RunEnded), "{name}, just fits");
        let says = fill(open, close, cap + 1);
        let record = parse_under(settings.clone(), critic(&says));
        assert_eq!(error(&record), ("oversize_block", content(&says) + cap as u64), "{name}");
    }
    let many = fill("", "", cap - 10).replace('x', " ") + "<NOTES>y</NOTES>";
    assert_eq!(error(&parse_under(settings.clone(), critic(&many))).0, "oversize_block", "all of the block counts");
    let record = parse_under(settings.clone(), SPECIMEN.replace("Below 8.0.", &"x".repeat(cap)));
    assert_eq!(error(&record).0, "oversize_block", "the round's end");
    let record = parse_under(settings.clone(), SPECIMEN.replace("One round.", &"x".repeat(cap)));
    assert_eq!(error(&record).0, "oversize_block", "the ship");
    let long_tag = format!("<CRITIQUE_RUN version=\"1\" note=\"{}\">", "x".repeat(cap));
    assert_eq!(
        error(&parse_under(settings.clone(), &long_tag)),
        ("oversize_block", cap as u64),
        "a tag outside blocks"
    );
    let spacious = round(&format!(
        "{0}<PANELIST role=\"critic\" score=\"6\">{1}</PANELIST>{0}",
        " ".repeat(2 * cap),
        "y".repeat(cap)
    ));
    assert_eq!(parse_under(settings, spacious).end, Ok(StreamEnd::RunEnded), "rounds have no cap");
}

#[test]
fn an_unknown_decision_goes_on() {
    let rows = [
        ("continue", "continue"),
        ("ship", "ship"),
        ("SHIP", "ship"),
        ("maybe", "continue"),
        ("", "continue"),
        ("shipped", "continue"),
    ];
    for (said, read) in rows {
        let record =
            parse(round(&format!("<ROUND_END n=\"1\" composite=\"6.2\" must_fix=\"4\" decision=\"{said}\"/>")));
        let line = format!("/round 1 composite=6.2 must_fix=4 {read} \"\"\n");
        assert_eq!(
            between(&record, &format!("run v1\nround 1\n{DRAFT_LINES}"), "/run\nok: run ended\n"),
            line,
            "{said}"
        );
    }
    let record = parse(round("<ROUND_END><NOTES>x</NOTES><REASON> a &amp; b </REASON><REASON>c</REASON></ROUND_END>"));
    let lines = between(&record, &format!("run v1\nround 1\n{DRAFT_LINES}"), "/run\nok: run ended\n");
    assert_eq!(lines, "! unknown_tag\n! unknown_tag\n/round 1 continue \"a & b\"\n", "and one reason is enough");
}

#[test]
fn a_stream_past_the_last_round_is_read_on() {
    let rounds = [2, 3, 4, 5, 6, 7].map(|n| format!("<ROUND n=\"{n}\">{DRAFT}</ROUND>"));
    let record = parse(after_round(&rounds.concat()));
    assert_eq!(artifacts(&record).len(), 7, "cutting it off is the engine's business");
    assert_eq!(record.end, Ok(StreamEnd::RunEnded));
}
