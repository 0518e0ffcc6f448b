//! The ten briefs that every agent plays: what a panel meets in practice, small and large.

use std::fmt::Write as _;

/// The scale of every trial, in millionths.
pub(super) const SCALE: u64 = 10_000_000;
/// What it takes to pass, in millionths.
const THRESHOLD: u64 = 8_000_000;
/// What the brief that is long has at least.
const LONG_BRIEF: usize = 10 * 1024;
/// What the design file that is long has at least.
const LONG_DESIGN: usize = 30 * 1024;

/// The pictures that lie beside the page.
pub(super) const IMAGES: [(&str, &[u8]); 2] =
    [("loaf.png", include_bytes!("templates/loaf.png")), ("oven.png", include_bytes!("templates/oven.png"))];

const DESIGN: &str = include_str!("templates/DESIGN.md");

/// Their names, in the order in which they are played.
pub const NAMES: [&str; 10] = [
    "minimal",
    "long-brief",
    "two-images",
    "long-design",
    "terse-voice",
    "high-a11y",
    "must-fix-chain",
    "brand-collision",
    "japanese",
    "three-round-grind",
];

/// One brief, and what comes with it.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pub(super) name: &'static str,
    pub(super) brief: String,
    pub(super) design: Option<String>,
    /// Whether the pictures are attached to the brief.
    pub(super) has_images: bool,
    pub(super) max_rounds: u32,
    /// In millionths of a point.
    pub(super) threshold: u64,
}

/// All of them.
pub(super) fn all() -> Vec<Template> {
    NAMES.map(template).into()
}

fn template(name: &'static str) -> Template {
    let brief = match name {
        "long-brief" => long_brief(),
        "two-images" => include_str!("templates/two-images.md").to_owned(),
        "long-design" => include_str!("templates/long-design.md").to_owned(),
        "terse-voice" => include_str!("templates/terse-voice.md").to_owned(),
        "high-a11y" => include_str!("templates/high-a11y.md").to_owned(),
        "must-fix-chain" => include_str!("templates/must-fix-chain.md").to_owned(),
        "brand-collision" => include_str!("templates/brand-collision.md").to_owned(),
        "japanese" => include_str!("templates/japanese.md").to_owned(),
        "three-round-grind" => include_str!("templates/three-round-grind.md").to_owned(),
        _ => include_str!("templates/minimal.md").to_owned(),
    };
    let design = match name {
        "long-design" => Some(long_design()),
        "brand-collision" => Some(DESIGN.to_owned()),
        "terse-voice" => Some(include_str!("templates/terse-voice-design.md").to_owned()),
        "high-a11y" => Some(include_str!("templates/high-a11y-design.md").to_owned()),
        _ => None,
    };
    let threshold = if name == "high-a11y" { 9_000_000 } else { THRESHOLD };
    Template { name, brief, design, has_images: name == "two-images", max_rounds: 3, threshold }
}

/// Facts, and more facts, in lines that all differ.
fn long_brief() -> String {
    const KINDS: [&str; 12] =
        ["rye", "spelt", "oat", "barley", "wheat", "emmer", "walnut", "potato", "sunflower", "caraway", "fig", "olive"];
    let mut text = include_str!("templates/long-brief.md").to_owned();
    let mut number = 0usize;
    while text.len() < LONG_BRIEF {
        let kind = KINDS[number % KINDS.len()];
        let (weight, hours, cents) = (400 + number % 9 * 50, 12 + number % 5 * 6, 320 + number * 7 % 400);
        number += 1;
        let _ = writeln!(
            text,
            "{number}. The {kind} loaf of {weight} g rises for {hours} hours and costs {}.{:02} euros on day {number}.",
            cents / 100,
            cents % 100
        );
    }
    text
}

/// The design file with so many tokens that nobody remembers them all.
fn long_design() -> String {
    let mut text = DESIGN.to_owned();
    text.push_str("\n## More tokens\n\n| token | value | use |\n|---|---|---|\n");
    let mut number = 0usize;
    while text.len() < LONG_DESIGN {
        number += 1;
        let (red, green, blue) = (number * 37 % 256, number * 59 % 256, number * 83 % 256);
        let _ = writeln!(
            text,
            "| color.shade-{number} | #{red:02x}{green:02x}{blue:02x} | lines of part {number}, never text |\n\
             | space.step-{number} | {}px | between the blocks of part {number} |",
            number % 12 * 8 + 8
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_what_its_name_says() {
        let all = all();
        let of = |name: &str| all.iter().find(|template| template.name == name).unwrap();
        let sizes = |name: &str| (of(name).brief.len(), of(name).design.as_ref().map_or(0, String::len));
        assert!(sizes("minimal").0 < 100);
        assert!((LONG_BRIEF..LONG_BRIEF + 256).contains(&sizes("long-brief").0));
        assert!((LONG_DESIGN..LONG_DESIGN + 256).contains(&sizes("long-design").1));
        assert!(sizes("brand-collision").1 > 0);
        assert!(IMAGES.iter().all(|(name, _)| of("two-images").brief.contains(name)));
        assert!(all.iter().all(|template| template.has_images == (template.name == "two-images")));
        assert!(of("terse-voice").design.as_ref().is_some_and(|design| design.contains("## Voice")));
        assert!(of("high-a11y").design.as_ref().is_some_and(|design| design.contains("AAA")));
        assert!(of("japanese").brief.contains("パン"));
        assert_eq!(of("three-round-grind").max_rounds, 3);
        assert!(of("high-a11y").threshold > of("minimal").threshold);
        let mut briefs: Vec<&str> = all.iter().map(|template| template.brief.as_str()).collect();
        briefs.sort_unstable();
        briefs.dedup();
        assert_eq!(briefs.len(), NAMES.len(), "no brief is played twice");
    }
}
