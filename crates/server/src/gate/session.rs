//! Sessions: a browser that brought the key, for some time.
//!
//! Browsers do not tell the ports of one host apart: whatever else listens on this machine and is visited gets our
//! cookie, too. So a session has two halves. One is a cookie that no script can read; the other is kept by our page, in a
//! place that belongs to this port alone, and sent with every request. Each is worth nothing without the other, and
//! neither says anything of the key. Both are made from it, so that a restarted server knows them again.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, Uri, header};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tribunal_app::notify::signature::{is_signed, sign};
use uuid::Uuid;

use super::token::Token;

/// A session that nobody used for so long is over.
const LIFE: Duration = Duration::from_secs(7 * 24 * 3600);
/// One that is used is made longer, and not more often than this.
const RENEWED: Duration = Duration::from_secs(24 * 3600);
/// The page's half, in an address: where a request cannot say it in a header.
pub(crate) const HALF: &str = "key";
const HALF_HEADER: HeaderName = HeaderName::from_static("x-tribunal-key");

/// Who begins sessions, and knows them again.
pub(crate) struct Sessions {
    key: String,
    /// What a session is bound to: the same key may serve several projects.
    place: String,
    cookie: String,
}

/// A session whose visitor is let in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AdmittedSession {
    /// A cookie, if it is to last longer.
    pub(crate) renewed: Option<String>,
}

impl Sessions {
    pub(crate) fn new(token: &Token, project: &str, port: u16) -> Self {
        let key = token.as_str().to_owned();
        Self { key, place: format!("{project}\n{port}"), cookie: format!("tribunal_{port}") }
    }

    /// A new session: its cookie, and the page's half.
    pub(crate) fn begin(&self, now: Duration) -> (String, String) {
        let name = Uuid::new_v4().simple().to_string();
        (self.cookie(&name, now), self.half(&name))
    }

    /// The session of a request that has both halves of one that is not over.
    pub(crate) fn admit(&self, headers: &HeaderMap, half: Option<&str>, now: Duration) -> Option<AdmittedSession> {
        let half = half?;
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let given = cookies.flat_map(|line| line.split("; ")).filter_map(|pair| pair.split_once('='));
        // Somebody else on this host can set a cookie of the same name: one that is good is enough.
        given.filter(|(name, _)| *name == self.cookie).find_map(|(_, value)| {
            let (name, until) = self.read(value, now)?;
            if !is_signed(self.key.as_bytes(), self.half_of(name).as_bytes(), half) {
                return None;
            }
            let is_old = until.saturating_sub(now) + RENEWED < LIFE;
            Some(AdmittedSession { renewed: is_old.then(|| self.cookie(name, now)) })
        })
    }

    fn cookie(&self, name: &str, now: Duration) -> String {
        let until = (now + LIFE).as_secs();
        let signature = sign(self.key.as_bytes(), self.cookie_of(name, until).as_bytes());
        let age = LIFE.as_secs();
        format!("{}={name}.{until}.{signature}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}", self.cookie)
    }

    /// The session's name and when it ends, if a cookie is ours and not too old.
    fn read<'a>(&self, value: &'a str, now: Duration) -> Option<(&'a str, Duration)> {
        let mut parts = value.splitn(3, '.');
        let (name, until, signature) = (parts.next()?, parts.next()?, parts.next()?);
        let until: u64 = until.parse().ok()?;
        let is_ours = is_signed(self.key.as_bytes(), self.cookie_of(name, until).as_bytes(), signature);
        let until = Duration::from_secs(until);
        (is_ours && now < until).then_some((name, until))
    }

    fn half(&self, name: &str) -> String {
        sign(self.key.as_bytes(), self.half_of(name).as_bytes())
    }

    fn half_of(&self, name: &str) -> String {
        format!("page\n{}\n{name}", self.place)
    }

    fn cookie_of(&self, name: &str, until: u64) -> String {
        format!("cookie\n{}\n{name}\n{until}", self.place)
    }
}

/// Takes the page's half out of a request, so that no handler sees it in the address.
pub(crate) fn take_half(request: &mut Request) -> Option<String> {
    let said = request.headers_mut().remove(HALF_HEADER).and_then(|value| value.to_str().ok().map(str::to_owned));
    let Some((clean, given)) = without_half(request.uri()) else { return said };
    *request.uri_mut() = clean;
    said.or(Some(given))
}

