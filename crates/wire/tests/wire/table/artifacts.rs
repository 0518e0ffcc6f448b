//! Rows about artifacts: what is in them, and that there is one.

use tribunal_wire::{ParserSettings, StreamEnd};

use crate::support::{
    DRAFT, SPECIMEN, after_round, artifacts, at, critic, error, in_critic, parse, parse_under, round, warnings,
};

#[test]
fn an_artifact_keeps_its_control_characters() {
    let inside = "a\x1b[31mb\0\x07\u{9b}&amp;";
    let stream = SPECIMEN.replace("<h1>Hi</h1>", inside);
    assert_eq!(artifacts(&parse(stream))[0], inside.as_bytes());
}

#[test]
fn cdata_artifacts_are_text_and_never_protocol() {
    let rows = [
        ("tags of the protocol", "</PANELIST></ROUND><SHIP round=\"1\"><PANELIST role='critic' score='10'>", None),
        ("the artifact's own closing tag", "a</ARTIFACT>b</artifact >c", None),
        ("a whole run", SPECIMEN, Some(SPECIMEN.replace("]]>", "]]]]><![CDATA[>"))),
        ("brackets", "a[b[0]] ]]] ] ]]", None),
        ("a split section", "x]]>y", Some("x]]]]><![CDATA[>y".to_owned())),
        ("only the split", "]]>", Some("]]]]><![CDATA[>".to_owned())),
        ("white space between sections", "ab", Some("a]]>\n  <![CDATA[b".to_owned())),
        ("a section of its own, not split", "<script><![CDATA[x]]></script> <p>", None),
        ("a section of its own, near the end", "<svg><![CDATA[x]]>  </svg>]]>", None),
        ("comments", "<!-- ]] > --> <!--", None),
        ("entities", "&lt;&amp;", None),
        ("white space", "\n  x\n", None),
    ];
    for (name, artifact, written) in rows {
        let stream = SPECIMEN.replace("<h1>Hi</h1>", written.as_deref().unwrap_or(artifact));
        let record = parse(&stream);
        let read = artifacts(&record);
        assert_eq!(String::from_utf8_lossy(&read[0]), artifact, "{name}");
        assert_eq!((read.len(), &record.end), (2, &Ok(StreamEnd::RunEnded)), "{name}");
        assert!(warnings(&record).is_empty(), "{name}");
    }
}

#[test]
fn inline_artifacts_are_text_up_to_the_closing_tag() {
    let rows = [
        ("markup", "<h1 class=\"x\">Hi &amp; bye</h1>"),
        ("tags of the protocol", "</PANELIST><ROUND n=\"2\"></SHIP><ARTIFACT>"),
        ("nearly the closing tag", "</ARTIFACTS></ARTIFAC </ ARTIFACT><</ARTIFACT/>"),
        ("CDATA later on", "<svg><![CDATA[x]]></svg>"),
        ("white space", "\n  <p>\n"),
        ("nearly CDATA", " <![CDATA x ]]>"),
        ("text", "plain"),
    ];
    for (name, artifact) in rows {
        for closing in ["</ARTIFACT>", "</Artifact\n>"] {
            let stream = SPECIMEN.replace("<![CDATA[<h1>Hi</h1>]]></ARTIFACT>", &format!("{artifact}{closing}"));
            let record = parse(stream);
            assert_eq!(String::from_utf8_lossy(&artifacts(&record)[0]), artifact, "{name}");
            assert_eq!(record.end, Ok(StreamEnd::RunEnded), "{name}");
        }
    }
}

#[test]
fn only_the_designer_drafts_and_once_a_round() {
    let artifact = "<ARTIFACT mime=\"text/html\"><![CDATA[</PANELIST>]]></ARTIFACT>";
    let record = parse(critic(artifact));
    assert_eq!(in_critic(&record), "! unknown_tag\n");
    let record = parse(round("").replace("</ARTIFACT>", &format!("</ARTIFACT>{artifact}")));
    assert_eq!(artifacts(&record), [b"<p>"]);
    assert_eq!(warnings(&record).len(), 1);
}

