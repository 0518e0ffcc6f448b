//! Which of our findings answer which rules of axe.

/// What is compared: the same question, asked by both.
#[derive(Debug)]
pub(super) struct Rule {
    /// The name in the table, and in the file of reasons: that of axe's first rule.
    pub(super) name: &'static str,
    /// Rules of axe that ask it; several where axe tells kinds of elements apart.
    pub(super) axe: &'static [&'static str],
    /// Codes of our findings.
    pub(super) ours: &'static [&'static str],
    pub(super) scope: Scope,
}

/// Whether both name the same element, or only speak of the page: a title that is missing stands nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Element,
    Page,
}

/// Contrast is compared by its ratios, too.
pub(super) const CONTRAST: &str = "color-contrast";

const fn rule(axe: &'static [&'static str], ours: &'static [&'static str], scope: Scope) -> Rule {
    Rule { name: axe[0], axe, ours, scope }
}

/// Left out: what only one of the two measures (focus, motion, vague links here; most of ARIA there).
pub(super) const RULES: &[Rule] = &[
    rule(&[CONTRAST], &["contrast.text"], Scope::Element),
    rule(&["heading-order"], &["heading.skipped"], Scope::Element),
    rule(&["empty-heading"], &["heading.empty"], Scope::Element),
    rule(&["page-has-heading-one"], &["heading.no-h1"], Scope::Page),
    rule(&["image-alt", "svg-img-alt", "input-image-alt", "area-alt"], &["image.alt"], Scope::Element),
    rule(&["label", "select-name"], &["form.label", "form.placeholder"], Scope::Element),
    rule(&["link-name"], &["name.missing"], Scope::Element),
    rule(&["button-name", "input-button-name", "summary-name", "aria-command-name"], &["name.missing"], Scope::Element),
    rule(&["html-has-lang", "html-lang-valid"], &["page.lang"], Scope::Page),
    rule(&["document-title"], &["page.title"], Scope::Page),
    rule(&["landmark-one-main", "landmark-no-duplicate-main"], &["landmark.main"], Scope::Page),
    rule(&["meta-viewport"], &["page.zoom"], Scope::Element),
    rule(&["target-size"], &["target.small"], Scope::Element),
    rule(&["list", "listitem", "dlitem", "definition-list"], &["list.nesting"], Scope::Page),
];

/// The rule of a finding. Links and buttons share a code of ours, and axe asks about each on its own.
pub(super) fn of_ours(code: &str, evidence: &str) -> Option<&'static Rule> {
    let mut rules = RULES.iter().filter(|rule| rule.ours.contains(&code));
    match code {
        "name.missing" => {
            let name = if evidence.contains("link") { "link-name" } else { "button-name" };
            rules.find(|rule| rule.name == name)
        }
        _ => rules.next(),
    }
}

pub(super) fn of_axe(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.axe.contains(&id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_find_their_rule() {
        for (name, code, evidence, want) in [
            ("contrast", "contrast.text", "2.84:1, needs 4.5:1", Some("color-contrast")),
            ("a link", "name.missing", "a link without a name", Some("link-name")),
            ("a button", "name.missing", "a button without a name", Some("button-name")),
            ("ours alone", "focus.hidden", "", None),
        ] {
            assert_eq!(of_ours(code, evidence).map(|rule| rule.name), want, "{name}");
        }
        assert_eq!(of_axe("area-alt").map(|rule| rule.name), Some("image-alt"));
    }

    #[test]
    fn no_rule_of_axe_stands_twice() {
        let mut ids: Vec<&str> = RULES.iter().flat_map(|rule| rule.axe).copied().collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
