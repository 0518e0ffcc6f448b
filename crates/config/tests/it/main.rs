//! The crate as its users see it: sources in, a configuration or all of its mistakes out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod checks;
mod discover;
mod layers;
mod mistakes;
mod prices;
mod schema;
mod secrets;
mod theater;

use std::path::PathBuf;

use tribunal_config::{Loaded, Origin, Sources, load};

/// A project in `/proj` with this `tribunal.toml`.
fn project(text: &str) -> Sources {
    Sources {
        cwd: PathBuf::from("/proj"),
        project: Some((PathBuf::from("/proj/tribunal.toml"), text.to_owned())),
        ..Sources::default()
    }
}

trait With: Sized {
    fn user(self, text: &str) -> Self;
    fn env(self, variable: &str, text: &str) -> Self;
    fn flag(self, key: &str, text: &str) -> Self;
}

impl With for Sources {
    fn user(mut self, text: &str) -> Self {
        self.user = Some((PathBuf::from("/home/me/.config/tribunal/config.toml"), text.to_owned()));
        self
    }

    fn env(mut self, variable: &str, text: &str) -> Self {
        self.env.push((variable.to_owned(), text.to_owned()));
        self
    }

    fn flag(mut self, key: &str, text: &str) -> Self {
        self.flags.push((key.to_owned(), text.to_owned()));
        self
    }
}

/// Every mistake with its hint, as the command line would print them.
fn report(sources: &Sources) -> String {
    let errors = match load(sources) {
        Ok(loaded) => return format!("loaded, notes: {:?}", loaded.notes),
        Err(errors) => errors,
    };
    let mut lines = Vec::new();
    for error in &errors {
        lines.push(error.to_string());
        lines.extend(error.hint().map(|hint| format!("  hint: {hint}")));
    }
    lines.join("\n")
}

fn loaded(sources: &Sources) -> Loaded {
    load(sources).unwrap_or_else(|errors| panic!("{errors}"))
}

/// `key = value (origin)` for every key that is not at its default.
fn listing(loaded: &Loaded) -> String {
    let set = loaded.settings.iter().filter(|setting| setting.origin != Origin::Default);
    set.map(|setting| format!("{} = {} ({})", setting.key, setting.value, setting.origin))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The value and origin of one key.
fn setting(loaded: &Loaded, key: &str) -> Option<String> {
    let setting = loaded.settings.iter().find(|setting| setting.key == key)?;
    Some(format!("{} ({})", setting.value, setting.origin))
}
