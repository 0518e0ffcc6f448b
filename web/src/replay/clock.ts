// When each frame is due in a replay: as it happened, with long silences cut short.

import type { Frame } from '../api/types';

/** Nobody watches a model think for a minute; a replay waits this long at most between two frames. */
export const LONGEST_PAUSE_MS = 2000;

/** For every frame the milliseconds from the first one. */
export function dueTimes(frames: readonly Frame[]): readonly number[] {
  let due = 0;
  let before: number | null = null;
  return frames.map((frame) => {
    const time = Date.parse(frame.time);
    // A clock that was set back must not run the replay backwards.
    if (before !== null) due += Math.min(Math.max(time - before, 0), LONGEST_PAUSE_MS);
    before = time;
    return due;
  });
}

/** How many frames are due at a moment: a binary search, as it is asked many times a second. */
export function dueBy(due: readonly number[], moment: number): number {
  let low = 0;
  let high = due.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((due[middle] ?? Infinity) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The frames at which rounds open and the run ends: the marks of the scrubber and the steps between them. */
export function roundMarks(frames: readonly Frame[]): readonly number[] {
  const marks: number[] = [];
  let round = -1;
  frames.forEach((frame, at) => {
    const opens = frame.type === 'round_opened' || frame.type === 'panelist_open' ? frame.round : round;
    if (opens > round) {
      round = opens;
      marks.push(at + 1);
    }
  });
  return marks;
}
