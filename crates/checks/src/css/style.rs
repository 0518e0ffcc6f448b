//! The computed style of an element: the few properties that measurements look at.

use std::{borrow::Cow, sync::Arc};

use super::{
    color::{ColorValue, Rgba},
    length::{Length, Scale},
    media::Screen,
    sheet::Declaration,
    value::{Display, FontSize, FontWeight, Image, Position, Set, sets},
    variables::{Variables, substitute},
};

#[derive(Debug, Clone)]
pub(crate) struct Style {
    // Inherited.
    pub(crate) color: Rgba,
    /// Why `color` is not known, if so.
    pub(crate) color_unknown: Option<String>,
    pub(crate) font_size: f64,
    pub(crate) font_weight: f64,
    pub(crate) families: Arc<Vec<String>>,
    /// In pixels; `None` is `normal`.
    pub(crate) line_height: Option<f64>,
    line_factor: Option<f64>,
    pub(crate) hidden: bool,
    pub(crate) variables: Arc<Variables>,
    // Not inherited.
    pub(crate) background: Rgba,
    pub(crate) background_unknown: Option<String>,
    pub(crate) image: Option<Image>,
    pub(crate) clip_text: bool,
    pub(crate) opacity: f64,
    pub(crate) display: Display,
    pub(crate) position: Position,
    pub(crate) padding: [Option<f64>; 4],
    pub(crate) margin: [Option<f64>; 4],
    pub(crate) width: Option<f64>,
    pub(crate) max_width: Option<f64>,
    pub(crate) height: Option<f64>,
    pub(crate) min_height: Option<f64>,
    pub(crate) outline_none: bool,
    pub(crate) ring: bool,
    pub(crate) effect: Option<&'static str>,
    pub(crate) clipped: bool,
    pub(crate) moves: bool,
}

impl Style {
    /// What the root inherits.
    pub(crate) fn initial() -> Self {
        Self {
            color: Rgba::BLACK,
            color_unknown: None,
            font_size: 16.0,
            font_weight: 400.0,
            families: Arc::new(Vec::new()),
            line_height: None,
            line_factor: None,
            hidden: false,
            variables: Arc::new(Variables::new()),
            background: Rgba::TRANSPARENT,
            background_unknown: None,
            image: None,
            clip_text: false,
            opacity: 1.0,
            display: Display::Inline,
            position: Position::InFlow,
            padding: [Some(0.0); 4],
            margin: [Some(0.0); 4],
            width: None,
            max_width: None,
            height: None,
            min_height: None,
            outline_none: false,
            ring: false,
            effect: None,
            clipped: false,
            moves: false,
        }
    }

    fn child(&self) -> Self {
        Self {
            color: self.color,
            color_unknown: self.color_unknown.clone(),
            font_size: self.font_size,
            font_weight: self.font_weight,
            families: self.families.clone(),
            line_height: self.line_height,
            line_factor: self.line_factor,
            hidden: self.hidden,
            variables: self.variables.clone(),
            ..Self::initial()
        }
    }

    /// Applies declarations in the order of their weight, the weightiest last.
    pub(crate) fn compute(parent: &Self, declarations: &[&Declaration], screen: Screen, root_size: f64) -> Self {
        let mut style = parent.child();
        style.take_variables(declarations);
        let all: Vec<Cow<'_, [Set]>> = declarations.iter().map(|one| style.resolve(one)).collect();
        let all = || all.iter().flat_map(|sets| sets.iter());
        // Lengths in `em` need the font size, wherever it is declared.
        for set in all() {
            match set {
                Set::FontSize(size) => style.set_font_size(size, parent, screen, root_size),
                Set::Wide(name, wide) if matches!(&**name, "font" | "font-size") => {
                    let inherited = wide.is_inherited(name);
                    style.font_size = if inherited { parent.font_size } else { Self::initial().font_size };
                }
                _ => {}
            }
        }
        if let Some(factor) = style.line_factor {
            style.line_height = Some(factor * style.font_size);
        }
        for set in all() {
            style.apply(set, parent, screen, root_size);
        }
        style
    }

    /// Pixels per line of text; `normal` is about 1.2 in the usual fonts.
    pub(crate) fn line(&self) -> f64 {
        self.line_height.unwrap_or(self.font_size * 1.2)
    }

    /// Large text needs less contrast: 24 px, or 18.66 px when bold.
    pub(crate) fn is_large(&self) -> bool {
        self.font_size >= 24.0 || (self.font_size >= 18.66 && self.font_weight >= 700.0)
    }

    fn take_variables(&mut self, declarations: &[&Declaration]) {
        if !declarations.iter().any(|one| one.name.starts_with("--")) {
            return;
        }
        let mut variables = (*self.variables).clone();
        for one in declarations.iter().filter(|one| one.name.starts_with("--")) {
            variables.insert(one.name.clone(), one.value.clone());
        }
        self.variables = Arc::new(variables);
    }

