//! A role's report: its measurements joined into one score.

use crate::{
    DesignTokens, Document, Surroundings, a11y, brand, copy, critic,
    finding::{MeasuredFinding, Weight},
    measure::{Measurement, tenths},
    production_in,
    surroundings::KnownFiles,
};

/// Who measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Critic,
    Brand,
    A11y,
    Copy,
    Production,
}

impl Role {
    pub const ALL: [Self; 5] = [Self::Critic, Self::Brand, Self::A11y, Self::Copy, Self::Production];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critic => "critic",
            Self::Brand => "brand",
            Self::A11y => "a11y",
            Self::Copy => "copy",
            Self::Production => "production",
        }
    }

    /// How much a dimension counts for this role; 1 where nothing else is said.
    pub fn weight(self, dimension: &str) -> f64 {
        match (self, dimension) {
            (Self::A11y, "contrast") => 3.0,
            (Self::Brand, "colours") | (Self::Copy, "filler" | "finished") | (Self::Production, "links" | "assets") => {
                2.0
            }
            (Self::A11y, "alt" | "labels" | "names" | "focus")
            | (Self::Critic, "hierarchy" | "type")
            | (Self::Brand, "fonts") => 1.5,
            (Self::A11y, "language" | "title" | "landmarks" | "lists" | "targets" | "motion" | "zoom")
            | (Self::Copy, "repetition" | "verbs" | "heading-length") => 0.5,
            _ => 1.0,
        }
    }
}

/// What a role says of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleReport {
    pub role: Role,
    /// The weighted mean of the dimensions in tenths; `None` when nothing applied, which is no praise.
    pub score: Option<f64>,
    pub dims: Vec<Measurement>,
    /// The findings that keep the work from shipping, gravest role first as they were measured.
    pub must_fix: Vec<MeasuredFinding>,
}

/// Measures what a role looks at. `exists` says whether a path below the document's root is there.
pub fn measure(role: Role, document: &Document, tokens: &DesignTokens, exists: &dyn Fn(&str) -> bool) -> RoleReport {
    measure_in(role, document, tokens, &KnownFiles(exists))
}

/// The same with everything that is around the document.
pub fn measure_in(role: Role, document: &Document, tokens: &DesignTokens, around: &dyn Surroundings) -> RoleReport {
    let dims = match role {
        Role::Critic => critic(document),
        Role::Brand => brand(document, tokens),
        Role::A11y => a11y(document),
        Role::Copy => copy(document),
        Role::Production => production_in(document, around),
    };
    report(role, dims)
}

/// Joins a role's measurements.
pub fn report(role: Role, dims: Vec<Measurement>) -> RoleReport {
    let decided = || dims.iter().filter(|dim| dim.decided);
    let total: f64 = decided().map(|dim| role.weight(dim.dimension)).sum();
    let sum: f64 = decided().map(|dim| role.weight(dim.dimension) * dim.score).sum();
    let must_fix = dims
        .iter()
        .flat_map(|dim| &dim.findings)
        .filter(|finding| finding.weight == Weight::MustFix)
        .cloned()
        .collect();
    RoleReport { role, score: (total > 0.0).then(|| tenths(sum / total)), dims, must_fix }
}

impl RoleReport {
    pub fn findings(&self) -> impl Iterator<Item = &MeasuredFinding> {
        self.dims.iter().flat_map(|dim| &dim.findings)
    }
}

impl std::fmt::Display for RoleReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.score {
            Some(score) => write!(f, "{} {score:.1}, {} must-fix", self.role.as_str(), self.must_fix.len())?,
            None => write!(f, "{}: nothing to measure", self.role.as_str())?,
        }
        for dim in &self.dims {
            write!(f, "\n{dim}")?;
        }
        Ok(())
    }
}
