//! The page against a design file.

use tribunal_checks::{DesignTokens, Document, Forbidden, brand};

use crate::support::{brief, page, shown};

const DESIGN: &str = "---\nname: Acme\ncolors:\n  night: \"#101020\"\n---\n# Design\n\n## Colours\n\n| token | value | use |\n|---|---|---|\n\
| ink | `#1a1a2e` | text |\n| paper | #ffffff | ground |\n\n- Accent: `#0b5fff`\n\n```css\n:root { --leaf: #2e7d32; --font-body: \"Inter\", sans-serif; --radius-m: 8px; --space-2: 8px; --space-4: 1rem }\n```\n\n\
## Never\n\n- `#ff00ff`\n- Comic Sans MS\n- Do not write long sentences about values, because those are for people.\n";

#[test]
fn a_design_file_is_read() {
    let tokens = DesignTokens::from_markdown(DESIGN);
    let colors: Vec<String> = tokens.colors.iter().map(|(name, color)| format!("{name} {}", color.hex())).collect();
    assert_eq!(colors, ["night #101020", "--leaf #2e7d32", "ink #1a1a2e", "paper #ffffff", "Accent #0b5fff"]);
    assert_eq!(tokens.fonts, ["Inter", "sans-serif"]);
    assert_eq!(tokens.radii, [8.0]);
    assert_eq!(tokens.spacing, [8.0, 16.0]);
    let [Forbidden::Color(pink), Forbidden::Words(comic)] = &tokens.forbidden[..] else {
        panic!("{:?}", tokens.forbidden)
    };
    assert_eq!((pink.hex().as_str(), comic.as_str()), ("#ff00ff", "comic sans ms"));
}

#[test]
fn values_against_tokens() {
    let tokens = DesignTokens::from_markdown(DESIGN);
    for (name, style, dimension, want) in [
        ("a token", "p { color: #1a1a2e }", "colours", "10.0"),
        ("the same for every eye", "p { color: #1b1a2e }", "colours", "10.0"),
        ("nearly a token", "p { color: #20203a }", "colours", "5.0 brand.color-near"),
        ("another colour", "p { color: #ff8800 }", "colours", "0.0 brand.color"),
        ("black and white", "p { color: #000; background: #fff }", "colours", "10.0"),
        ("in a gradient", "p { background: linear-gradient(#ff8800, #0b5fff) }", "colours", "5.0 brand.color"),
        ("no colours", "p { margin: 0 }", "colours", "-"),
        ("the font", "p { font-family: Inter, sans-serif }", "fonts", "10.0"),
        ("another font", "p { font: 16px Papyrus }", "fonts", "0.0 brand.font"),
        ("the system's font", "p { font-family: system-ui }", "fonts", "-"),
        ("the radius", "p { border-radius: 8px }", "radii", "10.0"),
        ("another radius", "p { border-radius: 6px }", "radii", "0.0 brand.radius"),
        ("a circle", "p { border-radius: 50% }", "radii", "-"),
        ("the distance", "p { padding: 16px }", "spacing", "10.0"),
        ("another distance", "p { padding: 16px 12px }", "spacing", "5.0 brand.spacing"),
        ("nothing forbidden", "p { color: red }", "rules", "10.0"),
        ("a forbidden colour", "p { color: fuchsia }", "rules", "6.9 brand.forbidden"),
        ("a forbidden font", "p { font-family: 'Comic Sans MS' }", "rules", "6.9 brand.forbidden"),
    ] {
        assert_eq!(brief(&brand(&page(style, "<p>x</p>"), &tokens), dimension), want, "{name}");
    }
}

#[test]
fn without_a_design_file_the_page_is_its_own() {
    let document = page(":root { --ink: #123456 } p { color: #123456; border: 1px solid #ff8800 }", "<p>x</p>");
    insta::assert_snapshot!(shown(&brand(&document, &DesignTokens::default()), "colours"), @r#"
colours 6.7: 1 of 2 colours are tokens of 1
  should brand.color at 1:124: #ff8800 is not in the palette: the nearest token is --ink (#123456) [0.494 in OKLab from --ink, 1 use]
  undecided: no design file: measured against the page's own custom properties
"#);
    assert!(brand(&Document::markdown("# Hi"), &DesignTokens::from_markdown(DESIGN)).is_empty());
}
