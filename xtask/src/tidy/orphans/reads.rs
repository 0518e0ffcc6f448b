//! Which fields of certain structs are read, and where.
//!
//! No compiler is at hand, so types are followed as far as signatures, fields and bindings tell them: `project.config()`
//! gives what the function says it gives, `.theater` is a field of that, and whatever an iterator or an option hands to
//! a closure has the type of what it came from. A name that several things share is told apart by the `use`s of its file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::{self, Visit};
use syn::{Expr, FnArg, ImplItem, Item, Member, Pat};

use super::family::{Family, Field, plain};
use super::rust::{Part, expressions};

/// Methods that give what their closure gives; others are taken to give what they are called on.
const MAPPING: &[&str] = &["map", "and_then", "filter_map", "flat_map", "find_map", "map_or", "map_or_else", "then"];

/// Calls that wrap their argument.
const WRAPPING: &[&str] = &["Some", "Ok", "new", "from"];

impl Family {
    /// What is read. Within the family's home only methods of members count, and only those that somebody outside calls,
    /// if need be by way of another one: a check that a value is allowed uses it for nothing.
    pub(super) fn reads<'p>(&self, parts: impl Iterator<Item = (&'p Path, &'p Part)>) -> BTreeSet<Field> {
        let mut outside = Seen::default();
        let mut methods: BTreeMap<String, Seen> = BTreeMap::new();
        for (file, part) in parts {
            for item in &part.items {
                if !(self.is_home)(file) {
                    self.walk(file, part, None, &mut outside).visit_item(item);
                } else if let Item::Impl(block) = item {
                    let Some(owner) = self.member_in(file, part, &block.self_ty) else { continue };
                    for item in &block.items {
                        if let ImplItem::Fn(function) = item {
                            let seen = methods.entry(function.sig.ident.to_string()).or_default();
                            self.walk(file, part, Some(owner.clone()), seen).visit_impl_item_fn(function);
                        }
                    }
                }
            }
        }
        let mut live = outside;
        loop {
            let called = methods.keys().find(|name| live.calls.contains(*name)).cloned();
            let Some(seen) = called.and_then(|name| methods.remove(&name)) else { return live.reads };
            live.reads.extend(seen.reads);
            live.calls.extend(seen.calls);
        }
    }

    fn walk<'f>(&'f self, file: &'f Path, part: &'f Part, own: Option<String>, seen: &'f mut Seen) -> Walker<'f> {
        Walker { family: self, file, part, own, scope: Vec::new(), seen }
    }
}

/// Types begin with a capital.
fn is_type(name: &syn::Ident) -> bool {
    name.to_string().starts_with(|c: char| c.is_uppercase())
}

#[derive(Default)]
struct Seen {
    reads: BTreeSet<Field>,
    calls: BTreeSet<String>,
}

struct Walker<'f> {
    family: &'f Family,
    file: &'f Path,
    part: &'f Part,
    /// What `self` and `Self` are.
    own: Option<String>,
    /// What names stand for, innermost last.
    scope: Vec<(String, Option<String>)>,
    seen: &'f mut Seen,
}

