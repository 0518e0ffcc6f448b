//! Limits of providers, in their own words: whether a refusal says "not now", and when requests are taken again.
//!
//! Command lines do not pass statuses and headers on; they print a sentence for people. Each sentence that is known stands
//! in the table of the tests, with where it is from.

use std::time::Duration;

use crate::resumption::{self, LONGEST, Resumption};

/// What a provider says that takes no requests for now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limited {
    /// When it takes requests again, if it says so.
    pub(crate) when: Option<Resumption>,
}

/// Statuses that say "not now".
const STATUSES: [u16; 2] = [429, 529];

/// Words that say so where the status is lost.
const SIGNS: [&str; 27] = [
    "rate limit",
    "rate-limit",
    "rate_limit",
    "ratelimit",
    "too many requests",
    "usage limit",
    "session limit",
    "weekly limit",
    "monthly limit",
    "5-hour limit",
    "hour limit reached",
    "hit your limit",
    "request limit reached",
    "quota exceeded",
    "exceeded your current quota",
    "exceeded your quota",
    "quota exhausted",
    "quota will reset",
    "exhausted your capacity",
    "exhausted your daily quota",
    "resource_exhausted",
    "resource has been exhausted",
    "overloaded",
    "out of extra usage",
    "out of usage credits",
    "status: 429",
    "(429)",
];

/// Words of an account that has no money left: it gets no better by waiting.
const POOR: [&str; 6] = [
    "insufficient_quota",
    "credit balance",
    "billing details",
    "insufficient balance",
    "purchase more credits",
    "usage credits",
];

/// How sentences begin that name a limit of their own, `you've hit your opus limit`, and how far away its last word may be.
const NAMED: [&str; 4] = ["hit your ", "reached your ", "hit the ", "reached the "];
const NAMED_WITHIN: usize = 40;

/// What stands before the number where 429 is a status, and not a line or a port.
const BEFORE_STATUS: [&str; 9] =
    ["status", "statuscode", "status_code", "code", "error", "http", "http/1.0", "http/1.1", "http/2"];

/// What introduces a span of time.
const SPANS: [&str; 9] = [
    "again in ",
    "retry in ",
    "retry after ",
    "retry-after: ",
    "retrydelay\": \"",
    "retrydelay\":\"",
    "reset after ",
    "resets in ",
    "reset in ",
];

/// Whether a refusal says "not now", and until when: in its words, or apart from them.
pub(crate) fn read(status: Option<u16>, words: &str, apart: Option<Resumption>) -> Option<Limited> {
    let words = words.to_lowercase();
    let when = apart.or_else(|| span(&words).map(Resumption::In)).or_else(|| resumption::said(&words));
    let is_said = status.is_some_and(|status| STATUSES.contains(&status))
        || (status.is_none_or(|status| status == 403 || status >= 500)
            && (has_sign(&words) || (when.is_some() && names_limit(&words))));
    if !is_said {
        return None;
    }
    (when.is_some() || !POOR.iter().any(|poor| words.contains(poor))).then_some(Limited { when })
}

/// Whether a program that died said "not now" on its way out. What it did is not what it says: where it was in its own files
/// is left out.
pub(crate) fn is_said_by_dead(last_words: &str) -> bool {
    let is_frame = |line: &&str| line.trim_start().starts_with("at ");
    let is_path = |word: &&str| {
        let word = word.trim_start_matches(['\'', '"', '(', '`', '[', '<']);
        ["/", "~/", "./", "../", "file:"].iter().any(|start| word.starts_with(start)) || word.contains('\\')
    };
    let plain = |line: &str| line.split_whitespace().filter(|word| !is_path(word)).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = last_words.lines().filter(|line| !is_frame(line)).map(plain).collect();
    read(None, &lines.join("\n"), None).is_some()
}

/// Whether words have a sign. A name that has one in it, such as that of a package or of a file, is none.
fn has_sign(words: &str) -> bool {
    let is_name = |at: usize, sign: &str| {
        let (before, after) = (&words[..at], &words[at + sign.len()..]);
        let goes_on = |mark: char| after.strip_prefix(mark).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
        let is_doer = after.starts_with("er") && !after.starts_with("error");
        before.ends_with(['-', '/', '@']) || is_doer || goes_on('.') || goes_on('/')
    };
    let has = |sign: &&str| words.match_indices(*sign).any(|(at, sign)| !is_name(at, sign));
    SIGNS.iter().any(has) || has_status(words)
}

/// `HTTP 429`, `status code 429`, `Error: 429`.
fn has_status(words: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let mut before = "";
    words.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty()).any(|word| {
        let before = std::mem::replace(&mut before, word);
        word.trim_end_matches('.') == "429" && BEFORE_STATUS.contains(&before)
    })
}

