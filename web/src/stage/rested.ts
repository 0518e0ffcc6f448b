// For what is dear to show: a frame that is loaded anew at every step of a scrub makes the scrub stutter.

import { createEffect, createSignal, on, onCleanup, untrack, type Accessor } from 'solid-js';

/** The value. A change is shown at once; one that follows closely is shown when no other has come for `ms`. */
export function rested<T>(value: Accessor<T>, ms: number): Accessor<T> {
  const [shown, setShown] = createSignal(untrack(value));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = -Infinity;
  const show = (next: T): void => {
    const isQuiet = Date.now() - last >= ms;
    last = Date.now();
    clearTimeout(timer);
    if (isQuiet) setShown(() => next);
    else timer = setTimeout(() => setShown(() => next), ms);
  };
  createEffect(on(value, show, { defer: true }));
  onCleanup(() => clearTimeout(timer));
  return shown;
}
