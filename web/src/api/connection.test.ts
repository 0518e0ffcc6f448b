import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect, type Connection } from './connection';
import type { Frame } from './types';

/** The browser's side of a stream, driven by the test. */
class FakeSource extends EventTarget {
  static all: FakeSource[] = [];
  static get last(): FakeSource {
    const last = FakeSource.all.at(-1);
    if (!last) throw new Error('no stream was opened');
    return last;
  }
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  isClosed = false;
  constructor(readonly url: string) {
    super();
    FakeSource.all.push(this);
  }
  close(): void {
    this.isClosed = true;
  }
  say(id: string, round: number): void {
    const data = JSON.stringify({ type: 'round_opened', runId: 'r', time: '', seq: Number.parseInt(id, 10), round });
    this.dispatchEvent(new MessageEvent('critique.round_opened', { data, lastEventId: id }));
  }
}

function setUp(refused = false) {
  const states: Connection['kind'][] = [];
  const rounds: number[] = [];
  const stop = connect({
    url: (after) => `/events?after=${after ?? ''}`,
    after: '3',
    onFrames: (frames: Frame[]) => rounds.push(...frames.flatMap((frame) => (frame.type === 'round_opened' ? frame.round : []))),
    onChange: ({ kind }) => states.push(kind),
    probe: () => (refused ? Promise.reject(new Error('401')) : Promise.resolve()),
    isRefused: () => refused,
  });
  return { states, rounds, stop };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', FakeSource);
  FakeSource.all = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('what a turn says is passed on and is no frame of the run', () => {
  const { rounds } = setUp();
  const said: string[] = [];
  const hear = (event: Event) => said.push((event as MessageEvent<string>).data);
  addEventListener('live', hear);
  FakeSource.last.dispatchEvent(new MessageEvent('critique.live', { data: '{"turn":1}' }));
  removeEventListener('live', hear);
  expect([said, rounds]).toEqual([['{"turn":1}'], []]);
});

test('goes on after what is known and hands frames on in batches', async () => {
  const { states, rounds } = setUp();
  expect(FakeSource.last.url).toBe('/events?after=3');
  FakeSource.last.onopen?.();
  FakeSource.last.say('4', 1);
  FakeSource.last.say('5', 2);
  expect(rounds).toEqual([]);
  await vi.advanceTimersByTimeAsync(20);
  expect(rounds).toEqual([1, 2]);
  expect(states).toEqual(['connecting', 'live']);
});

test('reconnects after the last frame it saw and drops what it saw before', async () => {
  const { states, rounds } = setUp();
  FakeSource.last.onopen?.();
  FakeSource.last.say('4', 1);
  FakeSource.last.onerror?.();
  expect(FakeSource.last.isClosed).toBe(true);
  await vi.advanceTimersByTimeAsync(250);
  expect(FakeSource.last.url).toBe('/events?after=4');
  FakeSource.last.onopen?.();
  FakeSource.last.say('3', 9);
  FakeSource.last.say('4', 9);
  FakeSource.last.say('5', 2);
  await vi.advanceTimersByTimeAsync(20);
  expect(rounds).toEqual([1, 2]);
  expect(states).toEqual(['connecting', 'live', 'reconnecting', 'live']);
});

test('never waits longer than five seconds, and says since when it is away only once', async () => {
  const { states } = setUp();
  const waits: number[] = [];
  for (let i = 0; i < 7; i++) {
    const before = FakeSource.all.length;
    FakeSource.last.onerror?.();
    let waited = 0;
    while (FakeSource.all.length === before) {
      await vi.advanceTimersByTimeAsync(50);
      waited += 50;
    }
    waits.push(waited);
  }
  expect(waits).toEqual([250, 500, 1000, 2000, 5000, 5000, 5000]);
  expect(states).toEqual(['connecting', 'reconnecting']);
});

test('gives up when the server refuses us', async () => {
  const { states } = setUp(true);
  FakeSource.last.onerror?.();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(FakeSource.all).toHaveLength(1);
  expect(states).toEqual(['connecting', 'reconnecting', 'closed']);
});

test('stops for good, and loses nothing that was heard before', async () => {
  const { rounds, states, stop } = setUp();
  FakeSource.last.onopen?.();
  FakeSource.last.say('4', 1);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(rounds).toEqual([1]);
  expect(FakeSource.all).toHaveLength(1);
  expect(states.at(-1)).toBe('closed');
});
