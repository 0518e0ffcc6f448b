// What moment of a run the stage shows: the latest one while it runs, any other one in a replay.

import { createMemo, createSignal, type Accessor } from 'solid-js';
import type { Frame } from '../api/types';
import type { State } from '../reducer/state';
import { timeline } from './timeline';

export interface Moment {
  readonly state: Accessor<State>;
  /** How many frames are shown. */
  readonly at: Accessor<number>;
  /** Whether the latest frame is shown and new ones are followed. */
  readonly isLive: Accessor<boolean>;
  seek(at: number): void;
  /** To the end, at once, and on with whatever comes. */
  goLive(): void;
}

export function createMoment(frames: Accessor<readonly Frame[]>): Moment {
  const states = timeline();
  // Nothing while the end is followed, so that a new frame needs no second signal to be shown.
  const [place, setPlace] = createSignal<number | null>(null);
  const at = createMemo(() => Math.min(place() ?? Infinity, frames().length));
  return {
    state: createMemo(() => states.at(frames(), at())),
    at,
    isLive: () => place() === null,
    seek: (to) => setPlace(Math.max(to, 0)),
    goLive: () => setPlace(null),
  };
}
