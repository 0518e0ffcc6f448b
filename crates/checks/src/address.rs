//! Addresses: where a link leads from the page that it stands on, as a browser would go.

/// The place of a document below the root, from which its addresses are resolved.
///
/// ```
/// use tribunal_checks::{Addresses, Destination};
///
/// let page = Addresses::of("docs/guide/start.html");
/// let file = |path: &str| Destination::File { path: path.to_owned(), fragment: None };
/// assert_eq!(page.resolve("../style.css?v=2"), file("docs/style.css"));
/// assert_eq!(page.resolve("../../../etc/passwd"), Destination::Outside);
/// assert_eq!(page.resolve("/logo.svg"), Destination::Site("/logo.svg".to_owned()));
/// assert_eq!(page.with_site("public").resolve("/logo.svg"), file("public/logo.svg"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The names of the folders from the root to the document.
    folder: Vec<String>,
    /// The document's own file, when it has one.
    name: Option<String>,
    site: Option<Vec<String>>,
    /// `<base>` names another site: nothing relative is a file then.
    remote: bool,
}

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A file or folder, as a path below the root without dots; the root itself is empty.
    File { path: String, fragment: Option<String> },
    /// A place in the document itself, as written after the `#`.
    Fragment(String),
    /// `#`, an empty address or `javascript:`: a link that leads nowhere.
    Nowhere,
    /// A file above the root, which is not looked at.
    Outside,
    /// A path from the site's root while nobody said where that is.
    Site(String),
    /// The address has its content in it.
    Data,
    /// Another site, or an address that is no place (`mailto:`).
    Elsewhere,
}

impl Addresses {
    /// The addresses of a document by its path below the root, such as `docs/index.html`.
    pub fn of(document: &str) -> Self {
        let mut folder: Vec<String> =
            document.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect();
        let name = folder.pop();
        Self { folder, name, ..Self::default() }
    }

    /// The addresses of a document without a name in a folder below the root.
    pub fn in_folder(folder: &str) -> Self {
        Self { name: None, ..Self::of(&format!("{folder}/x")) }
    }

    /// The same where `/x` leads to a folder below the root.
    #[must_use]
    pub fn with_site(&self, site: &str) -> Self {
        let site = site.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect();
        Self { site: Some(site), ..self.clone() }
    }

    /// The same for what stands in another file below the root, such as a style sheet.
    #[must_use]
    pub fn from_file(&self, path: &str) -> Self {
        Self { site: self.site.clone(), ..Self::of(path) }
    }

    /// The same on a page with `<base href>`.
    #[must_use]
    pub fn based(&self, href: &str) -> Self {
        let ends_in_folder = href.split(['?', '#']).next().is_some_and(|path| path.ends_with('/'));
        match self.resolve(href) {
            Destination::File { path, .. } if ends_in_folder || path.is_empty() => {
                Self { site: self.site.clone(), ..Self::in_folder(&path) }
            }
            Destination::File { path, .. } => self.from_file(&path),
            Destination::Fragment(_) | Destination::Nowhere => self.clone(),
            Destination::Outside | Destination::Site(_) | Destination::Data | Destination::Elsewhere => {
                Self { remote: true, ..self.clone() }
            }
        }
    }

    /// The document's own path below the root, when it has one.
    pub fn document(&self) -> Option<String> {
        let name = self.name.as_ref()?;
        let parts = self.folder.iter().chain([name]);
        Some(parts.map(String::as_str).collect::<Vec<_>>().join("/"))
    }

    /// Where an address leads.
    pub fn resolve(&self, address: &str) -> Destination {
        // Browsers drop line ends and tabs wherever they stand.
        let clean: String = address.trim().chars().filter(|c| !matches!(c, '\n' | '\r' | '\t')).collect();
        match scheme(&clean).map(str::to_ascii_lowercase).as_deref() {
            Some("javascript") => return Destination::Nowhere,
            Some("data") => return Destination::Data,
            // A drive or a full path of one machine is not below anybody's root.
            Some("file") => return Destination::Outside,
            Some(_) => return Destination::Elsewhere,
            None => {}
        }
        let (before, fragment) = match clean.split_once('#') {
            Some((before, fragment)) => (before, Some(fragment.to_owned())),
            None => (clean.as_str(), None),
        };
        let (path, has_query) = match before.split_once('?') {
            Some((path, _)) => (path, true),
            None => (before, false),
        };
        let path = path.replace('\\', "/");
        if path.starts_with("//") {
            return Destination::Elsewhere;
        }
        if path.is_empty() {
            return match fragment {
                Some(fragment) if !fragment.is_empty() => Destination::Fragment(fragment),
                _ if has_query => Destination::Elsewhere,
                _ => Destination::Nowhere,
            };
        }
        let start = match (path.starts_with('/'), &self.site) {
            (false, _) if self.remote => return Destination::Elsewhere,
            (false, _) => &self.folder,
            (true, Some(site)) => site,
            (true, None) => return Destination::Site(percent_decode(&path)),
        };
        let Some(path) = walk(start, &path) else { return Destination::Outside };
        match fragment.filter(|fragment| !fragment.is_empty()) {
            Some(fragment) if self.document().is_some_and(|own| own == path) => Destination::Fragment(fragment),
            fragment => Destination::File { path, fragment },
        }
    }
}

