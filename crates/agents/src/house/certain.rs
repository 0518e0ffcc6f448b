//! Edits that a browser agrees with: the page looks the same afterwards, but for what the edits are about.
//!
//! The static eye says which edits are certain. Where a browser can look, its pictures before and after are compared, and
//! an edit that changes anything else becomes a suggestion.

use std::collections::BTreeMap;
use tribunal_checks::seen::{PaintedPage, differs_elsewhere};
use tribunal_checks::{
    Certainty, DesignTokens, Document, Edit, FixPage, Fixed, Fixing, TouchedElement, fix_all, touched_elements,
};

use super::{PageSeen, PageToView, PageViewer, ViewerError};

/// Edits of one kind are tried one by one up to this number; more of them are suggestions together.
const MAX_SINGLES: usize = 12;
/// Pictures are large: of so many pages they are kept between two trials.
const MAX_KEPT: usize = 8;

/// A page to be fixed, and how it is shown.
#[derive(Debug)]
pub struct FixedPage<'p> {
    /// Its file, as edits name it: its path below the root, where pages share style sheets.
    pub name: &'p str,
    pub document: &'p Document,
    /// How it is shown as it is; nothing for a text, which has no look.
    pub view: Option<PageToView>,
}

/// What may be done, and who looks.
pub struct SeenFixing<'f> {
    pub tokens: &'f DesignTokens,
    pub takes_suggestions: bool,
    /// See [`Fixing::may_change`].
    pub may_change: &'f (dyn Fn(&str) -> bool + Sync),
    pub viewer: Option<&'f dyn PageViewer>,
}

impl std::fmt::Debug for SeenFixing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeenFixing").field("takes_suggestions", &self.takes_suggestions).finish_non_exhaustive()
    }
}