#[test]
fn the_first_round_needs_a_draft() {
    let empty = "<PANELIST role=\"designer\"><NOTES>later</NOTES></PANELIST>";
    let blank = "<PANELIST role=\"designer\"><ARTIFACT mime=\"text/html\"> \n</ARTIFACT></PANELIST>";
    let critics = "<PANELIST role=\"critic\" score=\"9\"><ARTIFACT mime=\"text/html\">x</ARTIFACT></PANELIST>";
    let end = "<ROUND_END n=\"1\" decision=\"ship\"/>";
    for (name, blocks, closing) in [
        ("no designer", String::new(), "</ROUND>"),
        ("designer without artifact", format!("{empty}{end}"), "<ROUND_END"),
        ("blank artifact", format!("{blank}{end}"), "<ROUND_END"),
        ("somebody else's artifact", critics.to_owned(), "</ROUND>"),
    ] {
        let stream = round(&blocks).replace(DRAFT, "");
        let record = parse(&stream);
        assert_eq!(error(&record), ("missing_artifact", at(&stream, closing)), "{name}");
        assert!(!record.to_string().contains("/round"), "{name}: no round was completed");
    }
    let later = after_round("<ROUND n=\"2\"><PANELIST role=\"critic\" score=\"9\"/></ROUND>");
    assert_eq!(parse(later).end, Ok(StreamEnd::RunEnded), "a later round may do without");
    let settings = ParserSettings { cast: vec!["critic".to_owned()], ..ParserSettings::default() };
    assert_eq!(
        parse_under(settings, round("").replace(DRAFT, "")).end,
        Ok(StreamEnd::RunEnded),
        "no designer in the cast"
    );
}

#[test]
fn a_ship_needs_an_artifact_or_a_round_that_has_one() {
    let rows = [
        ("its own", "<SHIP round=\"9\"><ARTIFACT>x</ARTIFACT></SHIP>", true),
        ("the round's", "<SHIP round=\"1\"></SHIP>", true),
        ("the last round's", "<SHIP/>", true),
        ("of a round without one", "<ROUND n=\"2\"></ROUND><SHIP round=\"2\"></SHIP>", false),
        ("of no round at all", "<SHIP round=\"3\"></SHIP>", false),
        ("a blank one", "<SHIP round=\"3\"><ARTIFACT>  </ARTIFACT></SHIP>", false),
    ];
    for (name, rest, fine) in rows {
        let stream = after_round(rest);
        let record = parse(&stream);
        if fine {
            assert_eq!(record.end, Ok(StreamEnd::RunEnded), "{name}");
        } else {
            assert_eq!(error(&record), ("missing_artifact", at(&stream, "</SHIP")), "{name}");
        }
    }
    let stream = "<CRITIQUE_RUN version=\"1\"></CRITIQUE_RUN>";
    assert_eq!(error(&parse(stream)), ("missing_artifact", at(stream, "</CRIT")), "a run without rounds");
    assert_eq!(error(&parse("<CRITIQUE_RUN version=\"1\"/>")), ("missing_artifact", 0), "an empty run");
}

#[test]
fn an_oversize_artifact_is_passed_on_up_to_the_cap() {
    let settings = ParserSettings { max_block_bytes: 100, ..ParserSettings::default() };
    let stream = SPECIMEN.replace("<NOTES>A calm hero.</NOTES>", "").replace("<h1>Hi</h1>", &"x".repeat(200));
    let record = parse_under(settings, &stream);
    let block = at(&stream, "<ARTIFACT");
    assert_eq!(error(&record), ("oversize_block", block + 100));
    assert_eq!(artifacts(&record)[0].len() as u64, block + 100 - at(&stream, "xxx"));
}
