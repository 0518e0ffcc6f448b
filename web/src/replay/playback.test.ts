import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Frame } from '../api/types';
import { framed } from '../reducer/sample-cues.testing';
import { theater } from '../reducer/samples.testing';
import { dueBy, dueTimes, LONGEST_PAUSE_MS, roundMarks } from './clock';
import { createMoment, type Moment } from './moment';
import { createPlayback, type Playback } from './playback';

test('due times follow the run; long silences and clocks set back are cut', () => {
  const at = (seconds: number, frame: Frame): Frame => ({ ...frame, time: new Date(seconds * 1000).toISOString() });
  const [frame] = theater();
  const frames = [0, 1, 61, 60, 60.5].map((seconds) => at(seconds, frame!));
  expect(dueTimes(frames)).toEqual([0, 1000, 1000 + LONGEST_PAUSE_MS, 3000, 3500]);
});

test.each([
  [-1, 0],
  [0, 1],
  [5, 1],
  [10, 3],
  [99, 4],
])('at %i ms %i frames are due', (moment, frames) => {
  expect(dueBy([0, 10, 10, 20], moment)).toBe(frames);
});

test('marks stand where rounds open', () => {
  const frames = framed([
    { type: 'round_opened', round: 1 },
    { type: 'panelist_open', round: 1, role: 'critic' },
    { type: 'panelist_open', round: 2, role: 'critic' },
  ]);
  expect(roundMarks(frames)).toEqual([1, 3]);
});

describe('a moment and its playback', () => {
  const [frames, setFrames] = createSignal<readonly Frame[]>([], { equals: false });
  let player: Moment & Playback;
  let dispose: () => void;

  beforeEach(() => {
    vi.useFakeTimers();
    setFrames(theater());
    dispose = createRoot((dispose) => {
      const moment = createMoment(frames);
      player = { ...moment, ...createPlayback(frames, moment) };
      return dispose;
    });
  });
  afterEach(() => {
    dispose();
    vi.useRealTimers();
  });

  test('follows what comes until somebody looks back', () => {
    const all = theater();
    setFrames(all.slice(0, 4));
    expect([player.at(), player.isLive(), player.state().frames]).toEqual([4, true, 4]);
    setFrames(all.slice(0, 5));
    expect(player.at()).toBe(5);
    player.seek(2);
    setFrames(all);
    expect([player.at(), player.isLive()]).toEqual([2, false]);
    player.goLive();
    expect([player.at(), player.isLive()]).toEqual([all.length, true]);
  });

  test.each([
    [1, 3_000, 4],
    [4, 3_000, 13],
  ] as const)('at %i× after %i ms it shows %i frames', (speed, ms, shown) => {
    player.seek(0);
    player.setSpeed(speed);
    player.playOrPause();
    vi.advanceTimersByTime(ms);
    expect(player.at()).toBe(shown);
    player.playOrPause();
    vi.advanceTimersByTime(10_000);
    expect([player.at(), player.isPlaying()]).toEqual([shown, false]);
  });

  test('played to the end it is live again; from the end it starts over', () => {
    player.playOrPause();
    expect(player.at()).toBe(0);
    vi.advanceTimersByTime(120_000);
    expect([player.isLive(), player.isPlaying(), player.at()]).toEqual([true, false, theater().length]);
  });

  test('stops when somebody goes elsewhere', () => {
    player.seek(0);
    player.playOrPause();
    vi.advanceTimersByTime(2_000);
    player.seek(20);
    vi.advanceTimersByTime(2_000);
    expect([player.at(), player.isPlaying()]).toEqual([20, false]);
  });

  test('steps from round to round', () => {
    const marks = roundMarks(theater());
    player.seek(0);
    player.step(1);
    expect(player.at()).toBe(marks[0]);
    player.step(1);
    expect(player.at()).toBe(marks[1]);
    player.step(-1);
    expect(player.at()).toBe(marks[0]);
    player.step(-1);
    expect(player.at()).toBe(0);
    player.seek(theater().length - 1);
    player.step(1);
    expect(player.isLive()).toBe(true);
  });

  test('leaves no timer behind', () => {
    player.seek(0);
    player.playOrPause();
    dispose();
    expect(vi.getTimerCount()).toBe(0);
  });
});
