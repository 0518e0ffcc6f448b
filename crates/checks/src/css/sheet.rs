//! A style sheet as a list of rules, with the place of every value.

use std::fmt::Write as _;

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, ParseError, Parser, ParserState, QualifiedRuleParser,
    RuleBodyItemParser, RuleBodyParser, StyleSheetParser, Token,
};

use super::{
    select::{SelectorList, parse_list},
    style::Registered,
    supports::supports,
    value::{Set, pieces, sets},
};
use crate::place::Span;

/// Sheets beyond this are cut; real ones have a tenth of it.
pub(crate) const MAX_RULES: usize = 50_000;

#[derive(Debug, Clone)]
pub(crate) struct Declaration {
    /// In lower case, but for custom properties.
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) important: bool,
    /// The value's place in the document, or in the linked sheet.
    pub(crate) span: Option<Span>,
    /// What it sets; empty when that depends on variables.
    pub(crate) sets: Vec<Set>,
    pub(crate) uses_variables: bool,
}

impl Declaration {
    pub(crate) fn new(name: &str, value: &str, important: bool, span: Option<Span>) -> Self {
        let custom = name.starts_with("--");
        let name = if custom { name.to_owned() } else { name.to_ascii_lowercase() };
        let uses_variables = value.contains("var(");
        let sets = if uses_variables || custom { Vec::new() } else { sets(&name, value) };
        Self { name, value: value.to_owned(), important, span, sets, uses_variables }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) selectors: SelectorList,
    /// The selectors as written, for evidence and for rules that speak of `:focus`.
    pub(crate) text: String,
    pub(crate) declarations: Vec<Declaration>,
    /// The media queries that it stands in, as indices of [`Sheet::media`].
    pub(crate) media: Vec<usize>,
    pub(crate) layer: Option<String>,
    /// Whether nobody can say without a layout that it holds, as in `@container`.
    pub(crate) unsure: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Sheet {
    /// The browser's own sheet, which every other outweighs.
    pub(crate) browser: bool,
    /// The file it came from; `None` for what stands in the document.
    pub(crate) file: Option<String>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) media: Vec<String>,
    pub(crate) imports: Vec<Import>,
    /// Layers in the order in which they are named.
    pub(crate) layers: Vec<String>,
    pub(crate) font_faces: Vec<String>,
    pub(crate) keyframes: usize,
    /// What `@property` declares.
    pub(crate) registered: Vec<Registered>,
    /// Addresses in `url(…)`, with where they stand.
    pub(crate) urls: Vec<(String, Option<Span>)>,
    pub(crate) cut: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Import {
    pub(crate) address: String,
    pub(crate) media: String,
    pub(crate) layer: Option<String>,
}

impl Sheet {
    /// Reads a sheet. `base` is where it begins: in the document, or at the start of a linked sheet's text.
    pub(crate) fn read(text: &str, base: Option<Span>, file: Option<String>) -> Self {
        let mut sheet = Self { file, ..Self::default() };
        let mut parser = Parser::new(text);
        let mut reader = Reader { sheet: &mut sheet, base, within: Within::default(), into: None };
        let mut rules = StyleSheetParser::new(&mut parser, &mut reader);
        // A rule that does not parse is skipped, as browsers do.
        while let Some(rule) = rules.next() {
            let _ = rule;
            if rules.parser.sheet.rules.len() > MAX_RULES {
                rules.parser.sheet.cut = true;
                break;
            }
        }
        sheet
    }
}

/// Reads the declarations of a `style` attribute.
pub(crate) fn inline(text: &str, base: Option<Span>) -> Vec<Declaration> {
    let mut sheet = Sheet::default();
    let Some(selectors) = parse_list(&mut Parser::new("*"), false) else { return Vec::new() };
    sheet.rules.push(Rule {
        selectors,
        text: String::new(),
        declarations: Vec::new(),
        media: Vec::new(),
        layer: None,
        unsure: false,
    });
    let mut parser = Parser::new(text);
    let mut reader = Reader { sheet: &mut sheet, base, within: Within::default(), into: Some(0) };
    for item in RuleBodyParser::new(&mut parser, &mut reader) {
        let _ = item;
    }
    sheet.rules.swap_remove(0).declarations
}

/// What a rule stands in.
#[derive(Debug, Clone, Default)]
struct Within {
    media: Vec<usize>,
    layer: Option<String>,
    parent: Option<(SelectorList, String)>,
    /// What every selector has to meet beside itself, as `@scope` asks for.
    scope: Option<Scope>,
    unsure: bool,
}

/// `@scope (root) to (limit)`.
#[derive(Debug, Clone)]
struct Scope {
    root: String,
    /// What an element of the scope matches, as selectors behind its own.
    tail: String,
}

struct Reader<'s> {
    sheet: &'s mut Sheet,
    base: Option<Span>,
    within: Within,
    /// The rule that declarations go to.
    into: Option<usize>,
}

