//! Style sheets of services for fonts: what they say is known without asking them.

/// Services whose sheets are `@font-face` and nothing else, and the class of icons where there are some.
const SERVICES: [&str; 6] = [
    "//fonts.googleapis.com/css?",
    "//fonts.googleapis.com/css2?",
    "//fonts.googleapis.com/icon?",
    "//fonts.bunny.net/css?",
    "//fonts.bunny.net/css2?",
    "//api.fontshare.com/v2/css?",
];

/// Classes that the sheets give a size of their own where icons are asked for. Their texts are the names of icons.
const ICONS: [&str; 8] = [
    "material-icons",
    "material-icons-outlined",
    "material-icons-round",
    "material-icons-sharp",
    "material-icons-two-tone",
    "material-symbols-outlined",
    "material-symbols-rounded",
    "material-symbols-sharp",
];

/// A style sheet of another site that brings letters alone: no colours, no boxes, and nothing that shows the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FontService {
    has_icons: bool,
}

impl FontService {
    /// The service that an address asks; nothing if the sheet there may say anything.
    pub fn of(address: &str) -> Option<Self> {
        let bare = address.trim();
        let bare = bare.strip_prefix("https:").or_else(|| bare.strip_prefix("http:")).unwrap_or(bare);
        let is_service = SERVICES.iter().any(|service| bare.starts_with(service));
        let has_icons = ["Material+Icons", "Material+Symbols", "Material%20Icons", "Material%20Symbols"]
            .iter()
            .any(|family| bare.contains(family));
        (is_service && (has_icons || !bare.contains("/icon?"))).then_some(Self { has_icons })
    }

    pub(crate) fn has_icons(self) -> bool {
        self.has_icons
    }

    /// The rules of the sheet whose values nobody knows without asking: how large icons are.
    pub(crate) fn unsure_rules(self) -> Option<String> {
        self.has_icons.then(|| format!("@container (width > 0) {{ .{} {{ font-size: 24px }} }}", ICONS.join(", .")))
    }

    /// Whether what has these classes is an icon where a sheet of icons is asked for.
    pub(crate) fn is_icon(classes: &str) -> bool {
        classes.split_ascii_whitespace().any(|class| ICONS.contains(&class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_that_may_say_anything_are_no_letters() {
        for (address, want) in [
            ("https://cdn.example/bootstrap.css", None),
            ("https://fonts.googleapis.com/", None),
            ("https://fonts.googleapis.com/icon?family=Somebody", None),
            ("https://fonts.googleapis.com.example/css?family=Lato", None),
            ("https://example/?https://fonts.googleapis.com/css?family=Lato", None),
            ("fonts.googleapis.com/css?family=Lato", None),
            ("https://fonts.googleapis.com/css?family=Lato", Some(false)),
            (" //fonts.googleapis.com/css2?family=Inter&display=swap", Some(false)),
            ("http://fonts.bunny.net/css?family=inter:400", Some(false)),
            ("https://api.fontshare.com/v2/css?f[]=satoshi@400", Some(false)),
            ("https://fonts.googleapis.com/icon?family=Material+Icons", Some(true)),
            ("https://fonts.googleapis.com/css?family=Roboto|Material+Icons", Some(true)),
            ("https://fonts.googleapis.com/css2?family=Material+Symbols+Outlined:opsz@20", Some(true)),
        ] {
            assert_eq!(FontService::of(address).map(FontService::has_icons), want, "{address}");
        }
    }
}
