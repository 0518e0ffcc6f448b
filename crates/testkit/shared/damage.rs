//! Small damage to a text, from a seed: what a fuzzer does who knows the words.
//!
//! Not a module of this crate: the tests and fuzz targets of the parsers take the file by its path, because a dependency
//! on this crate would put the whole engine before them.

/// Numbers from a seed (SplitMix64): the same on every machine, so that a seed is all that a failure has to name.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`; 0 if there are none.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let number = usize::try_from((mixed ^ (mixed >> 31)) >> 33).expect("31 bits fit everywhere");
        number.checked_rem(sides).unwrap_or(0)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        u8::try_from(self.roll(256)).expect("below 256")
    }

    pub(crate) fn pick<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.roll(of.len())]
    }
}

/// Damages a text in one place, with one of `scraps`; what is cut out, repeated or turned is shorter than `longest`.
pub(crate) fn damage(text: &mut Vec<u8>, scraps: &[&str], longest: usize, dice: &mut Dice) {
    let from = dice.roll(text.len() + 1);
    let to = text.len().min(from + dice.roll(longest));
    let scrap = dice.pick(scraps).as_bytes();
    match dice.roll(10) {
        0..=2 => drop(text.splice(from..from, scrap.iter().copied())),
        3 => drop(text.splice(from..to, scrap.iter().copied())),
        4 => drop(text.drain(from..to)),
        5 => {
            let range = text[from..to].to_vec();
            let at = dice.roll(text.len() + 1);
            text.splice(at..at, range);
        }
        6 => text[from..to].reverse(),
        7 => {
            for byte in &mut text[from..to] {
                *byte ^= if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
            }
        }
        8 => text.insert(from, dice.byte()),
        _ => {
            for byte in text[from..to].iter_mut().take(1) {
                *byte ^= 1 << dice.roll(8);
            }
        }
    }
}
