import { render, screen, waitFor } from '@solidjs/testing-library';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Frame, RunRow } from '../api/types';

/** A server and its stream, as far as the page sees them. */
class Stream extends EventTarget {
  static all: Stream[] = [];
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  constructor(readonly url: string) {
    super();
    Stream.all.push(this);
    queueMicrotask(() => this.onopen?.());
  }
  close(): void {}
  say(frame: Frame): void {
    this.dispatchEvent(new MessageEvent(`critique.${frame.type}`, { data: JSON.stringify(frame), lastEventId: String(frame.seq) }));
  }
}

const row: RunRow = {
  run: 'r1', loop: 'theater', subject: 'Landing page', brief: 'A page about tea', status: 'running', isDriven: true, isQueued: false, waitingFor: [], reason: null,
  rounds: 1, turns: 1, tokens: 10, usdMicros: 0, opened: '2026-01-01T00:00:00.000Z', closed: null, forkOf: null, composites: [], threshold: 8, scale: 10,
  score: null, artifact: null, seq: 2, actions: ['interrupt'],
};
const at = { runId: 'r1', time: '2026-01-01T00:00:00.000Z' };
const past: Frame[] = [
  { ...at, seq: 1, type: 'run_started', protocolVersion: 1, cast: ['designer', 'critic'], maxRounds: 3, threshold: 8, scale: 10 },
  { ...at, seq: 2, type: 'round_opened', round: 1 },
];
const json = (body: unknown, status = 200): Response => new Response(JSON.stringify(body), { status });

type Answer = (path: string, init?: RequestInit) => Response;
const answers = vi.fn<Answer>();
const server: Answer = (path) => {
  if (path === '/api/session') return json({ project: { id: 'p', name: 'landing', workspace: '/w' }, version: '1' });
  if (path === '/api/projects/p/runs/r1') return json(row);
  if (path === '/api/projects/p/runs/r1/cues') return new Response(past.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  if (path.startsWith('/api/projects/p/runs?')) return json({ runs: [row], next: null });
  return json({ code: 'unknown', detail: `no ${path}`, hint: null }, 404);
};

/** The page as it starts in a new tab: its modules keep state, so every test loads them anew. */
async function visit(hash: string): Promise<void> {
  vi.resetModules();
  location.hash = hash;
  const [{ App }, boot, i18n] = await Promise.all([import('./App'), import('./boot'), import('../i18n')]);
  await i18n.setLocale('en');
  void boot.start();
  render(() => <App />);
}

beforeEach(() => {
  Stream.all = [];
  answers.mockReset().mockImplementation(server);
  vi.stubGlobal('EventSource', Stream);
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => answers(path, init));
  vi.stubGlobal('ResizeObserver', class { observe(): void {} unobserve(): void {} disconnect(): void {} });
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
});
afterEach(() => vi.unstubAllGlobals());

test('a run is loaded whole, then followed from its last frame', async () => {
  await visit('#/runs/r1');
  await screen.findByRole('heading', { name: 'Landing page' });
  await waitFor(() => expect(Stream.all.at(-1)?.url).toMatch(/^\/api\/projects\/p\/events\?run=r1&after=2&key=/));
  Stream.all.at(-1)?.say({ ...at, seq: 3, type: 'panelist_open', round: 1, role: 'critic' });
  Stream.all.at(-1)?.say({ ...at, seq: 4, type: 'panelist_dim', round: 1, role: 'critic', dimName: 'contrast', dimScore: 4, dimNote: 'CTA 3.9:1' });
  expect(await screen.findByText('CTA 3.9:1')).toBeTruthy();
});

test('there is one live region, and it says that a round ended', async () => {
  await visit('#/runs/r1');
  await waitFor(() => expect(Stream.all).toHaveLength(1));
  // What says it comes with the stage's second file.
  await waitFor(() => expect(screen.getAllByRole('status')).toHaveLength(1));
  await import('../stage/second');
  await new Promise((resolve) => setTimeout(resolve, 50));
  Stream.all.at(-1)?.say({ ...at, seq: 3, type: 'round_end', round: 1, composite: 6.2, mustFix: 3, decision: 'continue', reason: 'below 8' });
  await waitFor(() => expect(screen.getByRole('status').textContent).toMatch(/6\.2/));
});

test('a run that could not be loaded is loaded when the server is back', async () => {
  let isAway = true;
  answers.mockImplementation((path, init) => {
    if (isAway && path.endsWith('/cues')) return json({ code: 'busy', detail: 'the index is being rebuilt', hint: null }, 503);
    return server(path, init);
  });
  await visit('#/runs/r1');
  expect((await screen.findByRole('alert')).textContent).toContain('the index is being rebuilt');
  isAway = false;
  await screen.findByRole('heading', { name: 'Landing page' }, { timeout: 5000 });
  expect(screen.queryByRole('alert')).toBeNull();
  // The row still follows what happens.
  const asked = () => answers.mock.calls.filter(([path]) => path === '/api/projects/p/runs/r1').length;
  const before = asked();
  await waitFor(() => expect(asked()).toBeGreaterThan(before));
});

test('a run that does not exist says so', async () => {
  await visit('#/runs/nope');
  expect(await screen.findByRole('heading', { name: 'Run not found' })).toBeTruthy();
});

test('an address that leads nowhere says so', async () => {
  await visit('#/elsewhere');
  expect(await screen.findByRole('heading', { name: 'Page not found' })).toBeTruthy();
});

test('who is not signed in is told what to open', async () => {
  answers.mockImplementation(() => json({ code: 'unauthorized', detail: 'no token', hint: null }, 401));
  await visit('#/');
  expect((await screen.findByText(/Open the URL/)).textContent).toContain('tribunal serve');
});

test('the keys lead to the help and to the search', async () => {
  await visit('#/');
  const box = await screen.findByRole('searchbox');
  await userEvent.keyboard('/');
  expect(document.activeElement).toBe(box);
  box.blur();
  await userEvent.keyboard('?');
  expect(await screen.findByRole('heading', { name: 'Keyboard shortcuts' })).toBeTruthy();
});

test('whoever types into the search keeps typing', async () => {
  await visit('#/');
  const box = await screen.findByRole<HTMLInputElement>('searchbox');
  await userEvent.type(box, 'he');
  // A pause, as people make it: the filter goes into the address.
  await waitFor(() => expect(location.hash).toContain('text=he'));
  expect(document.activeElement).toBe(box);
  await userEvent.keyboard('adline');
  await waitFor(() => expect(location.hash).toContain('text=headline'));
  expect(box.value).toBe('headline');
  expect(document.activeElement).toBe(box);
});

test('another page is read from its beginning', async () => {
  await visit('#/');
  (await screen.findByRole('searchbox')).focus();
  location.hash = '#/settings';
  await waitFor(() => expect(document.activeElement?.id).toBe('main'));
});
