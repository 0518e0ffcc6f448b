//! The cascade: which declarations hold for which element, and in which order.

use std::collections::BTreeMap;

use html5ever::LocalName;
use selectors::{
    bloom::BloomFilter,
    context::QuirksMode,
    parser::{AncestorHashes, Component},
};

use super::{
    media::Screen,
    select::{Above, Matcher, Selector},
    sheet::{Declaration, Sheet},
    style::Style,
};
use crate::dom::{Dom, NodeId};

/// The styles of a whole tree. Elements that are styled alike share one.
#[derive(Debug, Clone)]
pub(crate) struct Styles {
    of: Vec<u32>,
    distinct: Vec<Style>,
    /// Whether the page was too large for all of its rules.
    pub(crate) incomplete: bool,
}

impl Styles {
    /// The style of an element; that of the root for what is none.
    pub(crate) fn of(&self, id: NodeId) -> &Style {
        &self.distinct[self.of[id.index()] as usize]
    }

    pub(crate) fn compute(
        dom: &Dom,
        sheets: &[Sheet],
        inline: &BTreeMap<NodeId, Vec<Declaration>>,
        screen: Screen,
    ) -> Self {
        let book = Book::new(sheets, screen);
        let mut styles = Self { of: vec![0; dom.nodes.len()], distinct: vec![Style::initial()], incomplete: false };
        let mut known: BTreeMap<(u32, Vec<u32>), u32> = BTreeMap::new();
        let mut matcher = Matcher::default();
        let mut above = Above::default();
        let mut root_size = 16.0;
        for (id, _) in dom.elements() {
            let parent = dom.node(id).parent.map_or(0, |parent| styles.of[parent.index()]);
            above.enter(dom, id);
            let matched = book.matching(dom, id, &mut matcher, false, Some(&above.filter));
            above.descend(dom, id);
            let own = inline.get(&id);
            let key = (parent, matched);
            let shared = if own.is_none() { known.get(&key).copied() } else { None };
            let index = shared.unwrap_or_else(|| {
                let declarations = book.declarations(&key.1, own.map_or(&[][..], Vec::as_slice));
                let style = Style::compute(&styles.distinct[parent as usize], &declarations, screen, root_size);
                styles.distinct.push(style);
                let index = u32::try_from(styles.distinct.len() - 1).unwrap_or(0);
                if own.is_none() {
                    known.insert(key, index);
                }
                index
            });
            styles.of[id.index()] = index;
            if dom.node(id).parent == Some(NodeId::DOCUMENT) {
                root_size = styles.distinct[index as usize].font_size;
            }
        }
        styles.incomplete = matcher.gave_up();
        styles
    }
}

/// One selector of one rule.
struct Entry<'s> {
    selector: &'s Selector,
    hashes: AncestorHashes,
    declarations: &'s [Declaration],
    layer: u32,
    order: u32,
}

/// All selectors that hold on a screen, filed under what an element must have to match them.
pub(crate) struct Book<'s> {
    entries: Vec<Entry<'s>>,
    by_id: BTreeMap<LocalName, Vec<u32>>,
    by_class: BTreeMap<LocalName, Vec<u32>>,
    by_name: BTreeMap<LocalName, Vec<u32>>,
    others: Vec<u32>,
}

impl<'s> Book<'s> {
    pub(crate) fn new(sheets: &'s [Sheet], screen: Screen) -> Self {
        let mut book = Self {
            entries: Vec::new(),
            by_id: BTreeMap::new(),
            by_class: BTreeMap::new(),
            by_name: BTreeMap::new(),
            others: Vec::new(),
        };
        let layers = layer_order(sheets);
        let mut order = 0;
        for sheet in sheets {
            let holds: Vec<bool> = sheet.media.iter().map(|query| screen.holds(query)).collect();
            for rule in &sheet.rules {
                order += 1;
                if rule.declarations.is_empty() || !rule.media.iter().all(|media| holds[*media]) {
                    continue;
                }
                // What is in no layer outweighs every layer; the browser's own sheet is below them all.
                let layer = match &rule.layer {
                    _ if sheet.browser => 0,
                    None => u32::MAX,
                    Some(layer) => layers.get(layer.as_str()).copied().unwrap_or(1),
                };
                for selector in rule.selectors.slice() {
                    if !selector.has_pseudo_element() {
                        let hashes = AncestorHashes::new(selector, QuirksMode::NoQuirks);
                        book.file(Entry { selector, hashes, declarations: &rule.declarations, layer, order });
                    }
                }
            }
        }
        book
    }