/// Goes along a path, dots included; `None` above the root.
fn walk(start: &[String], path: &str) -> Option<String> {
    let mut parts: Vec<String> = start.to_vec();
    for part in path.split('/') {
        // What is decoded to a separator is part of a name, and no file has such a name.
        let decoded = percent_decode(part);
        let part = if decoded.contains(['/', '\\', '\0']) { part.to_owned() } else { decoded };
        match part.as_str() {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
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
        let is_hex = |code: &&str| code.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let Some(byte) = code.filter(is_hex).and_then(|code| u8::from_str_radix(code, 16).ok()) {
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

    fn shown(destination: &Destination) -> String {
        match destination {
            Destination::File { path, fragment: None } => format!("file {path}"),
            Destination::File { path, fragment: Some(fragment) } => format!("file {path} # {fragment}"),
            Destination::Fragment(fragment) => format!("# {fragment}"),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    #[test]
    fn addresses_lead_where_a_browser_goes() {
        let page = Addresses::of("docs/guide/start.html");
        for (address, want) in [
            ("#top", "# top"),
            ("#%C3%BCber", "# %C3%BCber"),
            ("#", "nowhere"),
            ("", "nowhere"),
            ("javascript:void(0)", "nowhere"),
            ("JavaScript:x", "nowhere"),
            ("https://example.org/x", "elsewhere"),
            ("//cdn.example.org/x.js", "elsewhere"),
            ("mailto:a@example.org", "elsewhere"),
            ("data:image/png;base64,AA==", "data"),
            ("file:///etc/passwd", "outside"),
            ("?page=2", "elsewhere"),
            ("?page=2#x", "# x"),
            ("about.html#team", "file docs/guide/about.html # team"),
            ("start.html#team", "# team"),
            ("../guide/start.html#team", "# team"),
            ("./img/a%20b.png?v=3", "file docs/guide/img/a b.png"),
            ("../style.css", "file docs/style.css"),
            ("../../style.css", "file style.css"),
            ("../..", "file "),
            ("../../../style.css", "outside"),
            ("../../x/../../y", "outside"),
            ("%2e%2e/style.css", "file docs/style.css"),
            ("%2e%2e/%2e%2e/%2e%2e/etc", "outside"),
            ("..%2f..%2f..%2fetc", "file docs/guide/..%2f..%2f..%2fetc"),
            ("..\\style.css", "file docs/style.css"),
            ("a/./b/../c.png", "file docs/guide/a/c.png"),
            ("sub/", "file docs/guide/sub"),
            ("/pricing", "site(\"/pricing\")"),
            ("50%", "file docs/guide/50%"),
            (" about\n.html ", "file docs/guide/about.html"),
            ("a:b", "elsewhere"),
            ("./a:b", "file docs/guide/a:b"),
        ] {
            assert_eq!(shown(&page.resolve(address)), want, "{address}");
        }
    }

    #[test]
    fn the_site_has_a_root_of_its_own() {
        let page = Addresses::of("site/public/blog/index.html").with_site("site/public");
        for (address, want) in [
            ("/logo.svg", "file site/public/logo.svg"),
            ("/", "file site/public"),
            ("/../x", "file site/x"),
            ("/../../../x", "outside"),
        ] {
            assert_eq!(shown(&page.resolve(address)), want, "{address}");
        }
    }

    #[test]
    fn a_base_moves_everything() {
        let page = Addresses::of("docs/guide/start.html");
        for (base, address, want) in [
            ("../", "x.png", "file docs/x.png"),
            ("../other/page.html", "x.png", "file docs/other/x.png"),
            ("https://example.org/", "x.png", "elsewhere"),
            ("/", "x.png", "elsewhere"),
            ("../../../", "x.png", "elsewhere"),
            ("", "x.png", "file docs/guide/x.png"),
        ] {
            assert_eq!(shown(&page.based(base).resolve(address)), want, "{base} {address}");
        }
    }

    #[test]
    fn without_a_place_the_document_is_at_the_root() {
        assert_eq!(shown(&Addresses::default().resolve("a/b.css")), "file a/b.css");
        assert_eq!(shown(&Addresses::default().resolve("../b.css")), "outside");
        assert_eq!(shown(&Addresses::in_folder("a/b").resolve("../c.css")), "file a/c.css");
        assert_eq!(shown(&Addresses::in_folder("").resolve("c.css")), "file c.css");
    }
}
