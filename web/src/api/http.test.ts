import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { change } from './change';
import { client } from './client';
import { isLockedOut } from './http';
import { pages } from './pages';
import { Problem } from './problem';

const fetched = vi.fn<typeof fetch>();
beforeEach(() => {
  vi.useFakeTimers();
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });
const keyOf = (call: number): string | null => new Headers(fetched.mock.calls[call]?.[1]?.headers).get('Idempotency-Key');

test('a change that did not arrive is sent again with the same key', async () => {
  fetched
    .mockRejectedValueOnce(new TypeError('network'))
    .mockRejectedValueOnce(new TypeError('network'))
    .mockResolvedValueOnce(json({ runId: 'r', accepted: true }, 202));
  const sent = change(client('p'), 'r', 'steer', { text: 'shorter' });
  await vi.runAllTimersAsync();
  await expect(sent).resolves.toEqual({ runId: 'r', accepted: true });
  expect(keyOf(0)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set([keyOf(0), keyOf(1), keyOf(2)]).size).toBe(1);
});

test('two changes have two keys', async () => {
  fetched.mockImplementation(async () => json({ runId: 'r', accepted: true }));
  await change(client('p'), 'r', 'interrupt');
  await change(client('p'), 'r', 'interrupt');
  expect(keyOf(0)).not.toBe(keyOf(1));
});

test('a refusal is not repeated and carries the server’s words', async () => {
  fetched.mockResolvedValue(json({ code: 'misfit', detail: 'no verdict', hint: 'say ok' }, 422));
  await expect(change(client('p'), 'r', 'answer')).rejects.toMatchObject({ status: 422, code: 'misfit', message: 'no verdict', hint: 'say ok' });
  expect(fetched).toHaveBeenCalledTimes(1);
});

test('an answer that is not ours still says its status', async () => {
  fetched.mockResolvedValue(new Response('<h1>Bad gateway</h1>', { status: 502 }));
  await expect(client('p').run('r')).rejects.toMatchObject({ status: 502, message: 'HTTP 502' });
});

test('names are escaped in addresses, and empty filters left out', async () => {
  fetched.mockResolvedValue(json({ runs: [], next: null }));
  await pages(client('a/b')).runs({ text: 'x & y', status: '', limit: 5 });
  expect(fetched.mock.calls[0]?.[0]).toBe('/api/projects/a%2Fb/runs?text=x+%26+y&limit=5');
});

test('a 401 locks the page', async () => {
  expect(isLockedOut()).toBe(false);
  fetched.mockResolvedValue(json({ code: 'unauthorized', detail: 'no token', hint: null }, 401));
  await expect(client('p').run('r')).rejects.toBeInstanceOf(Problem);
  expect(isLockedOut()).toBe(true);
});
