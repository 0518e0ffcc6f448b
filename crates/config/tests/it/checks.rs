//! `[checks]` and `[copy]`: tables whose names can be any text.

use tribunal_config::{CheckLevel, load};

use crate::{With as _, loaded, project, report};

#[test]
fn names_can_have_dots_and_blanks() {
    for (name, text) in [
        ("dotted", "[checks.levels]\ncontrast.text = 'off'\nimage.alt-words = 'must'\n"),
        ("quoted", "[checks.levels]\n\"contrast.text\" = 'off'\n'image.alt-words' = 'must'\n"),
        ("tables", "[checks.levels.contrast]\ntext = 'off'\n[checks.levels.image]\nalt-words = 'must'\n"),
    ] {
        let config = loaded(&project(text)).config;
        let levels: Vec<(&str, CheckLevel)> =
            config.checks.levels.iter().map(|(id, level)| (id.as_str(), *level)).collect();
        assert_eq!(levels, [("contrast.text", CheckLevel::Off), ("image.alt-words", CheckLevel::Must)], "{name}");
    }
    let flagged = project("[checks.levels]\ncontrast.text = 'off'\n").flag("checks.levels.contrast.text", "note");
    assert_eq!(loaded(&flagged).config.checks.levels["contrast.text"], CheckLevel::Note);
    let shown = loaded(&flagged).settings.into_iter().find(|setting| setting.key.starts_with("checks.levels")).unwrap();
    assert_eq!((shown.key.as_str(), shown.value.as_str()), ("checks.levels.contrast.text", "note"));
    let words = loaded(&project(
        "[copy]\nbanned = ['synergy']\nnames = ['Basically Inc.']\n[copy.preferred]\n'log in to' = 'sign in to'\n'e.g.' = 'such as'\n",
    ));
    assert_eq!(words.config.copy.banned, ["synergy"]);
    assert_eq!(words.config.copy.names, ["Basically Inc."]);
    assert_eq!(words.config.copy.preferred["log in to"], "sign in to");
    assert_eq!(words.config.copy.preferred["e.g."], "such as");
}

#[test]
fn mistakes_have_their_place() {
    for (text, said) in [
        ("[checks.levels]\ncontrast.text = 'none'\n", "tribunal.toml:2"),
        ("[checks.levels]\ncontrast.text = 3\n", "tribunal.toml:2"),
        ("[checks]\nignore = [{ path = 'x/**', rules = ['a.b'] }]\n", "checks.ignore.1.reason"),
        ("[checks]\nignore = [{ path = 'x/**', rules = [], reason = 'r' }]\n", "checks.ignore.1.rules"),
        ("[checks]\nignore = ['x/**']\n", "tribunal.toml:2"),
        ("[checks]\nlevels = 'off'\n", "checks.levels"),
    ] {
        assert!(load(&project(text)).is_err(), "{text}");
        assert!(report(&project(text)).contains(said), "{text}: {}", report(&project(text)));
    }
}