    /// The entries that match an element, the weightiest last.
    /// `above` is what is known of the elements above it, when the tree is walked in order.
    pub(crate) fn matching(
        &self,
        dom: &Dom,
        id: NodeId,
        matcher: &mut Matcher,
        focused: bool,
        above: Option<&BloomFilter>,
    ) -> Vec<u32> {
        let Some(element) = dom.element(id) else { return Vec::new() };

        let mut lists = vec![self.others.as_slice(), under(&self.by_name, &element.name)];
        lists.extend(element.classes.iter().map(|class| under(&self.by_class, class)));
        if !self.by_id.is_empty() {
            lists.extend(element.attr("id").map(|id| under(&self.by_id, &LocalName::from(id))));
        }
        let entries = lists.into_iter().flatten().map(|index| {
            let entry = &self.entries[*index as usize];
            (*index, entry.selector, &entry.hashes)
        });
        let mut found = matcher.keep(dom, id, focused, above, entries);
        found.sort_unstable_by_key(|index| {
            let entry = &self.entries[*index as usize];
            (entry.layer, entry.selector.specificity(), entry.order)
        });
        found.dedup();
        found
    }

    /// Declarations in the order of their weight: sheets, the style attribute, then what is important.
    pub(crate) fn declarations<'d>(&'d self, matched: &[u32], inline: &'d [Declaration]) -> Vec<&'d Declaration> {
        let entries = || matched.iter().map(|index| &self.entries[*index as usize]);
        let mut all: Vec<&Declaration> = Vec::new();
        all.extend(entries().flat_map(|entry| entry.declarations.iter()).filter(|one| !one.important));
        all.extend(inline.iter().filter(|one| !one.important));
        // Among important declarations the first layer wins.
        let mut important: Vec<&Entry<'_>> =
            entries().filter(|entry| entry.declarations.iter().any(|d| d.important)).collect();
        important.sort_by_key(|entry| std::cmp::Reverse(entry.layer));
        all.extend(important.iter().flat_map(|entry| entry.declarations.iter()).filter(|one| one.important));
        all.extend(inline.iter().filter(|one| one.important));
        all
    }

    fn file(&mut self, entry: Entry<'s>) {
        let index = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let mut key: Option<(u8, LocalName)> = None;
        // Only the rightmost compound is about the element itself.
        for component in entry.selector.iter() {
            let candidate = match component {
                Component::ID(id) => (3, id.0.clone()),
                Component::Class(class) => (2, class.0.clone()),
                Component::LocalName(name) => (1, name.lower_name.0.clone()),
                _ => continue,
            };
            if key.as_ref().is_none_or(|(weight, _)| *weight < candidate.0) {
                key = Some(candidate);
            }
        }
        let list = match key {
            Some((3, name)) => self.by_id.entry(name).or_default(),
            Some((2, name)) => self.by_class.entry(name).or_default(),
            Some((_, name)) => self.by_name.entry(name).or_default(),
            None => &mut self.others,
        };
        list.push(index);
        self.entries.push(entry);
    }
}

fn under<'f>(file: &'f BTreeMap<LocalName, Vec<u32>>, key: &LocalName) -> &'f [u32] {
    file.get(key).map_or(&[], Vec::as_slice)
}

fn layer_order(sheets: &[Sheet]) -> BTreeMap<&str, u32> {
    let mut order = BTreeMap::new();
    for name in sheets.iter().flat_map(|sheet| &sheet.layers) {
        let next = u32::try_from(order.len() + 1).unwrap_or(u32::MAX - 1);
        order.entry(name.as_str()).or_insert(next);
    }
    order
}
