import { expect, test } from 'vitest';
import { isAfter, parseFrames } from './frames';

test.each([
  ['the first frame', '1', null, true],
  ['the next entry', '8', '7', true],
  ['an entry seen before', '7', '7', false],
  ['an earlier entry', '6', '7', false],
  ['entries are numbers, not texts', '10', '9', true],
  ['a later part', '7.2', '7.1', true],
  ['a part seen before', '7.1', '7.1', false],
  ['the last cue of an entry comes after its parts', '7', '7.9', true],
  ['a part of an entry that is complete', '7.1', '7', false],
  ['a part of the next entry', '8.1', '7', true],
  ['an opaque id', 'b-2', 'b-1', true],
  ['the same opaque id', 'b-1', 'b-1', false],
])('%s', (_, id, last, expected) => {
  expect(isAfter(id, last)).toBe(expected);
});

test('frames are read line by line; what is not one is passed over', () => {
  const opened = '{"type":"round_opened","runId":"r","time":"2026-01-01T00:00:00.000Z","seq":2,"round":1}';
  const text = `${opened}\n{"type":"of_a_newer_server"}\nnot json\n\n${opened}\n`;
  expect(parseFrames(text).map(({ type }) => type)).toEqual(['round_opened', 'round_opened']);
});
