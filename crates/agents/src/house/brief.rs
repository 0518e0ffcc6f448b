//! What a prompt holds for a program: the lines at its head, and its material.

use tribunal_checks::{DesignTokens, Document};
use tribunal_kernel::prompt::{lines, materials};
use tribunal_kernel::{Format, theater};

use super::Files;

/// A prompt, taken apart.
#[derive(Debug)]
pub(super) struct Brief<'p> {
    pub(super) folder: Option<&'p str>,
    pub(super) format: Format,
    /// What a full score is.
    pub(super) scale: f64,
    /// The draft that is judged, or that is to be mended.
    pub(super) artifact: Option<&'p str>,
    pub(super) prior: Option<&'p str>,
    pub(super) design: Option<&'p str>,
    /// Whether somebody demands changes.
    pub(super) has_demands: bool,
}

impl<'p> Brief<'p> {
    pub(super) fn read(prompt: &'p str) -> Self {
        let line = |name: &str| lines(prompt).find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let materials = materials(prompt);
        let material = |label: &str| materials.iter().find(|(found, _)| *found == label).map(|(_, text)| *text);
        Self {
            folder: line("Folder"),
            format: Format::ALL
                .into_iter()
                .find(|format| line("Format") == Some(format.as_str()))
                .unwrap_or(Format::Html),
            scale: line("Scale").and_then(|scale| scale.parse().ok()).unwrap_or(10.0),
            artifact: material(theater::ARTIFACT),
            prior: material(theater::PRIOR),
            design: material(theater::DESIGN),
            has_demands: material(theater::DEMANDS).is_some(),
        }
    }

    pub(super) fn document(&self, text: &str, files: &Files) -> Document {
        match self.format {
            Format::Html => Document::html(text, &|path| files.sheet(path)),
            Format::Markdown | Format::Plain => Document::markdown(text),
        }
    }

    pub(super) fn tokens(&self) -> DesignTokens {
        self.design.map(DesignTokens::from_markdown).unwrap_or_default()
    }
}
