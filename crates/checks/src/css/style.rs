//! The computed style of an element: the few properties that measurements look at.

use std::{borrow::Cow, sync::Arc};

use super::{
    color::{ColorValue, Rgba},
    length::{Length, Scale},
    media::Screen,
    placing::Placing,
    sheet::Declaration,
    value::{Display, FontSize, FontWeight, Image, Set, sets},
    variables::{Variables, substitute},
    wide::Wide,
};

#[derive(Debug, Clone, PartialEq)]
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
    /// The colour that letters are drawn in, where it is not `color`.
    pub(crate) fill: Option<Rgba>,
    pub(crate) fill_unknown: Option<String>,
    pub(crate) indent: f64,
    pub(crate) shadow: bool,
    /// Rules that may hold or not, such as those of `@container`, speak of the element or of what is above it.
    pub(crate) unsure: bool,
    pub(crate) variables: Arc<Variables>,
    // Not inherited.
    pub(crate) background: Rgba,
    pub(crate) background_unknown: Option<String>,
    pub(crate) image: Option<Image>,
    pub(crate) clip_text: bool,
    pub(crate) opacity: f64,
    pub(crate) display: Display,
    pub(crate) placing: Placing,
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
            fill: None,
            fill_unknown: None,
            indent: 0.0,
            shadow: false,
            unsure: false,
            variables: Arc::new(Variables::new()),
            background: Rgba::TRANSPARENT,
            background_unknown: None,
            image: None,
            clip_text: false,
            opacity: 1.0,
            display: Display::Inline,
            placing: Placing::default(),
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

    /// The same where custom properties are registered with values to start from.
    pub(crate) fn root(registered: &[Registered]) -> Self {
        let start = registered.iter().filter_map(|one| Some((one.name.clone(), one.initial.clone()?)));
        Self { variables: Arc::new(start.collect()), ..Self::initial() }
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
            fill: self.fill,
            fill_unknown: self.fill_unknown.clone(),
            indent: self.indent,
            shadow: self.shadow,
            unsure: self.unsure,
            variables: self.variables.clone(),
            ..Self::initial()
        }
    }

    /// Applies declarations in the order of their weight, the weightiest last.
    pub(crate) fn compute(parent: &Self, declarations: &[&Declaration], around: &Around<'_>) -> Self {
        let Around { screen, root_size, .. } = *around;
        let mut style = parent.child();
        style.take_variables(declarations, parent, around.registered);
        style.unsure |= around.unsure;
        let all: Vec<Cow<'_, [Set]>> = declarations.iter().map(|one| style.resolve(one)).collect();
        let all = || all.iter().flat_map(|sets| sets.iter());
        // Lengths in `em` need the font size, wherever it is declared.
        for set in all() {
            match set {
                Set::FontSize(size) => style.set_font_size(size, parent, screen, root_size),
                Set::Wide(name, wide) if matches!(&**name, "font" | "font-size" | "all") => {
                    style.font_size = match wide {
                        Wide::Revert => around.base.map_or(parent.font_size, |base| base.font_size),
                        Wide::Initial => Self::initial().font_size,
                        _ => parent.font_size,
                    };
                }
                _ => {}
            }
        }
        if let Some(factor) = style.line_factor {
            style.line_height = Some(factor * style.font_size);
        }
        for set in all() {
            style.apply(set, parent, around);
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

    fn take_variables(&mut self, declarations: &[&Declaration], parent: &Self, registered: &[Registered]) {
        let is_own = |one: &&&Declaration| one.name.starts_with("--");
        let reset = registered.iter().any(|one| !one.inherits && self.variables.get(&one.name) != one.initial.as_ref());
        if !reset && !declarations.iter().any(|one| is_own(&one)) {
            return;
        }
        let mut variables = (*self.variables).clone();
        for one in registered.iter().filter(|one| !one.inherits) {
            set_variable(&mut variables, &one.name, one.initial.clone());
        }
        let mut open = Vec::new();
        for one in declarations.iter().filter(is_own) {
            let start = registered.iter().find(|known| known.name == one.name);
            match Wide::parse(&one.value.trim().to_ascii_lowercase()) {
                None => {
                    variables.insert(one.name.clone(), one.value.clone());
                    if one.uses_variables {
                        open.push(one.name.as_str());
                    }
                }
                Some(Wide::Initial) => {
                    set_variable(&mut variables, &one.name, start.and_then(|start| start.initial.clone()));
                }
                Some(Wide::Inherit | Wide::Unset | Wide::Revert) => {
                    set_variable(&mut variables, &one.name, parent.variables.get(&one.name).cloned());
                }
            }
        }
        // What a variable stands for is settled where it is set, not where it is used.
        let settled: Vec<(&str, Option<String>)> =
            open.into_iter().filter_map(|name| Some((name, substitute(variables.get(name)?, &variables)))).collect();
        for (name, value) in settled {
            set_variable(&mut variables, name, value);
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

    fn apply(&mut self, set: &Set, parent: &Self, around: &Around<'_>) {
        let screen = around.screen;
        let scale = self.scale(screen, around.root_size);
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
            Set::Display(display) => {
                self.display = *display;
                self.placing.grid = *display == Display::Grid;
                self.placing.holds =
                    matches!(display, Display::Root | Display::Flex | Display::Grid | Display::InlineBox);
            }
            Set::Hidden(hidden) => self.hidden = *hidden,
            Set::Place(place) => self.placing.apply(place, &scale),
            Set::Fill(value) => {
                let color = *value;
                self.fill = (color != ColorValue::Current)
                    .then(|| pick(color, screen, self.color, parent.fill.unwrap_or(parent.color)));
                self.fill_unknown = None;
            }
            Set::FillUnknown(text) => self.fill_unknown = Some(text.clone()),
            Set::Indent(length) => {
                self.indent = match length {
                    // A part of a width that is not known: all of it leads out.
                    Length::Percent(part) => part * screen.width,
                    length => length.px(&scale).unwrap_or(0.0),
                }
            }
            Set::Shadow(shadow) => self.shadow = *shadow,
            Set::Padding(side, length) => self.padding[*side] = length.px(&scale),
            Set::Margin(side, length) => {
                self.margin[*side] = length.px(&scale);
                self.placing.pulled |= matches!(length, Length::Percent(part) if *part < 0.0);
            }
            Set::Width(length) => {
                self.width = length.px(&scale);
                self.placing.wide = Placing::is_whole(length);
            }
            Set::MaxWidth(length) => self.max_width = length.px(&scale),
            Set::Height(length) => {
                self.height = length.px(&scale);
                self.placing.high = Placing::is_whole(length);
            }
            Set::MinHeight(length) => self.min_height = length.px(&scale),
            Set::OutlineNone(none) => self.outline_none = *none,
            Set::Ring(ring) => self.ring = *ring,
            Set::Effect(effect) => self.effect = *effect,
            Set::Clipped(clipped) => self.clipped = *clipped,
            Set::Moves(moves) => self.moves = *moves,
            // Everything but the font size, which was taken before all others.
            Set::Wide(name, wide) if &**name == "all" => {
                let size = self.font_size;
                match (wide, around.base) {
                    (Wide::Inherit, _) => self.copy(name, parent),
                    (Wide::Initial, _) => self.copy(name, &Self::initial()),
                    (Wide::Revert, Some(base)) => self.copy(name, base),
                    (Wide::Unset | Wide::Revert, _) => self.copy(name, &parent.child()),
                }
                self.font_size = size;
            }
            Set::Wide(name, wide) => match around.base {
                Some(base) if *wide == Wide::Revert => self.copy(name, base),
                _ if wide.is_inherited(name) => self.copy(name, parent),
                _ => self.copy(name, &Self::initial()),
            },
        }
    }
}

/// What a style depends on beside its declarations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'s> {
    pub(crate) screen: Screen,
    pub(crate) root_size: f64,
    /// What the browser's own sheet makes of the element, where somebody asks for it.
    pub(crate) base: Option<&'s Style>,
    /// Whether rules that may hold or not match the element.
    pub(crate) unsure: bool,
    pub(crate) registered: &'s [Registered],
}

/// A custom property that `@property` declares.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Registered {
    pub(crate) name: String,
    pub(crate) initial: Option<String>,
    pub(crate) inherits: bool,
}

fn set_variable(variables: &mut Variables, name: &str, value: Option<String>) {
    match value {
        Some(value) => drop(variables.insert(name.to_owned(), value)),
        None => drop(variables.remove(name)),
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
