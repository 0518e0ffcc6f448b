//! Some thousands of seeds. A failure prints its seed and how to repeat it.

use std::ops::Range;
use tribunal_testkit::sim;

fn play(seeds: Range<u64>) {
    for seed in seeds {
        if let Err(failure) = sim::run(seed) {
            panic!("{failure}");
        }
    }
}

#[test]
fn seeds_0_to_1000() {
    play(0..1000);
}

#[test]
fn seeds_1000_to_2000() {
    play(1000..2000);
}

#[test]
fn the_seeds_reach_the_interesting_places() {
    let reports: Vec<sim::SeedReport> = (0..200).map(|seed| sim::run(seed).unwrap()).collect();
    assert!(reports.iter().any(|report| report.events < 10), "some runs are short");
    assert!(reports.iter().any(|report| report.events > 40), "some runs are long");
    assert!(reports.iter().all(|report| report.troubled == report.events - 1), "trouble strikes at every event");
}
