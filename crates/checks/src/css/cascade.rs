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
    select::{Above, Matcher, Pseudo, Selector},
    sheet::{Declaration, Sheet},
    style::{Around, Registered, Style},
    value::{Display, Set},
    wide::Wide,
};
use crate::dom::{Dom, NodeId};

/// The styles of a whole tree. Elements that are styled alike share one.
#[derive(Debug, Clone)]
pub(crate) struct Styles {
    of: Vec<u32>,
    distinct: Vec<Style>,
    /// The pseudo-elements that are there, by their element.
    pseudo: BTreeMap<NodeId, Vec<(Pseudo, Style)>>,
    /// Whether the page was too large for all of its rules.
    pub(crate) incomplete: bool,
}

/// What styles are made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources<'s> {
    pub(crate) dom: &'s Dom,
    pub(crate) sheets: &'s [Sheet],
    /// What old attributes such as `bgcolor` ask for.
    pub(crate) hints: &'s BTreeMap<NodeId, Vec<Declaration>>,
    pub(crate) inline: &'s BTreeMap<NodeId, Vec<Declaration>>,
}

impl Styles {
    /// The style of an element; that of the root for what is none.
    pub(crate) fn of(&self, id: NodeId) -> &Style {
        &self.distinct[self.of[id.index()] as usize]
    }

    /// Whether any element has such a style.
    pub(crate) fn any(&self, is_such: fn(&Style) -> bool) -> bool {
        self.distinct.iter().any(is_such)
    }

    /// Every pseudo-element.
    pub(crate) fn pseudo_elements(&self) -> impl Iterator<Item = &(Pseudo, Style)> {
        self.pseudo.values().flatten()
    }

    /// The styles of an element's `::before` and `::after`, as far as they are there.
    pub(crate) fn pseudo(&self, id: NodeId) -> &[(Pseudo, Style)] {
        self.pseudo.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn compute(sources: &Sources<'_>, screen: Screen) -> Self {
        let Sources { dom, sheets, hints, inline } = *sources;
        let book = Book::new(sheets, screen);
        let beside = Book::of_pseudo_elements(sheets, screen);
        let registered: Vec<Registered> = sheets.iter().flat_map(|sheet| sheet.registered.iter().cloned()).collect();
        let mut styles = Self {
            of: vec![0; dom.nodes.len()],
            distinct: vec![Style::root(&registered)],
            pseudo: BTreeMap::new(),
            incomplete: sheets.iter().any(|sheet| sheet.cut),
        };
        let mut known: BTreeMap<(u32, Vec<u32>), u32> = BTreeMap::new();
        let mut matcher = Matcher::default();
        let mut above = Above::default();
        let mut root_size = 16.0;
        for (id, _) in dom.elements() {
            let parent = dom.node(id).parent.map_or(0, |parent| styles.of[parent.index()]);
            above.enter(dom, id);
            let matched = book.matching(dom, id, &mut matcher, false, Some(&above.filter));
            let painted = beside.matching(dom, id, &mut matcher, false, Some(&above.filter));
            above.descend(dom, id);
            let around = Around { screen, root_size, base: None, unsure: false, registered: &registered };
            let (hint, own) = (hints.get(&id), inline.get(&id));
            let is_plain = hint.is_none() && own.is_none();
            let key = (parent, matched);
            let shared = if is_plain { known.get(&key).copied() } else { None };
            let index = shared.unwrap_or_else(|| {
                let (hint, own) = (hint.map_or(&[][..], Vec::as_slice), own.map_or(&[][..], Vec::as_slice));
                let declarations = book.weighed(&key.1, hint, own);
                let style = book.style(&styles.distinct[parent as usize], &key.1, &declarations, &around);
                styles.distinct.push(style);
                let index = u32::try_from(styles.distinct.len() - 1).unwrap_or(0);
                if is_plain {
                    known.insert(key, index);
                }
                index
            });
            styles.of[id.index()] = index;
            if dom.node(id).parent == Some(NodeId::DOCUMENT) {
                root_size = styles.distinct[index as usize].font_size;
            }
            if !painted.is_empty() {
                let host = &styles.distinct[index as usize];
                let there = beside.pseudo_elements(host, &painted, &around);
                if !there.is_empty() {
                    styles.pseudo.insert(id, there);
                }
            }
        }
        styles.incomplete |= matcher.gave_up();
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
    /// Whether nobody can say without a layout that the rule holds.
    unsure: bool,
}

/// All selectors that hold on a screen, filed under what an element must have to match them.
pub(crate) struct Book<'s> {
    /// Whether it is about pseudo-elements; a book is about elements otherwise.
    pseudo: bool,
    entries: Vec<Entry<'s>>,
    by_id: BTreeMap<LocalName, Vec<u32>>,
    by_class: BTreeMap<LocalName, Vec<u32>>,
    by_name: BTreeMap<LocalName, Vec<u32>>,
    others: Vec<u32>,
}

impl<'s> Book<'s> {
    pub(crate) fn new(sheets: &'s [Sheet], screen: Screen) -> Self {
        Self::about(sheets, screen, false)
    }

