//! The tokens of a design file: colours, fonts, radii, distances, and what is forbidden.

use crate::{
    css::{
        color::Rgba,
        length::{Length, Scale},
        sheet::Sheet,
        value::{families, pieces},
        variables::{Variables, substitute},
    },
    document::Document,
    markdown::Markdown,
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
}

/// A value that must not appear.
#[derive(Debug, Clone, PartialEq)]
pub enum Forbidden {
    Color(Rgba),
    /// A font's name or any other words of a declaration, in lower case.
    Words(String),
}

impl DesignTokens {
    /// Reads a design file: front matter, token tables, lists of `name: value`, and fenced CSS custom properties.
    /// What stands under a heading such as "Forbidden", "Avoid" or "Never" is forbidden.
    pub fn from_markdown(text: &str) -> Self {
        let markdown = Markdown::read(text);
        let mut tokens = Self::default();
        let mut section = String::new();
        for line in markdown.metadata.lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            if !line.starts_with([' ', '\t']) {
                name.trim().clone_into(&mut section);
            }
            tokens.take(&format!("{section} {}", name.trim()), name.trim(), unquoted(value));
        }
        for (language, code, _) in &markdown.fences {
            if matches!(language.as_str(), "css" | "scss" | "") {
                tokens.take_sheet(&Sheet::read(code, None, None));
            }
        }
        for table in &markdown.tables {
            let head = table.rows.first().map(|row| row.join(" ")).unwrap_or_default();
            for row in table.rows.iter().skip(1) {
                let Some(name) = row.first() else { continue };
                let context = format!("{} {head} {name}", table.section);
                for cell in row.iter().skip(usize::from(row.len() > 1)) {
                    tokens.take(&context, name, cell);
                }
            }
        }
        for (section, note) in &markdown.notes {
            if is_forbidding(section) {
                tokens.forbid(note);
            } else if let Some((name, value)) = note.split_once(':') {
                tokens.take(&format!("{section} {name}"), name.trim(), unquoted(value));
            }
        }
        tokens
    }

    /// The custom properties that a page itself declares: what it says of its own design.
    pub(crate) fn of_page(document: &Document) -> Self {
        let mut tokens = Self::default();
        for sheet in document.page().map_or(&[][..], |page| page.authored()) {
            tokens.take_sheet(sheet);
        }
        tokens
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The nearest colour, with its name and distance in `OKLab`.
    pub fn nearest(&self, color: Rgba) -> Option<(&str, Rgba, f64)> {
        self.colors
            .iter()
            .map(|(name, token)| (name.as_str(), *token, token.distance(color)))
            .min_by(|a, b| a.2.total_cmp(&b.2))
    }

    fn take_sheet(&mut self, sheet: &Sheet) {
        let declared =
            || sheet.rules.iter().flat_map(|rule| &rule.declarations).filter(|one| one.name.starts_with("--"));
        let variables: Variables = declared().map(|one| (one.name.clone(), one.value.clone())).collect();
        for one in declared() {
            if let Some(value) = substitute(&one.value, &variables) {
                self.take(&one.name, &one.name, value.trim());
            }
        }
    }

    /// Takes one value; the words around it say what it is when the value itself does not.
    fn take(&mut self, context: &str, name: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        if is_forbidding(context) {
            self.forbid(value);
            return;
        }
        if let Some(color) = Rgba::parse(value) {
            if !self.colors.iter().any(|(_, known)| *known == color) {
                self.colors.push((name.to_owned(), color));
            }
            return;
        }
        let context = context.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| context.contains(word));
        if has(&["radius", "radii", "rounded", "corner"]) {
            push_lengths(&mut self.radii, value);
        } else if has(&["font", "typeface", "family", "schrift"]) && !has(&["size", "weight", "height", "spacing"]) {
            self.take_fonts(value);
        } else if has(&["spac", "gap", "padding", "margin", "abstand"]) && !has(&["letter"]) {
            push_lengths(&mut self.spacing, value);
        }
    }

    fn take_fonts(&mut self, value: &str) {
        for family in families(value) {
            let plausible =
                family.chars().any(char::is_alphabetic) && !family.contains(['(', ':', '=']) && family.len() < 60;
            if plausible && !self.fonts.iter().any(|known| known.eq_ignore_ascii_case(&family)) {
                self.fonts.push(family);
            }
        }
    }

    fn forbid(&mut self, text: &str) {
        let colors: Vec<Rgba> = text
            .split([',', ' ', ';'])
            .filter_map(|word| Rgba::parse(word.trim_matches(['`', '"', '\'', '.', '(', ')'])))
            .collect();
        if colors.is_empty() {
            let words = text.trim().trim_matches(['`', '"', '\'', '.']).to_lowercase();
            // A whole sentence is a rule for people, not a value.
            if !words.is_empty() && words.split_whitespace().count() <= 4 {
                self.forbidden.push(Forbidden::Words(words));
            }
        }
        self.forbidden.extend(colors.into_iter().map(Forbidden::Color));
    }
}

fn is_forbidding(text: &str) -> bool {
    let text = text.to_lowercase();
    ["forbid", "avoid", "never", "don't", "don\u{2019}t", "banned", "verboten", "niemals"]
        .iter()
        .any(|word| text.contains(word))
}

fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(['`', '"', '\''])
}

fn push_lengths(list: &mut Vec<f64>, value: &str) {
    let scale = Scale { em: 16.0, rem: 16.0, width: 0.0, height: 0.0, whole: None };
    for piece in pieces(value) {
        let px = match Length::parse(piece) {
            Some(Length::Number(number)) => Some(number),
            Some(length @ (Length::Px(_) | Length::Rem(_))) => length.px(&scale),
            _ => None,
        };
        if let Some(px) = px
            && !list.contains(&px)
        {
            list.push(px);
        }
    }
}
