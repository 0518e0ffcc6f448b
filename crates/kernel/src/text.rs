//! Beginnings and ends of texts, in whole characters, and texts in one line.

/// Its beginning, of at most so many bytes.
pub fn head(text: &str, most: usize) -> &str {
    let whole = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..whole.unwrap_or_default()]
}

/// Its end, of at most so many bytes.
pub fn tail(text: &str, most: usize) -> &str {
    let whole = (text.len().saturating_sub(most)..=text.len()).find(|at| text.is_char_boundary(*at));
    &text[whole.unwrap_or(text.len())..]
}

/// Its words in one line, whatever is between them.
pub fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_is_cut() {
        let text = "aé漢b";
        let heads: Vec<&str> = (0..=8).map(|most| head(text, most)).collect();
        assert_eq!(heads, ["", "a", "a", "aé", "aé", "aé", "aé漢", text, text]);
        let tails: Vec<&str> = (0..=8).map(|most| tail(text, most)).collect();
        assert_eq!(tails, ["", "b", "b", "b", "漢b", "漢b", "é漢b", text, text]);
    }
}
