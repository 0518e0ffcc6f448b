import { render, screen, waitFor } from '@solidjs/testing-library';
import userEvent from '@testing-library/user-event';
import { createRoot } from 'solid-js';
import { beforeAll, expect, test, vi } from 'vitest';
import type { RunQuery } from '../api/pages';
import type { RunPage, RunRow } from '../api/types';
import { loadPageWords, setLocale } from '../i18n';
import { createRunList } from './list';
import { matches } from './match';
import { Row } from './Row';
import { HEIGHT, spark } from './spark';
import StartRun from './StartRun';

beforeAll(async () => {
  // jsdom has the element but not its methods.
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  await setLocale('en');
  await loadPageWords();
});

const row = (over: Partial<RunRow> = {}): RunRow => ({
  run: 'r1',
  loop: 'theater',
  subject: 'Landing page',
  brief: 'A page about tea, in one screen',
  status: 'running',
  isDriven: true,
  isQueued: false,
  waitingFor: [],
  reason: null,
  rounds: 2,
  turns: 9,
  tokens: 12_345,
  usdMicros: 41_000,
  opened: '2026-01-01T12:00:00.000Z',
  closed: null,
  forkOf: null,
  composites: [6.2, 7.81],
  threshold: 8,
  scale: 10,
  score: 7.81,
  artifact: null,
  seq: 40,
  actions: ['interrupt'],
  ...over,
});

test.each([
  ['no filter', {}, true],
  ['text in the subject, whatever its case', { text: 'landING' }, true],
  ['text in the reason', { text: 'cli_exit' }, true],
  ['another text', { text: 'slug' }, false],
  ['another status', { status: 'shipped' }, false],
  ['another loop', { loop: 'desk' }, false],
])('a new run and %s', (_, filter, expected) => {
  expect(matches(row({ reason: 'cli_exit_nonzero' }), { text: '', status: '', loop: '', ...filter })).toBe(expected);
});

test('a sparkline breaks where a round has no score', () => {
  const drawn = spark([2, 4, null, 8, 10], 6, 10);
  expect(drawn.lines).toEqual(['4,24 26,19', '70,9 92,4']);
  expect(drawn.dots).toEqual([{ x: 92, y: 4 }]);
  expect(drawn.threshold).toBe(HEIGHT / 2);
});

test.each([
  ['no round', [], null, []],
  ['one round', [5], null, [{ x: 48, y: 4 }]],
  ['rounds that stand alone', [0, null, 10], null, [{ x: 4, y: 24 }, { x: 92, y: 4 }]],
  ['scores that are the same', [0, 0], null, [{ x: 92, y: 4 }]],
  ['a small step, which stays small', [8, 7.5], null, [{ x: 92, y: 8 }]],
] as const)('the dots of %s', (_, composites, threshold, expected) => {
  expect(spark(composites, threshold, 10).dots).toEqual(expected);
});

const NOW = Date.parse('2026-01-01T12:03:10.000Z');
test.each([
  ['running', {}, 'Running'],
  ['queued', { isQueued: true }, 'Queued'],
  ['driven by nobody', { isDriven: false }, 'Stopped'],
  ['waiting for people', { waitingFor: ['critic', 'copy'] }, 'Waiting for critic, copy'],
  ['ended', { status: 'below_threshold' }, 'Below threshold'],
] as const)('a row that is %s says so in a word', (_, over, expected) => {
  render(() => <Row row={row({ ...over, waitingFor: [...('waitingFor' in over ? over.waitingFor : [])] })} now={NOW} />);
  expect(screen.getByText(expected)).toBeTruthy();
});

test('a row says what is wanted', () => {
  render(() => <Row row={row()} now={NOW} />);
  expect(screen.getByText('A page about tea, in one screen')).toBeTruthy();
});

test('a row whose best round was not the last says which score it shows', () => {
  render(() => <Row row={row({ status: 'below_threshold', composites: [7.81, 6.2], reason: 'composite 6.2 is below 8' })} now={NOW} />);
  expect(screen.getByText('Best 7.81')).toBeTruthy();
});

test('a fork is marked, and leads to the run that it varies', () => {
  render(() => <Row row={row({ forkOf: 'r0' })} now={0} />);
  expect(screen.getByRole('link', { name: 'Fork' }).getAttribute('href')).toContain('r0');
});

test('a row tells scores to who cannot see the line', () => {
  render(() => <Row row={row()} now={NOW} />);
  expect(screen.getByRole('img', { name: 'Scores by round: 6.2, 7.81. Threshold 8.' })).toBeTruthy();
  expect(screen.getByText('3 minutes ago')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Landing page' }).getAttribute('href')).toBe('#/runs/r1');
});

function listOf(pages: (query: RunQuery) => RunPage, single: (run: string) => RunRow) {
  const runs = vi.fn(async (query: RunQuery) => pages(query));
  const run = vi.fn(async (id: string) => single(id));
  const fail = (thrown: unknown): never => {
    throw thrown;
  };
  const list = createRoot(() => createRunList({ runs, run }, fail));
  return { list, runs, run };
}
const NONE = { text: '', status: '', loop: '' };

test('only the rows that changed are asked for, once, and a new run comes first', async () => {
  vi.useFakeTimers();
  const { list, runs, run } = listOf(
    () => ({ runs: [row({ run: 'a' }), row({ run: 'b' })], next: null }),
    (id) => row({ run: id, status: id === 'a' ? 'shipped' : 'running' }),
  );
  await list.show(NONE);
  list.touch(['a']);
  list.touch(['a', 'new']);
  await vi.advanceTimersByTimeAsync(300);
  vi.useRealTimers();
  expect(run.mock.calls).toEqual([['a'], ['new']]);
  expect(runs).toHaveBeenCalledTimes(1);
  expect(list.rows.map(({ run, status }) => `${run} ${status}`)).toEqual(['new running', 'a shipped', 'b running']);
});

test('when many have changed the page is read anew', async () => {
  vi.useFakeTimers();
  const { list, runs, run } = listOf(() => ({ runs: [row()], next: null }), (id) => row({ run: id }));
  await list.show(NONE);
  list.touch(Array.from({ length: 40 }, (_, i) => `r${i}`));
  await vi.advanceTimersByTimeAsync(300);
  vi.useRealTimers();
  expect(run).not.toHaveBeenCalled();
  expect(runs).toHaveBeenCalledTimes(2);
});

test('pages follow one another with the same filter', async () => {
  const { list, runs } = listOf(
    ({ after }) => (after ? { runs: [row({ run: 'b' })], next: null } : { runs: [row({ run: 'a' })], next: 'a' }),
    () => row(),
  );
  await list.show({ ...NONE, loop: 'desk' });
  expect(list.hasMore()).toBe(true);
  await list.more();
  expect(list.hasMore()).toBe(false);
  expect(list.rows.map(({ run }) => run)).toEqual(['a', 'b']);
  expect(runs.mock.calls[1]?.[0]).toMatchObject({ loop: 'desk', after: 'a' });
});

test('a run is started with what was filled in, and opened', async () => {
  const start = vi.fn(async () => ({ runs: ['r9'] }));
  const onClose = vi.fn();
  render(() => <StartRun start={start} onClose={onClose} />);
  await userEvent.type(screen.getByLabelText('Brief'), 'A page about tea');
  await userEvent.type(screen.getByLabelText('Assets'), 'slug, title');
  await userEvent.click(screen.getByRole('button', { name: 'Start' }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(start).toHaveBeenCalledWith('A page about tea', ['slug', 'title'], null);
  expect(location.hash).toBe('#/runs/r9');
});
