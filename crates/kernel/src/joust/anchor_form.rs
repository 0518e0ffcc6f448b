//! The form of the first answer where it has to bring an anchor: typed and required, so that agents that take schemas
//! cannot leave it out or make up another one.

use serde_json::{Value, json};
use tribunal_anchors::AnchorKind;

use super::answers::BootstrapAnswer;
use crate::answer::schema;
use crate::prompt::Part;

/// The first answer, with an anchor of this kind in it.
pub(super) fn bootstrap(kind: AnchorKind) -> Part {
    let mut form: Value = serde_json::from_str(&schema::<BootstrapAnswer>()).expect("a schema is plain JSON");
    form["properties"]["anchor"] = anchor(kind);
    if let Some(required) = form["required"].as_array_mut() {
        required.push(json!("anchor"));
    }
    Part::Form(form.to_string())
}

/// An anchor of this kind.
fn anchor(kind: AnchorKind) -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    // A rule in plain words, or one that a program can check; which fields that has depends on its kind.
    let rule = json!({ "anyOf": [text, {
        "type": "object", "required": ["kind", "rule"],
        "properties": { "kind": { "enum": ["pattern", "predicate", "command", "semantic"] }, "rule": text },
    }]});
    let rules = json!({ "type": "array", "items": rule });
    let table =
        |fields: Value, required: &[&str]| json!({ "type": "object", "properties": fields, "required": required });
    let list = |of: Value| json!({ "type": "array", "minItems": 1, "items": of });
    let (fields, required): (Value, &[&str]) = match kind {
        AnchorKind::Invariants => (json!({ "MUST": rules, "SHOULD": rules, "MUST_NOT": rules }), &["MUST"]),
        AnchorKind::Acceptance => {
            let item = table(json!({ "question": text, "done_when": text, "rule": rule }), &["question", "done_when"]);
            (json!({ "items": list(item) }), &["items"])
        }
        AnchorKind::Exemplars => (json!({ "positive": list(text), "negative": texts }), &["positive"]),
        AnchorKind::Assertions => {
            let check = table(json!({ "description": text, "predicate": rule }), &["description", "predicate"]);
            (json!({ "checks": list(check) }), &["checks"])
        }
        AnchorKind::Rubric => {
            let whole = json!({ "type": "integer" });
            let dim = table(json!({ "name": text, "weight": whole, "floor": whole }), &["name"]);
            (json!({ "dims": list(dim) }), &["dims"])
        }
        AnchorKind::Goal => (json!({ "north_star": text, "constraints": rules }), &["north_star"]),
    };
    let mut anchor = table(fields, required);
    anchor["properties"]["kind"] = json!({ "const": kind.as_str() });
    if let Some(required) = anchor["required"].as_array_mut() {
        required.insert(0, json!("kind"));
    }
    anchor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_of_the_kind_that_is_asked_for_is_required() {
        for kind in AnchorKind::ALL {
            let Part::Form(form) = bootstrap(kind) else { panic!("a form") };
            let form: Value = serde_json::from_str(&form).unwrap();
            assert_eq!(form["required"], json!(["draft", "anchor"]), "{kind:?}");
            let anchor = &form["properties"]["anchor"];
            assert_eq!(anchor["properties"]["kind"]["const"], kind.as_str());
            for field in anchor["required"].as_array().unwrap() {
                assert!(anchor["properties"].get(field.as_str().unwrap()).is_some(), "{kind:?}: {field}");
            }
        }
    }
}
