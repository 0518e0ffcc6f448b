//! How words read.

use tribunal_checks::{Document, WordLists, copy, copy_with};

use crate::support::{brief, page, shown};

#[test]
fn words() {
    let plain = "We build small lamps. They last for years. You can fix them at home. ".repeat(8);
    let hard =
        "The organisational transformation of the enterprise necessitates interdisciplinary collaboration. ".repeat(12);
    let german =
        "Wir bauen kleine Lampen für das Haus. Sie halten lange und sind leicht. Der Bericht wird gelesen. ".repeat(6);
    for (name, text, dimension, want) in [
        ("plain English", plain.as_str(), "readability", "10.0"),
        ("hard English", hard.as_str(), "readability", "0.0 copy.hard"),
        ("plain German", german.as_str(), "readability", "10.0"),
        ("too little to tell", "We build lamps.", "readability", "-"),
        ("short sentences", plain.as_str(), "sentences", "8.7"),
        ("a filler", "We are basically the best of all and you are with us.", "filler", "8.0 copy.filler"),
        ("a replacement", "We meet in order to help you and the others of the team.", "filler", "8.0 copy.filler"),
        ("a stock phrase", "This is the cutting-edge lamp for you and for the house.", "filler", "6.0 copy.stock"),
        ("another language", "Nous faisons des lampes pour la maison.", "filler", "-"),
        (
            "weak verbs",
            "We utilize and facilitate and make use of the house of the people.",
            "verbs",
            "8.0 copy.weak-verb copy.weak-verb copy.weak-verb",
        ),
        ("a to-do", "The rest is TODO for us.", "finished", "0.0 copy.placeholder"),
        ("nothing to do", "The rest is done.", "finished", "10.0"),
        ("a word twice", "We build the the lamp.", "repetition", "8.0 copy.repeated"),
        (
            "a long heading",
            "# the one and the two three four five six seven eight nine ten eleven twelve",
            "heading-length",
            "0.0 copy.long-heading",
        ),
    ] {
        assert_eq!(brief(&copy(&Document::markdown(text)), dimension), want, "{name}");
    }
}

#[test]
fn calls_to_action() {
    for (name, body, want) in [
        ("a verb and its object", "<button>Order a lamp</button>", "10.0"),
        ("vague", "<button>Submit</button>", "5.0 copy.vague-action"),
        ("long", "<a class=btn href=x>Order one of our beautiful lamps today</a>", "5.0 copy.long-action"),
        ("a plain link", "<a href=x>Submit</a>", "-"),
        ("a symbol", "<button>×</button>", "-"),
    ] {
        assert_eq!(brief(&copy(&page("", body)), "actions"), want, "{name}");
    }
}

