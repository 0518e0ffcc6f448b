//! Selectors over our tree, with the matching that browsers use.

use std::cell::Cell;

use cssparser::{ParseError, ToCss};
use html5ever::{LocalName, Namespace, ns};
use precomputed_hash::PrecomputedHash;
use selectors::{
    Element as Matched, OpaqueElement, SelectorImpl,
    attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint},
    bloom::{BLOOM_HASH_MASK, BloomFilter},
    context::{MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches},
    matching::{ElementSelectorFlags, matches_selector},
    parser::{AncestorHashes, NonTSPseudoClass, ParseRelative, Parser, PseudoElement, SelectorParseErrorKind},
};

use crate::dom::{Dom, Element, Kind, NodeId};

pub(crate) type Selector = selectors::parser::Selector<Ours>;
pub(crate) type SelectorList = selectors::SelectorList<Ours>;

/// The types that our selectors are made of.
#[derive(Debug, Clone)]
pub(crate) struct Ours;

impl SelectorImpl for Ours {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Word;
    type Identifier = Word;
    type LocalName = Word;
    type NamespaceUrl = Namespace;
    type NamespacePrefix = Word;
    type BorrowedNamespaceUrl = Namespace;
    type BorrowedLocalName = Word;
    type NonTSPseudoClass = State;
    type PseudoElement = Pseudo;
}

/// A name in a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Word(pub(crate) LocalName);

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self(LocalName::from(text))
    }
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Word {
    fn to_css<W: std::fmt::Write>(&self, dest: &mut W) -> std::fmt::Result {
        cssparser::serialize_identifier(&self.0, dest)
    }
}

impl PrecomputedHash for Word {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

/// A state that an element can be in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    Link,
    Focus,
    FocusWithin,
    Hover,
    Active,
    Enabled,
    Disabled,
    Checked,
    Required,
    Optional,
    PlaceholderShown,
    ReadOnly,
    ReadWrite,
    /// Every element that HTML knows, and none with a hyphen: those wait for a script.
    Defined,
    /// `:lang(…)`, by its ranges.
    Lang(Vec<String>),
    /// `:dir(rtl)`.
    RightToLeft,
    LeftToRight,
    /// States that a page at rest is not in, such as `:visited` or `:invalid`.
    Never,
}

impl ToCss for State {
    fn to_css<W: std::fmt::Write>(&self, dest: &mut W) -> std::fmt::Result {
        write!(dest, ":{self:?}")
    }
}

impl NonTSPseudoClass for State {
    fn is_active_or_hover(&self) -> bool {
        matches!(self, Self::Active | Self::Hover)
    }

    fn is_user_action_state(&self) -> bool {
        matches!(self, Self::Active | Self::Hover | Self::Focus | Self::FocusWithin)
    }
}

/// A pseudo-element. None of them is in the tree: they are asked for by their element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pseudo {
    Before,
    After,
    /// Whatever paints nothing beside its element's own text.
    Other,
}

impl ToCss for Pseudo {
    fn to_css<W: std::fmt::Write>(&self, dest: &mut W) -> std::fmt::Result {
        write!(dest, "::{self:?}")
    }
}

impl PseudoElement for Pseudo {
    fn accepts_state_pseudo_classes(&self) -> bool {
        true
    }
}

/// Reads selectors as today's browsers do.
#[derive(Debug)]
pub(crate) struct Reader;

impl<'i> Parser<'i> for Reader {
    type Impl = Ours;
    type Error = SelectorParseErrorKind;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_parent_selector(&self) -> bool {
        true
    }

