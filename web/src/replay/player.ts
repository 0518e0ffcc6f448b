// What moment of a run the stage shows: the latest one while it runs, any other one in a replay.

import { createMemo, createSignal, onCleanup, type Accessor } from 'solid-js';
import type { Frame } from '../api/types';
import type { State } from '../reducer/state';
import { dueBy, dueTimes, roundMarks } from './clock';
import { timeline } from './timeline';

export const SPEEDS = [1, 4] as const;
export type Speed = (typeof SPEEDS)[number];

const TICK_MS = 50;

export interface Player {
  readonly state: Accessor<State>;
  /** How many frames are shown. */
  readonly at: Accessor<number>;
  /** Whether the latest frame is shown and new ones are followed. */
  readonly isLive: Accessor<boolean>;
  readonly isPlaying: Accessor<boolean>;
  readonly speed: Accessor<Speed>;
  seek(at: number): void;
  /** To the next mark of a round, or the one before. */
  step(direction: 1 | -1): void;
  /** To the end, at once, and on with whatever comes. */
  goLive(): void;
  playOrPause(): void;
  setSpeed(speed: Speed): void;
}

export function createPlayer(frames: Accessor<readonly Frame[]>): Player {
  const states = timeline();
  // Nothing while the end is followed, so that a new frame needs no second signal to be shown.
  const [place, setPlace] = createSignal<number | null>(null);
  const [speed, setSpeed] = createSignal<Speed>(1);
  const [timer, setTimer] = createSignal<ReturnType<typeof setInterval> | null>(null);

  const at = createMemo(() => Math.min(place() ?? Infinity, frames().length));
  const state = createMemo(() => states.at(frames(), at()));

  const pause = (): void => {
    clearInterval(timer() ?? undefined);
    setTimer(null);
  };
  const seek = (to: number): void => {
    pause();
    setPlace(Math.max(to, 0));
  };
  const goLive = (): void => {
    pause();
    setPlace(null);
  };
  const play = (): void => {
    const due = dueTimes(frames());
    const start = at() < due.length ? at() : 0;
    let moment = due[start] ?? 0;
    let before = Date.now();
    setPlace(start);
    const tick = (): void => {
      const now = Date.now();
      moment += (now - before) * speed();
      before = now;
      const to = dueBy(due, moment);
      if (to < due.length) setPlace(to);
      else goLive();
    };
    setTimer(setInterval(tick, TICK_MS));
  };
  onCleanup(pause);

  return {
    state,
    at,
    isLive: () => place() === null,
    isPlaying: () => timer() !== null,
    speed,
    seek,
    step(direction) {
      const marks = roundMarks(frames());
      const next = direction > 0 ? marks.find((mark) => mark > at()) : marks.findLast((mark) => mark < at());
      if (next !== undefined) seek(next);
      else if (direction > 0) goLive();
      else seek(0);
    },
    goLive,
    playOrPause: () => (timer() === null ? play() : pause()),
    setSpeed,
  };
}
