//! Measuring a page: 200 KB of HTML with a normal style sheet, read and measured by all roles.

use anyhow::Result;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;
use tribunal_checks::{DesignTokens, Document, Role, fix, measure as measure_role};

use super::Bench;
use super::sample::median_of;
use super::table::{Row, Target};

const BYTES: usize = 200 * 1024;
/// Rules of the style sheet beside the few that every page has.
const RULES: usize = 200;
const TIMES: usize = 21;
/// The editor measures after every kind of edit, and that a few times over.
const FIX_TIMES: usize = 3;

const DESIGN: &str = "| color | value |\n|---|---|\n| ink | #1a1a2e |\n| accent | #0b5fff |\n";

pub(super) fn measure(_: &Bench) -> Result<Vec<Row>> {
    let (page, sheet, tokens) = (page(), sheet(), DesignTokens::from_markdown(DESIGN));
    let read = || Document::html(black_box(&page), &|_| Some(sheet.clone()));
    let judge = |role: Role, document: &Document| measure_role(role, document, &tokens, &|_| true);
    let document = read();
    let all = milliseconds(TIMES, || {
        let document = read();
        Role::ALL.map(|role| judge(role, &document))
    })?;
    let mut rows = vec![Row::new("checks, page of 200 KB, all roles", all, "ms", Target::AtMost(50.0))];
    rows.push(Row::beside("reading, with the cascade", milliseconds(TIMES, read)?, "ms"));
    for role in Role::ALL {
        rows.push(Row::beside(role.as_str(), milliseconds(TIMES, || judge(role, &document))?, "ms"));
    }
    rows.push(Row::beside("every certain fix", milliseconds(FIX_TIMES, || fix(&document, &tokens))?, "ms"));
    Ok(rows)
}

fn milliseconds<T>(times: usize, work: impl Fn() -> T) -> Result<f64> {
    median_of(times, || {
        let begun = Instant::now();
        black_box(work());
        Ok(begun.elapsed().as_secs_f64() * 1000.0)
    })
}

/// A catalogue: sections with headings, text, lists, pictures and links, as shops have them.
fn page() -> String {
    let mut page = String::from(
        "<!doctype html>\n<html lang=\"en\"><head><title>Catalogue</title><link rel=\"stylesheet\" href=\"site.css\"></head>\n\
         <body><main><h1>Catalogue</h1>\n",
    );
    for number in 1.. {
        if page.len() >= BYTES {
            break;
        }
        write!(
            page,
            "<section class=\"card theme-{}\" id=\"item-{number}\"><h2 class=\"card-title\">Item {number}</h2>\n\
             <p class=\"lead\">The lamp stands on a base of cast iron and turns in every direction. It was made in small \
             numbers.</p>\n\
             <ul class=\"facts\"><li>Height <b>{number} cm</b></li><li>Weight <span class=\"muted\">2 kg</span></li></ul>\n\
             <img src=\"item-{number}.jpg\" alt=\"A lamp on a desk\"> \
             <a class=\"btn btn-primary\" href=\"#item-{number}\">Order item {number}</a></section>\n",
            number % 20,
        )
        .expect("a String takes every write");
    }
    page + "</main></body></html>\n"
}

fn sheet() -> String {
    let mut sheet = String::from(
        ":root { --ink: #1a1a2e; --paper: #ffffff; --accent: #0b5fff; --gap: 16px }\n\
         body { font: 16px/1.5 Inter, sans-serif; color: var(--ink); background: var(--paper); margin: 0 }\n\
         main { max-width: 960px; margin: 0 auto; padding: 24px }\n\
         h1 { font-size: 2.5rem } h2 { font-size: 1.5rem; margin: 0 0 8px }\n\
         .btn { display: inline-block; padding: 10px 16px; border-radius: 8px }\n\
         .btn-primary { background: var(--accent); color: #fff }\n\
         .btn:hover { opacity: .9 } .btn:focus-visible { outline: 2px solid var(--ink) }\n\
         .muted { color: #777 } .card:nth-child(odd) { background: #f6f6f8 } .card > ul li + li { margin-top: 4px }\n\
         @media (max-width: 600px) { main { padding: 16px } }\n",
    );
    for number in 0..RULES {
        writeln!(
            sheet,
            ".theme-{number} .card-title, .block-{number} > .inner:not(.x) {{ color: hsl({} 60% 30%); padding: {}px }}",
            number * 7 % 360,
            number % 12,
        )
        .expect("a String takes every write");
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_as_large_as_it_says_and_has_something_to_find() {
        let (page, sheet) = (page(), sheet());
        assert!((BYTES..BYTES + 2048).contains(&page.len()), "{} bytes", page.len());
        let document = Document::html(&page, &|_| Some(sheet.clone()));
        let report = measure_role(Role::A11y, &document, &DesignTokens::default(), &|_| true);
        assert!(report.findings().any(|finding| finding.code == "contrast.text"), "{report}");
    }
}