    fn resolve<'d>(&self, declaration: &'d Declaration) -> Cow<'d, [Set]> {
        if !declaration.uses_variables {
            return Cow::Borrowed(&declaration.sets);
        }
        if declaration.name.starts_with("--") {
            return Cow::Borrowed(&[]);
        }
        let value = substitute(&declaration.value, &self.variables);
        // Too late for the declaration before it: it is only now that the value turns out to be none.
        let value = value.as_deref().map_or("unset", str::trim);
        Cow::Owned(sets(&declaration.name, value))
    }

    pub(super) fn copy_line(&mut self, from: &Self) {
        self.line_factor = from.line_factor;
        self.line_height = from.line_factor.map(|factor| factor * self.font_size).or(from.line_height);
    }

    fn scale(&self, screen: Screen, root_size: f64) -> Scale {
        Scale { em: self.font_size, rem: root_size, width: screen.width, height: screen.height, whole: None }
    }

    fn set_font_size(&mut self, size: &FontSize, parent: &Self, screen: Screen, root_size: f64) {
        let scale = Scale { em: parent.font_size, whole: Some(parent.font_size), ..self.scale(screen, root_size) };
        let px = match size {
            FontSize::Px(px) => Some(*px),
            FontSize::Factor(factor) => Some(parent.font_size * factor),
            FontSize::Length(length) => length.px(&scale),
        };
        self.font_size = px.unwrap_or(self.font_size).clamp(0.0, 10_000.0);
    }

    fn apply(&mut self, set: &Set, parent: &Self, screen: Screen, root_size: f64) {
        let scale = self.scale(screen, root_size);
        match set {
            Set::Color(value) => {
                let same =
                    if let ColorValue::Inherit | ColorValue::Current = value { parent.color } else { self.color };
                self.color = pick(*value, screen, same, parent.color);
                let inherits = matches!(value, ColorValue::Inherit | ColorValue::Current);
                self.color_unknown = if inherits { parent.color_unknown.clone() } else { None };
            }
            Set::ColorUnknown(text) => self.color_unknown = Some(text.clone()),
            Set::Background(value) => {
                self.background = pick(*value, screen, self.color, parent.background);
                self.background_unknown = None;
            }
            Set::BackgroundUnknown(text) => self.background_unknown = Some(text.clone()),
            Set::Image(image) => self.image = *image,
            Set::ClipText(clip) => self.clip_text = *clip,
            Set::Opacity(opacity) => self.opacity = *opacity,
            Set::FontSize(_) => {}
            Set::FontWeight(weight) => {
                self.font_weight = match weight {
                    FontWeight::Is(weight) => *weight,
                    FontWeight::Bolder if parent.font_weight < 600.0 => 700.0,
                    FontWeight::Bolder => 900.0,
                    FontWeight::Lighter if parent.font_weight > 700.0 => 700.0,
                    FontWeight::Lighter => 400.0,
                }
            }
            Set::FontFamily(families) => {
                if families.first().is_none_or(|first| !first.eq_ignore_ascii_case("inherit")) {
                    self.families = Arc::new(families.clone());
                }
            }
            Set::LineHeight(height) => {
                self.line_factor = if let Some(Length::Number(factor)) = height { Some(*factor) } else { None };
                self.line_height = match height {
                    Some(Length::Number(factor)) => Some(factor * self.font_size),
                    Some(length) => length.px(&Scale { whole: Some(self.font_size), ..scale }),
                    None => None,
                };
            }
            Set::Display(display) => self.display = *display,
            Set::Hidden(hidden) => self.hidden = *hidden,
            Set::Position(position) => self.position = *position,
            Set::Padding(side, length) => self.padding[*side] = length.px(&scale),
            Set::Margin(side, length) => self.margin[*side] = length.px(&scale),
            Set::Width(length) => self.width = length.px(&scale),
            Set::MaxWidth(length) => self.max_width = length.px(&scale),
            Set::Height(length) => self.height = length.px(&scale),
            Set::MinHeight(length) => self.min_height = length.px(&scale),
            Set::OutlineNone(none) => self.outline_none = *none,
            Set::Ring(ring) => self.ring = *ring,
            Set::Effect(effect) => self.effect = *effect,
            Set::Clipped(clipped) => self.clipped = *clipped,
            Set::Moves(moves) => self.moves = *moves,
            Set::Wide(name, wide) => {
                if wide.is_inherited(name) {
                    self.copy(name, parent);
                } else {
                    self.copy(name, &Self::initial());
                }
            }
        }
    }
}

fn pick(value: ColorValue, screen: Screen, current: Rgba, inherited: Rgba) -> Rgba {
    match value {
        ColorValue::Is(color) => color,
        ColorValue::Current => current,
        ColorValue::Inherit => inherited,
        ColorValue::Scheme(light, dark) => {
            if screen.dark {
                dark
            } else {
                light
            }
        }
    }
}
