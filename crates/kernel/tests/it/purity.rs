//! The kernel's dependencies are a budget, not a habit: nothing here may do IO.

#[test]
fn the_kernel_depends_on_pure_crates_alone() {
    let manifest = include_str!("../../Cargo.toml");
    let dependencies: Vec<&str> = manifest
        .split("[dependencies]")
        .nth(1)
        .unwrap()
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(
        dependencies,
        ["schemars", "serde", "serde_json", "sha2", "thiserror", "tribunal-anchors", "tribunal-wire", "uuid"]
    );
}
