//! The tokens of a design file: colours, fonts, radii, distances, and what is forbidden.

use super::{
    json,
    kind::{Kind, kind_of},
    prose, scan,
};
use crate::{
    css::{
        color::Rgba,
        sheet::Sheet,
        variables::{Variables, substitute},
    },
    document::Document,
    place::{Lines, Span},
};

/// What a design file allows and forbids.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DesignTokens {
    pub colors: Vec<(String, Rgba)>,
    pub fonts: Vec<String>,
    /// In pixels.
    pub radii: Vec<f64>,
    pub spacing: Vec<f64>,
    pub forbidden: Vec<Forbidden>,
    /// How many values were understood, those that say the same as another one, too.
    pub read: usize,
    /// Lines that look as if they had a value, and that were not understood.
    pub unread: Vec<UnreadLine>,
    /// Whether there was a design file at all.
    pub(super) given: bool,
}

/// A value that must not appear.
#[derive(Debug, Clone, PartialEq)]
pub enum Forbidden {
    Color(Rgba),
    /// A font's name or any other words of a declaration, in lower case.
    Words(String),
}

/// A line of a design file that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadLine {
    pub line: u32,
    pub text: String,
}

impl std::fmt::Display for UnreadLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} of the design file was not understood: `{}`", self.line, self.text)
    }
}

/// A design file that says nothing that can be compared with a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadDesign {
    pub unread: Vec<UnreadLine>,
}

impl UnreadDesign {
    /// What the user can do.
    pub fn hint(&self) -> &'static str {
        "write values as `- Primary: #0a58ca`, `Spacing: 4, 8, 16`, a table, CSS custom properties, or design tokens in JSON"
    }
}

impl std::fmt::Display for UnreadDesign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no colour, font, radius or distance in the design file was understood")?;
        self.unread.first().map_or(Ok(()), |first| write!(f, "; line {}: `{}`", first.line, first.text))
    }
}

impl std::error::Error for UnreadDesign {}

impl DesignTokens {
    /// Reads a design file of any form, and refuses one from which nothing was understood.
    pub fn read(text: &str) -> Result<Self, UnreadDesign> {
        let tokens = Self::from_markdown(text);
        if tokens.has_values() { Ok(tokens) } else { Err(UnreadDesign { unread: tokens.unread }) }
    }

    /// Reads a design file: Markdown with front matter, token tables, lists of `name: value` and fenced CSS or JSON;
    /// a style sheet with custom properties; or design tokens in JSON.
    /// What stands under a heading such as "Forbidden", "Avoid" or "Never" is forbidden.
    pub fn from_markdown(text: &str) -> Self {
        let mut tokens = Self { given: true, ..Self::default() };
        let lines = Lines::new(text);
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if start.starts_with(['{', '[']) {
            json::read(&mut tokens, text, 0, &|at| lines.place(text, at).line);
        } else if is_sheet(start) {
            tokens.take_css(text, 0, &|at| lines.place(text, at).line);
        } else {
            prose::read(&mut tokens, text);
        }
        tokens
    }

    /// The custom properties that a page itself declares: what it says of its own design.
    pub(crate) fn of_page(document: &Document) -> Self {
        let mut tokens = Self::default();
        for sheet in document.page().map_or(&[][..], |page| page.authored()) {
            tokens.take_sheet(sheet, &|_| 0);
        }
        tokens.unread.clear();
        tokens
    }

    /// Whether there is nothing to compare with. A design file that was not understood is something: it is said.
    pub fn is_empty(&self) -> bool {
        !self.given && !self.has_values()
    }

    pub(super) fn has_values(&self) -> bool {
        !(self.colors.is_empty()
            && self.fonts.is_empty()
            && self.radii.is_empty()
            && self.spacing.is_empty()
            && self.forbidden.is_empty())
    }

    /// The nearest colour, with its name and distance in `OKLab`.
    pub fn nearest(&self, color: Rgba) -> Option<(&str, Rgba, f64)> {
        self.colors
            .iter()
            .map(|(name, token)| (name.as_str(), *token, token.distance(color)))
            .min_by(|a, b| a.2.total_cmp(&b.2))
    }

    /// Takes the custom properties of a sheet, and the variables of its preprocessors. `base` is where it begins.
    pub(super) fn take_css(&mut self, text: &str, base: usize, line: &dyn Fn(usize) -> u32) {
        if text.contains("--") {
            let span = Span { sheet: 0, start: base, end: base + text.len() };
            self.take_sheet(&Sheet::read(text, Some(span), None), line);
        }
        let mut known = Variables::new();
        let mut at = base;
        for one in text.split_inclusive('\n') {
            let declared = one.trim().strip_prefix(['$', '@']).and_then(|rest| rest.split_once(':'));
            if let Some((name, value)) = declared.filter(|(name, _)| is_variable(name)) {
                let value = value.trim().trim_end_matches([';', ',']).trim_end_matches("!default").trim();
                let value =
                    value.strip_prefix(['$', '@']).and_then(|name| known.get(name)).map_or(value, String::as_str);
                let value = value.to_owned();
                self.note(&[name], name, &value, one, || line(at));
                known.insert(name.trim().to_owned(), value);
            }
            at += one.len();
        }
    }