/// Whether a sentence names a limit that is used up, whatever its name is. Such words alone are not enough: a context has
/// a limit, too.
fn names_limit(words: &str) -> bool {
    let is_near = |rest: &str| rest.find("limit").is_some_and(|at| at <= NAMED_WITHIN && !rest[..at].contains('.'));
    let begins = |begin: &&str| words.match_indices(*begin).any(|(at, begin)| is_near(&words[at + begin.len()..]));
    words.contains("limit reached") || NAMED.iter().any(begins)
}

/// The last words of a program that died: what it says of a limit is there, and not in what it printed on its way.
pub(crate) fn last_words(stderr: &str) -> String {
    const LINES: usize = 8;
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// `3 hours 12 minutes`, `1h22m3s`, `34.07s`, `450ms`.
pub(crate) fn span_of(text: &str) -> Option<Duration> {
    let mut rest = text.trim_start();
    let mut sum: Option<Duration> = None;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].trim_end_matches('.').parse::<f64>() else { break };
        let after = rest[digits..].trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let unit = match &after[..letters] {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => break,
        };
        let part = Duration::try_from_secs_f64(number * unit).ok()?;
        sum = Some(sum.unwrap_or_default().saturating_add(part));
        rest = after[letters..].trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    sum
}

/// How long a body of Gemini's asks to wait: `"retryDelay": "34s"` among its details.
pub(crate) fn delay_in(body: &str) -> Option<Duration> {
    let (_, rest) = body.split_once("\"retryDelay\"")?;
    span_of(rest.trim_start_matches([' ', ':', '"'])).filter(|wait| *wait <= LONGEST)
}

