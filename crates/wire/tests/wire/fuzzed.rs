//! The check of the fuzz target, over arbitrary bytes and damaged streams from fixed seeds.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tribunal_wire::{ParserSettings, StreamEnd, StreamRecord};

use crate::bounds::check;
use crate::mutate::{Dice, SEEDS, mutate};

const ARBITRARY: u64 = 5_000;
const ARBITRARY_BYTES: usize = 600;

const DAMAGED: u64 = 20_000;
const DAMAGES: usize = 8;

/// Checks one input after the other, and names the seed of the one that fails.
fn check_seeds(seeds: u64, mut input: impl FnMut(&mut Dice) -> Vec<u8>) {
    for seed in 0..seeds {
        let input = input(&mut Dice::new(seed));
        let checked = catch_unwind(AssertUnwindSafe(|| check(&input)));
        assert!(checked.is_ok(), "seed {seed}: {}", input.escape_ascii());
    }
}

#[test]
fn arbitrary_bytes() {
    check_seeds(ARBITRARY, |dice| (0..dice.roll(ARBITRARY_BYTES)).map(|_| dice.byte()).collect());
}

#[test]
fn damaged_streams() {
    check_seeds(DAMAGED, |dice| {
        let mut stream = dice.pick(SEEDS).as_bytes().to_vec();
        for _ in 0..=dice.roll(DAMAGES) {
            mutate(&mut stream, dice);
        }
        // What the check chooses cap and cuts by.
        stream.extend([dice.byte(), dice.byte(), dice.byte()]);
        stream
    });
}

/// Damage to what is broken already would not get far.
#[test]
fn the_streams_to_begin_with_are_good() {
    for (number, seed) in SEEDS.iter().enumerate() {
        let record = StreamRecord::of(ParserSettings::default(), [seed.as_bytes()]);
        assert_eq!(record.end, Ok(StreamEnd::RunEnded), "stream {number}:\n{record}");
    }
}