    fn take_sheet(&mut self, sheet: &Sheet, line: &dyn Fn(usize) -> u32) {
        let declared =
            || sheet.rules.iter().flat_map(|rule| &rule.declarations).filter(|one| one.name.starts_with("--"));
        let variables: Variables = declared().map(|one| (one.name.clone(), one.value.clone())).collect();
        for one in declared() {
            let value = substitute(&one.value, &variables);
            let value = value.as_deref().unwrap_or(&one.value).trim();
            let shown = format!("{}: {}", one.name, one.value);
            self.note(&[&one.name], &one.name, value, &shown, || one.span.map_or(0, |span| line(span.start)));
        }
    }

    /// Takes a value, or says that its line was not understood.
    pub(super) fn note(&mut self, contexts: &[&str], name: &str, value: &str, shown: &str, line: impl Fn() -> u32) {
        if !self.take(contexts, name, value) && scan::looks_like_a_value(value) {
            self.refuse(line(), shown);
        }
    }

    /// Says that a line was not understood.
    pub(super) fn refuse(&mut self, line: u32, shown: &str) {
        const LONGEST: usize = 80;
        let text: String = crate::dom::collapse(shown).chars().take(LONGEST).collect();
        self.unread.push(UnreadLine { line, text });
    }

    /// Takes one value; the words around it say what it is when the value itself does not, the nearest first.
    /// Says whether it was understood.
    pub(super) fn take(&mut self, contexts: &[&str], name: &str, value: &str) -> bool {
        let value = value.trim();
        if value.is_empty() {
            return false;
        }
        let kind = kind_of(contexts);
        let is_name = || Rgba::parse(value).is_some_and(|_| !value.contains(['#', '(']));
        // `none` and `auto` aside, a word that is a colour may also be a font's name: the words around decide.
        let colors = if kind == Some(Kind::Font) && is_name() { Vec::new() } else { scan::colors(value) };
        let understood = if colors.is_empty() {
            self.take_as(kind, value)
        } else {
            for color in colors {
                self.put(name, color);
            }
            true
        };
        self.read += usize::from(understood);
        understood
    }

    fn put(&mut self, name: &str, color: Rgba) {
        // What one does not see is no colour of the palette.
        if color.alpha > 0.0 && !self.colors.iter().any(|(_, known)| *known == color) {
            self.colors.push((name.to_owned(), color));
        }
    }

    fn take_as(&mut self, kind: Option<Kind>, value: &str) -> bool {
        match kind {
            Some(Kind::Font) => {
                let fonts = scan::fonts(value);
                let understood = !fonts.is_empty();
                for font in fonts {
                    if !self.fonts.iter().any(|known| known.eq_ignore_ascii_case(&font)) {
                        self.fonts.push(font);
                    }
                }
                understood
            }
            Some(kind @ (Kind::Radius | Kind::Spacing)) => {
                let Some(lengths) = scan::lengths(value) else { return false };
                let list = if kind == Kind::Radius { &mut self.radii } else { &mut self.spacing };
                for px in lengths {
                    if px > 0.0 && !list.contains(&px) {
                        list.push(px);
                    }
                }
                true
            }
            // Known, and not compared with anything.
            Some(Kind::Elsewhere) => true,
            None => false,
        }
    }

    pub(super) fn forbid(&mut self, text: &str) {
        let colors = scan::colors(text);
        let named = || {
            text.split([',', ' ', ';'])
                .filter_map(|word| Rgba::parse(word.trim_matches(['`', '"', '\'', '.', '(', ')'])))
        };
        let colors: Vec<Rgba> = if colors.is_empty() { named().collect() } else { colors };
        if colors.is_empty() {
            let words = text.trim().trim_matches(['`', '"', '\'', '.']).to_lowercase();
            // A whole sentence is a rule for people, not a value.
            if !words.is_empty() && words.split_whitespace().count() <= 4 {
                self.read += 1;
                self.forbidden.push(Forbidden::Words(words));
            }
        }
        self.read += colors.len();
        self.forbidden.extend(colors.into_iter().map(Forbidden::Color));
    }
}

/// Whether a file is a style sheet: it begins like one, and has variables.
fn is_sheet(start: &str) -> bool {
    let declares = start.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with('$') && line.contains(':')
    });
    let opens =
        start.starts_with([':', '.', '@', '$', '*', '[']) || start.starts_with("html") || start.starts_with("/*");
    (opens || start.starts_with("//")) && (start.contains('{') && start.contains("--") || declares)
}

fn is_variable(name: &str) -> bool {
    let name = name.trim();
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

pub(super) fn is_forbidding(text: &str) -> bool {
    let text = text.to_lowercase();
    ["forbid", "avoid", "never", "don't", "don\u{2019}t", "do not", "banned", "verboten", "niemals"]
        .iter()
        .any(|word| text.contains(word))
}
