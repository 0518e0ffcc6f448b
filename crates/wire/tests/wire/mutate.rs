//! Valid streams and small damage to them, from a seed. Shared with the fuzz target.

#[path = "../../../testkit/shared/damage.rs"]
mod damage;

pub(crate) use damage::Dice;

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

/// Damages a stream in one place.
pub(crate) fn mutate(stream: &mut Vec<u8>, dice: &mut Dice) {
    damage::damage(stream, SCRAPS, RANGE_MAX, dice);
}
