//! The project as the only site that the browser can reach.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::FILE_LIMIT;

/// The address of the site. Nobody can have this name.
const ORIGIN: &str = "https://project.invalid";
/// Where the root is on the site: deep enough that `..` of a page cannot leave it unnoticed.
const ROOT: &str = "/~/~/~/~/~/~/~/~/root/";
const OUTSIDE: &str = "/~/";

/// What a page may see: files below the root, and `/x` from the site's own root.
#[derive(Debug, Clone)]
pub struct Site {
    root: PathBuf,
    /// What `/` is.
    top: PathBuf,
    /// Texts that take the place of files, by their real path.
    instead: Arc<BTreeMap<PathBuf, String>>,
}

/// What is answered to a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Served {
    File {
        body: Vec<u8>,
        kind: &'static str,
    },
    /// Not there, or not a file.
    Nothing,
    /// Another site, or outside of the root.
    Refused,
}

impl Site {
    /// `site_root` is where addresses that begin with `/` start; the root itself if there is none.
    pub fn new(root: &Path, site_root: Option<&Path>) -> std::io::Result<Self> {
        let root = root.canonicalize()?;
        let top = match site_root {
            Some(folder) => root.join(folder).canonicalize()?,
            None => root.clone(),
        };
        Ok(Self { root, top, instead: Arc::default() })
    }

    /// The same with other texts of some files that are there, by their path below the root.
    #[must_use]
    pub fn with_texts<'t>(self, texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let real = |(path, text): (&str, &str)| Some((self.root.join(path).canonicalize().ok()?, text.to_owned()));
        let instead = Arc::new(texts.into_iter().filter_map(real).collect());
        Self { instead, ..self }
    }

    /// The address of a page, if it is inside of the root.
    pub(super) fn address(&self, page: &Path) -> Option<String> {
        let folder = page.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().ok()?;
        let page = folder.join(page.file_name()?);
        let below = page.strip_prefix(&self.root).ok()?.to_str()?;
        Some(format!("{ORIGIN}{ROOT}{}", encoded(below)))
    }

    pub(super) fn serve(&self, address: &str) -> Served {
        let Some(path) = address.strip_prefix(ORIGIN) else { return Served::Refused };
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let file = if let Some(below) = path.strip_prefix(ROOT) {
            self.root.join(decoded(below))
        } else if path.starts_with(OUTSIDE) || ROOT.starts_with(path) && path.len() > 1 {
            return Served::Refused;
        } else {
            self.top.join(decoded(path.trim_start_matches('/')))
        };
        self.read(&file)
    }

    fn read(&self, file: &Path) -> Served {
        let file = if file.is_dir() { file.join("index.html") } else { file.to_owned() };
        let Ok(file) = file.canonicalize() else { return Served::Nothing };
        // After every symbolic link.
        if !file.starts_with(&self.root) && !file.starts_with(&self.top) {
            return Served::Refused;
        }
        if let Some(text) = self.instead.get(&file) {
            return Served::File { body: text.clone().into_bytes(), kind: kind(&file) };
        }
        match fs::metadata(&file) {
            Ok(meta) if meta.is_file() && meta.len() <= FILE_LIMIT => {}
            _ => return Served::Nothing,
        }
        match fs::read(&file) {
            Ok(body) => Served::File { body, kind: kind(&file) },
            Err(_) => Served::Nothing,
        }
    }
}

/// The path of a file below the root, as its address names it.
pub(super) fn below_root(address: &str) -> Option<&str> {
    address.strip_prefix(ORIGIN)?.strip_prefix(ROOT)
}

/// The media type by the ending, as a server would say.
fn kind(file: &Path) -> &'static str {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "html" | "htm" => "text/html",
        "xhtml" | "xht" => "application/xhtml+xml",
        "css" => "text/css",
        "js" | "mjs" | "cjs" => "text/javascript",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "xml" => "application/xml",
        "txt" | "md" => "text/plain",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

/// Characters that an address may not have as they are.
fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b'+' | b'@' | b',' | b'=' => {
                out.push(char::from(byte));
            }
            other => {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                out.push('%');
                out.push(char::from(DIGITS[usize::from(other >> 4)]));
                out.push(char::from(DIGITS[usize::from(other & 15)]));
            }
        }
    }
    out
}

fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
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
    fn only_what_is_inside_is_served() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        fs::create_dir_all(root.join("docs")).unwrap();
        fs::create_dir_all(root.join("public")).unwrap();
        fs::write(outer.path().join("secret.css"), "secret").unwrap();
        fs::write(root.join("docs/a b.html"), "page").unwrap();
        fs::write(root.join("style.css"), "p {}").unwrap();
        fs::write(root.join("public/site.css"), "b {}").unwrap();
        std::os::unix::fs::symlink(outer.path().join("secret.css"), root.join("link.css")).unwrap();
        let site = Site::new(&root, Some(Path::new("public"))).unwrap();
        let page = site.address(&root.join("docs/a b.html")).unwrap();
        assert_eq!(page, format!("{ORIGIN}{ROOT}docs/a%20b.html"));
        let base = format!("{ORIGIN}{ROOT}");
        let file = |body: &str, kind: &'static str| Served::File { body: body.into(), kind };
        for (name, address, want) in [
            ("the page", page, file("page", "text/html")),
            ("a sheet above it", format!("{base}style.css?v=2#x"), file("p {}", "text/css")),
            ("from the site's root", format!("{ORIGIN}/site.css"), file("b {}", "text/css")),
            ("not there", format!("{base}none.css"), Served::Nothing),
            ("a folder without a page", format!("{base}docs/"), Served::Nothing),
            ("above the root", format!("{ORIGIN}/~/~/~/~/~/~/~/~/secret.css"), Served::Refused),
            ("above, encoded", format!("{base}%2e%2e/secret.css"), Served::Refused),
            ("above, from the site's root", format!("{ORIGIN}/../../secret.css"), Served::Refused),
            ("a link that leads out", format!("{base}link.css"), Served::Refused),
            ("an absolute path", format!("{base}/etc/passwd"), Served::Refused),
            ("another site", "https://example.com/x.css".to_owned(), Served::Refused),
            ("a file", "file:///etc/passwd".to_owned(), Served::Refused),
        ] {
            assert_eq!(site.serve(&address), want, "{name}");
        }
        assert_eq!(site.address(&outer.path().join("secret.css")), None);
        let other =
            site.clone().with_texts([("style.css", "p { color: red }"), ("../secret.css", "x"), ("new.css", "x")]);
        assert_eq!(other.serve(&format!("{base}style.css")), file("p { color: red }", "text/css"));
        assert_eq!(other.serve(&format!("{base}new.css")), Served::Nothing, "what is not there stays so");
        assert_eq!(other.serve(&format!("{base}%2e%2e/secret.css")), Served::Refused);
    }
}
