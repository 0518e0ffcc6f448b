//! What time it is, where the store itself needs to know: who took a lock when, which request came first.

use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tribunal_kernel::Time;
use uuid::{NoContext, Timestamp, Uuid};

pub(crate) fn since_1970() -> Duration {
    // A clock before 1970 is wrong; nothing here depends on it being right.
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// A new id. Ids that are made later are larger, as far as the machine's clock goes forward.
pub fn new_id() -> Uuid {
    id_at(SystemTime::now().duration_since(UNIX_EPOCH).ok())
}

/// A clock before 1970 has no time for an id: then it begins with zeros, and differs from others all the same.
fn id_at(since: Option<Duration>) -> Uuid {
    match since {
        Some(_) => Uuid::now_v7(),
        None => Uuid::new_v7(Timestamp::from_unix(NoContext, 0, 0)),
    }
}

pub(crate) fn now() -> Time {
    Time::default().plus(since_1970())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_makes_ids_all_the_same() {
        let (one, other) = (id_at(None), id_at(None));
        assert!(one != other && one.as_u128() >> 80 == 0, "{one} {other}");
        assert!(one < new_id());
    }
}
