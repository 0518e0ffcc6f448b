//! Rows about what is skipped, decoded and understood.

use tribunal_wire::StreamEnd;

use crate::support::{
    DRAFT, DRAFT_LINES, SPECIMEN, at, between, critic, error, in_critic, in_round, parse, round, warnings,
};

#[test]
fn noise_around_the_run_is_skipped() {
    let rows = [
        ("prose", "Sure! I'll convene the panel, 3 < 4 & so on.\n", ""),
        ("code fence", "```xml\n", "```\n"),
        ("thoughts", "<think>First <CRITIQUE_RUN version=\"9\"> and <ROUND n=\"7\">…</think>", ""),
        ("thoughts by another name", "<Thinking a='b'>so <critique_run version='1'></THINKING >", ""),
        ("thoughts that only end", "hm, well</think>", ""),
        ("other markup", "<!DOCTYPE html><p class='x'>hello</p><!-- <b> --><?xml version=\"1.0\"?>", "<br/></html>"),
        ("a tag that never ends", "<a href=\"", "<a href=\""),
        ("byte order mark", "\u{feff}", ""),
        ("terminal noise", "\x1b[2J\x1b]0;agent\x07\0\x08", "\x1b[0m"),
        ("tags of the protocol before", "<ROUND n=\"1\"><PANELIST role=\"critic\" score=\"10\"></ROUND>", ""),
        ("the tag's name in prose", "I will open <CRITIQUE_RUN> now, or `<CRITIQUE_RUN` rather.\n", ""),
        (
            "more of its names in prose",
            "A <CRITIQUE_RUN> has a <ROUND n=\"1\">, <CRITIQUE_RUN> <b><ROUND>, <CRITIQUE_RUN> < <ROUND>.",
            "",
        ),
        ("a run after the run", "", SPECIMEN),
        ("rubbish after the run", "", "</ROUND><PANELIST><CRITIQUE_RUN version=\"2\">\u{0}<"),
    ];
    let plain = parse(SPECIMEN);
    for (name, before, after) in rows {
        let record = parse(format!("{before}{SPECIMEN}{after}"));
        assert_eq!(record.to_string(), plain.to_string(), "{name}");
        assert_eq!(record.events[0].position, before.len() as u64, "{name}");
    }
}

#[test]
fn without_a_run_nothing_is_reported() {
    for stream in
        ["", "Just prose.", "<CRITIQUE_RU", "<CRITIQUE_RUN>", "<think>unfinished", SPECIMEN.trim_start_matches('<')]
    {
        let record = parse(stream);
        assert_eq!((record.events.len(), record.end), (0, Ok(StreamEnd::NoRun)), "{stream:?}");
    }
}

#[test]
fn a_run_without_version_is_one_if_a_round_follows_at_once() {
    let stream = format!("<CRITIQUE_RUN maxRounds=\"3\">\n<ROUND>{DRAFT}</ROUND></CRITIQUE_RUN>");
    let record = parse(format!("First <CRITIQUE_RUN>, then: {stream}"));
    assert_eq!(
        between(&record, "run v1 rounds=3\nround 1\n", "/run\nok: run ended\n"),
        format!("{DRAFT_LINES}/round 1 continue \"\"\n")
    );
    assert_eq!(record.events[0].position, 28);
}

