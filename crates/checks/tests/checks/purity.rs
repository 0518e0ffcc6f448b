//! The dependencies are a budget: nothing here may do IO.

#[test]
fn measuring_depends_on_parsers_alone() {
    let manifest = include_str!("../../Cargo.toml");
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let dependencies: Vec<&str> = section
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .collect();
    let parsers = ["cssparser", "html5ever", "palette", "precomputed-hash", "pulldown-cmark", "selectors"];
    assert_eq!(dependencies, parsers);
}
