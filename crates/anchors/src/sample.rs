//! A large draft and many rules: what `cargo xtask bench` and the example measure.

use std::fmt::Write;

use crate::{
    anchor::{Anchor, Invariants},
    pattern::{Pattern, Scope},
    rule::{Rule, Test},
};

/// About so many bytes of Markdown: sections, prose with letters beyond ASCII, lists and code.
pub fn markdown(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 1024);
    let mut section = 0;
    while text.len() < bytes {
        section += 1;
        let _ = write!(
            text,
            "## Part {section}\n\nThe naïve reader of part {section} finds a café, {} tables and a résumé – all of it \
             quiet, none of it new.\nWhoever wants more goes on to the next part, where the weather is kept.\n\n\
             - one thing at {}:{:02}\n- another one for {} euros\n\n```\nlet part = {section};\n```\n\n",
            section % 97,
            section % 24,
            section % 60,
            section % 1000,
        );
    }
    text.push_str("## Risks\n\nNone that we know of.\n");
    text
}

/// So many pattern rules of the shapes that people write: phrases, whole words, lines, numbers, headings, sections.
pub fn rules(count: usize) -> Anchor {
    let shapes: [(&str, bool, Scope); 10] = [
        ("forbidden phrase {n}", false, Scope::Document),
        (r"(?i)\bwidget{n}\b", false, Scope::Document),
        (r"^## Appendix {n}$", false, Scope::Document),
        (r"\b\d{3,4} dollars and {n} cents\b", false, Scope::Document),
        (r"(?i)(?:colour|color) of money {n}", false, Scope::Document),
        (r"^\s*-\s+\[ \] task {n}", false, Scope::Document),
        (r"[A-Z]{2,5}-{n}\d{4}", false, Scope::Document),
        (r"(?:Whoever|Nobody).*next part", true, Scope::Document),
        (r"^Draft {n}", false, Scope::Heading),
        (r"None that we know", true, Scope::Section("Risks".to_owned())),
    ];
    let rule = |n: usize| {
        let (pattern, must_match, scope) = &shapes[n % shapes.len()];
        let pattern =
            Pattern { pattern: pattern.replace("{n}", &n.to_string()), must_match: *must_match, scope: scope.clone() };
        Rule { test: Test::Pattern(pattern), id: Some(format!("rule-{n}")), rule: format!("rule number {n}") }
    };
    Anchor::Invariants(Invariants { must: (0..count).map(rule).collect(), ..Invariants::default() })
}
