//! Every page in `docs/` can be reached by links: a page that nobody finds is not documentation.

use anyhow::Result;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Fault, markdown};
use crate::repo::Repo;

const STARTS: &[&str] = &["README.md", "docs/README.md"];

pub(super) fn rule(repo: &Repo) -> Result<Vec<Fault>> {
    let mut reached: BTreeSet<PathBuf> = BTreeSet::new();
    let mut pages: Vec<PathBuf> = STARTS.iter().map(PathBuf::from).filter(|start| repo.has(start)).collect();
    while let Some(page) = pages.pop() {
        if !reached.insert(page.clone()) {
            continue;
        }
        for link in markdown::links(&repo.read(&page)?) {
            let target = markdown::resolve(&page, &link.target);
            pages.extend(target.filter(|target| is_page(target) && repo.has(target)));
        }
    }
    let docs = repo.files(&[".md"])?.into_iter().filter(|page| page.parent() == Some(Path::new("docs")));
    let lost = docs.filter(|page| !reached.contains(page));
    Ok(lost.map(|page| Fault::file(page, "no link leads here from README.md or docs/README.md")).collect())
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults;

    #[test]
    fn a_page_without_a_way_to_it_is_named() {
        let files = [
            ("README.md", "[docs](docs/README.md)"),
            ("docs/README.md", "[one](one.md)"),
            ("docs/one.md", "[two](two.md) [back](README.md)"),
            ("docs/two.md", "The end."),
            ("docs/lost.md", "[one](one.md)"),
        ];
        assert_eq!(faults(super::rule, &files), ["docs/lost.md: no link leads here from README.md or docs/README.md"]);
    }
}