impl Walker<'_> {
    /// The member that an expression gives.
    fn given(&mut self, expression: &Expr) -> Option<String> {
        match expression {
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                if name == "self" {
                    return self.own.clone();
                }
                let (_, held) = self.scope.iter().rev().find(|(known, _)| name == known)?;
                held.clone()
            }
            Expr::Field(field) => {
                let Member::Named(name) = &field.member else { return self.given(&field.base) };
                let name = plain(name);
                match self.given(&field.base).filter(|owner| self.family.has(owner, &name)) {
                    Some(owner) => self.family.held(&owner, &name).map(str::to_owned),
                    None => self.family.holders.get(self.file, &name),
                }
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                if let Some(given) = self.family.methods.get(self.file, &name) {
                    return Some(given);
                }
                let from = self.given(&call.receiver);
                let closure = call.args.iter().find_map(|argument| match argument {
                    Expr::Closure(closure) if MAPPING.contains(&name.as_str()) => Some(closure),
                    _ => None,
                });
                let Some(closure) = closure else { return from };
                self.within(|walker| {
                    closure.inputs.iter().for_each(|input| walker.bind(input, from.as_deref()));
                    walker.given(&closure.body)
                })
            }
            Expr::Call(call) => {
                let Expr::Path(function) = &*call.func else { return None };
                let name = function.path.segments.last()?.ident.to_string();
                // `Config::new()` is a method, too.
                let is_method = function.path.segments.iter().rev().nth(1).is_some_and(|owner| is_type(&owner.ident));
                let known = if is_method { &self.family.methods } else { &self.family.functions };
                if let Some(given) = known.get(self.file, &name) {
                    return Some(given);
                }
                if WRAPPING.contains(&name.as_str()) {
                    return self.given(call.args.first()?);
                }
                None
            }
            Expr::Reference(inner) => self.given(&inner.expr),
            Expr::Paren(inner) => self.given(&inner.expr),
            Expr::Group(inner) => self.given(&inner.expr),
            Expr::Try(inner) => self.given(&inner.expr),
            Expr::Await(inner) => self.given(&inner.base),
            Expr::Unary(inner) => self.given(&inner.expr),
            Expr::Index(inner) => self.given(&inner.expr),
            Expr::Array(inner) => self.given(inner.elems.first()?),
            Expr::Struct(made) => self.family.member(self.file, self.part, &made.path),
            Expr::Block(block) => self.last(&block.block),
            Expr::If(branch) => self.last(&branch.then_branch),
            Expr::Match(choice) => {
                let from = self.given(&choice.expr);
                choice.arms.iter().find_map(|arm| {
                    self.within(|walker| {
                        walker.bind(&arm.pat, from.as_deref());
                        walker.given(&arm.body)
                    })
                })
            }
            _ => None,
        }
    }

    fn last(&mut self, block: &syn::Block) -> Option<String> {
        match block.stmts.last()? {
            syn::Stmt::Expr(expression, None) => self.given(expression),
            _ => None,
        }
    }

    /// Names that are bound in there are forgotten afterwards.
    fn within<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.scope.len();
        let seen = look(self);
        self.scope.truncate(known);
        seen
    }

    /// Binds a pattern to an expression; tuples by their parts.
    fn bind_to(&mut self, pattern: &Pat, expression: &Expr) {
        match (pattern, expression) {
            (Pat::Tuple(pattern), Expr::Tuple(values)) if pattern.elems.len() == values.elems.len() => {
                for (pattern, value) in pattern.elems.iter().zip(&values.elems) {
                    self.bind_to(pattern, value);
                }
            }
            _ => {
                let from = self.given(expression);
                self.bind(pattern, from.as_deref());
            }
        }
    }

    /// Binds the names of a pattern to a value, or to parts of it. Fields that the pattern takes out are read.
    fn bind(&mut self, pattern: &Pat, from: Option<&str>) {
        match pattern {
            Pat::Ident(name) => {
                self.scope.push((name.ident.to_string(), from.map(str::to_owned)));
                if let Some((_, inner)) = &name.subpat {
                    self.bind(inner, from);
                }
            }
            Pat::Type(typed) => {
                let told = self.family.member_in(self.file, self.part, &typed.ty);
                self.bind(&typed.pat, told.as_deref());
            }
            Pat::Reference(inner) => self.bind(&inner.pat, from),
            Pat::Paren(inner) => self.bind(&inner.pat, from),
            Pat::Guard(inner) => self.bind(&inner.pat, from),
            Pat::Or(cases) => cases.cases.iter().for_each(|case| self.bind(case, from)),
            Pat::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.bind(part, from)),
            Pat::Slice(slice) => slice.elems.iter().for_each(|part| self.bind(part, from)),
            Pat::TupleStruct(variant) => {
                let held = self.variant(&variant.path);
                let from = held.as_deref().or(from);
                variant.elems.iter().for_each(|part| self.bind(part, from));
            }
            Pat::Struct(taken) => {
                let owner = self.family.member(self.file, self.part, &taken.path);
                for field in &taken.fields {
                    let Member::Named(name) = &field.member else { continue };
                    let name = plain(name);
                    let held = owner.as_deref().and_then(|owner| self.family.held(owner, &name));
                    let held = held.map(str::to_owned);
                    if let Some(owner) = owner.clone().filter(|_| !matches!(*field.pat, Pat::Wild(_))) {
                        self.seen.reads.insert((owner, name));
                    }
                    self.bind(&field.pat, held.as_deref());
                }
            }
            _ => {}
        }
    }

    /// The member in the variant that a path names.
    fn variant(&self, path: &syn::Path) -> Option<String> {
        let full = self.part.resolve(path);
        let [.., owner, name] = &full[..] else { return None };
        let owner = if owner == "Self" { self.own.as_ref()? } else { owner };
        self.family.held(owner, name).map(str::to_owned)
    }

    fn function(&mut self, signature: &syn::Signature, look: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.scope);
        for input in &signature.inputs {
            if let FnArg::Typed(typed) = input {
                let told = self.family.member_in(self.file, self.part, &typed.ty);
                self.bind(&typed.pat, told.as_deref());
            }
        }
        look(self);
        self.scope = outer;
    }
}

