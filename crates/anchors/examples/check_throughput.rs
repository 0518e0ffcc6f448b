//! How long 200 pattern rules take on 10 MB of Markdown: `cargo run --release -p tribunal-anchors --example check_throughput`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_types,
    reason = "a measurement needs a clock and says what it measured"
)]

use std::time::Instant;

use tribunal_anchors::{lint, sample};

fn main() {
    let draft = sample::markdown(10 << 20);
    let anchor = sample::rules(200);
    for _ in 0..3 {
        let start = Instant::now();
        let result = lint(&anchor, &draft, None, &|_path| true);
        let millis = start.elapsed().as_millis();
        println!(
            "{millis} ms for {} bytes, {} rules, {} violations",
            draft.len(),
            result.scores.len(),
            result.violations.len()
        );
    }
}
