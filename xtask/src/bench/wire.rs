//! The parser of the panel protocol: its own example measures, we read the table.

use anyhow::{Context, Result};

use super::table::{Row, Target};
use super::{Bench, output_of};

const EXAMPLE: &str = "crates/wire/examples/throughput.rs";
/// Where the columns for chunks of 64 bytes and 4 KiB stand.
const COLUMNS: [(usize, &str, f64); 2] = [(0, "64-byte", 100.0), (2, "4 KiB", 500.0)];

pub(super) fn measure(bench: &Bench) -> Result<Vec<Row>> {
    if !bench.repo.has(EXAMPLE) {
        eprintln!("  there is no {EXAMPLE}");
        return Ok(Vec::new());
    }
    let example = ["run", "--quiet", "--release", "--package", "tribunal-wire", "--example", "throughput"];
    let output = output_of(bench.repo.cargo(&example))?;
    eprint!("{output}");
    COLUMNS
        .iter()
        .map(|(column, chunks, target)| {
            let slowest = slowest(&output, *column).with_context(|| format!("no column {column} in {EXAMPLE}"))?;
            let measure = format!("wire parser, {chunks} chunks, slowest stream");
            Ok(Row::new(measure, slowest, "MB/s", Target::AtLeast(*target)))
        })
        .collect()
}

/// The smallest speed in a column, over all streams with artifacts. Beside each speed stands `(bytes kept)`.
fn slowest(table: &str, column: usize) -> Option<f64> {
    let streams = table.lines().filter(|line| line.starts_with("cdata") || line.starts_with("inline"));
    let speeds = streams.map(|line| {
        let name_and_unit = line.split_whitespace().take(3).map(str::len).sum::<usize>() + 2;
        let cells = line.get(name_and_unit..)?.split_whitespace().filter(|cell| !cell.starts_with('('));
        cells.collect::<Vec<_>>().get(column)?.parse::<f64>().ok()
    });
    speeds.collect::<Option<Vec<f64>>>()?.into_iter().min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_stream_counts() {
        let table = "\
MB/s (kept)                           64               512              4096             65536
cdata 2 KB                  310     (42)      900     (42)     1200     (42)     1300     (42)
inline 250 KB               205    (107)      800     (42)     1100     (42)     1000     (42)
prose only                    5      (1)        6      (1)        7      (1)        8      (1)
";
        assert_eq!(slowest(table, 0), Some(205.0));
        assert_eq!(slowest(table, 2), Some(1100.0));
        assert_eq!(slowest(table, 9), None);
    }
}