#[test]
fn findings_have_places() {
    let document = page(
        "",
        "\n<h1>Lamps</h1>\n<p>We are <em>really</em> good &amp; very quick.\n  It was made by us in order to last.</p>",
    );
    insta::assert_snapshot!(shown(&copy(&document), "filler"), @r#"
filler 4.0: 3 fillers and 0 stock phrases in 16 words
  should copy.filler at 3:15 body > main > p: drop “really” [really]
  should copy.filler at 3:26 body > main > p: drop “very” [very]
  should copy.filler at 3:26 body > main > p: say “to” [in order to]
"#);
}

#[test]
fn voice() {
    let text = "The lamp was made by us. We sell it. You use it. It was tested by you.";
    insta::assert_snapshot!(shown(&copy(&page("", &format!("<p>{text}</p>"))), "voice"), @r#"
voice 2.2: 2 of 4 sentences passive
  note copy.passive at 1:100 body > main > p: say who does it [was made]
  note copy.passive at 1:143 body > main > p: say who does it [was tested]
"#);
}

/// What is wrong in one place is right in another: every row was a false finding once.
#[test]
fn words_that_are_left_alone() {
    let around = "This is the page of the house, and it is for you and with you. ";
    for (name, text) in [
        ("code between two words", "We take the `x` the lamp needs."),
        ("a picture between two words", "We take the ![x](x.png) the lamp needs."),
        ("a break between two words", "We take the\\\nthe lamp."),
        ("table cells", "| the | the |\n|---|---|\n| the | the |"),
        ("list items", "- the\n- the"),
        ("right twice", "She had had all that that says. What it is is a lamp."),
        ("a name", "We listen to Duran Duran and The The."),
        ("numbers", "It is 2 2 and 10 10."),
        ("operators", "There are AND and OR, and OR or AND."),
        ("a verb with a particle", "You log in in the morning."),
        ("quoted", "She said \u{201c}the the lamp was made\u{201d} and \"it is really basically made\"."),
        ("a quotation", "> The the lamp was basically made.\n"),
        ("keys", "Press <kbd>in order to</kbd> or <q>basically</q> now."),
        ("struck out", "It is ~~basically really~~ good."),
        ("an address", "See https://example.org/just/really/basically for it."),
        ("adjectives", "We are thrilled. She is interested. They are tired. It is located here. You are excited."),
        ("a title", "# Really Simple Syndication"),
        ("negated", "It is not really good, and it isn't very old."),
        ("the very thing", "It is the very lamp that you want."),
        ("a kind of lamp", "This is a kind of lamp and that is one kind of it."),
        ("front matter", "---\ntitle: the the basically\n---\n"),
        ("a licence", "Permission is hereby granted to any person that is basically the the owner."),
        ("a badge", "[![the the](a.svg)](b) [![the the](a.svg)](b)"),
        ("a reference", "See [the lamp][the] the shop has.\n\n[the]: https://example.org/basically/really\n"),
        ("hidden in tags", "We sell <!-- basically --> lamps to the <b>the</b> house."),
    ] {
        let text =
            if text.starts_with("---") { format!("{text}{around}") } else { format!("{around}\n\n{text}\n\n{around}") };
        let list = copy(&Document::markdown(&text));
        let found: Vec<String> = list
            .iter()
            .filter(|one| one.dimension != "sentences")
            .flat_map(|one| &one.findings)
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn words_of_pages_that_are_left_alone() {
    for (name, body) in [
        ("code between two words", "<p>We take the <code>x</code> the lamp of the house is for.</p>"),
        ("a picture", "<p>We take the <img src=x alt=''> the lamp of the house is for.</p>"),
        ("a break", "<p>We take the<br>the lamp of the house is for.</p>"),
        ("boxes", "<div><div>It is for the house of the</div><div>the lamp and you</div></div>"),
        ("cells", "<table><tr><td>the</td><td>the</td></tr></table>"),
        ("two links", "<p>This is the <a href=a>shop</a> <a href=b>shop</a> of the house for you.</p>"),
        ("a quotation", "<p>It is for you and said <q>the the lamp was basically made</q> of the house.</p>"),
        ("a block", "<blockquote><p>The the lamp was basically made for you.</p></blockquote>"),
        ("a work", "<p>Read <cite>Very Basically the the Book</cite> in the house for you.</p>"),
        ("not for translators", "<p>It is the <span translate=no>basically the the</span> for you.</p>"),
        ("another language", "<p>It is the <i lang=fr>quite the the</i> of you.</p>"),
        ("code blocks", "<pre>basically the the</pre><p>It is for you.</p>"),
    ] {
        let list = copy(&page("", body));
        let found: Vec<String> = list.iter().flat_map(|one| &one.findings).map(ToString::to_string).collect();
        assert_eq!(found, Vec::<String>::new(), "{name}");
    }
}

/// And what must be found still is.
#[test]
fn words_that_are_found() {
    for (name, text, dimension, want) in [
        ("twice over a line's end", "We sell you the\nthe lamp of the house.", "repetition", "8.0 copy.repeated"),
        ("twice, the first at the start", "The the lamp is for you and the house.", "repetition", "8.0 copy.repeated"),
        (
            "behind a mark of byte order",
            "\u{feff}# Lamps\n\nIt is basically the lamp for you.",
            "filler",
            "8.0 copy.filler",
        ),
        ("a filler after code", "The `x` is basically the lamp for you.", "filler", "8.0 copy.filler"),
        ("a filler over a line's end", "It is in\norder to be the lamp for you.", "filler", "8.0 copy.filler"),
        (
            "in TOML's front matter",
            "+++\nlang = 'de'\n+++\nDas ist quasi gut, und das ist die Lampe.",
            "filler",
            "8.0 copy.filler",
        ),
    ] {
        assert_eq!(brief(&copy(&Document::markdown(text)), dimension), want, "{name}");
    }
    let bom = Document::markdown("\u{feff}# Lamps for the the house of you\n");
    insta::assert_snapshot!(shown(&copy(&bom), "repetition"), @r#"
repetition 8.0: 1 word written twice
  should copy.repeated at 1:18: say `the` once [the the]
"#);
}

#[test]
fn languages_without_rules_are_undecided() {
    let french = "<p>Nous nous lavons les mains. Vous vous lavez les mains. Ils se lavent les mains aussi.</p>";
    let of = |lang: &str, body: &str| {
        let source =
            format!("<!doctype html><html lang={lang}><title>T</title><main>{body}<button>Submit</button></main>");
        let list = copy(&Document::html(&source, &|_| None));
        let dims: Vec<&str> = list.iter().map(|one| one.dimension).collect();
        let undecided: Vec<&String> = list.iter().flat_map(|one| &one.undecided).collect();
        let codes: Vec<&str> = list.iter().flat_map(|one| &one.findings).map(|one| one.code).collect();
        format!("{} / {} / {undecided:?}", dims.join(" "), codes.join(" "))
    };
    insta::assert_snapshot!(of("fr", french), @r#"sentences actions finished /  / ["the page is in `fr`: the rules for words are for English and German, so only lengths and placeholders were measured"]"#);
    insta::assert_snapshot!(of("ja", "<p>これは文です。次の文です。三番目の文です。</p>"), @r#"actions finished /  / ["the page is in `ja`: the rules for words are for English and German, so only lengths and placeholders were measured"]"#);
    insta::assert_snapshot!(of("en", &french.repeat(8)), @r#"sentences actions finished /  / ["the page says `en`, but its words are not English: the rules for words are for English and German, so only lengths and placeholders were measured"]"#);
    let german = "<p>It is basically for you.</p><p lang=de>Das ist quasi gut und wird gelesen.</p><p lang=fr>Nous nous lavons.</p>";
    insta::assert_snapshot!(of("en", german), @r#"sentences filler verbs actions finished repetition / copy.filler copy.filler copy.vague-action / ["1 passage in other languages: the rules for words are for English and German, so only lengths and placeholders were measured"]"#);
}

#[test]
fn german_is_read_by_amstad() {
    let text = "<p>Wir bauen kleine Lampen für das Haus. Sie halten lange und sind leicht.</p>".repeat(8);
    let source = format!("<!doctype html><html lang=de-AT><title>T</title><main>{text}</main>");
    insta::assert_snapshot!(shown(&copy(&Document::html(&source, &|_| None)), "readability"), @"readability 10.0: reading ease 97 (German); 6.5 words a sentence, 1.31 syllables a word");
}

#[test]
fn the_words_of_a_project() {
    let lists = WordLists {
        banned: vec!["cheap".to_owned(), "money back".to_owned()],
        preferred: vec![("e-mail".to_owned(), "email".to_owned())],
        names: vec!["GitHub".to_owned(), "Just Cheap Lamps".to_owned(), "Rust".to_owned(), "npm".to_owned()],
    };
    let text = "# Cheap lamps\n\nSend an E-mail to Just Cheap Lamps at Github, `cheap`, \u{201c}cheap\u{201d} or github.com/cheap. \
        The rust is on GitHub, with NPM and money\nback.\n";
    insta::assert_snapshot!(shown(&copy_with(&Document::markdown(text), &lists), "wording"), @r#"
wording 5.0: 2 banned words, 1 word with a better one, 2 names written otherwise
  must_fix copy.banned at 1:3: do not say “cheap” [Cheap]
  must_fix copy.banned at 3:121: do not say “money back” [money back]
  should copy.preferred at 3:9: say “email” instead of “e-mail” [E-mail]
  should copy.name at 3:39: write “GitHub” [Github]
  should copy.name at 3:113: write “npm” [NPM]
"#);
    let other = WordLists { banned: vec!["lampe".to_owned()], ..WordLists::default() };
    assert_eq!(
        brief(&copy_with(&Document::markdown("Une lampe."), &other), "wording"),
        "6.9 copy.banned",
        "in any language"
    );
    assert_eq!(shown(&copy(&Document::markdown(text)), "wording"), "-", "nothing to measure without lists");
}
