// Moves the moment as the run moved, faster, or from round to round.

import { createSignal, onCleanup, type Accessor } from 'solid-js';
import type { Frame } from '../api/types';
import { dueBy, dueTimes, roundMarks } from './clock';
import type { Moment } from './moment';

export const SPEEDS = [1, 4] as const;
type Speed = (typeof SPEEDS)[number];

const TICK_MS = 50;

export interface Playback {
  readonly isPlaying: Accessor<boolean>;
  readonly speed: Accessor<Speed>;
  playOrPause(): void;
  setSpeed(speed: Speed): void;
  /** To the next mark of a round, or the one before. */
  step(direction: 1 | -1): void;
}

export function createPlayback(frames: Accessor<readonly Frame[]>, moment: Moment): Playback {
  const [speed, setSpeed] = createSignal<Speed>(1);
  const [timer, setTimer] = createSignal<ReturnType<typeof setInterval> | null>(null);

  const pause = (): void => {
    clearInterval(timer() ?? undefined);
    setTimer(null);
  };
  const play = (): void => {
    const due = dueTimes(frames());
    let shown = moment.at() < due.length ? moment.at() : 0;
    let clock = due[shown] ?? 0;
    let before = Date.now();
    moment.seek(shown);
    const tick = (): void => {
      // Somebody went elsewhere: they look, we stop.
      if (moment.at() !== shown) return pause();
      const now = Date.now();
      clock += (now - before) * speed();
      before = now;
      shown = dueBy(due, clock);
      if (shown < due.length) return moment.seek(shown);
      pause();
      moment.goLive();
    };
    setTimer(setInterval(tick, TICK_MS));
  };
  onCleanup(pause);

  return {
    isPlaying: () => timer() !== null,
    speed,
    setSpeed,
    playOrPause: () => (timer() === null ? play() : pause()),
    step(direction) {
      pause();
      const marks = roundMarks(frames());
      const next =
        direction > 0 ? marks.find((mark) => mark > moment.at()) : marks.findLast((mark) => mark < moment.at());
      if (next !== undefined) moment.seek(next);
      else if (direction > 0) moment.goLive();
      else moment.seek(0);
    },
  };
}