    fn parse_non_ts_pseudo_class(&self, name: &str) -> Result<State, ParseError<SelectorParseErrorKind>> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "link" | "any-link" => State::Link,
            "focus" | "focus-visible" => State::Focus,
            "focus-within" => State::FocusWithin,
            "hover" => State::Hover,
            "active" => State::Active,
            "enabled" => State::Enabled,
            "disabled" => State::Disabled,
            "checked" => State::Checked,
            "required" => State::Required,
            "optional" => State::Optional,
            "placeholder-shown" => State::PlaceholderShown,
            "read-only" => State::ReadOnly,
            "read-write" => State::ReadWrite,
            "defined" => State::Defined,
            // The old spelling with one colon is a pseudo-element's.
            "before" | "after" | "first-line" | "first-letter" => return Err(unsupported()),
            // What no browser of ours knows makes the whole list void.
            foreign if is_foreign(foreign) => return Err(unsupported()),
            _ => State::Never,
        })
    }

    fn parse_non_ts_functional_pseudo_class(
        &self,
        name: &str,
        input: &mut cssparser::Parser<'i>,
        _: bool,
    ) -> Result<State, ParseError<SelectorParseErrorKind>> {
        let name = name.to_ascii_lowercase();
        if is_foreign(&name) {
            return Err(unsupported());
        }
        let mut words = Vec::new();
        while let Ok(token) = input.next() {
            if let cssparser::Token::Ident(word) | cssparser::Token::QuotedString(word) = token {
                words.push(word.to_ascii_lowercase());
            }
        }
        Ok(match (name.as_str(), words.first().map(String::as_str)) {
            ("lang", Some(_)) => State::Lang(words),
            ("dir", Some("rtl")) => State::RightToLeft,
            ("dir", Some("ltr")) => State::LeftToRight,
            _ => State::Never,
        })
    }

    fn parse_pseudo_element(&self, name: &str) -> Result<Pseudo, ParseError<SelectorParseErrorKind>> {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "before" => Ok(Pseudo::Before),
            "after" => Ok(Pseudo::After),
            foreign if is_foreign(foreign) => Err(unsupported()),
            _ => Ok(Pseudo::Other),
        }
    }

    fn parse_functional_pseudo_element(
        &self,
        _: &str,
        input: &mut cssparser::Parser<'i>,
    ) -> Result<Pseudo, ParseError<SelectorParseErrorKind>> {
        while input.next().is_ok() {}
        Ok(Pseudo::Other)
    }
}

fn unsupported() -> ParseError<SelectorParseErrorKind> {
    ParseError::custom(SelectorParseErrorKind::UnsupportedPseudoClassOrElement)
}

/// Names that belong to browsers other than the one that we follow.
fn is_foreign(name: &str) -> bool {
    ["-moz-", "-ms-", "-o-", "-khtml-"].iter().any(|prefix| name.starts_with(prefix))
}

/// Reads a list of selectors; inside another rule they may begin with a combinator.
pub(crate) fn parse_list(input: &mut cssparser::Parser<'_>, nested: bool) -> Option<SelectorList> {
    let relative = if nested { ParseRelative::ForNesting } else { ParseRelative::No };
    SelectorList::parse(&Reader, input, relative).ok()
}

/// Matching goes this many steps through the tree, then nothing matches any more. Only pages that are made to hurt,
/// such as a hundred thousand siblings under `h1 ~ p`, come near it.
const MAX_STEPS: u64 = 20_000_000;

/// What may be kept between matches.
#[derive(Default)]
pub(crate) struct Matcher {
    caches: SelectorCaches,
    steps: Cell<u64>,
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Matcher")
    }
}

impl Matcher {
    /// Whether rules were left out because the way was too long.
    pub(crate) fn gave_up(&self) -> bool {
        self.steps.get() >= MAX_STEPS
    }

    /// Keeps those entries whose selector matches the element, at rest or, with `focused`, while it has the focus.
    /// Entries for pseudo-elements are matched by their element.
    pub(crate) fn keep<'e>(
        &mut self,
        dom: &Dom,
        id: NodeId,
        focus: Option<NodeId>,
        pseudo: bool,
        above: Option<&BloomFilter>,
        entries: impl Iterator<Item = (u32, &'e Selector, &'e AncestorHashes)>,
    ) -> Vec<u32> {
        let mut context = MatchingContext::new(
            if pseudo { MatchingMode::ForStatelessPseudoElement } else { MatchingMode::Normal },
            above,
            &mut self.caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let element = Located { dom, id, focus, steps: &self.steps };
        entries
            .filter(|(_, selector, hashes)| {
                self.steps.get() < MAX_STEPS
                    && matches_selector(selector, 0, above.is_some().then_some(*hashes), element, &mut context)
            })
            .map(|(index, ..)| index)
            .collect()
    }
}

