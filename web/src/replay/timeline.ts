// The state of a run at any of its frames, without folding all of them again.

import type { Frame } from '../api/types';
import { reduce } from '../reducer/reduce';
import { initial, type State } from '../reducer/state';

/** A jump folds at most this many frames; a snapshot costs a reference, as states share their parts. */
export const SNAPSHOT_EVERY = 256;

interface Timeline {
  /** The state after the first `at` frames. Frames are only ever appended between calls. */
  at(frames: readonly Frame[], at: number): State;
}

export function timeline(): Timeline {
  const snapshots: State[] = [initial()];
  let last = initial();
  return {
    at(frames, at) {
      const target = Math.min(Math.max(at, 0), frames.length);
      const nearest = snapshots[Math.min(Math.floor(target / SNAPSHOT_EVERY), snapshots.length - 1)] ?? initial();
      let state = nearest.frames < last.frames && last.frames <= target ? last : nearest;
      while (state.frames < target) {
        const frame = frames[state.frames];
        if (!frame) break;
        state = reduce(state, frame);
        if (state.frames === snapshots.length * SNAPSHOT_EVERY) snapshots.push(state);
      }
      last = state;
      return state;
    },
  };
}