fn without_half(uri: &Uri) -> Option<(Uri, String)> {
    let is_half = |part: &&str| part.split_once('=').is_some_and(|(name, _)| name == HALF);
    let parts: Vec<&str> = uri.query()?.split('&').collect();
    let (_, given) = parts.iter().copied().find(is_half)?.split_once('=')?;
    let rest: Vec<&str> = parts.iter().copied().filter(|part| !is_half(part)).collect();
    let clean = if rest.is_empty() { uri.path().to_owned() } else { format!("{}?{}", uri.path(), rest.join("&")) };
    Some((clean.parse().ok()?, given.to_owned()))
}

/// Now, since 1970.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(1_800_000_000);

    fn sessions(project: &str, port: u16) -> Sessions {
        Sessions::new(&Token::new("abcdefghijklmnopqrstuvwxyz").unwrap(), project, port)
    }

    /// The part of a `Set-Cookie` that comes back.
    fn sent(cookie: &str) -> String {
        cookie.split_once(';').unwrap().0.to_owned()
    }

    fn is_admitted(sessions: &Sessions, cookie: &str, half: Option<&str>, now: Duration) -> bool {
        let headers = [(header::COOKIE, cookie.parse().unwrap())].into_iter().collect();
        sessions.admit(&headers, half, now).is_some()
    }

    #[test]
    fn each_half_is_worth_nothing_without_the_other() {
        let ours = sessions("shop", 4747);
        let (cookie, half) = ours.begin(NOW);
        let (other, other_half) = ours.begin(NOW);
        let (cookie, other) = (sent(&cookie), sent(&other));
        assert!(is_admitted(&ours, &cookie, Some(&half), NOW));
        assert!(is_admitted(&ours, &format!("a=b; tribunal_4747=x; {cookie}"), Some(&half), NOW), "among others");
        for (row, cookie, half) in [
            ("the cookie alone", cookie.as_str(), None),
            ("the cookie and nothing", &cookie, Some("")),
            ("another session's half", &cookie, Some(other_half.as_str())),
            ("another session's cookie", &other, Some(&half)),
            ("the half alone", "a=b", Some(&half)),
            ("the half as the cookie", &format!("tribunal_4747={half}"), Some(&half)),
        ] {
            assert!(!is_admitted(&ours, cookie, half, NOW), "{row}");
        }
    }

    #[test]
    fn a_session_is_bound_to_its_place_and_its_key() {
        let (cookie, half) = sessions("shop", 4747).begin(NOW);
        let cookie = sent(&cookie);
        assert!(is_admitted(&sessions("shop", 4747), &cookie, Some(&half), NOW), "after a restart");
        assert!(!is_admitted(&sessions("bakery", 4747), &cookie, Some(&half), NOW));
        let elsewhere = cookie.replace("tribunal_4747", "tribunal_4748");
        assert!(!is_admitted(&sessions("shop", 4748), &elsewhere, Some(&half), NOW));
        let renewed = Sessions::new(&Token::new("another-token-of-enough-letters").unwrap(), "shop", 4747);
        assert!(!is_admitted(&renewed, &cookie, Some(&half), NOW), "a new token ends every session");
    }

    #[test]
    fn a_session_ends_and_is_made_longer_by_use() {
        let ours = sessions("shop", 4747);
        let (cookie, half) = ours.begin(NOW);
        let cookie = sent(&cookie);
        let admit = |cookie: &str, now| {
            let headers = [(header::COOKIE, cookie.parse().unwrap())].into_iter().collect();
            ours.admit(&headers, Some(&half), now)
        };
        assert_eq!(
            admit(&cookie, NOW + RENEWED),
            Some(AdmittedSession { renewed: None }),
            "not more often than needed"
        );
        let renewed = admit(&cookie, NOW + 2 * RENEWED).unwrap().renewed.unwrap();
        assert_eq!(admit(&cookie, NOW + LIFE), None, "it is over");
        assert!(admit(&sent(&renewed), NOW + LIFE).is_some(), "it was used in time");
        let later = cookie.replacen(&(NOW + LIFE).as_secs().to_string(), &(NOW + 2 * LIFE).as_secs().to_string(), 1);
        assert_eq!(admit(&later, NOW), None, "nobody makes it longer themselves");
    }

    #[test]
    fn the_half_leaves_the_address() {
        let without = |uri: &str| without_half(&uri.parse().unwrap()).map(|(uri, half)| (uri.to_string(), half));
        assert_eq!(without("/events?run=1&key=abc&after=2"), Some(("/events?run=1&after=2".into(), "abc".into())));
        assert_eq!(without("/events?key=abc"), Some(("/events".into(), "abc".into())));
        assert_eq!(without("/events?monkey=abc"), None);
        assert_eq!(without("/events"), None);
    }
}
