//! Why a call brought nothing, and whether to ask again.

use serde_json::Value;

use super::Http;
use crate::fault::Fault;
use crate::{AgentError, Resumption, limit};

/// Why a call brought nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) what: What,
    /// Whether something of the answer was shown already: then it cannot be asked for again in secret.
    pub(super) is_seen: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// The provider refused, with a status, or the connection did not hold, without one.
    Fault {
        fault: Fault,
        when: Option<Resumption>,
    },
    /// What came back was no whole answer.
    Broken(String),
    /// The model had more to say than it may.
    CutOff(String),
    /// The provider kept the answer to itself.
    Withheld(String),
    Silent,
    TooMuch,
}

/// When to ask again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Again {
    Never,
    /// The provider is in trouble: some tries.
    Soon,
    /// The provider wants us to wait, for so long if it says so.
    Parked(Option<Resumption>),
}

impl Failure {
    pub(super) fn broken(why: impl Into<String>) -> Self {
        What::Broken(why.into()).into()
    }

    pub(super) fn lost(words: String) -> Self {
        What::Fault { fault: Fault::new(None, words), when: None }.into()
    }

    /// A refusal with a status. Whatever the status: an account without money gets no better by waiting.
    pub(super) fn refused(status: u16, body: &str, when: Option<Resumption>) -> Self {
        let is_poor = status == 429 && body.contains("insufficient_quota");
        let status = if is_poor { 402 } else { status };
        let when = when.or_else(|| limit::delay_in(body).map(Resumption::In));
        What::Fault { fault: Fault::new(Some(status), words_of(body)), when }.into()
    }

    /// An error in the middle of a stream, whose status is in its words.
    pub(super) fn interjected(body: &Value) -> Self {
        Self::refused(status_in(body).unwrap_or(500), &body.to_string(), None)
    }

    /// When to ask again.
    pub(super) fn again(&self) -> Again {
        match &self.what {
            _ if self.is_seen => Again::Never,
            What::Fault { fault, when } => match (fault.status, when) {
                (Some(429), when) => Again::Parked(when.clone()),
                (Some(408 | 409 | 500..), Some(when)) => Again::Parked(Some(when.clone())),
                (None | Some(408 | 409 | 500..), None) => Again::Soon,
                _ => Again::Never,
            },
            What::Broken(_) | What::CutOff(_) | What::Withheld(_) | What::Silent | What::TooMuch => Again::Never,
        }
    }

    /// Whether the provider takes no temperature, or not this one. They all name it.
    pub(super) fn is_about_the_temperature(&self) -> bool {
        let What::Fault { fault, .. } = &self.what else { return false };
        matches!(fault.status, Some(400 | 422)) && fault.words.to_ascii_lowercase().contains("temperature")
    }

    /// Whether it may go away if the form is asked for in the prompt alone.
    pub(super) fn may_be_about_the_form(&self) -> bool {
        let What::Fault { fault, .. } = &self.what else { return false };
        matches!(fault.status, Some(400 | 422))
    }

    /// The same without the key, should the words hold it. What is shorter than any key is a word like others.
    pub(super) fn without(mut self, key: Option<&str>) -> Self {
        const MIN_KEY: usize = 8;
        if let (What::Fault { fault, .. }, Some(key)) = (&mut self.what, key.filter(|key| MIN_KEY <= key.len())) {
            fault.words = fault.words.replace(key, "…");
        }
        self
    }

    /// What it means for the turn.
    pub(super) fn error(self, http: &Http) -> AgentError {
        let agent = http.name.clone();
        match self.what {
            What::Fault { fault, when } => {
                let fault = Fault { when, ..fault };
                let login = match http.provider.variable() {
                    Some(variable) => format!("check the key in `${variable}`"),
                    None => "the server wants a key".to_owned(),
                };
                fault.error(&agent, http.api_key.as_deref(), &login)
            }
            What::Broken(why) => AgentError::Provider { agent, status: None, why },
            What::CutOff(why) => AgentError::CutOff { agent, why },
            What::Withheld(why) => AgentError::Refused {
                why: format!("the provider withheld the answer ({why})"),
                hint: format!("say it in other words, or give `agents.{agent}` another model"),
                agent,
            },
            What::Silent => AgentError::Silent { agent, idle: http.idle },
            What::TooMuch => AgentError::TooMuchOutput { agent, limit: http.output },
        }
    }
}