    /// The rules for `::before` and `::after`.
    pub(crate) fn of_pseudo_elements(sheets: &'s [Sheet], screen: Screen) -> Self {
        Self::about(sheets, screen, true)
    }

    fn about(sheets: &'s [Sheet], screen: Screen, pseudo: bool) -> Self {
        let mut book = Self {
            pseudo,
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
                    let wanted = match selector.pseudo_element() {
                        None => !pseudo,
                        Some(Pseudo::Before | Pseudo::After) => pseudo,
                        Some(Pseudo::Other) => false,
                    };
                    if wanted {
                        let hashes = AncestorHashes::new(selector, QuirksMode::NoQuirks);
                        let (declarations, unsure) = (&rule.declarations, rule.unsure);
                        book.file(Entry { selector, hashes, declarations, layer, order, unsure });
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
        self.matching_while(dom, id, matcher, focused.then_some(id), above)
    }

    /// The same while another element has the focus.
    pub(crate) fn matching_while(
        &self,
        dom: &Dom,
        id: NodeId,
        matcher: &mut Matcher,
        focus: Option<NodeId>,
        above: Option<&BloomFilter>,
    ) -> Vec<u32> {
        if self.entries.is_empty() {
            return Vec::new();
        }
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
        let mut found = matcher.keep(dom, id, focus, self.pseudo, above, entries);
        found.sort_unstable_by_key(|index| {
            let entry = &self.entries[*index as usize];
            (entry.layer, entry.selector.specificity(), entry.order)
        });
        found.dedup();
        found
    }

    /// Declarations in the order of their weight: sheets, the style attribute, then what is important.
    pub(crate) fn declarations<'d>(&'d self, matched: &[u32], inline: &'d [Declaration]) -> Vec<&'d Declaration> {
        self.weighed(matched, &[], inline)
    }

    /// The same with what old attributes ask for, which every sheet but the browser's outweighs.
    pub(crate) fn weighed<'d>(
        &'d self,
        matched: &[u32],
        hints: &'d [Declaration],
        inline: &'d [Declaration],
    ) -> Vec<&'d Declaration> {
        // What may hold or not is not applied: its element is unsure.
        let entries = || matched.iter().map(|index| &self.entries[*index as usize]).filter(|entry| !entry.unsure);
        let plain = |browser: bool| {
            let chosen = entries().filter(move |entry| (entry.layer == 0) == browser);
            chosen.flat_map(|entry| entry.declarations.iter()).filter(|one| !one.important)
        };
        let mut all: Vec<&Declaration> = Vec::new();
        all.extend(plain(true));
        all.extend(hints);
        all.extend(plain(false));
        all.extend(inline.iter().filter(|one| !one.important));
        // Among important declarations the first layer wins.
        let mut important: Vec<&Entry<'_>> =
            entries().filter(|entry| entry.declarations.iter().any(|d| d.important)).collect();
        important.sort_by_key(|entry| std::cmp::Reverse(entry.layer));
        all.extend(important.iter().flat_map(|entry| entry.declarations.iter()).filter(|one| one.important));
        all.extend(inline.iter().filter(|one| one.important));
        all
    }

    /// The style that a list of declarations gives.
    fn style(&self, parent: &Style, matched: &[u32], declarations: &[&Declaration], around: &Around<'_>) -> Style {
        let unsure = matched.iter().any(|index| self.entries[*index as usize].unsure);
        let reverts = |one: &&Declaration| one.sets.iter().any(|set| matches!(set, Set::Wide(_, Wide::Revert)));
        if !declarations.iter().any(reverts) {
            return Style::compute(parent, declarations, &Around { unsure, ..*around });
        }
        let own: Vec<u32> = matched.iter().copied().filter(|index| self.entries[*index as usize].layer == 0).collect();
        let base = Style::compute(parent, &self.declarations(&own, &[]), around);
        Style::compute(parent, declarations, &Around { unsure, base: Some(&base), ..*around })
    }

    /// The pseudo-elements that the rules make: those with content.
    fn pseudo_elements(&self, host: &Style, matched: &[u32], around: &Around<'_>) -> Vec<(Pseudo, Style)> {
        let of = |kind: Pseudo| {
            let is_of = |index: &u32| self.entries[*index as usize].selector.pseudo_element() == Some(&kind);
            let own: Vec<u32> = matched.iter().copied().filter(is_of).collect();
            let style = self.style(host, &own, &self.declarations(&own, &[]), around);
            let is_there = style.placing.content.is_some() && style.display != Display::None && !own.is_empty();
            is_there.then_some((kind, style))
        };
        [Pseudo::Before, Pseudo::After].into_iter().filter_map(of).collect()
    }

    fn file(&mut self, entry: Entry<'s>) {
        let index = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let mut key: Option<(u8, LocalName)> = None;
        let mut compound = entry.selector.iter();
        if self.pseudo {
            // What stands before the pseudo-element is about its element.
            for _ in compound.by_ref() {}
            let _ = compound.next_sequence();
        }
        // Only the rightmost compound is about the element itself.
        for component in compound {
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
