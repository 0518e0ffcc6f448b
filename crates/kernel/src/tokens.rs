//! How many tokens a text can have, where nobody has counted them.

/// Spaces in a row that tokenizers take at once, at the least.
const SPACES_A_TOKEN: u64 = 8;

/// The most tokens that an image has, whoever counts them: at the best resolution that providers offer, 4,784 of Claude, 4,128
/// of Gemini, 3,779 of `OpenAI`. Its `4o-mini` counts up to 48,169, at a price at which that is less than a cent.
pub const AN_IMAGE: u64 = 5_000;
/// What an image is taken to have where nobody counted.
pub const USUAL_IMAGE: u64 = 1_500;

/// The most tokens that a text has, whoever counts them. Prose has about a third as many.
///
/// A byte is a token at most, which alone would be four times too much. Letters of one case make seven tokens of ten at
/// most: every tokenizer knows pairs of letters, even those of no language. A blank before a word is part of the word.
/// Everything else, digits and whatever is not ASCII included, counts byte by byte. That was held against six
/// tokenizers (o200k, cl100k, Claude 2, Gemini, Llama 3, Qwen 2.5) with prose, code, lists, random letters, base64 and
/// other scripts: digits come to all of it at two of them, rare letters to 0.97, everything else to less.
pub fn most_tokens(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let (mut at, mut tokens) = (0, 0_u64);
    while let Some(&byte) = bytes.get(at) {
        let run = |of: fn(&u8) -> bool| bytes[at..].iter().take_while(|byte| of(byte)).count();
        let length = match byte {
            b'a'..=b'z' => run(u8::is_ascii_lowercase),
            b'A'..=b'Z' => run(u8::is_ascii_uppercase),
            b' ' => run(|byte| *byte == b' '),
            _ => 1,
        };
        let counted = length as u64;
        tokens += match byte {
            b'a'..=b'z' | b'A'..=b'Z' => (counted * 7).div_ceil(10),
            b' ' if length == 1 && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) => 0,
            b' ' => 1 + counted / SPACES_A_TOKEN,
            _ => 1,
        };
        at += length;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What tokenizers made of such texts, the one that made most of it; see the sentence above.
    #[test]
    fn no_tokenizer_makes_more_of_a_text() {
        for (text, counted) in [
            ("", 0),
            ("The quick brown fox jumps over the lazy dog.", 11),
            ("tokenization of internationalization", 6),
            ("{\"score\": 8.5, \"must_fix\": []}", 16),
            ("qxzjvkwqqxzj", 8),
            ("0123456789", 10),
            ("Größenordnung", 6),
            ("我们测试", 3),
            ("🎉🔥", 6),
            ("\n\n\t\t", 3),
        ] {
            let most = most_tokens(text);
            assert!(counted <= most && most <= text.len() as u64, "{text:?}: {counted} <= {most}");
        }
    }

    #[test]
    fn prose_is_not_taken_for_noise() {
        let prose = "A limit that is checked against an average is no limit at all. ".repeat(100);
        let share = most_tokens(&prose) as f64 / prose.len() as f64;
        assert!(share < 0.7, "{share}");
    }
}
