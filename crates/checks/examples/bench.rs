//! How long it takes to measure a page of about 200 KB with a normal style sheet: `cargo run --release --example bench`.
#![expect(clippy::disallowed_types, reason = "a benchmark has a clock")]
#![expect(clippy::print_stdout, reason = "its result is what it prints")]

use std::{fmt::Write as _, time::Instant};

use tribunal_checks::{Document, Tokens, a11y, brand, copy, critic, production};

const ROUNDS: usize = 20;

fn main() {
    let page = page(200 * 1024);
    let sheet = sheet();
    let tokens = Tokens::from_markdown("| color | value |\n|---|---|\n| ink | #1a1a2e |\n| accent | #0b5fff |\n");
    let mut times = Vec::new();
    let mut parts = [0.0; 6];
    let mut findings = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut last = start;
        let mut lap = |part: usize, parts: &mut [f64; 6]| {
            let now = Instant::now();
            parts[part] += (now - last).as_secs_f64() * 1000.0 / ROUNDS as f64;
            last = now;
        };
        let document = Document::html(&page, &|_| Some(sheet.clone()));
        lap(0, &mut parts);
        let a11y = a11y(&document);
        lap(1, &mut parts);
        let critic = critic(&document);
        lap(2, &mut parts);
        let brand = brand(&document, &tokens);
        lap(3, &mut parts);
        let copy = copy(&document);
        lap(4, &mut parts);
        let production = production(&document, &|_| true);
        lap(5, &mut parts);
        times.push(start.elapsed().as_secs_f64() * 1000.0);
        findings = [a11y, critic, brand, copy, production].iter().flatten().map(|one| one.findings.len()).sum();
    }
    times.sort_by(f64::total_cmp);
    println!("page of {} KB, sheet of {} KB, {findings} findings", page.len() / 1024, sheet.len() / 1024);
    println!("median {:.1} ms, worst {:.1} ms", times[ROUNDS / 2], times[ROUNDS - 1]);
    for (name, time) in ["document", "a11y", "critic", "brand", "copy", "production"].iter().zip(parts) {
        println!("  {name:<11}{time:>6.1} ms");
    }
}

fn page(size: usize) -> String {
    let mut page = String::from(
        "<!doctype html>\n<html lang=\"en\"><head><title>Catalogue</title><link rel=\"stylesheet\" href=\"site.css\"></head>\n<body><main><h1>Catalogue</h1>\n",
    );
    let mut number = 0;
    while page.len() < size {
        number += 1;
        let _ = write!(
            page,
            "<section class=\"card theme-{}\" id=\"item-{number}\"><h2 class=\"card-title\">Item {number}</h2>\n\
             <p class=\"lead\">The lamp stands on a base of cast iron and turns in every direction. It was made in small numbers.</p>\n\
             <ul class=\"facts\"><li>Height <b>{number} cm</b></li><li>Weight <span class=\"muted\">2 kg</span></li></ul>\n\
             <img src=\"item-{number}.jpg\" alt=\"A lamp on a desk\"> <a class=\"btn btn-primary\" href=\"#item-{number}\">Order item {number}</a></section>\n",
            number % 20,
        );
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
    for number in 0..200 {
        let _ = writeln!(
            sheet,
            ".theme-{number} .card-title, .block-{number} > .inner:not(.x) {{ color: hsl({} 60% 30%); padding: {}px }}",
            number * 7 % 360,
            number % 12,
        );
    }
    sheet
}
