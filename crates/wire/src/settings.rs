//! What the parser measures the stream against.

/// The role whose drafts are the artifacts of a round.
pub const DESIGNER: &str = "designer";

/// The configuration of the run. The stream may repeat it, but never overrules it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParserSettings {
    /// Most bytes between the tags of one block (`PANELIST`, `ROUND_END`, `SHIP`), and most bytes of one tag.
    pub max_block_bytes: usize,
    pub max_rounds: u32,
    /// Scores lie in `0..=scale`.
    pub scale: f64,
    pub threshold: f64,
    /// Roles as the configuration spells them; the stream's spelling may differ in letter case.
    pub cast: Vec<String>,
}

impl Default for ParserSettings {
    fn default() -> Self {
        Self {
            max_block_bytes: 262_144,
            max_rounds: 3,
            scale: 10.0,
            threshold: 8.0,
            cast: [DESIGNER, "critic", "brand", "a11y", "copy"].map(String::from).to_vec(),
        }
    }
}