enum Group {
    Media(String),
    Layer(Vec<String>),
    Import(Import),
    /// `@supports` with an answer that is yes.
    Through,
    Scope(Option<Scope>),
    /// `@container`: whether its rules hold needs a layout.
    Unsure,
    Property(String),
    FontFace,
    Keyframes,
    /// Whatever we do not measure.
    Skip,
}

impl Reader<'_> {
    /// Reads a block's rules and declarations with something changed around them.
    fn nested(&mut self, input: &mut Parser<'_>, within: Within, into: Option<usize>) {
        let before = (std::mem::replace(&mut self.within, within), std::mem::replace(&mut self.into, into));
        for item in RuleBodyParser::new(input, self) {
            let _ = item;
        }
        (self.within, self.into) = before;
    }

    fn open(&mut self, selectors: SelectorList, text: String) -> usize {
        let within = &self.within;
        self.sheet.rules.push(Rule {
            selectors,
            text,
            declarations: Vec::new(),
            media: within.media.clone(),
            layer: within.layer.clone(),
            unsure: within.unsure,
        });
        self.sheet.rules.len() - 1
    }

    /// The declarations of a block that is no rule, such as `@font-face`.
    fn aside(&mut self, input: &mut Parser<'_>) -> Vec<Declaration> {
        let from = self.sheet.rules.len();
        let Some(list) = parse_list(&mut Parser::new(":not(*)"), false) else { return Vec::new() };
        let into = self.open(list, String::new());
        self.nested(input, self.within.clone(), Some(into));
        let declared = std::mem::take(&mut self.sheet.rules[into].declarations);
        self.sheet.rules.truncate(from);
        declared
    }

    /// The rule that declarations directly inside a group of a nested rule go to.
    fn reopen(&mut self) -> Option<usize> {
        let (selectors, text) = self.within.parent.clone()?;
        Some(self.open(selectors, text))
    }
}

impl Scope {
    /// A list of selectors whose elements have to be in the scope, too.
    fn narrow(&self, list: &str) -> Option<SelectorList> {
        let root = format!(":where({})", self.root);
        let narrowed: Vec<String> = split_list(list)
            .into_iter()
            .map(|one| {
                let one = one.replace(":scope", &root).replace('&', &root);
                // A pseudo-element stays last.
                let at = one.find("::").unwrap_or(one.len());
                format!("{}{}{}", &one[..at], self.tail, &one[at..])
            })
            .collect();
        parse_list(&mut Parser::new(&narrowed.join(", ")), false)
    }
}

/// The selectors of a list, split at its own commas.
fn split_list(list: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0_i32, 0);
    let mut parts = Vec::new();
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts
}

/// `(root)`, `(root) to (limit)`.
fn scope(prelude: &str) -> Option<Scope> {
    let parts = pieces(prelude);
    let inside = |part: &&str| Some(part.strip_prefix('(')?.strip_suffix(')')?.trim().to_owned());
    let root = parts.first().and_then(inside).filter(|root| !root.is_empty())?;
    let mut tail = format!(":where(:is({root}), :is({root}) *)");
    if parts.get(1).is_some_and(|word| word.eq_ignore_ascii_case("to"))
        && let Some(limit) = parts.get(2).and_then(inside)
    {
        let limit = limit.replace(":scope", &format!(":is({root})"));
        let below = format!(":is({root}) :is({limit})");
        let _ = write!(tail, ":not(:where({below}, {below} *))");
    }
    // What is no selector makes the whole block void, which an impossible scope does.
    Some(Scope { root, tail })
}