/// How many elements a list of selectors finds.
pub(crate) fn count_matches(dom: &Dom, list: &SelectorList) -> usize {
    let mut matcher = Matcher::default();
    let hashes: Vec<AncestorHashes> =
        list.slice().iter().map(|selector| AncestorHashes::new(selector, QuirksMode::NoQuirks)).collect();
    let mut found = |id: NodeId| {
        let entries = list.slice().iter().zip(&hashes).map(|(selector, hashes)| (0, selector, hashes));
        !matcher.keep(dom, id, None, false, None, entries).is_empty()
    };
    dom.elements().filter(|(id, _)| found(*id)).count()
}

/// Whether a language is one of those that are asked for: `en` is, where `en-GB` is asked for, not.
fn is_in(lang: &str, ranges: &[String]) -> bool {
    let lang = lang.trim().to_ascii_lowercase();
    ranges.iter().any(|range| {
        let range = range.strip_prefix("*-").unwrap_or(range);
        lang.strip_prefix(range).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    })
}

/// The names of everything above an element, as a filter: most rules ask for an ancestor that is not there.
#[derive(Default)]
pub(crate) struct Above {
    pub(crate) filter: BloomFilter,
    open: Vec<(NodeId, Vec<u32>)>,
}

impl Above {
    /// Moves on to an element, in document order.
    pub(crate) fn enter(&mut self, dom: &Dom, id: NodeId) {
        let parent = dom.node(id).parent;
        while self.open.last().is_some_and(|(node, _)| Some(*node) != parent) {
            if let Some((_, hashes)) = self.open.pop() {
                for hash in hashes {
                    self.filter.remove_hash(hash);
                }
            }
        }
    }

    /// Goes inside the element that was entered.
    pub(crate) fn descend(&mut self, dom: &Dom, id: NodeId) {
        let (Some(element), Some(_)) = (dom.element(id), dom.node(id).first) else { return };
        let hash = |name: &LocalName| name.precomputed_hash() & BLOOM_HASH_MASK;
        let mut hashes: Vec<u32> = element.classes.iter().map(hash).collect();
        hashes.push(hash(&element.name));
        hashes.push(element.namespace.precomputed_hash() & BLOOM_HASH_MASK);
        hashes.extend(element.attr("id").map(|id| hash(&LocalName::from(id))));
        for hash in &hashes {
            self.filter.insert_hash(*hash);
        }
        self.open.push((id, hashes));
    }
}

/// An element of our tree as the matcher sees it.
#[derive(Debug, Clone, Copy)]
struct Located<'d> {
    dom: &'d Dom,
    id: NodeId,
    focus: Option<NodeId>,
    steps: &'d Cell<u64>,
}

impl<'d> Located<'d> {
    fn element(&self) -> &'d Element {
        self.dom.element(self.id).expect("only elements are located")
    }

    fn at(&self, id: NodeId) -> Self {
        Self { id, ..*self }
    }

    /// Goes on to another node and counts the way.
    fn step(&self, next: Option<NodeId>) -> Option<NodeId> {
        self.steps.set(self.steps.get() + 1);
        next
    }

    fn is_editable(&self) -> bool {
        let element = self.element();
        let is_text = match &*element.name {
            "textarea" => true,
            "input" => !matches!(
                element.attr("type").unwrap_or_default(),
                "hidden" | "checkbox" | "radio" | "range" | "color" | "file" | "image" | "submit" | "reset" | "button"
            ),
            _ => false,
        };
        let is_edited = element.attr("contenteditable").is_some_and(|value| !value.eq_ignore_ascii_case("false"));
        (is_text && !element.has("readonly") && !element.has("disabled")) || is_edited
    }

    /// An attribute that holds for everything below, such as `lang`.
    fn inherited_attr(&self, name: &str) -> Option<&'d str> {
        let own = std::iter::once(self.id).chain(self.dom.ancestors(self.id));
        own.take_while(|id| self.step(Some(*id)).is_some()).find_map(|id| self.dom.attr(id, name))
    }

    fn is_control(&self) -> bool {
        matches!(&*self.element().name, "button" | "input" | "select" | "textarea" | "option" | "optgroup" | "fieldset")
    }
}

