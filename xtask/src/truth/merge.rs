//! One table over another: what a case says, over what its family has in common.

use toml::{Table, Value};

/// Puts `over` on `under`: tables key by key, everything else as it is. An empty text takes a key away.
pub(super) fn merge(mut under: Table, over: Table) -> Table {
    for (key, value) in over {
        match (under.remove(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => {
                under.insert(key, Value::Table(merge(below, above)));
            }
            (_, Value::String(text)) if text.is_empty() => {}
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
    under
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_last_counts() {
        let read = |text: &str| text.parse::<Table>().unwrap();
        let under = read("a = 1\nb = 'x'\n[t]\nc = [1, 2]\nd = 3\n");
        let over = read("b = ''\n[t]\nc = [4]\ne = 5\n");
        assert_eq!(merge(under, over), read("a = 1\n[t]\nc = [4]\nd = 3\ne = 5\n"));
    }
}
