//! Roles of ARIA 1.2: what an element says that it is.

/// Roles that people operate.
const WIDGETS: [&str; 20] = [
    "button",
    "checkbox",
    "combobox",
    "gridcell",
    "link",
    "listbox",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "progressbar",
    "radio",
    "scrollbar",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "tab",
    "textbox",
    "treeitem",
];

/// All others, but for those that only take a role away.
const OTHERS: [&str; 64] = [
    "alert",
    "alertdialog",
    "application",
    "article",
    "banner",
    "blockquote",
    "caption",
    "cell",
    "code",
    "columnheader",
    "complementary",
    "contentinfo",
    "definition",
    "deletion",
    "dialog",
    "directory",
    "document",
    "emphasis",
    "feed",
    "figure",
    "form",
    "generic",
    "grid",
    "group",
    "heading",
    "image",
    "img",
    "insertion",
    "list",
    "listitem",
    "log",
    "main",
    "mark",
    "marquee",
    "math",
    "menu",
    "menubar",
    "meter",
    "navigation",
    "note",
    "paragraph",
    "radiogroup",
    "region",
    "row",
    "rowgroup",
    "rowheader",
    "search",
    "separator",
    "status",
    "strong",
    "subscript",
    "suggestion",
    "superscript",
    "table",
    "tablist",
    "tabpanel",
    "term",
    "time",
    "timer",
    "toolbar",
    "tooltip",
    "tree",
    "treegrid",
    "comment",
];

/// Whether an element that can have the focus is something that people operate, by its `role`; nothing where it stays
/// what its name makes it. Nobody knows words that are no roles, and what can have the focus is never just decoration.
pub(crate) fn is_widget(role: Option<&str>) -> Option<bool> {
    let mut words = role.unwrap_or_default().split_ascii_whitespace().map(str::to_ascii_lowercase);
    words.find_map(|word| match word.as_str() {
        known if WIDGETS.contains(&known) => Some(true),
        known if OTHERS.contains(&known) => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_role_that_is_one_counts() {
        for (role, want) in [
            (None, None),
            (Some(""), None),
            (Some("button"), Some(true)),
            (Some(" TAB "), Some(true)),
            (Some("presentation"), None),
            (Some("none"), None),
            (Some("fancy"), None),
            (Some("fancy link"), Some(true)),
            (Some("img button"), Some(false)),
            (Some("none button"), Some(true)),
        ] {
            assert_eq!(is_widget(role), want, "{role:?}");
        }
    }
}