/// What follows the address: a layer, a condition, and queries.
fn import(address: String, rest: &str) -> Option<Import> {
    let mut layer = None;
    let mut rest = rest.trim();
    for part in pieces(rest) {
        let lower = part.to_ascii_lowercase();
        if lower == "layer" {
            layer = Some(format!("(imported {address})"));
        } else if let Some(name) = lower.strip_prefix("layer(").and_then(|name| name.strip_suffix(')')) {
            layer = Some(name.trim().to_owned());
        } else if let Some(condition) = lower.strip_prefix("supports(").and_then(|inner| inner.strip_suffix(')')) {
            let condition = if condition.starts_with('(') { condition.to_owned() } else { format!("({condition})") };
            if !supports(&condition) {
                return None;
            }
        } else {
            break;
        }
        rest = rest.strip_prefix(part).unwrap_or_default().trim_start();
    }
    Some(Import { address, media: rest.to_owned(), layer })
}

type Nothing = ParseError<()>;

impl<'i> QualifiedRuleParser<'i> for Reader<'_> {
    type Prelude = (SelectorList, String);
    type QualifiedRule = ();
    type Error = ();

    fn parse_prelude(&mut self, input: &mut Parser<'i>) -> Result<Self::Prelude, Nothing> {
        input.skip_whitespace();
        let start = input.position();
        let nested = self.within.parent.is_some();
        let list = parse_list(input, nested).ok_or_else(Nothing::unexpected_token)?;
        let text = input.slice_from(start).trim().to_owned();
        let list = match &self.within.scope {
            Some(scope) if !nested => scope.narrow(&text).ok_or_else(Nothing::unexpected_token)?,
            _ => list,
        };
        match &self.within.parent {
            Some((parent, above)) => {
                let list = list.replace_parent_selector(parent);
                Ok((list, format!("{above} {text}")))
            }
            None => Ok((list, text)),
        }
    }

    fn parse_block(&mut self, prelude: Self::Prelude, _: &ParserState, input: &mut Parser<'i>) -> Result<(), Nothing> {
        if self.sheet.rules.len() > MAX_RULES {
            return Err(Nothing::unexpected_token());
        }
        let (selectors, text) = prelude;
        let into = self.open(selectors.clone(), text.clone());
        let within = Within { parent: Some((selectors, text)), ..self.within.clone() };
        self.nested(input, within, Some(into));
        Ok(())
    }
}

