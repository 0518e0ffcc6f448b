//! The dependencies are a budget: nothing here may do IO, and no loop is known here.

#[test]
fn anchors_depend_on_readers_alone() {
    let manifest = include_str!("../../Cargo.toml");
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let dependencies: Vec<&str> = section
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .collect();
    let readers = ["regex", "regex-automata", "serde", "serde_json", "strsim", "thiserror", "toml", "tribunal-checks"];
    assert_eq!(dependencies, readers);
}
