//! `inherit`, `initial` and `unset`: the words that every property understands.

use super::style::Style;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wide {
    Inherit,
    Initial,
    /// What the property does when nothing is declared: inherit, or start anew.
    Unset,
    /// What the browser's own sheet says.
    Revert,
}

impl Wide {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "inherit" => Self::Inherit,
            "initial" => Self::Initial,
            "unset" => Self::Unset,
            "revert" => Self::Revert,
            _ => return None,
        })
    }

    /// Whether the value is the parent's.
    pub(super) fn is_inherited(self, property: &str) -> bool {
        let by_itself = matches!(
            property,
            "color"
                | "font"
                | "font-size"
                | "font-weight"
                | "font-family"
                | "line-height"
                | "visibility"
                | "-webkit-text-fill-color"
                | "text-indent"
                | "text-shadow"
        );
        self == Self::Inherit || (self == Self::Unset && by_itself)
    }
}

impl Style {
    /// Takes a property's value from another style: the parent's, or the initial one. The font size is taken before.
    pub(super) fn copy(&mut self, property: &str, from: &Self) {
        match property {
            "color" => {
                self.color = from.color;
                self.color_unknown.clone_from(&from.color_unknown);
            }
            "background-color" => self.copy_ground(from),
            "background-image" => self.image = from.image,
            "background" => {
                self.copy_ground(from);
                self.image = from.image;
                self.clip_text = from.clip_text;
            }
            "background-clip" | "-webkit-background-clip" => self.clip_text = from.clip_text,
            "opacity" => self.opacity = from.opacity,
            "font-weight" => self.font_weight = from.font_weight,
            "font-family" => self.families.clone_from(&from.families),
            "line-height" => self.copy_line(from),
            "font" => {
                self.font_weight = from.font_weight;
                self.families.clone_from(&from.families);
                self.copy_line(from);
            }
            "display" => self.display = from.display,
            "visibility" => self.hidden = from.hidden,
            "-webkit-text-fill-color" => {
                self.fill = from.fill;
                self.fill_unknown.clone_from(&from.fill_unknown);
            }
            "text-indent" => self.indent = from.indent,
            "text-shadow" => self.shadow = from.shadow,
            "all" => {
                let kept = (self.variables.clone(), self.unsure);
                *self = from.clone();
                (self.variables, self.unsure) = kept;
            }
            "padding" => self.padding = from.padding,
            "margin" => self.margin = from.margin,
            "width" => self.width = from.width,
            "max-width" => self.max_width = from.max_width,
            "height" => self.height = from.height,
            "min-height" => self.min_height = from.min_height,
            "filter" | "backdrop-filter" | "mix-blend-mode" => self.effect = from.effect,
            "outline" | "outline-style" => self.outline_none = from.outline_none,
            "clip" | "clip-path" => self.clipped = from.clipped,
            _ => {}
        }
        self.placing.copy(property, &from.placing);
    }

    fn copy_ground(&mut self, from: &Self) {
        self.background = from.background;
        self.background_unknown.clone_from(&from.background_unknown);
    }
}
