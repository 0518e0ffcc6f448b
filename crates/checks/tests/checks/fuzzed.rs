//! The check of the fuzz target, over damaged documents from fixed seeds.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::bounds::check;
use crate::mutate::{Dice, SEEDS, mutate};
use crate::scraps::SCRAPS;

const DAMAGED: u64 = 300;
const DAMAGES: usize = 12;

const SCRAPPY: u64 = 1_000;
const SCRAPS_MAX: usize = 40;

/// Checks one input after the other, and names the seed of the one that fails.
fn check_seeds(seeds: u64, mut input: impl FnMut(&mut Dice) -> Vec<u8>) {
    for seed in 0..seeds {
        let mut dice = Dice::new(seed);
        let mut input = input(&mut dice);
        // What the check chooses by how it reads.
        input.push(dice.byte());
        let checked = catch_unwind(AssertUnwindSafe(|| check(&input)));
        assert!(checked.is_ok(), "seed {seed}: {}", input.escape_ascii());
    }
}

#[test]
fn damaged_documents() {
    check_seeds(DAMAGED, |dice| {
        let mut document = dice.pick(SEEDS).as_bytes().to_vec();
        for _ in 0..=dice.roll(DAMAGES) {
            mutate(&mut document, dice);
        }
        document
    });
}

#[test]
fn documents_of_scraps() {
    check_seeds(SCRAPPY, |dice| (0..dice.roll(SCRAPS_MAX)).flat_map(|_| dice.pick(SCRAPS).bytes()).collect());
}

#[test]
fn documents_as_they_are() {
    for seed in SEEDS {
        for choice in 0..8 {
            check(&[seed.as_bytes(), &[choice]].concat());
        }
    }
}
