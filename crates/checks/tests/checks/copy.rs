//! How words read.

use tribunal_checks::{Document, copy};

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
            "We utilize and facilitate and enhance the house of the people.",
            "verbs",
            "8.0 copy.weak-verb copy.weak-verb copy.weak-verb",
        ),
        ("a to-do", "The rest is TODO for us.", "finished", "0.0 copy.placeholder"),
        ("nothing to do", "The rest is done.", "finished", "10.0"),
        ("a word twice", "We build the the lamp.", "repetition", "8.0 copy.repeated"),
        (
            "a long heading",
            "# one two three four five six seven eight nine ten eleven twelve thirteen",
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
  note copy.passive at 1:91 body > main > p: say who does it [The lamp was made by us.]
  note copy.passive at 1:140 body > main > p: say who does it [It was tested by you.]
"#);
}