/// What makes an edit the same in another trial. Its place is not part of it: edits before it move it.
type EditKey = (String, &'static str, String, String);

fn key(edit: &Edit) -> EditKey {
    (edit.file.clone(), edit.code, edit.before.clone(), edit.after.clone())
}

/// Makes every edit that is certain, and that looks so. `wants` is asked once about each.
pub async fn fix_seen<W: FnMut(&Edit) -> bool>(
    pages: &[FixedPage<'_>],
    fixing: &SeenFixing<'_>,
    mut wants: W,
) -> Result<Fixed, ViewerError> {
    let mut wishes: BTreeMap<EditKey, bool> = BTreeMap::new();
    let fixed = fixed(pages, fixing, &mut |edit| *wishes.entry(key(edit)).or_insert_with(|| wants(edit)));
    // Whoever takes suggestions looks at the pages by themselves.
    let Some(viewer) = fixing.viewer.filter(|_| !fixing.takes_suggestions && !fixed.edits.is_empty()) else {
        return Ok(fixed);
    };
    let mut gallery = Pictures { pages, viewer, before: BTreeMap::new(), again: BTreeMap::new() };
    let Some(why) = gallery.strange(&fixed).await? else { return Ok(fixed) };
    let mut kept: Vec<EditKey> = Vec::new();
    let mut doubted: Vec<(Edit, String)> = Vec::new();
    for group in by_code(&fixed.edits) {
        match trial(pages, fixing, &kept, &group, &mut gallery).await? {
            None => kept.extend(group.iter().map(key)),
            Some(why) if group.len() == 1 || group.len() > MAX_SINGLES => {
                doubted.extend(group.into_iter().map(|edit| (edit, why.clone())));
            }
            Some(_) => {
                for edit in group {
                    match trial(pages, fixing, &kept, std::slice::from_ref(&edit), &mut gallery).await? {
                        None => kept.push(key(&edit)),
                        Some(why) => doubted.push((edit, why)),
                    }
                }
            }
        }
    }
    let mut made = only(pages, fixing, &kept);
    // What looks right alone may not do so together; then nothing of it is certain.
    if gallery.strange(&made).await?.is_some() {
        doubted = fixed.edits.into_iter().map(|edit| (edit, why.clone())).collect();
        made = only(pages, fixing, &[]);
    }
    made.suggestions.retain(|edit| !doubted.iter().any(|(other, _)| key(other) == key(edit)));
    let doubted = doubted.into_iter().map(|(edit, why)| Edit { certainty: Certainty::Suggested(why), ..edit });
    made.suggestions.extend(doubted);
    Ok(made)
}

fn fixed(pages: &[FixedPage<'_>], fixing: &SeenFixing<'_>, wants: &mut dyn FnMut(&Edit) -> bool) -> Fixed {
    let given: Vec<FixPage<'_>> =
        pages.iter().map(|page| FixPage { name: page.name, document: page.document }).collect();
    let SeenFixing { tokens, takes_suggestions, may_change, .. } = *fixing;
    fix_all(&given, Fixing { tokens, takes_suggestions, may_change: &|path| may_change(path), wants })
}

/// The pages with these edits alone.
fn only(pages: &[FixedPage<'_>], fixing: &SeenFixing<'_>, kept: &[EditKey]) -> Fixed {
    fixed(pages, fixing, &mut |edit| kept.contains(&key(edit)))
}

/// Why some more edits would look strange, if they would.
async fn trial(
    pages: &[FixedPage<'_>],
    fixing: &SeenFixing<'_>,
    kept: &[EditKey],
    more: &[Edit],
    gallery: &mut Pictures<'_>,
) -> Result<Option<String>, ViewerError> {
    let wanted: Vec<EditKey> = kept.iter().cloned().chain(more.iter().map(key)).collect();
    gallery.strange(&only(pages, fixing, &wanted)).await
}

/// Edits of one kind together, in the order in which they were made.
fn by_code(edits: &[Edit]) -> Vec<Vec<Edit>> {
    let mut groups: Vec<Vec<Edit>> = Vec::new();
    for edit in edits {
        match groups.iter_mut().find(|group| group[0].code == edit.code) {
            Some(group) => group.push(edit.clone()),
            None => groups.push(vec![edit.clone()]),
        }
    }
    groups
}

/// Pictures of pages as they are, taken when they are needed.
struct Pictures<'p> {
    pages: &'p [FixedPage<'p>],
    viewer: &'p dyn PageViewer,
    before: BTreeMap<usize, PageSeen>,
    /// The same once more, where something differs: what moves by itself differs between the two.
    again: BTreeMap<usize, PageSeen>,
}

impl Pictures<'_> {
    /// Why any page would look different elsewhere. Pages that a browser could not show are left to the static eye.
    async fn strange(&mut self, fixed: &Fixed) -> Result<Option<String>, ViewerError> {
        for (number, page) in self.pages.iter().enumerate() {
            let Some(view) = &page.view else { continue };
            let is_linked = |path: &String| page.document.sheet_text(path).is_some();
            if !fixed.texts.keys().any(|path| path == page.name || is_linked(path)) {
                continue;
            }
            let text = fixed.texts.get(page.name).map_or(page.document.source(), String::as_str);
            let document = page.document.rewritten(text, &fixed.texts);
            let touched = touched_elements(page.document, &document);
            let instead = fixed.texts.iter().filter(|(path, _)| is_linked(path));
            let instead = instead.map(|(path, text)| (path.clone(), text.clone())).collect();
            let shown = PageToView { text: text.to_owned(), instead, takes_pictures: true, ..view.clone() };
            let before = match self.before.get(&number) {
                Some(before) => before.clone(),
                None => self.picture(view).await?,
            };
            keep(&mut self.before, number, before.clone());
            let after = self.picture(&shown).await?;
            if let Some(why) = &after.unseen {
                if before.views.is_empty() {
                    continue;
                }
                return Ok(Some(format!("a browser cannot show the page afterwards: {why}")));
            }
            if let Some(first) = compared(&before, &after, &touched, None) {
                let again = match self.again.get(&number) {
                    Some(again) => again.clone(),
                    None => self.picture_again(view).await?,
                };
                keep(&mut self.again, number, again.clone());
                if compared(&before, &after, &touched, Some(&again)).is_some() {
                    return Ok(Some(first));
                }
            }
        }
        Ok(None)
    }

    /// Another picture of the same page, and not the one that is remembered.
    async fn picture_again(&self, page: &PageToView) -> Result<PageSeen, ViewerError> {
        self.viewer.view(PageToView { takes_pictures: true, is_again: true, ..page.clone() }).await
    }

    async fn picture(&self, page: &PageToView) -> Result<PageSeen, ViewerError> {
        self.viewer.view(PageToView { takes_pictures: true, ..page.clone() }).await
    }
}

fn keep(pictures: &mut BTreeMap<usize, PageSeen>, number: usize, seen: PageSeen) {
    while pictures.len() >= MAX_KEPT && !pictures.contains_key(&number) {
        pictures.pop_first();
    }
    pictures.insert(number, seen);
}

/// Why a page looks different elsewhere, in the first window where it does.
fn compared(
    before: &PageSeen,
    after: &PageSeen,
    touched: &[TouchedElement],
    again: Option<&PageSeen>,
) -> Option<String> {
    let windows = before.views.iter().zip(before.pictures.iter()).zip(after.views.iter().zip(after.pictures.iter()));
    windows.enumerate().find_map(|(number, ((view, picture), (new_view, new_picture)))| {
        let restless = again.and_then(|again| again.pictures.get(number));
        let (before, after) = (PaintedPage { view, picture }, PaintedPage { view: new_view, picture: new_picture });
        differs_elsewhere(before, after, touched, restless)
    })
}