impl<'i> AtRuleParser<'i> for Reader<'_> {
    type Prelude = Group;
    type AtRule = ();
    type Error = ();

    fn parse_prelude(&mut self, name: CowRcStr<'i>, input: &mut Parser<'i>) -> Result<Group, Nothing> {
        let name = name.to_ascii_lowercase();
        if name == "import" {
            let at = input.position().byte_index();
            let address = input.expect_url_or_string().map_err(|_| Nothing::unexpected_token())?.to_string();
            self.url(address.clone(), at);
            return Ok(import(address, &rest(input)).map_or(Group::Skip, Group::Import));
        }
        let rest = rest(input);
        Ok(match name.as_str() {
            "media" => Group::Media(rest),
            "layer" => Group::Layer(rest.split(',').map(|layer| layer.trim().to_owned()).collect()),
            "supports" if supports(&rest) => Group::Through,
            "scope" => Group::Scope(scope(&rest)),
            "container" => Group::Unsure,
            "property" => Group::Property(rest),
            "font-face" => Group::FontFace,
            "keyframes" | "-webkit-keyframes" => Group::Keyframes,
            _ => Group::Skip,
        })
    }

    fn rule_without_block(&mut self, group: Group, _: &ParserState) -> Result<(), ()> {
        match group {
            Group::Import(import) => self.sheet.imports.push(import),
            Group::Layer(names) => self.sheet.layers.extend(names),
            _ => {}
        }
        Ok(())
    }

    fn parse_block(&mut self, group: Group, _: &ParserState, input: &mut Parser<'i>) -> Result<(), Nothing> {
        match group {
            Group::Media(query) => {
                self.sheet.media.push(query);
                let mut within = self.within.clone();
                within.media.push(self.sheet.media.len() - 1);
                let outside = std::mem::replace(&mut self.within, within.clone());
                let into = self.reopen();
                self.within = outside;
                self.nested(input, within, into);
            }
            Group::Layer(names) => {
                let inner = names.first().filter(|name| !name.is_empty()).cloned();
                let inner = inner.unwrap_or_else(|| format!("(unnamed {})", self.sheet.layers.len()));
                let layer = match &self.within.layer {
                    Some(outer) => format!("{outer}.{inner}"),
                    None => inner,
                };
                self.sheet.layers.push(layer.clone());
                let within = Within { layer: Some(layer), ..self.within.clone() };
                self.nested(input, within, None);
            }
            Group::Through => {
                let (within, into) = (self.within.clone(), self.into);
                self.nested(input, within, into);
            }
            Group::Scope(Some(scope)) if self.within.parent.is_none() => {
                let within = Within { scope: Some(scope), ..self.within.clone() };
                self.nested(input, within, None);
            }
            // Without a root it is the parent of the `<style>`; inside another rule it is that rule's.
            Group::Scope(_) | Group::Unsure => {
                let within = Within { unsure: true, ..self.within.clone() };
                let outside = std::mem::replace(&mut self.within, within.clone());
                let into = self.reopen();
                self.within = outside;
                self.nested(input, within, into);
            }
            Group::Property(name) => {
                let declared = self.aside(input);
                let of = |wanted: &str| declared.iter().find(|one| one.name == wanted).map(|one| one.value.clone());
                self.sheet.registered.push(Registered {
                    name,
                    initial: of("initial-value"),
                    inherits: of("inherits").is_none_or(|value| !value.eq_ignore_ascii_case("false")),
                });
            }
            Group::FontFace => {
                let declared = self.aside(input);
                let family = declared.iter().find(|one| one.name == "font-family");
                let family = family.map(|family| family.value.trim_matches(['"', '\'']).to_owned());
                self.sheet.font_faces.extend(family);
            }
            Group::Keyframes => {
                self.sheet.keyframes += 1;
                while input.next().is_ok() {}
            }
            Group::Import(_) | Group::Skip => while input.next().is_ok() {},
        }
        Ok(())
    }
}

impl<'i> DeclarationParser<'i> for Reader<'_> {
    type Declaration = ();
    type Error = ();

    fn parse_value(&mut self, name: CowRcStr<'i>, input: &mut Parser<'i>, _: &ParserState) -> Result<(), Nothing> {
        let Some(into) = self.into else { return Err(Nothing::unexpected_token()) };
        input.skip_whitespace();
        let start = input.position();
        loop {
            match input.next() {
                Ok(Token::UnquotedUrl(url)) => {
                    let url = url.to_string();
                    self.url(url, start.byte_index());
                }
                Ok(Token::Function(function)) if function.eq_ignore_ascii_case("url") => {
                    let url = input.parse_nested_block(|inner| {
                        inner.expect_string().map(ToString::to_string).map_err(|_| Nothing::unexpected_token())
                    });
                    if let Ok(url) = url {
                        self.url(url, start.byte_index());
                    }
                }
                // A brace here means a nested rule such as `a:hover { … }`, not a declaration.
                Ok(Token::CurlyBracketBlock) if !name.starts_with("--") => return Err(Nothing::unexpected_token()),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        let whole = input.slice_from(start).trim_end();
        let (value, important) = match whole.rsplit_once('!') {
            Some((value, mark)) if mark.trim().eq_ignore_ascii_case("important") => (value.trim_end(), true),
            _ => (whole, false),
        };
        let span = self.base.map(|base| base.piece(start.byte_index(), value.len()));
        self.sheet.rules[into].declarations.push(Declaration::new(&name, value, important, span));
        Ok(())
    }
}

impl Reader<'_> {
    fn url(&mut self, url: String, at: usize) {
        let span = self.base.map(|base| base.piece(at, 0));
        self.sheet.urls.push((url, span));
    }
}

impl RuleBodyItemParser<'_, (), ()> for Reader<'_> {
    fn parse_declarations(&self) -> bool {
        self.into.is_some()
    }

    fn parse_qualified(&self) -> bool {
        true
    }
}

fn rest(input: &mut Parser<'_>) -> String {
    input.skip_whitespace();
    let start = input.position();
    while input.next().is_ok() {}
    input.slice_from(start).trim().to_owned()
}
