//! Which files of a package are pages worth measuring.

use anyhow::Result;
use std::fs;
use std::path::PathBuf;

/// Less is a stub, more is a book in one file, which says no more than a chapter and takes a minute.
const LEAST: u64 = 1500;
const GREATEST: u64 = 400_000;
/// Marks of template languages: a page with more of them than this is none yet.
const MAX_MARKS: usize = 2;

/// Up to `most` pages, spread evenly over the package.
pub(super) fn chosen(files: &[PathBuf], most: usize) -> Result<Vec<PathBuf>> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let mut pages = Vec::new();
    let named = files.iter().filter(|file| {
        file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm"))
    });
    for file in named {
        let size = fs::metadata(file)?.len();
        if (LEAST..=GREATEST).contains(&size) && fs::read_to_string(file).is_ok_and(|text| is_page(&text)) {
            pages.push(file.clone());
        }
    }
    Ok(spread(pages, most))
}

fn spread(pages: Vec<PathBuf>, most: usize) -> Vec<PathBuf> {
    let all = pages.len();
    if all <= most {
        return pages;
    }
    // From the middle of each part: first and last pages are covers and indexes.
    (0..most).map(|part| pages[(2 * part + 1) * all / (2 * most)].clone()).collect()
}

/// A whole page, neither a frame around others nor one that leads elsewhere nor a template.
fn is_page(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let marks = ["{{", "{%", "<%", "<?php", "[%"].iter().map(|mark| lower.matches(mark).count()).sum::<usize>();
    lower.contains("<body")
        && !lower.contains("<frameset")
        && !lower.contains("http-equiv=\"refresh\"")
        && !lower.contains("http-equiv=refresh")
        && marks <= MAX_MARKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_pages() {
        for (name, text, want) in [
            ("a page", "<!doctype html><body>x", true),
            ("a part of one", "<p>x</p>", false),
            ("frames", "<frameset><body>", false),
            ("a redirect", "<meta http-equiv=\"refresh\" content=0><body>", false),
            ("a template", "<body>{{ a }} {% b %} {{ c }}", false),
        ] {
            assert_eq!(is_page(text), want, "{name}");
        }
    }

    #[test]
    fn pages_are_spread() {
        let pages = |count: usize| (0..count).map(|number| PathBuf::from(number.to_string())).collect::<Vec<_>>();
        assert_eq!(spread(pages(2), 6), pages(2));
        let spread: Vec<String> = spread(pages(12), 3).iter().map(|page| page.display().to_string()).collect();
        assert_eq!(spread, ["2", "6", "10"]);
        assert!(chosen(&[], 0).unwrap().is_empty());
    }
}
