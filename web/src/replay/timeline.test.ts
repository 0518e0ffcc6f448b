import { expect, test, vi } from 'vitest';
import * as reducing from '../reducer/reduce';
import { long, theater } from '../reducer/samples.testing';
import { initial } from '../reducer/state';
import { SNAPSHOT_EVERY, timeline } from './timeline';

test('any moment is the fold of the frames before it, in whatever order it is asked for', () => {
  const frames = theater();
  const states = timeline();
  for (const at of [3, 0, frames.length, 7, 8, 9, 2, -5, 10_000]) {
    const end = Math.min(Math.max(at, 0), frames.length);
    expect(states.at(frames, at)).toEqual(frames.slice(0, end).reduce(reducing.reduce, initial()));
  }
});

test('a scrub folds at most one stretch between snapshots, and going on folds one frame', () => {
  const frames = long(10_000);
  const states = timeline();
  states.at(frames, frames.length);
  const reduce = vi.spyOn(reducing, 'reduce');
  const cost = (at: number): number => {
    reduce.mockClear();
    states.at(frames, at);
    return reduce.mock.calls.length;
  };
  for (let at = 9_990; at > 0; at -= 137) expect(cost(at)).toBeLessThan(SNAPSHOT_EVERY);
  cost(5_000);
  expect(cost(5_001)).toBe(1);
});

test('the same moment gives the very same state while nothing moved', () => {
  const frames = theater();
  const states = timeline();
  expect(states.at(frames, 9)).toBe(states.at(frames, 9));
});

test('scrubbing a long transcript stays far below a frame of the screen', () => {
  const frames = long(10_000);
  const states = timeline();
  states.at(frames, frames.length);
  const took = Array.from({ length: 500 }, (_, n) => {
    const at = (n * 7919) % frames.length;
    const start = performance.now();
    states.at(frames, at);
    return performance.now() - start;
  }).sort((a, b) => a - b);
  console.info(
    `scrub: p50 ${took[250]?.toFixed(3)} ms, p99 ${took[495]?.toFixed(3)} ms, ${JSON.stringify(frames).length} bytes`,
  );
  expect(took[495]).toBeLessThan(16);
});
