//! How many requests in how much time. Nobody who is in a hurry can keep the others waiting.

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::api::problem::Refused;
use crate::server::Desk;

/// Reading: so many at once, and so many a second after that. A page that opens a long list stays far below.
const READS: (f64, f64) = (2_000.0, 1_000.0);
/// Writing: a person clicks a few times a second.
const WRITES: (f64, f64) = (60.0, 20.0);

/// A bucket that fills again with time.
#[derive(Debug)]
struct Bucket {
    most: f64,
    a_second: f64,
    left: f64,
    at: Instant,
}

impl Bucket {
    fn new((most, a_second): (f64, f64), now: Instant) -> Self {
        Self { most, a_second, left: most, at: now }
    }

    fn take(&mut self, now: Instant) -> bool {
        let passed = now.duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * self.a_second).min(self.most);
        self.at = now;
        let has_one = self.left >= 1.0;
        if has_one {
            self.left -= 1.0;
        }
        has_one
    }
}

/// The pace of all clients together: they are one person's.
#[derive(Debug)]
pub(crate) struct Pace {
    reads: Mutex<Bucket>,
    writes: Mutex<Bucket>,
}

impl Pace {
    pub(crate) fn new() -> Self {
        let bucket = |limits| Mutex::new(Bucket::new(limits, Instant::now()));
        Self { reads: bucket(READS), writes: bucket(WRITES) }
    }
}

pub(crate) async fn check(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let bucket = match *request.method() {
        Method::GET | Method::HEAD => &desk.pace.reads,
        _ => &desk.pace.writes,
    };
    let has_room = bucket.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
    if has_room {
        return next.run(request).await;
    }
    let refused = Refused::new(StatusCode::TOO_MANY_REQUESTS, "too_many", "too many requests at once");
    let mut response = refused.hint("try again in a second").into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_fills_again() {
        let begun = Instant::now();
        let mut bucket = Bucket::new((2.0, 10.0), begun);
        let mut take = |ms| bucket.take(begun + Duration::from_millis(ms));
        assert_eq!(
            [take(0), take(0), take(0), take(99), take(100), take(101)],
            [true, true, false, false, true, false]
        );
        assert_eq!([take(10_000), take(10_000), take(10_000)], [true, true, false], "it does not fill over its edge");
    }
}
