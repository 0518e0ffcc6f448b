//! Any bytes as HTML, CSS or Markdown: no panic, scores that are scores, places inside the text, an editor that comes to
//! rest.
//!
//! The check and the damage that is done to documents are those of the crate's own tests, which run them over fixed seeds.
#![no_main]

#[path = "../../tests/checks/bounds.rs"]
mod bounds;
#[path = "../../tests/checks/mutate.rs"]
mod mutate;
#[path = "../../tests/checks/scraps.rs"]
mod scraps;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use mutate::{Dice, SEEDS};

fuzz_target!(|data: &[u8]| bounds::check(data));

// Half of the time the fuzzer's own way, which knows what reached new code; half of the time ours, which knows pages.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut dice = Dice::new(seed.into());
    if dice.roll(2) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut document = if size == 0 { dice.pick(SEEDS).as_bytes().to_vec() } else { data[..size].to_vec() };
    mutate::mutate(&mut document, &mut dice);
    document.truncate(max_size);
    data[..document.len()].copy_from_slice(&document);
    document.len()
});
