//! What turns in flight say.

use std::sync::Arc;
use tribunal_kernel::watch::LiveFrame;
use tribunal_kernel::{SeatName, TurnId};

use super::run_id;
use crate::Backend;

pub async fn what_turns_say_is_heard_while_they_say_it(store: Arc<dyn Backend>) {
    let (run, other) = (run_id(1), run_id(2));
    for run in [run, other] {
        drop(store.logs().create(run).await.expect("create"));
    }
    let said = |text: &str| LiveFrame { turn: TurnId(1), role: SeatName::new("critic"), text: text.into(), tool: None };
    let mut listeners = [
        store.live().listen(run).await.expect("listen"),
        store.live().listen(run).await.expect("listen"),
        store.live().listen(other).await.expect("listen"),
    ];
    for listener in &mut listeners {
        assert_eq!(listener.next().await.expect("next"), [], "nobody said anything");
    }
    store.live().tell(run, vec![said("größer"), said(", bitte\n")]).await.expect("tell");
    let [first, second, elsewhere] = &mut listeners;
    assert_eq!(first.next().await.expect("next"), [said("größer"), said(", bitte\n")]);
    store.live().tell(run, vec![said("now")]).await.expect("tell");
    assert_eq!(first.next().await.expect("next"), [said("now")]);
    assert_eq!(second.next().await.expect("next").len(), 3, "everybody hears it");
    assert_eq!(elsewhere.next().await.expect("next"), [], "of one run");
    store.live().end(run).await.expect("end");
    store.live().end(run).await.expect("end again");
    let mut late = store.live().listen(run).await.expect("listen");
    assert_eq!(late.next().await.expect("next"), [], "it is not kept");
    assert!(store.logs().read(run).await.expect("read").is_empty(), "it is in no log");
}
