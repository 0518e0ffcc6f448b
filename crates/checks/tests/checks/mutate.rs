//! Real documents and small damage to them, from a seed. Shared with the fuzz target.

use crate::scraps::SCRAPS;

/// Documents to begin with: pages that have most of what is measured, and a text.
pub(crate) const SEEDS: &[&str] = &[
    include_str!("../../../../testdata/checks/pages/alt.html"),
    include_str!("../../../../testdata/checks/pages/bare.html"),
    include_str!("../../../../testdata/checks/pages/cascade.html"),
    include_str!("../../../../testdata/checks/pages/controls.html"),
    include_str!("../../../../testdata/checks/pages/forms.html"),
    include_str!("../../../../testdata/checks/pages/headings.html"),
    include_str!("../../../../testdata/checks/pages/landing.html"),
    include_str!("../../../../testdata/checks/pages/opacity.html"),
    include_str!("../../../../testdata/checks/pages/scheme.html"),
    include_str!("../../../../testdata/checks/pages/tables.html"),
    include_str!("../../../../testdata/checks/pages/variables.html"),
    "# Release notes\n\nThis is really a very small release. It was made in order to be able to test.\n\n### Fixes\n\n\
     - the the parser, see [here](#fixes) and [there](gone.md)\n- ![](shot.png)\n\n```sh\nTODO in code\n```\n\n\
     > A quotation that goes on and on.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nTODO: more.\n",
];

/// A range that is cut out, repeated or turned is at most so long.
const RANGE_MAX: usize = 60;

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

/// Damages a document in one place.
pub(crate) fn mutate(document: &mut Vec<u8>, dice: &mut Dice) {
    let from = dice.roll(document.len() + 1);
    let to = document.len().min(from + dice.roll(RANGE_MAX));
    let scrap = dice.pick(SCRAPS).as_bytes();
    match dice.roll(10) {
        0..=3 => drop(document.splice(from..from, scrap.iter().copied())),
        4 => drop(document.splice(from..to, scrap.iter().copied())),
        5 => drop(document.drain(from..to)),
        6 => {
            let range = document[from..to].to_vec();
            let at = dice.roll(document.len() + 1);
            document.splice(at..at, range);
        }
        7 => document[from..to].reverse(),
        8 => document.insert(from, dice.byte()),
        _ => {
            for byte in document[from..to].iter_mut().take(1) {
                *byte ^= 1 << dice.roll(8);
            }
        }
    }
}
