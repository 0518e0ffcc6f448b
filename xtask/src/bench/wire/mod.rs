//! The parser of the panel protocol, on streams of two sizes with small and large artifacts, beside quick-xml.
//!
//! Every stream is a line of a table of its own; the rows that come out are the worst of those lines.

mod readers;
mod streams;

use anyhow::Result;
use std::fmt::Write as _;
use tribunal_wire::ParserSettings;

use super::Bench;
use super::table::{Row, Target};
use readers::{Pass, ours, quick_xml_buffered, quick_xml_in_memory};
use streams::{Artifacts, Form, prose, stream};

const SIZES: [(&str, usize); 2] = [("1 MiB", 1 << 20), ("8 MiB", 8 << 20)];
/// From little to much of a stream in large artifacts.
const ARTIFACTS: [(&str, Artifacts); 4] = [
    ("2 KB", Artifacts::Each(2_000)),
    ("two of 250 KB", Artifacts::Two(250_000)),
    ("32 KB", Artifacts::Each(32_000)),
    ("250 KB", Artifacts::Each(250_000)),
];
const FORMS: [(&str, Form); 2] = [("cdata", Form::Cdata), ("inline", Form::Inline)];

const SMALL_CHUNK: usize = 64;
const CHUNK: usize = 4096;
const PASSES: usize = 20;

/// A stream and how fast each reader was, in MB/s, and what it held.
struct Line {
    name: String,
    /// What streams whose speeds are compared have in common: all but the size of their artifacts.
    kind: (usize, Form),
    small: Pass,
    large: Pass,
    /// quick-xml, from memory and through a buffer; nothing for what is no XML.
    reference: Option<(Pass, Pass)>,
}

pub(super) fn measure(_bench: &Bench) -> Result<Vec<Row>> {
    let mut lines = Vec::new();
    for (size, bytes) in SIZES {
        for (form_name, form) in FORMS {
            for (artifact, artifacts) in ARTIFACTS {
                let name = format!("{size}, {form_name}, {artifact}");
                lines.push(Line::of(name, (bytes, form), &stream(bytes, artifacts, form), true)?);
            }
        }
    }
    let (size, bytes) = SIZES[1];
    let judges = stream(bytes, Artifacts::Hardly, Form::Cdata);
    let judges = Line::of(format!("{size}, judges only"), (bytes, Form::Cdata), &judges, true)?;
    let prose = Line::of(format!("{size}, prose only"), (bytes, Form::Cdata), &prose(bytes), false)?;
    eprint!("{}", table(lines.iter().chain([&judges, &prose])));
    Ok(rows(&lines, &judges))
}

fn rows(lines: &[Line], judges: &Line) -> Vec<Row> {
    let (small, large) = (|line: &Line| line.small.megabytes_per_second, |line: &Line| line.large.megabytes_per_second);
    let held = lines.iter().map(|line| line.small.held.max(line.large.held)).max().unwrap_or_default();
    vec![
        Row::new("wire parser, 64-byte chunks, slowest stream", slowest(lines, small), "MB/s", Target::AtLeast(100.0)),
        Row::new("wire parser, 4 KiB chunks, slowest stream", slowest(lines, large), "MB/s", Target::AtLeast(500.0)),
        Row::beside("hardly any artifacts, 4 KiB chunks", large(judges), "MB/s"),
        Row::beside("times quick-xml from memory, least", slowest(lines, Line::times_in_memory), "×"),
        Row::beside("times quick-xml through a buffer of 4 KiB, least", slowest(lines, Line::times_buffered), "×"),
        Row::new("wire parser, 64-byte chunks, loss by size", loss(lines, small), "×", Target::AtMost(2.0)),
        Row::new("wire parser, 4 KiB chunks, loss by size", loss(lines, large), "×", Target::AtMost(2.0)),
        Row::beside("gain by size: large artifacts are hardly looked at", gain(lines, large), "×"),
        Row::new(
            "wire parser, held at most",
            held as f64,
            "bytes",
            Target::AtMost(ParserSettings::default().max_block_bytes as f64),
        ),
    ]
}

impl Line {
    /// The readers take turns, so that what else the machine does hits all of them.
    fn of(name: String, kind: (usize, Form), stream: &[u8], with_reference: bool) -> Result<Self> {
        let (mut small, mut large) = (Pass::NONE, Pass::NONE);
        let mut reference = with_reference.then_some((Pass::NONE, Pass::NONE));
        for _ in 0..PASSES {
            small = small.or_better(ours(stream, SMALL_CHUNK)?);
            large = large.or_better(ours(stream, CHUNK)?);
            if let Some((in_memory, buffered)) = &mut reference {
                *in_memory = in_memory.or_better(quick_xml_in_memory(stream)?);
                *buffered = buffered.or_better(quick_xml_buffered(stream, CHUNK)?);
            }
        }
        Ok(Self { name, kind, small, large, reference })
    }

