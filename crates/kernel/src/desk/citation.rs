//! What a verifier quotes: words between marks, or a line of a file. Whether they are there is for those to say who can
//! look.

/// So many letters of a quotation are no chance.
const ENOUGH: usize = 6;
/// So many quotations of one text are looked up.
const MOST: usize = 40;

/// The quotations in what somebody says.
pub fn quotations(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for mark in ['`', '"', '\''] {
        // What is outside of the marks is among them, and is hardly in a file word by word.
        found.extend(said.split(mark).skip(1).map(collapsed));
    }
    for (open, close) in [('“', '”'), ('‘', '’'), ('«', '»'), ('„', '“')] {
        let parts = said.split(open).skip(1);
        found.extend(parts.filter_map(|part| Some(collapsed(part.split_once(close)?.0))));
    }
    found.extend(said.lines().map(collapsed));
    found.extend(
        said.split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
            .filter(|word| line_of_file(word).is_some()),
    );
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    found.retain(|text| letters(text) >= ENOUGH);
    found.sort();
    found.dedup();
    found.truncate(MOST);
    found
}

/// Whether a text has a quotation, however its blanks are laid out.
pub fn has_quotation(text: &str, quotation: &str) -> bool {
    collapsed(text).contains(quotation)
}

/// The file and the line in `src/calc.py:12`.
pub fn line_of_file(quotation: &str) -> Option<(&str, usize)> {
    let (path, rest) = quotation.split_once(':')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let line = digits.parse().ok().filter(|line| *line > 0)?;
    (path.contains(['.', '/']) && !path.contains(char::is_whitespace)).then_some((path, line))
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_found_and_looked_up() {
        let file = "def divide(a, b):\n    if b == 0:\n        raise ValueError(\"no\")\n    return a / b\n";
        for (said, expected) in [
            ("calc.py says `raise ValueError(\"no\")`", true),
            ("it has \"return a / b\" at the end", true),
            ("`if b == 0: raise ValueError`", true),
            ("looks good", false),
            ("", false),
            ("`x`", false),
            ("`def multiply(a, b)`", false),
            ("all criteria are \"met\"", false),
        ] {
            let found = quotations(said).iter().any(|quotation| has_quotation(file, quotation));
            assert_eq!(found, expected, "{said}: {:?}", quotations(said));
        }
        assert!(quotations("see src/calc.py:3.").contains(&"src/calc.py:3".to_owned()));
        assert_eq!(line_of_file("src/calc.py:3"), Some(("src/calc.py", 3)));
        assert_eq!(line_of_file("calc.py:0"), None);
        assert_eq!(line_of_file("12:30"), None);
    }
}
