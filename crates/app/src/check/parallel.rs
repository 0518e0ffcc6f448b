//! Many pages at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many threads measure at once.
const MAX_THREADS: usize = 8;
/// Trees are walked deeply: as much room as the first thread of a program has.
const STACK: usize = 8 << 20;

/// What `work` makes of every item, in their order.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(items.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Option<R>>> = Mutex::new(items.iter().map(|_| None).collect());
    let one = || {
        while let Some((at, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            let made = work(item);
            done.lock().expect("nobody panics while holding it")[at] = Some(made);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            // Where no thread can be had, the others do its part.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, one);
        }
        if threads == 0 {
            one();
        }
    });
    let mut done = done.into_inner().expect("nobody panics while holding it");
    // What is left if no thread could be started at all.
    for (made, item) in done.iter_mut().zip(items).filter(|(made, _)| made.is_none()) {
        *made = Some(work(item));
    }
    done.into_iter().flatten().collect()
}
