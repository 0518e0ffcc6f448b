//! Every relative link in Markdown leads somewhere.

use anyhow::Result;

use super::{Fault, markdown};
use crate::repo::Repo;

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    for page in repo.files(&[".md"])? {
        // Texts that programs wrote or read, not pages for people.
        if page.starts_with("testdata") {
            continue;
        }
        for link in markdown::links(&repo.read(&page)?) {
            if !markdown::resolve(&page, &link.target).is_some_and(|target| repo.has(target)) {
                faults.push(Fault::line(&page, link.line, format!("a link to {}, which is not there", link.target)));
            }
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;

    #[test]
    fn a_dead_link_is_named_with_its_line() {
        let files = [
            ("README.md", "# Title\n\n[docs](docs/README.md), [more](docs/more.md), [up](../up.md)\n"),
            ("docs/README.md", "[back](../README.md)"),
            ("testdata/draft.md", "[nowhere](nowhere.md)"),
        ];
        assert_eq!(
            faults(super::rule, &files),
            [
                "README.md:3: a link to docs/more.md, which is not there",
                "README.md:3: a link to ../up.md, which is not there"
            ]
        );
    }
}