#[test]
fn attributes_are_understood_however_they_are_written() {
    let rows = [
        ("another order", r#"<PANELIST must_fix="2" score="6.5" role="critic">"#),
        ("single quotes", r"<PANELIST role='critic' score='6.5' must_fix='2'>"),
        ("mixed quotes", r#"<PANELIST role="critic" score='6.5' must_fix="2">"#),
        ("white space", "<PANELIST\n\trole = \"critic\"\r\n  score= \"6.5\"\n  must_fix =\"2\"\n>"),
        ("white space in values", r#"<PANELIST role=" critic " score=" 6.5 " must_fix=" 2 ">"#),
        ("no white space", r#"<PANELIST role="critic"score="6.5"must_fix="2">"#),
        ("no quotes", "<PANELIST role=critic score=6.5 must_fix=2>"),
        ("entities", r#"<PANELIST role="&#99;ritic" score="6&#x2E;5" must_fix="&#50;">"#),
        ("strangers between", r#"<PANELIST id=">" role="critic" checked score="6.5" mood='"' must_fix="2">"#),
        ("another letter case", r#"<PANELIST ROLE="Critic" Score="6.5" Must_Fix="2">"#),
        ("the first of two counts", r#"<PANELIST role="critic" role="brand" score="6.5" score="1" must_fix="2">"#),
    ];
    for (name, tag) in rows {
        let record = parse(round(&format!("{tag}</PANELIST>")));
        assert_eq!(in_round(&record), "  critic score=6.5 must_fix=2\n  /critic\n", "{name}");
    }
}

#[test]
fn entities_are_decoded_in_text_and_values() {
    let record = parse(critic(
        "<DIM name=\"a &lt; b &amp;amp; c\" score=\"4\">&lt;b&gt; &quot;x&quot; &apos;y&apos; &#38; &#x1F680; &nbsp; AT&T</DIM>",
    ));
    let expected = "    critic dim \"a < b &amp; c\" score=4 \"<b> \\\"x\\\" 'y' & 🚀 &nbsp; AT&T\"\n";
    assert_eq!(in_critic(&record), expected);
}

#[test]
fn tags_in_another_letter_case_are_understood() {
    let plain = parse(SPECIMEN);
    let names = [
        "CRITIQUE_RUN",
        "ROUND_END",
        "ROUND",
        "PANELIST",
        "NOTES",
        "ARTIFACT",
        "DIM",
        "MUST_FIX",
        "REASON",
        "SHIP",
        "SUMMARY",
    ];
    let recase = |case: fn(&str) -> String| {
        let mut stream = SPECIMEN.to_owned();
        for name in names {
            stream = stream.replace(&format!("<{name}"), &format!("<{}", case(name)));
            stream = stream.replace(&format!("</{name}"), &format!("</{}", case(name)));
        }
        stream
    };
    assert_eq!(parse(recase(str::to_lowercase)), plain, "lower case");
    assert_eq!(parse(recase(|name| name[..1].to_owned() + &name[1..].to_lowercase())), plain, "capitalised");
}

#[test]
fn comments_and_unknown_tags_are_skipped_with_a_warning() {
    let rows = [
        ("comment between blocks", round("<!-- <PANELIST role=\"critic\"> -->"), "<!--", ""),
        ("comment of dashes", round("<!------>"), "<!--", ""),
        ("unknown tag between blocks", round("<MOOD level='1'>tense</MOOD>"), "<MOOD", ""),
        ("empty unknown tag", round("<hr/>"), "<hr", ""),
        ("unknown closing tag", round("</div>"), "</div", ""),
        ("declaration", round("<!DOCTYPE html>"), "<!D", ""),
        ("processing instruction", round("<?php echo ?>"), "<?php", ""),
        ("thoughts, whole", round("<think><PANELIST role=\"copy\" score=\"10\"></think>"), "<think", ""),
        ("CDATA between blocks", round("<![CDATA[<PANELIST role=\"copy\">]]>"), "<![CDATA[<PAN", ""),
        ("unknown tag with an open quote", round("<a href=\"x>"), "<a", ""),
        ("unknown tag without end", round("<b "), "<b", ""),
        ("leaf without its block", round("<NOTES>stray</NOTES>"), "<NOTES", ""),
    ];
    for (name, stream, tag, rest) in rows {
        let record = parse(&stream);
        assert_eq!(in_round(&record), format!("! unknown_tag\n{rest}"), "{name}");
        assert_eq!(warnings(&record), [("unknown_tag", at(&stream, tag))], "{name}");
    }
}

#[test]
fn text_around_unknown_tags_stays() {
    let record =
        parse(critic("<MUST_FIX>Use <b>strong</b> <!-- no --> words, a < b <= c </ d <! e <!- f <![CD g</MUST_FIX>"));
    let expected =
        "! unknown_tag\n! unknown_tag\n    critic must fix \"Use strong  words, a < b <= c </ d <! e <!- f <![CD g\"\n";
    assert_eq!(in_critic(&record), expected);
}

#[test]
fn a_demand_that_says_there_is_none_is_none() {
    for none in ["None", "none.", "N/A", " - ", "<![CDATA[n/a]]>"] {
        assert_eq!(in_critic(&parse(critic(&format!("<MUST_FIX>{none}</MUST_FIX>")))), "", "{none}");
    }
    for some in ["None of the links work.", "- dark text", "n/a is no price"] {
        let record = parse(critic(&format!("<MUST_FIX>{some}</MUST_FIX>")));
        assert_eq!(in_critic(&record), format!("    critic must fix {some:?}\n"));
    }
}

#[test]
fn cdata_outside_artifacts_is_text() {
    let record = parse(critic("<MUST_FIX> <![CDATA[a </MUST_FIX> &amp; ]] b]]]> c</MUST_FIX>"));
    assert_eq!(in_critic(&record), "    critic must fix \"a </MUST_FIX> &amp; ]] b] c\"\n");
}

#[test]
fn escapes_and_control_characters_are_stripped_outside_artifacts() {
    let rows = [
        ("between tags", "\x1b[1m<MUST_FIX>Fix it.</MUST_FIX>\x1b[0m"),
        ("in a tag", "<MUST\x1b[32m_F\0IX\x07>Fix it.</MUST_\x1b[0mFIX\x7f>"),
        ("in text", "<MUST_FIX>\x1b[31mFix\x1b[0m\0 i\x08t\x1b]8;;http://x\x1b\\.</MUST_FIX>"),
        ("by entity", "<MUST_FIX>Fix&#27; it&#0;.&#x9b;</MUST_FIX>"),
        ("of the second block", "<MUST_FIX>Fix\u{85} it\u{9b}.</MUST_FIX>"),
        ("in CDATA", "<MUST_FIX><![CDATA[Fi\x1b[3mx it.]]></MUST_FIX>"),
        ("in an entity", "<MUST_FIX>Fix it&#\x1b[m46;</MUST_FIX>"),
    ];
    for (name, says) in rows {
        assert_eq!(in_critic(&parse(critic(says))), "    critic must fix \"Fix it.\"\n", "{name}");
    }
    let record = parse(critic("<DIM name=\"co\x1b[1mntrast\" score=\"\x004\">x</DIM>"));
    assert_eq!(in_critic(&record), "    critic dim \"contrast\" score=4 \"x\"\n", "in a value");
}

#[test]
fn a_version_without_parser_is_refused() {
    for (said, quoted) in [("2", "2"), ("", ""), ("one", "one"), ("1.1", "1.1")] {
        let record = parse(format!("hm <critique_run version=\"{said}\"><ROUND n=\"1\">"));
        assert_eq!(error(&record), ("protocol_version_mismatch", 3), "{said}");
        assert!(record.events.is_empty());
        assert!(record.end.unwrap_err().to_string().ends_with(&format!("no parser for version `{quoted}`")));
    }
    assert_eq!(parse(SPECIMEN.replace("version=\"1\"", "version=' 1 '")).end, Ok(StreamEnd::RunEnded));
}

#[test]
fn text_that_is_not_utf8_is_repaired() {
    let mut stream = critic("<MUST_FIX>caf? \u{e9}</MUST_FIX>").into_bytes();
    let at = stream.windows(4).position(|window| window == b"caf?").unwrap();
    stream[at + 3] = 0xe9;
    assert_eq!(in_critic(&parse(stream)), "    critic must fix \"caf\u{FFFD} \u{e9}\"\n");
}
