//! CSS as far as measuring needs it: values, selectors, sheets, and the cascade that joins them.

pub(crate) mod cascade;
pub(crate) mod color;
pub(crate) mod font_service;
pub(crate) mod hints;
pub(crate) mod length;
pub(crate) mod media;
pub(crate) mod placing;
pub(crate) mod select;
pub(crate) mod sheet;
pub(crate) mod style;
mod supports;
pub(crate) mod value;
pub(crate) mod variables;
pub(crate) mod wide;
