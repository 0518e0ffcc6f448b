//! What was probably meant: the known key that is nearest to an unknown one.

use tribunal_anchors::distance;

use crate::schema::KEYS;

/// What an unknown path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Key,
    Table,
}

/// The canonical path of the known key or table that is nearest to an unknown one.
pub(crate) fn nearest_path(asked: &[&str], wanted: Wanted) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    for (known, canonical) in candidates(asked, wanted) {
        let known: Vec<&str> = known.split('.').collect();
        if let Some(cost) = path_cost(asked, &known)
            && best.as_ref().is_none_or(|(least, _)| cost < *least)
        {
            best = Some((cost, canonical));
        }
    }
    best.map(|(_, canonical)| canonical)
}

/// What a table can hold, for when nothing is near.
pub(crate) fn children(table: &[&str]) -> Vec<&'static str> {
    let mut children: Vec<&str> = Vec::new();
    for key in KEYS {
        let mut parts = key.path.split('.');
        let inside = table.iter().all(|part| parts.next().is_some_and(|p| p == "*" || p == *part));
        if inside
            && let Some(child) = parts.next()
            && child != "*"
            && !children.contains(&child)
        {
            children.push(child);
        }
    }
    children
}

/// Every path that could have been meant, with names where the schema has `*`, and its canonical spelling.
fn candidates(asked: &[&str], wanted: Wanted) -> Vec<(String, String)> {
    let named = |path: &str| -> Option<Vec<String>> {
        let parts = path.split('.').enumerate();
        parts
            .map(
                |(at, part)| {
                    if part == "*" { asked.get(at).map(|name| (*name).to_owned()) } else { Some(part.to_owned()) }
                },
            )
            .collect()
    };
    let mut found = Vec::new();
    for key in KEYS {
        match wanted {
            Wanted::Key => {
                let Some(canonical) = named(key.path) else { continue };
                if key.path.ends_with(".*") && !tables_alike(asked, &canonical) {
                    continue;
                }
                found.extend(key.spellings().filter_map(named).map(|known| (known.join("."), canonical.join("."))));
            }
            Wanted::Table => {
                let parts: Vec<&str> = key.path.split('.').collect();
                for end in 1..parts.len() {
                    if let Some(table) = named(&parts[..end].join(".")) {
                        found.push((table.join("."), table.join(".")));
                    }
                }
            }
        }
    }
    found
}

/// Where the last part is a name of the user's choice it is the same in both, so only the tables can tell.
fn tables_alike(asked: &[&str], known: &[String]) -> bool {
    let (Some((_, asked)), Some((_, known))) = (asked.split_last(), known.split_last()) else { return false };
    let (asked, known) = (asked.join("."), known.join("."));
    strsim::damerau_levenshtein(&asked, &known) * 4 <= known.len()
}

/// The smaller the nearer. In the same table the last parts are compared; the same last part in another table costs
/// more than a slip of the finger; otherwise whole paths are compared, more strictly.
fn path_cost(asked: &[&str], known: &[&str]) -> Option<usize> {
    let (asked_leaf, asked_table) = asked.split_last()?;
    let (known_leaf, known_table) = known.split_last()?;
    if asked_table == known_table {
        return distance(asked_leaf, known_leaf);
    }
    let (asked_path, known_path) = (asked.join("."), known.join("."));
    let distance = strsim::damerau_levenshtein(&asked_path, &known_path);
    let close = (distance * 4 <= known_path.len()).then_some(distance);
    // `maxRounds` is `max_rounds` wherever it stands.
    let plain = |leaf: &str| leaf.replace(['_', '-'], "").to_lowercase();
    let moved = (plain(asked_leaf) == plain(known_leaf)).then_some(3);
    close.into_iter().chain(moved).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_key_is_found() {
        for (asked, wanted, expected) in [
            ("limits.usdd", Wanted::Key, Some("limits.usd")),
            ("limits.max_rounds", Wanted::Key, Some("limits.rounds")),
            ("limits.xyz", Wanted::Key, None),
            ("limit.usd", Wanted::Key, Some("limits.usd")),
            ("run.rounds", Wanted::Key, Some("limits.rounds")),
            ("usd", Wanted::Key, Some("limits.usd")),
            ("loop", Wanted::Key, Some("run.loop")),
            ("workspce", Wanted::Key, Some("run.workspace")),
            ("review.iterations", Wanted::Key, Some("review.max_iterations")),
            ("review.max_retry", Wanted::Key, Some("run.max_retries")),
            ("agents.writer.modle", Wanted::Key, Some("agents.writer.model")),
            ("agnets.writer.model", Wanted::Key, Some("agents.writer.model")),
            ("seats.critic.agnet", Wanted::Key, Some("seats.critic.agent")),
            ("agents.writer.xyz", Wanted::Key, None),
            ("theater.maxRounds", Wanted::Key, Some("theater.max_rounds")),
            ("theater.scoreScale", Wanted::Key, Some("theater.score_scale")),
            ("theater.scoreThreshold", Wanted::Key, Some("theater.score_threshold")),
            ("theater.perRoundTimeoutMs", Wanted::Key, Some("theater.per_round_timeout_ms")),
            ("theater.totalTimeoutMs", Wanted::Key, Some("theater.total_timeout_ms")),
            ("theater.parserMaxBlockBytes", Wanted::Key, Some("theater.parser_max_block_bytes")),
            ("theater.fallbackPolicy", Wanted::Key, Some("theater.fallback_policy")),
            ("theater.protocolVersion", Wanted::Key, Some("theater.protocol_version")),
            ("theater.maxConcurrentRuns", Wanted::Key, Some("theater.max_concurrent_runs")),
            ("theater.weight.critic", Wanted::Key, Some("theater.weights.critic")),
            ("maxRounds", Wanted::Key, Some("theater.max_rounds")),
            ("limit", Wanted::Table, Some("limits")),
            ("theater.weight", Wanted::Table, Some("theater.weights")),
            ("agent", Wanted::Table, Some("agents")),
            ("seat", Wanted::Table, Some("seats")),
            ("database", Wanted::Table, None),
        ] {
            let path: Vec<&str> = asked.split('.').collect();
            assert_eq!(nearest_path(&path, wanted).as_deref(), expected, "{asked}");
        }
    }

    #[test]
    fn a_table_lists_its_keys() {
        assert_eq!(
            children(&[]),
            [
                "run", "agents", "seats", "prices", "limits", "controls", "notify", "proof", "waive", "checks", "copy",
                "review", "theater", "joust", "desk", "judge"
            ]
        );
        assert_eq!(children(&["seats", "critic"]), ["agent", "model", "persona", "effort"]);
        assert!(children(&["agents"]).is_empty(), "an agent's name is the user's choice");
    }
}
