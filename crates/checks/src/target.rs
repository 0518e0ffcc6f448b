//! What a link points at, as far as one can tell without following it.

/// The kinds of addresses that documents use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// `#section`, decoded.
    Anchor(String),
    /// `#`, an empty address or `javascript:`: a link that leads nowhere.
    Nowhere,
    /// A path relative to the document, decoded, without query and fragment.
    Local(String),
    /// A path from the site's root: only the site knows whether it is there.
    Root(String),
    /// Another site, or an address that is no place (`mailto:`, `data:`).
    Elsewhere,
}

pub(crate) fn target(address: &str) -> Target {
    let address = address.trim();
    if address.is_empty() || address == "#" || has_scheme(address, "javascript") {
        return Target::Nowhere;
    }
    if let Some(anchor) = address.strip_prefix('#') {
        return Target::Anchor(percent_decode(anchor));
    }
    if address.starts_with("//") || scheme(address).is_some() {
        return Target::Elsewhere;
    }
    let path = percent_decode(address.split(['?', '#']).next().unwrap_or_default());
    match path.as_str() {
        "" => Target::Elsewhere,
        path if path.starts_with('/') => Target::Root(path.to_owned()),
        path => Target::Local(path.strip_prefix("./").unwrap_or(path).to_owned()),
    }
}

fn has_scheme(address: &str, name: &str) -> bool {
    scheme(address).is_some_and(|scheme| scheme.eq_ignore_ascii_case(name))
}

fn scheme(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    let legal = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    legal.then_some(scheme)
}

pub(crate) fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart() {
        for (address, want) in [
            ("#top", Target::Anchor("top".into())),
            ("#%C3%BCber", Target::Anchor("über".into())),
            ("#", Target::Nowhere),
            ("", Target::Nowhere),
            ("javascript:void(0)", Target::Nowhere),
            ("https://example.org/x", Target::Elsewhere),
            ("//cdn.example.org/x.js", Target::Elsewhere),
            ("mailto:a@example.org", Target::Elsewhere),
            ("data:image/png;base64,AA==", Target::Elsewhere),
            ("?page=2", Target::Elsewhere),
            ("about.html#team", Target::Local("about.html".into())),
            ("./img/a%20b.png?v=3", Target::Local("img/a b.png".into())),
            ("/pricing", Target::Root("/pricing".into())),
            ("50%", Target::Local("50%".into())),
        ] {
            assert_eq!(target(address), want, "{address}");
        }
    }
}
