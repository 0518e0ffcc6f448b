//! The parser's dependencies are a budget: nothing here may do IO.

#[test]
fn the_parser_depends_on_memchr_alone() {
    let manifest = include_str!("../../Cargo.toml");
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let dependencies: Vec<&str> = section
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(dependencies, ["memchr"]);
}
