import { beforeEach, expect, test, vi } from 'vitest';
import { half, keepHalf, withHalf } from './half';
import { getText } from './http';

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, '', '/');
});

test('our half of the session leaves the address and goes with every request', async () => {
  history.replaceState(null, '', '/?key=abc#/runs/r1');
  keepHalf();
  expect(location.href).toMatch(/:\d+\/#\/runs\/r1$/);
  const fetched = vi.fn<typeof fetch>().mockResolvedValue(new Response('text'));
  vi.stubGlobal('fetch', fetched);
  await getText('/api/session');
  vi.unstubAllGlobals();
  expect(new Headers(fetched.mock.calls[0]?.[1]?.headers).get('X-Tribunal-Key')).toBe('abc');
  expect([withHalf('/events'), withHalf('/events?run=1')]).toEqual(['/events?key=abc', '/events?run=1&key=abc']);
});

test('a reload and another tab know it, and what another tab was given counts', () => {
  history.replaceState(null, '', '/?key=abc');
  keepHalf();
  history.replaceState(null, '', '/');
  keepHalf();
  expect(half()).toBe('abc');
  localStorage.setItem('tribunal.key', 'def');
  expect(half()).toBe('def');
});