impl Matched for Located<'_> {
    type Impl = Ours;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.dom.node(self.id))
    }

    fn parent_element(&self) -> Option<Self> {
        let parent = self.step(self.dom.node(self.id).parent)?;
        self.dom.element(parent).map(|_| self.at(parent))
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        std::iter::successors(self.step(self.dom.node(self.id).prev), |id| self.step(self.dom.node(*id).prev))
            .find(|id| self.dom.element(*id).is_some())
            .map(|id| self.at(id))
    }

    fn next_sibling_element(&self) -> Option<Self> {
        std::iter::successors(self.step(self.dom.node(self.id).next), |id| self.step(self.dom.node(*id).next))
            .find(|id| self.dom.element(*id).is_some())
            .map(|id| self.at(id))
    }

    fn first_element_child(&self) -> Option<Self> {
        self.dom.children(self.id).find(|id| self.dom.element(*id).is_some()).map(|id| self.at(id))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.element().is_html()
    }

    fn has_local_name(&self, name: &Word) -> bool {
        self.element().name == name.0
    }

    fn has_namespace(&self, namespace: &Namespace) -> bool {
        self.element().namespace == *namespace
    }

    fn is_same_type(&self, other: &Self) -> bool {
        let (a, b) = (self.element(), other.element());
        a.name == b.name && a.namespace == b.namespace
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Namespace>,
        name: &Word,
        operation: &AttrSelectorOperation<&Word>,
    ) -> bool {
        if let NamespaceConstraint::Specific(url) = namespace
            && **url != ns!()
        {
            return false;
        }
        self.element().attrs.iter().any(|attr| attr.name == name.0 && operation.eval_str(&attr.value))
    }

    fn match_non_ts_pseudo_class(&self, state: &State, _: &mut MatchingContext<'_, Ours>) -> bool {
        let element = self.element();
        match state {
            State::Link => self.is_link(),
            State::Focus => self.focus == Some(self.id),
            State::FocusWithin => {
                self.focus.is_some_and(|id| id == self.id || self.dom.ancestors(id).any(|a| a == self.id))
            }
            State::Enabled => self.is_control() && !element.has("disabled"),
            State::Disabled => self.is_control() && element.has("disabled"),
            State::Checked => element.has("checked") || element.has("selected"),
            State::Required => element.has("required"),
            State::Optional => self.is_control() && !element.has("required"),
            State::PlaceholderShown => element.has("placeholder") && !element.has("value"),
            State::ReadWrite => self.is_editable(),
            State::ReadOnly => !self.is_editable(),
            State::Defined => !element.is_html() || !element.name.contains('-'),
            State::Lang(ranges) => self.inherited_attr("lang").is_some_and(|lang| is_in(lang, ranges)),
            State::RightToLeft => self.inherited_attr("dir").is_some_and(|dir| dir.eq_ignore_ascii_case("rtl")),
            State::LeftToRight => !self.inherited_attr("dir").is_some_and(|dir| dir.eq_ignore_ascii_case("rtl")),
            State::Hover | State::Active | State::Never => false,
        }
    }

    fn match_pseudo_element(&self, _: &Pseudo, _: &mut MatchingContext<'_, Ours>) -> bool {
        false
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        let element = self.element();
        matches!(&*element.name, "a" | "area") && element.has("href")
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Word, case: CaseSensitivity) -> bool {
        self.element().attr("id").is_some_and(|have| case.eq(have.as_bytes(), id.as_ref().as_bytes()))
    }

    fn has_class(&self, name: &Word, _: CaseSensitivity) -> bool {
        self.element().classes.contains(&name.0)
    }

    fn has_custom_state(&self, _: &Word) -> bool {
        false
    }

    fn imported_part(&self, _: &Word) -> Option<Word> {
        None
    }

    fn is_part(&self, _: &Word) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.dom.children(self.id).all(|id| match &self.dom.node(id).kind {
            Kind::Element(_) => false,
            Kind::Text { text, .. } => text.is_empty(),
            _ => true,
        })
    }

    fn is_root(&self) -> bool {
        self.dom.node(self.id).parent == Some(NodeId::DOCUMENT)
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}
