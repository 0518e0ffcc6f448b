// Made by `cargo xtask codegen` from `crates/server/assets/`. Do not edit.
pub(super) static ASSETS: &[(&str, &[u8])] = &[("index.html", include_bytes!("../assets/index.html"))];
