//! Random numbers from a seed: `SplitMix64`, which is small, fast and the same everywhere.

/// A generator. The same seed gives the same numbers.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice that fall as `seed` says.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Dice for one thing among many: independent of how often others are thrown.
    pub fn of(seed: u64, thing: &[u64]) -> Self {
        let mut dice = Self(seed);
        for part in thing {
            dice.0 = dice.next() ^ part;
        }
        dice
    }

    /// Any number.
    #[expect(clippy::should_implement_trait, reason = "an endless iterator invites endless loops")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        let below = self.next() % u64::from(limit.max(1));
        u32::try_from(below).expect("it is below a u32")
    }

    /// One of `choices`.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(u32::try_from(choices.len()).unwrap_or(u32::MAX)) as usize]
    }

    /// True in `percent` of all throws.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}
