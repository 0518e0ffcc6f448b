//! The providers' prompt caches: what of a prompt was there before. Nothing expires, so the numbers are the same on
//! every machine.

use sha2::{Digest as _, Sha256};
use std::collections::HashSet;

use crate::asked::Block;
use crate::call::{BYTES_PER_TOKEN, TokenCounts, tokens_of};

/// Prompts with fewer tokens are not cached, by any provider.
pub const MIN_CACHED_TOKENS: u64 = 1024;
/// Automatic caches know a prompt in steps of so many tokens.
pub const AUTOMATIC_STEP: u64 = 128;
/// So many blocks before a mark are looked at for an earlier mark.
pub const LOOK_BACK: usize = 20;
/// Prefixes that are remembered. Past this the cache starts anew, as a provider's does now and then.
const MAX_PREFIXES: usize = 1 << 20;

type Prefix = [u8; 32];

/// How a wire caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caching {
    /// Up to marks in the request.
    Marked,
    /// Whatever beginning was seen before.
    Automatic,
}

/// The prefixes that were seen.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    seen: HashSet<Prefix>,
}

impl Cache {
    /// The tokens of a prompt; output is not known yet. `owner` keeps keys and models apart.
    pub(crate) fn count(&self, caching: Caching, owner: &[&str], blocks: &[Block]) -> TokenCounts {
        let input = total(blocks);
        let (cached, marked) = match caching {
            Caching::Marked => self.marked(owner, blocks),
            Caching::Automatic => {
                let steps = automatic(owner, blocks);
                let cached = steps.iter().rev().find(|(prefix, _)| self.seen.contains(prefix));
                let cached = cached.map_or(0, |(_, tokens)| *tokens);
                (cached, cached)
            }
        };
        TokenCounts { input, cached, cache_write: marked - cached, output: 0 }
    }

    /// Remembers a prompt that a model has read.
    pub(crate) fn remember(&mut self, caching: Caching, owner: &[&str], blocks: &[Block]) {
        if MAX_PREFIXES < self.seen.len() {
            self.seen.clear();
        }
        match caching {
            Caching::Marked => {
                let ends = ends(owner, blocks);
                let marked = ends.into_iter().zip(blocks).filter(|(_, block)| block.is_marked);
                let long = marked.filter(|((_, tokens), _)| MIN_CACHED_TOKENS <= *tokens);
                self.seen.extend(long.map(|((prefix, _), _)| prefix));
            }
            Caching::Automatic => self.seen.extend(automatic(owner, blocks).into_iter().map(|(prefix, _)| prefix)),
        }
    }

    /// Tokens that are read from the cache, and tokens up to the last mark that is long enough.
    fn marked(&self, owner: &[&str], blocks: &[Block]) -> (u64, u64) {
        let ends = ends(owner, blocks);
        let marks: Vec<usize> = (0..blocks.len()).filter(|at| blocks[*at].is_marked).collect();
        let Some(last) = marks.iter().rev().find(|at| MIN_CACHED_TOKENS <= ends[**at].1) else { return (0, 0) };
        let looked_at = marks.iter().flat_map(|at| at.saturating_sub(LOOK_BACK)..=*at);
        let hits = looked_at.filter(|at| self.seen.contains(&ends[*at].0)).map(|at| ends[at].1);
        (hits.max().unwrap_or(0), ends[*last].1)
    }
}

/// The tokens of a whole prompt.
pub(crate) fn total(blocks: &[Block]) -> u64 {
    tokens_of(blocks.iter().map(|block| block.text.len()).sum())
}

/// The prefix up to the end of every block, and its tokens.
fn ends(owner: &[&str], blocks: &[Block]) -> Vec<(Prefix, u64)> {
    let (mut hasher, mut bytes) = (begin(owner), 0);
    let end = |block: &Block| {
        add(&mut hasher, block.role.as_bytes());
        add(&mut hasher, block.text.as_bytes());
        bytes += block.text.len();
        (hasher.clone().finalize().into(), tokens_of(bytes))
    };
    blocks.iter().map(end).collect()
}

/// The prefix at every step of an automatic cache. A prompt is one text here, with roles between.
fn automatic(owner: &[&str], blocks: &[Block]) -> Vec<(Prefix, u64)> {
    let (mut hasher, mut bytes, mut steps) = (begin(owner), 0, Vec::new());
    let mut next = MIN_CACHED_TOKENS;
    for block in blocks {
        add(&mut hasher, block.role.as_bytes());
        let mut rest = block.text.as_bytes();
        loop {
            let missing = usize::try_from(next).unwrap_or(usize::MAX) * BYTES_PER_TOKEN - bytes;
            let (taken, behind) = rest.split_at(missing.min(rest.len()));
            hasher.update(taken);
            (rest, bytes) = (behind, bytes + taken.len());
            if taken.len() < missing {
                break;
            }
            steps.push((hasher.clone().finalize().into(), next));
            next += AUTOMATIC_STEP;
        }
    }
    steps
}