    /// How many times as fast as quick-xml we are at 4 KiB.
    fn times_in_memory(&self) -> f64 {
        self.reference.map_or(f64::INFINITY, |(memory, _)| self.large.times(memory))
    }

    fn times_buffered(&self) -> f64 {
        self.reference.map_or(f64::INFINITY, |(_, buffered)| self.large.times(buffered))
    }
}

impl Pass {
    const NONE: Self = Self { megabytes_per_second: 0.0, held: 0 };

    fn times(self, other: Self) -> f64 {
        self.megabytes_per_second / other.megabytes_per_second
    }

    /// The faster of two, and the more that was held: chance can slow a pass down but not speed it up.
    fn or_better(self, other: Self) -> Self {
        let megabytes_per_second = self.megabytes_per_second.max(other.megabytes_per_second);
        Self { megabytes_per_second, held: self.held.max(other.held) }
    }
}

fn slowest(lines: &[Line], speed: impl Fn(&Line) -> f64) -> f64 {
    lines.iter().map(speed).fold(f64::INFINITY, f64::min)
}

/// By how much a stream with larger artifacts is slower to read than one with smaller ones, all else the same; at worst.
///
/// Only a loss would show that the size of an artifact costs something. A gain is nothing to be ashamed of: between its
/// ends an artifact costs next to nothing, so the more of a stream is artifact, the faster it is.
fn loss(lines: &[Line], speed: impl Fn(&Line) -> f64) -> f64 {
    ratios(lines, |smaller, larger| speed(smaller) / speed(larger))
}

fn gain(lines: &[Line], speed: impl Fn(&Line) -> f64) -> f64 {
    ratios(lines, |smaller, larger| speed(larger) / speed(smaller))
}

/// The greatest ratio of any two lines of one kind, in their order; 1 if there is none above.
fn ratios(lines: &[Line], ratio: impl Fn(&Line, &Line) -> f64) -> f64 {
    let mut greatest = 1.0_f64;
    for (at, smaller) in lines.iter().enumerate() {
        for larger in lines[at + 1..].iter().filter(|larger| larger.kind == smaller.kind) {
            greatest = greatest.max(ratio(smaller, larger));
        }
    }
    greatest
}

fn table<'l>(lines: impl Iterator<Item = &'l Line>) -> String {
    let mut table = format!(
        "  {:<28}{:>9}{:>9}{:>8}  |{:>10}{:>9}{:>8}{:>9}{:>9}{:>8}\n",
        "MB/s, bytes held", "64 B", "4 KiB", "held", "xml (all)", "held", "times", "(4 KiB)", "held", "times"
    );
    for line in lines {
        let (small, large) = (line.small.megabytes_per_second, line.large.megabytes_per_second);
        let held = line.small.held.max(line.large.held);
        write!(table, "  {:<28}{small:>9.0}{large:>9.0}{held:>8}  |", line.name).expect("a String takes every write");
        if let Some((memory, buffered)) = line.reference {
            for (pass, width) in [(memory, 10), (buffered, 9)] {
                let (speed, times) = (pass.megabytes_per_second, line.large.times(pass));
                write!(table, "{speed:>width$.0}{:>9}{times:>8.2}", pass.held).expect("a String takes every write");
            }
        }
        table.push('\n');
    }
    table + "  xml is quick-xml, which cannot be pushed chunks: all of the stream in memory, or through a buffer\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: (usize, Form), small: f64, large: f64, reference: f64) -> Line {
        let pass = |megabytes_per_second| Pass { megabytes_per_second, held: 42 };
        let reference = Some((pass(reference), pass(reference / 2.0)));
        Line { name: "a stream".to_owned(), kind, small: pass(small), large: pass(large), reference }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "exact halves")]
    fn the_worst_line_counts() {
        let kinds = [(1, Form::Cdata), (1, Form::Inline)];
        let lines = [
            line(kinds[0], 300.0, 900.0, 450.0),
            line(kinds[0], 200.0, 600.0, 600.0),
            line(kinds[1], 100.0, 500.0, 500.0),
        ];
        assert_eq!(slowest(&lines, |line| line.small.megabytes_per_second), 100.0);
        assert_eq!(slowest(&lines, Line::times_in_memory), 1.0);
        assert_eq!(slowest(&lines, Line::times_buffered), 2.0);
        // The inline stream is compared with none of the others.
        assert_eq!(loss(&lines, |line| line.large.megabytes_per_second), 1.5);
        assert_eq!(gain(&lines, |line| line.large.megabytes_per_second), 1.0);
    }

    #[test]
    fn the_table_has_a_line_for_every_stream() {
        let lines = [line((1, Form::Cdata), 300.0, 900.0, 450.0)];
        let table = table(lines.iter());
        assert!(
            table.contains("a stream                          300      900      42  |       450       42    2.00"),
            "{table}"
        );
    }
}