impl From<What> for Failure {
    fn from(what: What) -> Self {
        Self { what, is_seen: false }
    }
}

/// What a body says: its message, where it has one.
fn words_of(body: &str) -> String {
    let object = serde_json::from_str::<Value>(body).ok();
    // Gemini puts its object into a list where a stream was asked for.
    let object = object.map(|value| value.get(0).cloned().unwrap_or(value));
    let paths = ["/error/message", "/message", "/detail", "/error", "/response/error/message"];
    let message =
        object.and_then(|object| paths.iter().find_map(|path| object.pointer(path)?.as_str().map(str::to_owned)));
    message.unwrap_or_else(|| body.to_owned())
}

/// The status that an error in a stream would have had.
fn status_in(body: &Value) -> Option<u16> {
    let error = body.get("error").filter(|error| error.is_object()).unwrap_or(body);
    let number = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let word = |name| error.get(name).and_then(Value::as_str).unwrap_or_default();
    number.filter(|code| (400..600).contains(code)).or_else(|| {
        Some(match [word("type"), word("code"), word("status")] {
            words if words.contains(&"overloaded_error") => 529,
            words if words.contains(&"rate_limit_error") || words.contains(&"rate_limit_exceeded") => 429,
            words if words.contains(&"insufficient_quota") => 402,
            words if words.contains(&"authentication_error") => 401,
            words if words.contains(&"permission_error") => 403,
            words if words.contains(&"not_found_error") => 404,
            words if words.contains(&"invalid_request_error") => 400,
            _ => return None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn what_is_asked_again() {
        let wait = || Resumption::In(Duration::from_secs(3));
        for (status, when, expected) in [
            (None, None, Again::Soon),
            (Some(429), None, Again::Parked(None)),
            (Some(429), Some(wait()), Again::Parked(Some(wait()))),
            (Some(500), None, Again::Soon),
            (Some(503), Some(wait()), Again::Parked(Some(wait()))),
            (Some(529), None, Again::Soon),
            (Some(408), None, Again::Soon),
            (Some(400), None, Again::Never),
            (Some(401), Some(wait()), Again::Never),
            (Some(302), None, Again::Never),
        ] {
            let failure = match status {
                Some(status) => Failure::refused(status, "no", when.clone()),
                None => Failure::lost("gone".into()),
            };
            assert_eq!(failure.again(), expected, "{status:?} {when:?}");
            let seen = Failure { is_seen: true, ..failure };
            assert_eq!(seen.again(), Again::Never, "seen: {status:?} {when:?}");
        }
    }

    #[test]
    fn words_are_found_in_bodies() {
        for (body, expected) in [
            (r#"{"error": {"message": "Overloaded"}}"#, "Overloaded"),
            (r#"{"error": "model not found"}"#, "model not found"),
            (r#"[{"error": {"code": 400, "message": "API key not valid."}}]"#, "API key not valid."),
            (r#"{"detail": "Not Found"}"#, "Not Found"),
            ("<html>Bad gateway</html>", "<html>Bad gateway</html>"),
            ("", ""),
        ] {
            assert_eq!(words_of(body), expected, "{body}");
        }
    }

    #[test]
    fn errors_in_a_stream_have_the_status_they_would_have_had() {
        for (body, expected) in [
            (json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}), Some(529)),
            (json!({"error": {"code": 503, "status": "UNAVAILABLE"}}), Some(503)),
            (json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}), Some(429)),
            (json!({"message": "boom"}), None),
        ] {
            assert_eq!(status_in(&body), expected, "{body}");
        }
    }

    #[test]
    fn an_empty_account_is_no_reason_to_wait() {
        let body = r#"{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota."}}"#;
        assert_eq!(Failure::refused(429, body, None).again(), Again::Never);
    }

    #[test]
    fn a_key_in_the_words_is_not_repeated() {
        let failure = Failure::refused(401, "bad key sk-secret", None).without(Some("sk-secret"));
        assert!(!format!("{failure:?}").contains("sk-secret"));
    }
}
