//! How many tokens a text can have, where nobody has counted them.

/// Spaces in a row that tokenizers take at once, at the least.
const SPACES_A_TOKEN: u64 = 8;

/// The most tokens that an image has at most providers, at the best resolution that they offer: 4,784 of Claude, 4,128 of
/// Gemini, 3,779 of `OpenAI`.
const AN_IMAGE: u64 = 5_000;
/// The most of any model that is known: what `gpt-4o-mini` makes of eight tiles. It is cheap, but it is counted.
const LARGEST_IMAGE: u64 = 48_169;
/// Providers and kinds of agents whose models make no more of an image than [`AN_IMAGE`].
const MODEST: [&str; 3] = ["anthropic", "claude", "gemini"];
/// The same of models, by how their names begin, whoever offers them.
const MODEST_MODELS: [&str; 11] =
    ["claude", "anthropic.claude", "opus", "sonnet", "haiku", "gemini", "gpt-4o", "gpt-4.1", "gpt-5", "o3", "o4"];

/// What an image is taken to have where nobody counted.
pub const USUAL_IMAGE: u64 = 1_500;

/// The most tokens that an image has, as far as it is known who counts: a provider or a kind of agent, and a model.
pub fn most_image_tokens(by: Option<&str>, model: Option<&str>) -> u64 {
    let model = model.map(str::to_ascii_lowercase).unwrap_or_default();
    let name = model.rsplit('/').next().unwrap_or_default();
    let is_modest = by.is_some_and(|by| MODEST.contains(&by)) || MODEST_MODELS.iter().any(|it| name.starts_with(it));
    if is_modest && !model.contains("4o-mini") { AN_IMAGE } else { LARGEST_IMAGE }
}

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

    /// What an image costs at most, as providers document it: tiles of 512 pixels, patches of 32, or an area.
    #[test]
    fn no_provider_makes_more_of_an_image() {
        for (by, model, counted) in [
            (Some("anthropic"), Some("claude-opus-5-5"), 4_784),
            (Some("claude"), None, 4_784),
            (Some("gemini"), Some("gemini-2.5-pro"), 4_128),
            (Some("openai"), Some("gpt-5-mini"), 2_489),
            (Some("openai"), Some("gpt-4.1-nano"), 3_779),
            (Some("openai"), Some("gpt-4o"), 1_445),
            (Some("openai-chat"), Some("gpt-4o-mini"), 48_169),
            (Some("openai"), Some("gpt-4o-mini-2024-07-18"), 48_169),
            (Some("openrouter"), Some("openai/GPT-4o-mini"), 48_169),
            (Some("openai"), Some("ft:gpt-4o-mini:acme::x"), 48_169),
            (Some("gemini"), Some("gpt-4o-mini"), 48_169),
            // Whoever is not known may be that one, by another name.
            (Some("openai"), None, 48_169),
            (Some("local"), Some("fast"), 48_169),
            (None, None, 48_169),
        ] {
            let most = most_image_tokens(by, model);
            assert!(counted <= most, "{by:?} {model:?}: {counted} <= {most}");
        }
        assert_eq!(most_image_tokens(Some("openrouter"), Some("anthropic/claude-sonnet-5-5")), AN_IMAGE);
        assert_eq!(most_image_tokens(Some("bedrock"), Some("anthropic.claude-sonnet-4-5-v1:0")), AN_IMAGE);
    }

    #[test]
    fn prose_is_not_taken_for_noise() {
        let prose = "A limit that is checked against an average is no limit at all. ".repeat(100);
        let share = most_tokens(&prose) as f64 / prose.len() as f64;
        assert!(share < 0.7, "{share}");
    }
}
