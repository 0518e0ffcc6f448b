//! The forms that in-toto gives: a statement, its subjects, a test result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::Digest;

/// What says of a value that it is a statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// What says of a statement that its predicate is a test result of in-toto's.
pub const TEST_RESULT_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// The names of digests, as in-toto has them.
pub const SHA256: &str = "sha256";
pub const GIT_COMMIT: &str = "gitCommit";
pub const GIT_TREE: &str = "gitTree";

/// Something that is said of subjects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statement<P> {
    #[serde(rename = "_type")]
    pub kind: String,
    pub subject: Vec<ProofSubject>,
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    pub predicate: P,
}

/// What a statement is about: something that has these digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProofSubject {
    pub name: String,
    pub digest: BTreeMap<String, String>,
}

/// In-toto's Test Result, version 0.1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TestResult {
    pub result: TestOutcome,
    pub configuration: Vec<TestResultConfiguration>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_tests: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warned_tests: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_tests: Vec<String>,
}

/// How it came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestOutcome {
    Passed,
    Failed,
}

/// What the result depends on: a resource descriptor of in-toto's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestResultConfiguration {
    pub name: String,
    pub digest: BTreeMap<String, String>,
}

impl<P> Statement<P> {
    pub fn new(subject: Vec<ProofSubject>, predicate_type: &str, predicate: P) -> Self {
        Self { kind: STATEMENT_TYPE.to_owned(), subject, predicate_type: predicate_type.to_owned(), predicate }
    }
}

impl ProofSubject {
    /// A file with these bytes.
    pub fn artifact(name: &str, content: Digest) -> Self {
        Self { name: name.to_owned(), digest: BTreeMap::from([(SHA256.to_owned(), content.to_string())]) }
    }

    /// A commit, as git names it.
    pub fn git(name: &str, commit: &str) -> Self {
        Self { name: name.to_owned(), digest: BTreeMap::from([(GIT_COMMIT.to_owned(), commit.to_owned())]) }
    }
}

impl TestResultConfiguration {
    pub(super) fn new(name: &str, sha256: &str) -> Self {
        Self { name: name.to_owned(), digest: BTreeMap::from([(SHA256.to_owned(), sha256.to_owned())]) }
    }
}
