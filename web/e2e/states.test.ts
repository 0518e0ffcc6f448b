// Every way a run can stand, as a reader may find it: each at three widths, in both themes, by the rules for accessibility.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cueRound, seats, theater, draft } from './support/bakery';
import { house } from './support/house';
import { look } from './support/look';
import { review } from './support/loops';
import type { Server } from './support/server';
import { Stage } from './support/stage';
import { until } from './support/wait';

const { project: aProject, serve, visit } = house('file');
let server: Server;
let page: Page;
const runs = new Map<string, string>();
const runOf = (name: string): string => runs.get(name) ?? '';

beforeAll(async () => {
  const project = aProject();
  const theaterOf = (name: string, panel: 'single' | 'seats', parts: Record<string, string>, settings = ''): Promise<string> => {
    // What is looked at while it runs still runs when a slow machine has looked at it.
    theater(project, panel, name, `max_concurrent_runs = 1\nper_round_timeout_ms = 3600000\ntotal_timeout_ms = 3600000\n${settings}`);
    project.play(name, parts);
    return server.begin();
  };
  theater(project, 'seats', 'none');
  server = await serve(project);

  runs.set('shipped', await theaterOf('the_night_oven', 'seats', seats()));
  for (const round of [1, 2]) cueRound(project, 'the_night_oven', round);
  await server.closed(runOf('shipped'));

  runs.set('below_threshold', await theaterOf('price_list', 'seats', seats(), 'max_rounds = 1'));
  cueRound(project, 'price_list', 1);
  await server.closed(runOf('below_threshold'));

  runs.set('degraded', await theaterOf('opening_hours', 'single', { perform: '<CRITIQUE_RUN version="1"><ROUND n="1"></PANELIST>', plain: JSON.stringify({ artifact: { mime: 'text/html', content: draft(1) } }) }));
  await server.closed(runOf('degraded'));

  runs.set('failed', await theaterOf('allergens', 'seats', { designer: '@exit 3' }));
  await server.closed(runOf('failed'));

  runs.set('interrupted', await theaterOf('market_stall', 'seats', seats()));
  cueRound(project, 'market_stall', 1);
  await until('round 1 is over', async () => (await server.row(runOf('interrupted'))).composites.length === 1);
  await server.post(`runs/${runOf('interrupted')}/interrupt`);
  await server.closed(runOf('interrupted'));

  runs.set('running', await theaterOf('gift_boxes', 'seats', seats()));
  cueRound(project, 'gift_boxes', 1);
  for (const seat of ['designer', 'critic']) project.cue('gift_boxes', `${seat}.2`);
  runs.set('queued', await theaterOf('summer_menu', 'seats', seats()));

  // Last, since who is a person is read from the file as it is now.
  review(project, 'person');
  runs.set('waiting', await server.begin());
  await until('somebody is asked', async () => (await server.row(runOf('waiting'))).waitingFor.length > 0);
  page = await visit(server, { may: /ERR_/ });
});

test('the list', async () => {
  await page.goto(`${server.address}/#/`);
  const standing = async (): Promise<string[]> =>
    (await page.locator('li.run .badge').allTextContents()).map((text) => text.replace(/^\W+/, '')).sort();
  await expect.poll(standing).toEqual(['Below threshold', 'Degraded', 'Failed', 'Interrupted', 'Queued', 'Running', 'Shipped', 'Waiting for reviewer']);
  await look(page, 'runs');
});

test.each([
  ['running', 'Running', () => page.locator('.lane', { hasText: 'critic' }).getByText('8.8')],
  ['shipped', 'Shipped', () => page.locator('.strip').getByText('8.74')],
  ['below_threshold', 'Below threshold', () => page.locator('.outcome')],
  ['interrupted', 'Interrupted', () => page.locator('.steer').getByText('ada')],
  ['degraded', 'Degraded', () => page.locator('.banner').getByText(/^Degraded: the answer was malformed/)],
  ['failed', 'Failed', () => page.getByText('Nothing to ship.')],
  ['waiting', 'Waiting for reviewer', () => page.getByRole('heading', { name: 'Your turn: reviewer' })],
  ['queued', 'Queued', () => page.getByText('Other runs come first.')],
] as const)('%s', async (name, badge, detail) => {
  const stage = await Stage.open(page, server, runOf(name));
  await expect.poll(() => stage.badge.textContent()).toBe(badge);
  await detail().waitFor();
  const isOver = (await server.row(runOf(name))).closed !== null;
  if (isOver) expect(await page.getByText('Waiting', { exact: true }).count(), 'nobody waits for a turn that will not come').toBe(0);
  await look(page, name, page.locator(name === 'waiting' ? '.answer' : 'header.top'));
});

test('the question before an interrupt', async () => {
  await Stage.open(page, server, runOf('running'));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Interrupt this run?' }).waitFor();
  await look(page, 'interrupt');
  await page.keyboard.press('Escape');
});

test('a stage that is folded up', async () => {
  await Stage.open(page, server, runOf('running'));
  await page.getByRole('button', { name: 'Collapse' }).click();
  await page.getByRole('button', { name: 'Show the stage' }).waitFor();
  await look(page, 'folded');
  await page.getByRole('button', { name: 'Show the stage' }).click();
});

test('reconnecting', async () => {
  await Stage.open(page, server, runOf('running'));
  await server.kill();
  await page.getByText('Connection lost, reconnecting.').waitFor();
  await look(page, 'reconnecting');
});