impl<'ast> Visit<'ast> for Walker<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function(&function.sig, |walker| visit::visit_item_fn(walker, function));
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.function(&function.sig, |walker| visit::visit_impl_item_fn(walker, function));
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.within(|walker| visit::visit_block(walker, block));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        match (&local.pat, &local.init) {
            (pattern @ Pat::Type(_), _) | (pattern, None) => self.bind(pattern, None),
            (pattern, Some(init)) => self.bind_to(pattern, &init.expr),
        }
    }

    fn visit_expr_let(&mut self, condition: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, condition);
        self.bind_to(&condition.pat, &condition.expr);
    }

    fn visit_expr_match(&mut self, choice: &'ast syn::ExprMatch) {
        self.visit_expr(&choice.expr);
        for arm in &choice.arms {
            self.within(|walker| {
                walker.bind_to(&arm.pat, &choice.expr);
                visit::visit_arm(walker, arm);
            });
        }
    }

    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        self.visit_expr(&each.expr);
        self.within(|walker| {
            walker.bind_to(&each.pat, &each.expr);
            walker.visit_block(&each.body);
        });
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.within(|walker| {
            closure.inputs.iter().for_each(|input| walker.bind(input, None));
            walker.visit_expr(&closure.body);
        });
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.seen.calls.insert(call.method.to_string());
        self.visit_expr(&call.receiver);
        let from = self.given(&call.receiver);
        for argument in &call.args {
            match argument {
                Expr::Closure(closure) => self.within(|walker| {
                    closure.inputs.iter().for_each(|input| walker.bind(input, from.as_deref()));
                    walker.visit_expr(&closure.body);
                }),
                _ => self.visit_expr(argument),
            }
        }
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.seen.calls.extend(path.path.segments.last().map(|segment| segment.ident.to_string()));
    }

    fn visit_expr_field(&mut self, field: &'ast syn::ExprField) {
        if let (Member::Named(name), Some(owner)) = (&field.member, self.given(&field.base)) {
            let name = plain(name);
            if self.family.has(&owner, &name) {
                self.seen.reads.insert((owner, name));
            }
        }
        self.visit_expr(&field.base);
    }

    fn visit_expr_assign(&mut self, assignment: &'ast syn::ExprAssign) {
        // What is only written is not read.
        match &*assignment.left {
            Expr::Field(field) => self.visit_expr(&field.base),
            other => self.visit_expr(other),
        }
        self.visit_expr(&assignment.right);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        for expression in expressions(call) {
            self.visit_expr(&expression);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rust::Source;
    use super::*;

    const HOME: &str = "
        pub struct Config { pub run: Run, pub agents: BTreeMap<String, Agent> }
        pub struct Run { pub r#loop: u8, pub brief: Option<u8> }
        pub struct Agent { pub kind: u8, pub model: Option<u8>, pub turn: u8 }
        pub enum Command { One(Run), Two(Agent) }
        impl Config {
            pub fn turn(&self, name: &str) -> u8 { self.agent(name).turn }
            fn agent(&self, name: &str) -> &Agent { &self.agents[name] }
        }
        fn check(agent: &Agent) -> bool { agent.model.is_some() }
    ";

    fn reads(code: &str) -> String {
        let parse = |path: &str, text: &str| Source::parse(Path::new(path), text, false).unwrap();
        let (home, user) =
            (parse("home.rs", HOME), parse("user.rs", &format!("use home::{{self, Config, Agent}};{code}")));
        let all = || [&home, &user].into_iter().map(|source| (source.path.as_path(), &source.production));
        let is_home: fn(&Path) -> bool = |file| file.ends_with("home.rs");
        let claims: fn(&Path, &[String]) -> bool = |file, full| file.ends_with("home.rs") || full[0] == "home";
        let found = Family::new(all(), is_home, claims).reads(all());
        found.iter().map(|(owner, name)| format!("{owner}.{name}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn reads_are_followed() {
        for (name, code, expected) in [
            ("a chain", "fn f(c: &Config) { g(c.run.brief) }", "Config.run Run.brief"),
            ("a keyword", "fn f(c: &Config) { g(c.run.r#loop) }", "Config.run Run.loop"),
            (
                "by way of a function",
                "struct P { c: Config } impl P { fn config(&self) -> &Config { &self.c } } fn f(p: &P) { p.config().run }",
                "Config.run",
            ),
            ("a field that holds one", "struct P { config: Config } fn f(p: &P) { p.config.run }", "Config.run"),
            (
                "a closure",
                "fn f(c: &Config) { c.agents.get(n).is_some_and(|agent| agent.kind == 1) }",
                "Agent.kind Config.agents",
            ),
            (
                "a loop",
                "fn f(c: &Config) { for (name, agent) in &c.agents { g(agent.kind) } }",
                "Agent.kind Config.agents",
            ),
            ("taken apart", "fn f(home::Agent { kind, model: _, .. }: &Agent) {}", "Agent.kind"),
            ("a tuple", "fn f((n, a): (&str, &home::Agent)) { let (x, y) = (a, 1); x.kind }", "Agent.kind"),
            ("a macro", "fn f(a: &Agent) { json!({ \"kind\": a.kind }) }", "Agent.kind"),
            (
                "a variant",
                "fn f(c: home::Command) { match c { home::Command::Two(a) => a.kind, _ => 1 } }",
                "Agent.kind",
            ),
            ("a method that is called", "fn f(c: &Config) { c.turn(name) }", "Agent.turn Config.agents"),
            ("a method that nobody calls", "fn f(c: &Config) {}", ""),
            ("only written", "fn f(a: &mut Agent) { a.kind = 1; a.model = a.turn; }", "Agent.turn"),
            ("another struct of that name", "use other::Agent; fn f(a: &Agent) { a.kind }", ""),
            (
                "a field of that name in another struct",
                "struct P { agent: Agent } struct Q { agent: Other } fn f(q: &Q) { q.agent.kind }",
                "",
            ),
            (
                "a function that is called like a method",
                "struct P; impl P { fn config(&self) -> &Config { x } } fn config() -> u8 { 1 } fn f(p: &P) { p.config().run }",
                "Config.run",
            ),
            ("another thing under that name", "fn f(a: &Agent) { let a = other(); a.kind }", ""),
        ] {
            assert_eq!(reads(code), expected, "{name}");
        }
    }
}
