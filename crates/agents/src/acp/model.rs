//! The request that chooses a model, if the agent takes one.

use serde_json::{Value, json};

/// A method and its parameters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) method: &'static str,
    pub(super) params: Value,
}

/// How this session is told its model. There are two ways, of which an agent has one: an option of the session, or, from
/// the time before there were options, a list of models beside it. Whether it knows the model is for the agent to say.
pub(super) fn choice(session: &Value, model: &str) -> Option<Choice> {
    let id = &session["sessionId"];
    if let Some(option) = option(session) {
        let params = json!({ "sessionId": id, "configId": option["id"], "value": model });
        return Some(Choice { method: "session/set_config_option", params });
    }
    session["models"]
        .is_object()
        .then(|| Choice { method: "session/set_model", params: json!({ "sessionId": id, "modelId": model }) })
}

/// The models that it offers, as far as it says.
pub(super) fn offered(session: &Value) -> Vec<&str> {
    let listed = session["models"]["availableModels"].as_array().into_iter().flatten();
    let listed = listed.filter_map(|model| model["modelId"].as_str());
    // Options may be in groups.
    let options = option(session).map(|option| &option["options"]).and_then(Value::as_array).into_iter().flatten();
    let options = options.flat_map(|one| one["options"].as_array().map_or(std::slice::from_ref(one), Vec::as_slice));
    listed.chain(options.filter_map(|one| one["value"].as_str())).collect()
}

fn option(session: &Value) -> Option<&Value> {
    let options = session["configOptions"].as_array()?;
    options.iter().find(|option| option["category"] == "model" && option["type"] == "select")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Gemini 0.61 and `OpenCode` 1.18 have it.
    #[test]
    fn both_ways_and_none() {
        let listed =
            json!({ "sessionId": "s", "models": { "availableModels": [{ "modelId": "auto" }, { "modelId": "pro" }] } });
        let options = json!({ "sessionId": "s", "configOptions": [
            { "id": "mode", "category": "mode", "type": "select", "options": [{ "value": "plan" }] },
            { "id": "m", "category": "model", "type": "select", "options": [{ "value": "a/b" }, { "options": [{ "value": "a/c" }] }] },
        ] });
        let none = json!({ "sessionId": "s" });
        for (name, session, expected, models) in [
            (
                "a list",
                &listed,
                Some(("session/set_model", json!({ "sessionId": "s", "modelId": "x" }))),
                vec!["auto", "pro"],
            ),
            (
                "an option",
                &options,
                Some(("session/set_config_option", json!({ "sessionId": "s", "configId": "m", "value": "x" }))),
                vec!["a/b", "a/c"],
            ),
            ("none", &none, None, vec![]),
        ] {
            assert_eq!(choice(session, "x").map(|choice| (choice.method, choice.params)), expected, "{name}");
            assert_eq!(offered(session), models, "{name}");
        }
    }
}
