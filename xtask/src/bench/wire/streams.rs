//! The streams that are measured: whole runs of the size and with the artifacts that are asked for.
//!
//! They are well-formed XML, too, so that an XML reader can read the same bytes.

/// How an artifact is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Cdata,
    Inline,
}

/// What artifacts the rounds of a stream have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Artifacts {
    /// Every round one of this size.
    Each(usize),
    /// The first two rounds one of this size, all others a small one.
    Two(usize),
    /// So small that the stream is what the judges say.
    Hardly,
}

/// In bytes; what goes with [`Artifacts::Two`].
const SMALL: usize = 2_000;

const LINE: &str = "  <p class=\"lead\">Ship <em>calm</em> software; items[0] is a link to <a href=\"/x\">x</a>.</p>\n";

/// A run of as many rounds as it takes, each with one artifact and what four judges say about it.
pub(super) fn stream(bytes: usize, artifacts: Artifacts, form: Form) -> Vec<u8> {
    let judges = ["critic", "brand", "a11y", "copy"].map(judge).concat();
    let mut stream = String::from(
        "Here is the panel.\n<CRITIQUE_RUN version=\"1\" maxRounds=\"3\" threshold=\"8.0\" scale=\"10\">\n",
    );
    for n in 1.. {
        let artifact = artifact(artifacts.in_round(n), form);
        let draft = format!(
            "<ROUND n=\"{n}\">\n  <PANELIST role=\"designer\">\n    <NOTES>A calmer hero.</NOTES>\n    \
             <ARTIFACT mime=\"text/html\">{artifact}</ARTIFACT>\n  </PANELIST>\n"
        );
        let end = format!(
            "  <ROUND_END n=\"{n}\" composite=\"6.4\" must_fix=\"4\" decision=\"continue\">\
             <REASON>Below the threshold.</REASON></ROUND_END>\n</ROUND>\n"
        );
        stream.extend([draft.as_str(), &judges, &end]);
        if bytes <= stream.len() {
            break;
        }
    }
    stream.push_str("</CRITIQUE_RUN>\n");
    stream.into_bytes()
}

/// What a model may say instead of a run.
pub(super) fn prose(bytes: usize) -> Vec<u8> {
    "Let me think about contrast &amp; rhythm, and the <b>hero</b>.\n".bytes().cycle().take(bytes).collect()
}

impl Artifacts {
    fn in_round(self, n: u32) -> usize {
        match self {
            Self::Each(bytes) => bytes,
            Self::Two(bytes) if n <= 2 => bytes,
            Self::Two(_) => SMALL,
            Self::Hardly => 0,
        }
    }
}

/// Whole lines, so that every tag in it is closed, and at least one.
fn artifact(bytes: usize, form: Form) -> String {
    let lines = LINE.repeat((bytes / LINE.len()).max(1));
    match form {
        Form::Cdata => format!("<![CDATA[{lines}]]>"),
        Form::Inline => lines,
    }
}

fn judge(role: &str) -> String {
    let dims = ["contrast", "rhythm", "hierarchy"].map(|name| {
        format!("    <DIM name=\"{name}\" score=\"4\">The call to action has 3.9:1 &amp; fails AA on white.</DIM>\n")
    });
    format!(
        "  <PANELIST role=\"{role}\" score=\"6.4\" must_fix=\"1\">\n{}    \
         <MUST_FIX>Darken the call to action until it reaches 4.5:1.</MUST_FIX>\n  </PANELIST>\n",
        dims.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_wire::{ParserSettings, StreamEnd, StreamRecord};

    #[test]
    fn every_stream_is_a_whole_run_without_warnings() {
        for (name, artifacts, form) in [
            ("small", Artifacts::Each(2_000), Form::Cdata),
            ("two large, in CDATA", Artifacts::Two(250_000), Form::Cdata),
            ("two large, inline", Artifacts::Two(250_000), Form::Inline),
            ("judges", Artifacts::Hardly, Form::Cdata),
        ] {
            let stream = stream(600_000, artifacts, form);
            assert!((600_000..900_000).contains(&stream.len()), "{name}: {} bytes", stream.len());
            let record = StreamRecord::of(ParserSettings::default(), [stream.as_slice()]);
            assert_eq!(record.end, Ok(StreamEnd::RunEnded), "{name}");
            let warnings = record.facts().filter(|fact| matches!(fact, tribunal_wire::Fact::Warned(_))).count();
            assert_eq!(warnings, 0, "{name}");
        }
    }
}
