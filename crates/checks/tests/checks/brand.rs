//! The page against a design file.

use tribunal_checks::{DesignTokens, Document, Forbidden, Rgba, brand};

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

/// What was read of a design file, in a line.
fn told(text: &str) -> String {
    let tokens = DesignTokens::from_markdown(text);
    let colors: Vec<String> =
        tokens.colors.iter().map(|(name, color)| format!("{name} {}", Rgba::hex(*color))).collect();
    let unread: Vec<String> = tokens.unread.iter().map(|one| format!("{}: {}", one.line, one.text)).collect();
    format!("{colors:?} {:?} r{:?} s{:?} ?{unread:?}", tokens.fonts, tokens.radii, tokens.spacing)
}

#[test]
fn design_files_in_the_forms_that_people_write() {
    for (name, text, want) in [
        (
            "fonts by use",
            "## Typography\n\nHeadings: \"Source Serif 4\", serif\nBody \u{2014} Inter\n",
            r#"[] ["Source Serif 4", "serif", "Inter"] r[] s[] ?[]"#,
        ),
        ("scales", "Spacing: 4, 8, 12, 16\n\nRadii: 4/8 px\n", "[] [] r[4.0, 8.0] s[4.0, 8.0, 12.0, 16.0] ?[]"),
        ("a scale under its heading", "## Spacing\n\n4, 8, 12\n", "[] [] r[] s[4.0, 8.0, 12.0] ?[]"),
        (
            "bold names",
            "- **Primary**: #0a58ca (buttons, never for text)\n- **Ink** `#1a1a2e`\n",
            r#"["Primary #0a58ca", "Ink #1a1a2e"] [] r[] s[] ?[]"#,
        ),
        (
            "the value first",
            "| Usage | Hex | Token |\n|---|---|---|\n| links on #ff0000 | `#0a58ca` | accent |\n",
            r#"["accent #0a58ca"] [] r[] s[] ?[]"#,
        ),
        (
            "a table of letters",
            "## Typography\n\n| Style | Font | Size | Weight |\n|---|---|---|---|\n| h1 | Lora | 32px | 700 |\n",
            r#"[] ["Lora"] r[] s[] ?[]"#,
        ),
        (
            "a table of distances",
            "## Spacing\n\n| Token | rem | px |\n|---|---|---|\n| s | 0.5rem | 8px |\n",
            "[] [] r[] s[8.0] ?[]",
        ),
        (
            "a sheet",
            ":root {\n  --ink: oklch(0.5 0.1 250);\n  --text: var(--ink);\n  --radius: 4px;\n}\n",
            r#"["--ink #32669a"] [] r[4.0] s[] ?[]"#,
        ),
        ("Sass", "$ink: #123456 !default;\n$text: $ink;\n$spacing-2: 8px;\n", r#"["ink #123456"] [] r[] s[8.0] ?[]"#),
        (
            "YAML",
            "---\ncolors:\n  ink: '#123456'\nspacing:\n  - 4px\n  - 8px\nfonts:\n  body: Inter\n---\n",
            r#"["ink #123456"] ["Inter"] r[] s[4.0, 8.0] ?[]"#,
        ),
        ("a range", "Spacing: 4\u{2013}6 px", "[] [] r[] s[4.0, 6.0, 5.0] ?[]"),
        (
            "not understood",
            "# D\n\n- Ink: rgb(from red r g)\n- Fancy: 12px\n- Motion: 200ms\n- Hello: world\n",
            r#"[] [] r[] s[] ?["3: Ink: rgb(from red r g)", "4: Fancy: 12px"]"#,
        ),
        (
            "a row that was not",
            "| Token | Value |\n|---|---|\n| fancy | 12px |\n",
            r#"[] [] r[] s[] ?["3: fancy | 12px"]"#,
        ),
    ] {
        assert_eq!(told(text), want, "{name}");
    }
}

#[test]
fn design_tokens_in_json() {
    for (name, text, want) in [
        (
            "the community group's",
            r##"{"color": {"$type": "color", "brand": {"$value": "#0a58ca"}, "link": {"$value": "{color.brand}"}, "deep": {"$value": {"colorSpace": "srgb", "components": [0, 0, 1], "alpha": 0.5}}},
                "space": {"s": {"$type": "dimension", "$value": {"value": 0.5, "unit": "rem"}}},
                "font": {"body": {"$type": "fontFamily", "$value": ["Inter", "serif"]}}}"##,
            r#"["color.brand #0a58ca", "color.deep #0000ff80"] ["Inter", "serif"] r[] s[8.0] ?[]"#,
        ),
        (
            "Style Dictionary",
            r##"{"color": {"base": {"red": {"value": "#ff0000", "comment": "#00ff00"}}, "alert": {"value": "{color.base.red.value}"}}, "size": {"radius": {"m": {"value": "4px"}}}}"##,
            r#"["color.base.red #ff0000"] [] r[4.0] s[] ?[]"#,
        ),
        (
            "Tokens Studio",
            r##"{"core": {"ink": {"value": "#123456", "type": "color"}, "m": {"value": "8", "type": "spacing"}, "round": {"value": "6", "type": "borderRadius"}}, "light": {"text": {"value": "{ink}", "type": "color"}}}"##,
            r#"["core.ink #123456"] [] r[6.0] s[8.0] ?[]"#,
        ),
        (
            "plain",
            r##"{"colors": {"ink": "#123456"}, "--space-1": "4px"}"##,
            r#"["colors.ink #123456"] [] r[] s[4.0] ?[]"#,
        ),
        (
            "an alias to nowhere",
            "{\n\"a\": {\"$type\": \"color\",\n\"$value\": \"{gone}\"}}",
            r#"[] [] r[] s[] ?["3: a: {gone}"]"#,
        ),
        (
            "aliases in a circle",
            r#"{"a": {"$type": "color", "$value": "{b}"}, "b": {"$type": "color", "$value": "{a}"}}"#,
            r#"[] [] r[] s[] ?["1: a: {b}", "1: b: {a}"]"#,
        ),
        (
            "no unit",
            r#"{"spacing": {"one": {"$type": "dimension", "$value": 0.25}}}"#,
            r#"[] [] r[] s[] ?["1: spacing.one: 0.25"]"#,
        ),
    ] {
        assert_eq!(told(text), want, "{name}");
    }
    let broken = told("{\n\"a\": \n}");
    assert!(broken.contains("?[\"3: not JSON: "), "{broken}");
}

#[test]
fn a_design_file_that_says_nothing_is_no_pass() {
    for text in ["", "# Design\n\nWe like it calm.\n", "- Fancy: 12px\n", "{}", "{"] {
        let error = DesignTokens::read(text).unwrap_err();
        assert!(error.to_string().starts_with("no colour, font, radius or distance"), "{error}");
        let tokens = DesignTokens::from_markdown(text);
        assert!(!tokens.is_empty(), "there was a file: {text:?}");
        let list = brand(&page("p { color: #123456 }", "<p>x</p>"), &tokens);
        assert!(
            list.iter().all(|one| one.undecided.iter().any(|why| why.starts_with("nothing in the design file"))),
            "{text:?}"
        );
    }
    assert!(DesignTokens::default().is_empty());
    let half = DesignTokens::read("- Ink: #123456\n- Fancy: 12px\n").unwrap();
    insta::assert_snapshot!(shown(&brand(&page("p { color: #123456 }", "<p>x</p>"), &half), "colours"), @r#"
colours 10.0: 1 of 1 colour are tokens of 1
  undecided: line 2 of the design file was not understood: `Fancy: 12px`
"#);
}