fn begin(owner: &[&str]) -> Sha256 {
    let mut hasher = Sha256::new();
    for part in owner {
        add(&mut hasher, part.as_bytes());
    }
    hasher
}

/// With its length, so that no two lists of texts look the same.
fn add(hasher: &mut Sha256, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: &[&str] = &["key", "model"];

    /// Blocks of so many tokens, filled with a letter; `!` marks one.
    fn blocks(form: &str) -> Vec<Block> {
        let block = |word: &str| {
            let (letter, rest) = word.split_at(1);
            let tokens: usize = rest.trim_end_matches('!').parse().unwrap();
            Block { role: "user", text: letter.repeat(tokens * 4), is_marked: rest.ends_with('!'), is_tool: false }
        };
        form.split(' ').map(block).collect()
    }

    /// What a series of prompts costs: `input cached written`.
    fn costs(caching: Caching, prompts: &[&str]) -> Vec<String> {
        let mut cache = Cache::default();
        let cost = |form: &&str| {
            let blocks = blocks(form);
            let tokens = cache.count(caching, OWNER, &blocks);
            cache.remember(caching, OWNER, &blocks);
            format!("{} {} {}", tokens.input, tokens.cached, tokens.cache_write)
        };
        prompts.iter().map(cost).collect()
    }

    #[test]
    fn marks_are_written_and_read() {
        for (name, prompts, expected) in [
            ("no mark", &["a2000 b10", "a2000 b10"][..], &["2010 0 0", "2010 0 0"][..]),
            ("the same again", &["a2000! b10", "a2000! b20"], &["2010 0 2000", "2020 2000 0"]),
            ("too short", &["a1000! b10", "a1000! b10"], &["1010 0 0", "1010 0 0"]),
            ("just long enough", &["a1024! b10", "a1024! b10"], &["1034 0 1024", "1034 1024 0"]),
            ("it grows", &["a2000! b500!", "a2000! b500 c100!"], &["2500 0 2500", "2600 2500 100"]),
            ("the mark moves on", &["a2000 b10!", "a2000 b10 c10 d10!"], &["2010 0 2010", "2030 2010 20"]),
            ("the beginning changed", &["a2000! b10", "x2000! b10"], &["2010 0 2000", "2010 0 2000"]),
            ("the end changed", &["a2000! b500!", "a2000! c500!"], &["2500 0 2500", "2500 2000 500"]),
            ("not where a mark was", &["a1500 b1500!", "a1500! b1500"], &["3000 0 3000", "3000 0 1500"]),
        ] {
            assert_eq!(costs(Caching::Marked, prompts), expected, "{name}");
        }
    }

    #[test]
    fn a_mark_looks_back_twenty_blocks() {
        let grown = |count: usize| format!("a2000{} b1!", " c1".repeat(count));
        let first = "a2000!";
        assert_eq!(costs(Caching::Marked, &[first, &grown(19)])[1], "2020 2000 20");
        assert_eq!(costs(Caching::Marked, &[first, &grown(20)])[1], "2021 0 2021");
    }

    #[test]
    fn beginnings_are_found_in_steps() {
        for (name, prompts, expected) in [
            ("short", &["a1023", "a1023"][..], &["1023 0 0", "1023 0 0"][..]),
            ("the same again", &["a1024", "a1024"], &["1024 0 0", "1024 1024 0"]),
            ("in steps", &["a2000", "a2000"], &["2000 0 0", "2000 1920 0"]),
            ("it grows", &["a1500 b10", "a1500 b10 c700"], &["1510 0 0", "2210 1408 0"]),
            ("the beginning changed", &["a2000 b9", "x1 a2000"], &["2009 0 0", "2001 0 0"]),
        ] {
            assert_eq!(costs(Caching::Automatic, prompts), expected, "{name}");
        }
    }

    #[test]
    fn keys_and_models_are_kept_apart() {
        let mut cache = Cache::default();
        let prompt = blocks("a2000!");
        cache.remember(Caching::Marked, OWNER, &prompt);
        assert_eq!(cache.count(Caching::Marked, OWNER, &prompt).cached, 2000);
        for other in [&["key", "other"][..], &["other", "model"], &["keym", "odel"]] {
            assert_eq!(cache.count(Caching::Marked, other, &prompt).cached, 0, "{other:?}");
        }
    }
}