fn span(words: &str) -> Option<Duration> {
    let after = |mark: &str| words.rfind(mark).map(|at| words[at + mark.len()..].trim_start_matches("about "));
    SPANS.iter().find_map(|mark| span_of(after(mark)?)).filter(|wait| *wait <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Zoned;

    /// Wednesday, 18 November 2026, 14:00 in Berlin.
    fn now() -> Zoned {
        "2026-11-18T14:00:00+01:00[Europe/Berlin]".parse().unwrap()
    }

    #[test]
    fn every_known_way_to_be_limited_says_when() {
        let hours = |hours: f64| Some(Some(Duration::from_secs_f64(hours * 3600.0)));
        let seconds = |seconds: f64| Some(Some(Duration::from_secs_f64(seconds)));
        let sometime = Some(None);
        for (status, words, expected) in [
            // Claude Code
            (None, "You've hit your session limit · resets 5pm", hours(3.0)),
            (None, "You've hit your session limit · resets 5:30pm (Europe/Berlin)", hours(3.5)),
            (None, "You've hit your weekly limit · resets Nov 20 at 2pm (Europe/Berlin)", hours(48.0)),
            (None, "5-hour limit reached ∙ resets 3am", hours(13.0)),
            (None, "Weekly limit reached ∙ resets Nov 19, 1pm", hours(23.0)),
            (None, "Claude AI usage limit reached|1795014000", hours(2.0)),
            (None, "You've hit your Opus limit · resets 3:45pm", hours(1.75)),
            (None, "You've hit your Sonnet limit · resets 3:45pm", hours(1.75)),
            (None, "Opus limit reached ∙ resets 5pm", hours(3.0)),
            (None, "You're out of extra usage · resets 4pm", hours(2.0)),
            (None, "You're out of usage credits · resets 3am", hours(13.0)),
            (Some(429), "You've hit your Opus limit", sometime),
            // A day of the week; today's name is today, or in a week where the hour is over.
            (None, "You've hit your weekly limit · resets Mon 12:00am", hours(106.0)),
            (None, "You've hit your weekly limit · resets Sun 9pm (UTC)", hours(104.0)),
            (None, "You've hit your weekly limit · resets Wednesday 3pm", hours(1.0)),
            (None, "You've hit your weekly limit · resets Wed, 1pm", hours(167.0)),
            (None, "You've hit your weekly limit · resets Fri, Nov 20 at 2pm", hours(48.0)),
            // A day that is over is nobody's: in a year nobody has to wait, and "now" nobody said.
            (None, "You've hit your weekly limit · resets Oct 1, 2:15pm", sometime),
            (Some(429), "API Error: Request rejected (429) · This request would exceed the rate limit.", sometime),
            (Some(529), "API Error: Repeated 529 Overloaded errors", sometime),
            (Some(500), "API Error: 500 {\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}", sometime),
            // Codex
            (None, "You've hit your usage limit. Upgrade to Pro or try again in 3 hours 12 minutes.", hours(3.2)),
            (None, "You've hit your usage limit. Try again in 4 days 20 hours 9 minutes.", hours(116.15)),
            (None, "You've hit your usage limit. To get more access now, try again at 5:30 PM.", hours(3.5)),
            (None, "You've hit your usage limit. Try again at Nov 19th, 2026 2:00 PM.", hours(24.0)),
            (Some(429), "exceeded retry limit, last status: 429 Too Many Requests", sometime),
            (None, "Error: 429 status code (no body)", sometime),
            (None, "stream error: HTTP 429", sometime),
            (None, "request failed: error code 429.", sometime),
            (None, "{\"error\":{\"code\":429,\"message\":\"slow down\"}}", sometime),
            (None, "quota exhausted", sometime),
            (None, "You have reached your 5-hour message limit. Try again at 17:00", hours(3.0)),
            (None, "Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 6m0s.", seconds(360.0)),
            (None, "Rate limit reached for gpt-5. Please try again in 450ms.", seconds(0.45)),
            // Gemini
            (
                Some(429),
                "You exceeded your current quota, please check your plan and billing details. Please retry in 34.074s.",
                seconds(34.074),
            ),
            (
                None,
                "{\"@type\": \"type.googleapis.com/google.rpc.RetryInfo\", \"retryDelay\": \"18s\"} RESOURCE_EXHAUSTED",
                seconds(18.0),
            ),
            (
                None,
                "You have exhausted your capacity on this model. Your quota will reset after 10h22m5s.",
                seconds(37325.0),
            ),
            (None, "Resource has been exhausted (e.g. check quota).", sometime),
            (Some(429), "You have exhausted your daily quota on this model.", sometime),
            // OpenCode, Qwen, Copilot, goose and others
            (Some(429), "Rate limit reached for requests.", sometime),
            (None, "Internal error: Rate limit reached for requests.", sometime),
            (Some(429), "429 You exceeded your quota. Retry after 20 seconds", seconds(20.0)),
            (
                None,
                "Sorry, you've hit a rate limit that restricts the number of requests. Please try again in 2 hours.",
                hours(2.0),
            ),
            (Some(403), "API rate limit exceeded for user. Resets at 2026-11-18T13:10:00Z", seconds(600.0)),
            (None, "Rate limit exceeded: try again in 1 minute and 5 seconds", seconds(65.0)),
            (None, "Too many requests; resets at 15:00 UTC", hours(2.0)),
            // A moment that is over: now.
            (None, "Rate limit reached, resets at 2026-11-18T12:00:00Z", seconds(0.0)),
            (None, "Claude AI usage limit reached|1763470000", seconds(0.0)),
            // What is no limit of that kind.
            (Some(429), "You exceeded your current quota, please check your plan and billing details.", None),
            (Some(400), "Your credit balance is too low to access the Anthropic API.", None),
            (Some(401), "Invalid API key", None),
            (Some(500), "Internal server error", None),
            (None, "the answer ended early: it has reached the most tokens", None),
            (None, "prompt is too long: 210000 tokens > 200000 maximum", None),
            (None, "Context limit reached · /compact or /clear to continue", None),
            (None, "You've hit your spending limit", None),
            (None, "You're out of usage credits", None),
            (None, "listening on port 429, line 429", None),
            (None, "Error: Cannot find module 'express-rate-limit'", None),
            (None, "Error: Cannot find module 'rate-limiter-flexible'", None),
            (None, "SyntaxError in rate_limit.py", None),
            (Some(400), "This model's maximum context length is 128000 tokens; the rate limit is fine", None),
            (None, "", None),
        ] {
            let found = read(status, words, None).map(|limited| limited.when.and_then(|when| when.wait(&now())));
            let rounded = |wait: Duration| wait.as_millis();
            assert_eq!(
                found.map(|wait| wait.map(rounded)),
                expected.map(|wait: Option<Duration>| wait.map(rounded)),
                "{status:?} {words}"
            );
        }
    }

    #[test]
    fn where_a_program_died_is_not_what_it_says() {
        for (last_words, expected) in [
            ("Error: ENOENT: no such file or directory, open '/home/me/rate-limiter/package.json'", false),
            ("Error: ENOENT: no such file or directory, open '/home/me/rate-limit/package.json'", false),
            ("TypeError: x is undefined\n    at RateLimit.take (/srv/a.js:1:2)\n    at rate limit (a.js)", false),
            ("Error: EACCES C:\\work\\rate-limit\\a.json", false),
            ("thread 'main' panicked at src/rate_limit.rs:429:12", false),
            ("starting\nError: rate limit reached, try again in 10 minutes", true),
            ("openai.RateLimitError: Error code: 429", true),
            ("error: rate_limit_exceeded", true),
            ("You are being rate limited.", true),
        ] {
            assert_eq!(is_said_by_dead(last_words), expected, "{last_words}");
        }
    }

    #[test]
    fn a_moment_that_nobody_can_mean_is_none() {
        for words in [
            "rate limit, resets 25:00",
            "rate limit, resets Foo 31",
            "rate limit, resets Monetary 5",
            "rate limit, resets soon",
            "rate limit|99999999999999999",
            "usage limit, try again in 9999 days",
            "usage limit, resets Jan 1, 2031 5pm",
            "usage limit, resets at 2031-01-01T00:00:00Z",
            "usage limit, try again in inf hours",
            "usage limit, try again in -3 hours",
        ] {
            let limited = read(None, words, None).unwrap();
            assert_eq!(limited.when.and_then(|when| when.wait(&now())), None, "{words}");
        }
    }
}
