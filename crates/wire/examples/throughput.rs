//! How fast the parser is: `cargo run --release -p tribunal-wire --example throughput`.
//!
//! Each row is a stream of many rounds with artifacts of one size, in CDATA or inline; each column a chunk size. A
//! number is the best of a few passes, in MB/s; beside it how many bytes were kept at most between two pushes.
#![expect(clippy::print_stdout, reason = "an example whose output is its purpose")]
#![expect(clippy::disallowed_types, reason = "it measures time")]

use std::time::{Duration, Instant};

use tribunal_wire::{Fact, Parser, Settings};

const STREAM_BYTES: usize = 8 << 20;
const ARTIFACT_BYTES: [usize; 4] = [2_000, 32_000, 100_000, 250_000];
const CHUNKS: [usize; 4] = [64, 512, 4096, 65_536];
const PASSES: usize = 5;

fn main() {
    println!("{:<22}{}", "MB/s (kept)", CHUNKS.map(|chunk| format!("{chunk:>18}")).concat());
    for cdata in [true, false] {
        for size in ARTIFACT_BYTES {
            let name = format!("{} {} KB", if cdata { "cdata" } else { "inline" }, size / 1000);
            row(&name, &stream(size, cdata));
        }
    }
    row("prose only", &"Let me think about <b>contrast</b> & rhythm.\n".repeat(STREAM_BYTES / 45).into_bytes());
    row("judges only", &stream(20, true));
}

fn row(name: &str, stream: &[u8]) {
    let cells = CHUNKS.map(|chunk| {
        let passes = (0..PASSES).map(|_| pass(stream, chunk));
        let (time, kept) = passes.min().expect("at least one pass");
        let speed = stream.len() as f64 / 1e6 / time.as_secs_f64();
        format!("{speed:>9.0} {:>8}", format!("({kept})"))
    });
    println!("{name:<22}{}", cells.concat());
}

/// One pass over the stream: how long it took and how much was kept.
fn pass(stream: &[u8], chunk: usize) -> (Duration, usize) {
    let start = Instant::now();
    let mut parser = Parser::new(Settings::default());
    let (mut facts, mut bytes, mut kept) = (0_u64, 0_usize, 0);
    for piece in stream.chunks(chunk) {
        parser
            .push(piece, &mut |event| match event.fact {
                Fact::ArtifactChunk(piece) => bytes += piece.len(),
                _ => facts += 1,
            })
            .expect("a valid stream");
        kept = kept.max(parser.buffered());
    }
    std::hint::black_box((facts, bytes));
    (start.elapsed(), kept)
}

/// A run of as many rounds as it takes, each with one artifact and what four judges say about it.
fn stream(artifact_bytes: usize, cdata: bool) -> Vec<u8> {
    let line = "  <p class=\"lead\">Ship <em>calm</em> software; items[0] is a link to <a href=\"/x\">x</a>.</p>\n";
    let artifact: String = line.chars().cycle().take(artifact_bytes).collect();
    let artifact = if cdata { format!("<![CDATA[{artifact}]]>") } else { artifact };
    let opening = "Here is the panel.\n<CRITIQUE_RUN version=\"1\" maxRounds=\"3\" threshold=\"8.0\" scale=\"10\">\n";
    let judges = ["critic", "brand", "a11y", "copy"].map(judge).concat();
    let mut stream = String::from(opening);
    for n in 1.. {
        let draft = format!(
            "<ROUND n=\"{n}\">\n  <PANELIST role=\"designer\">\n    <NOTES>A calmer hero.</NOTES>\n    \
             <ARTIFACT mime=\"text/html\">{artifact}</ARTIFACT>\n  </PANELIST>\n"
        );
        let end = format!(
            "  <ROUND_END n=\"{n}\" composite=\"6.4\" must_fix=\"4\" decision=\"continue\">\
             <REASON>Below the threshold.</REASON></ROUND_END>\n</ROUND>\n"
        );
        stream.extend([draft.as_str(), &judges, &end]);
        if STREAM_BYTES < stream.len() {
            break;
        }
    }
    stream.push_str("</CRITIQUE_RUN>\n");
    stream.into_bytes()
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
