//! Real documents and small damage to them, from a seed. Shared with the fuzz target.

#[path = "../../../testkit/shared/damage.rs"]
mod damage;

pub(crate) use damage::Dice;

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

/// Damages a document in one place.
pub(crate) fn mutate(document: &mut Vec<u8>, dice: &mut Dice) {
    damage::damage(document, SCRAPS, RANGE_MAX, dice);
}
