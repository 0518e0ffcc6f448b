//! Valid streams and small damage to them, from a seed. Shared with the fuzz target.

use crate::scraps::SCRAPS;

/// Valid streams to begin with. Between them they have every tag, and most of what the parser has to bear with.
pub(crate) const SEEDS: &[&str] = &[
    r#"<CRITIQUE_RUN version="1" maxRounds="3" threshold="8.0" scale="10">
<ROUND n="1">
<PANELIST role="designer"><NOTES>Calm.</NOTES><ARTIFACT mime="text/html"><![CDATA[<h1>Hi</h1>]]></ARTIFACT></PANELIST>
<PANELIST role="critic" score="6.4" must_fix="1"><DIM name="contrast" score="4">3.9:1 &amp; fails.</DIM>
<MUST_FIX>Darken it.</MUST_FIX></PANELIST>
<ROUND_END n="1" composite="6.4" must_fix="1" decision="continue"><REASON>Below 8.0.</REASON></ROUND_END>
</ROUND>
<SHIP round="1" composite="6.4" status="shipped"><ARTIFACT mime="text/html"><![CDATA[<h1>Hello</h1>]]></ARTIFACT><SUMMARY>One round.</SUMMARY></SHIP>
</CRITIQUE_RUN>
"#,
    "\u{feff}Sure:\n```xml\n<think>a <CRITIQUE_RUN version=\"1\"></think>\n\x1b[1m<critique_run\n  scale = '10' version='1'>\
     <Round n='1'><!-- draft --><panelist role='designer'><artifact mime='text/plain'> a ]]&gt; <b>b</b>\n</artifact\n>\
     </panelist><PANELIST must_fix='0' score='8/10' role='a11y'/><PANELIST role='copy' score=11><b>loud</b>\
     <NOTES><![CDATA[1 < 2 ]]]]><![CDATA[> 0]]></NOTES><MUST_FIX>&#x41;\x1b[0m&unknown;</MUST_FIX></PANELIST>\
     <PANELIST role='nobody'><NOTES>dropped</NOTES></PANELIST></Round><ROUND><PANELIST role='designer'/></ROUND>\
     </critique_run>\n```\nDone.",
    "<CRITIQUE_RUN version=\"1\"><ROUND n=\"1\"><PANELIST role=\"designer\"><ARTIFACT><![CDATA[a]]]]><![CDATA[>b]]> </ARTIFACT>\
     </PANELIST></ROUND><ROUND n=\"2\"><PANELIST role=\"designer\"><ARTIFACT> <![CDATA[c]]> d</ARTIFACT></PANELIST>\
     <PANELIST role=\"brand\" score=\"9\"><DIM name='x'/></PANELIST><ROUND_END/></ROUND><SHIP/><SHIP round=\"2\"/>\
     </CRITIQUE_RUN>",
];

/// A range that is cut out, repeated or turned is at most so long.
const RANGE_MAX: usize = 40;

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

/// Damages a stream in one place.
pub(crate) fn mutate(stream: &mut Vec<u8>, dice: &mut Dice) {
    let from = dice.roll(stream.len() + 1);
    let to = stream.len().min(from + dice.roll(RANGE_MAX));
    let scrap = dice.pick(SCRAPS).as_bytes();
    match dice.roll(9) {
        0..=1 => drop(stream.splice(from..from, scrap.iter().copied())),
        2 => drop(stream.splice(from..to, scrap.iter().copied())),
        3 => drop(stream.drain(from..to)),
        4 => {
            let range = stream[from..to].to_vec();
            let at = dice.roll(stream.len() + 1);
            stream.splice(at..at, range);
        }
        5 => stream[from..to].reverse(),
        6 => {
            for byte in &mut stream[from..to] {
                *byte ^= if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
            }
        }
        7 => stream.insert(from, dice.byte()),
        _ => {
            for byte in stream[from..to].iter_mut().take(1) {
                *byte ^= 1 << dice.roll(8);
            }
        }
    }
}
