//! What an agent may do that asks first.

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind as Kind, RequestPermissionOutcome, RequestPermissionRequest,
    SelectedPermissionOutcome, ToolKind,
};

/// The answer to a request for permission. A turn of a desk is in our sandbox, which is what holds it, so there all is
/// allowed; elsewhere only what reads. What kind of tool it is, the agent says itself: this is a rule for agents that
/// mean well, not a wall.
pub(super) fn answer(request: &RequestPermissionRequest, works: bool) -> RequestPermissionOutcome {
    let reads = matches!(request.tool_call.fields.kind, Some(ToolKind::Read | ToolKind::Search | ToolKind::Think));
    // Once rather than always: the next request is another one.
    let wanted =
        if works || reads { [Kind::AllowOnce, Kind::AllowAlways] } else { [Kind::RejectOnce, Kind::RejectAlways] };
    let find = |kind: &Kind| request.options.iter().find(|option: &&PermissionOption| option.kind == *kind);
    match wanted.iter().find_map(find) {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone())),
        // Nothing that we may choose: whatever it was, it does not happen.
        None => RequestPermissionOutcome::Cancelled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chosen(kind: &str, kinds: &[&str], works: bool) -> String {
        let options: Vec<_> =
            kinds.iter().map(|kind| json!({ "optionId": kind, "name": kind, "kind": kind })).collect();
        let request = json!({ "sessionId": "s", "toolCall": { "toolCallId": "t", "kind": kind }, "options": options });
        match answer(&serde_json::from_value(request).unwrap(), works) {
            RequestPermissionOutcome::Selected(chosen) => chosen.option_id.to_string(),
            _ => "cancelled".into(),
        }
    }

    #[test]
    fn who_speaks_may_read_and_who_works_may_do_anything() {
        let all = ["allow_always", "allow_once", "reject_always", "reject_once"];
        for (kind, speaks, works) in [
            ("read", "allow_once", "allow_once"),
            ("search", "allow_once", "allow_once"),
            ("think", "allow_once", "allow_once"),
            ("edit", "reject_once", "allow_once"),
            ("delete", "reject_once", "allow_once"),
            ("move", "reject_once", "allow_once"),
            ("execute", "reject_once", "allow_once"),
            ("fetch", "reject_once", "allow_once"),
            ("switch_mode", "reject_once", "allow_once"),
            ("other", "reject_once", "allow_once"),
            ("something new", "reject_once", "allow_once"),
        ] {
            assert_eq!(
                (chosen(kind, &all, false).as_str(), chosen(kind, &all, true).as_str()),
                (speaks, works),
                "{kind}"
            );
        }
    }

    #[test]
    fn what_is_not_offered_is_not_chosen() {
        for (name, kind, options, works, expected) in [
            ("always, where there is no once", "edit", &["allow_always"] as &[&str], true, "allow_always"),
            ("nothing to reject with", "edit", &["allow_once", "allow_always"], false, "cancelled"),
            ("nothing to allow with", "read", &["reject_once"], false, "cancelled"),
            ("nothing at all", "edit", &[], true, "cancelled"),
        ] {
            assert_eq!(chosen(kind, options, works), expected, "{name}");
        }
    }
}
