//! Structs and enums that belong together, and what code tells of them: what their fields hold, which functions give them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Fields, ImplItem, Item, ReturnType, Type};

use super::rust::Part;

/// Structs and enums that belong together, and what is known of them.
pub(super) struct Family {
    members: BTreeMap<String, Shape>,
    /// Whether a full path, used in this file, names a member.
    claims: fn(&Path, &[String]) -> bool,
    /// Whether the file declares members.
    pub(super) is_home: fn(&Path) -> bool,
    /// What functions give that give a member, by their names; and what methods give.
    pub(super) functions: Names,
    pub(super) methods: Names,
    /// What fields hold that hold a member, by their names.
    pub(super) holders: Names,
}

/// A member: the members in its fields, or in its variants.
#[derive(Default)]
struct Shape {
    parts: BTreeMap<String, Option<String>>,
}

/// A field of a member.
pub(super) type Field = (String, String);

impl Family {
    /// The structs and enums that files at home declare, as all these parts tell of them.
    pub(super) fn new<'p>(
        parts: impl Iterator<Item = (&'p Path, &'p Part)>,
        is_home: fn(&Path) -> bool,
        claims: fn(&Path, &[String]) -> bool,
    ) -> Self {
        let parts: Vec<_> = parts.collect();
        let mut family = Self {
            members: BTreeMap::new(),
            claims,
            is_home,
            functions: Names::default(),
            methods: Names::default(),
            holders: Names::default(),
        };
        // Names first: a field's type can only be told when all of them are known.
        for (_, part) in parts.iter().filter(|(file, _)| is_home(file)) {
            for item in &part.items {
                if let Item::Struct(syn::ItemStruct { ident, .. }) | Item::Enum(syn::ItemEnum { ident, .. }) = item {
                    family.members.insert(ident.to_string(), Shape::default());
                }
            }
        }
        for (file, part) in &parts {
            for item in &part.items {
                family.learn(file, part, item);
            }
        }
        family
    }

    /// Whether a member has a field or a variant of this name.
    pub(super) fn has(&self, owner: &str, name: &str) -> bool {
        self.members.get(owner).is_some_and(|shape| shape.parts.contains_key(name))
    }

    /// The member in a field or in a variant of another one.
    pub(super) fn held(&self, owner: &str, name: &str) -> Option<&str> {
        self.members.get(owner)?.parts.get(name)?.as_deref()
    }

    fn learn(&mut self, file: &Path, part: &Part, item: &Item) {
        match item {
            Item::Struct(item) => {
                let owner = (self.is_home)(file).then(|| item.ident.to_string());
                self.learn_fields(file, part, owner.as_deref(), &item.fields);
            }
            Item::Enum(item) => {
                for variant in &item.variants {
                    let held = variant.fields.iter().next().and_then(|field| self.member_in(file, part, &field.ty));
                    if (self.is_home)(file)
                        && let Some(shape) = self.members.get_mut(&item.ident.to_string())
                    {
                        shape.parts.insert(variant.ident.to_string(), held);
                    }
                }
            }
            Item::Fn(item) => {
                let given = self.given_by(file, part, &item.sig);
                self.functions.learn(file, &item.sig.ident.to_string(), given.as_deref());
            }
            Item::Impl(block) => {
                for item in &block.items {
                    if let ImplItem::Fn(function) = item {
                        let given = self.given_by(file, part, &function.sig);
                        self.methods.learn(file, &function.sig.ident.to_string(), given.as_deref());
                    }
                }
            }
            Item::Mod(module) => {
                for item in module.content.iter().flat_map(|(_, items)| items) {
                    self.learn(file, part, item);
                }
            }
            _ => {}
        }
    }

    fn learn_fields(&mut self, file: &Path, part: &Part, owner: Option<&str>, fields: &Fields) {
        for field in fields {
            let Some(name) = field.ident.as_ref().map(plain) else { continue };
            let held = self.member_in(file, part, &field.ty);
            self.holders.learn(file, &name, held.as_deref());
            if let Some(shape) = owner.and_then(|owner| self.members.get_mut(owner)) {
                shape.parts.insert(name, held);
            }
        }
    }

    fn given_by(&self, file: &Path, part: &Part, signature: &syn::Signature) -> Option<String> {
        match &signature.output {
            ReturnType::Type(_, given) => self.member_in(file, part, given),
            ReturnType::Default => None,
        }
    }

    /// The member that a type is, or is made of.
    pub(super) fn member_in(&self, file: &Path, part: &Part, ty: &Type) -> Option<String> {
        struct First<'f>(&'f Family, &'f Path, &'f Part, Option<String>);
        impl Visit<'_> for First<'_> {
            fn visit_path(&mut self, path: &syn::Path) {
                if self.3.is_none() {
                    self.3 = self.0.member(self.1, self.2, path);
                    visit::visit_path(self, path);
                }
            }
        }
        let mut first = First(self, file, part, None);
        first.visit_type(ty);
        first.3
    }

    /// The member that a path names.
    pub(super) fn member(&self, file: &Path, part: &Part, path: &syn::Path) -> Option<String> {
        let full = part.resolve(path);
        let name = full.last().filter(|name| self.members.contains_key(*name))?;
        (self.claims)(file, &full).then(|| name.clone())
    }
}

/// What names stand for, in each crate and everywhere.
#[derive(Default)]
pub(super) struct Names {
    known: BTreeMap<(Option<PathBuf>, String), Option<String>>,
}

impl Names {
    /// A name that stands for two things stands for none: `spec.limits` is not `config.limits`.
    fn learn(&mut self, file: &Path, name: &str, member: Option<&str>) {
        for place in [Some(crate_of(file)), None] {
            let entry = self.known.entry((place, name.to_owned())).or_insert_with(|| member.map(str::to_owned));
            if entry.as_deref() != member {
                *entry = None;
            }
        }
    }

    /// The member that a name stands for in this file's crate, or else everywhere.
    pub(super) fn get(&self, file: &Path, name: &str) -> Option<String> {
        let at = |place| self.known.get(&(place, name.to_owned())).cloned().flatten();
        at(Some(crate_of(file))).or_else(|| at(None))
    }
}

/// `crates/cli` for all files in there.
fn crate_of(file: &Path) -> PathBuf {
    file.components().take(2).collect()
}

/// A name without the `r#` of a keyword.
pub(super) fn plain(name: &syn::Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}
