// The pages and drawers around a stage: each at three widths, in both themes, by the rules for accessibility.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { cueRound, seats, theater } from './support/bakery';
import { house } from './support/house';
import { look } from './support/look';
import { desk, joust } from './support/loops';
import type { Project } from './support/project';
import type { Server } from './support/server';
import { Stage } from './support/stage';

const { project: aProject, serve, visit } = house('file');
let project: Project;
let server: Server;
let page: Page;
let run: string;

beforeAll(async () => {
  project = aProject();
  theater(project, 'seats', 'the_night_oven');
  project.play('the_night_oven', seats());
  for (const round of [1, 2]) cueRound(project, 'the_night_oven', round);
  server = await serve(project);
  page = await visit(server, { may: /40[01]|422/ });
});

test('an empty list', async () => {
  await page.getByText('No runs yet').waitFor();
  await look(page, 'empty');
  run = await server.begin();
  await server.closed(run);
});

test('starting a run', async () => {
  await page.getByRole('button', { name: 'Start a run' }).click();
  await page.getByRole('dialog').getByLabel('Brief').waitFor();
  await look(page, 'start');
  await page.keyboard.press('Escape');
});

test('settings', async () => {
  await page.goto(`${server.address}/#/settings`);
  await page.getByText('theater.score_threshold').waitFor();
  await look(page, 'settings');
});

test('a setting that is changed is written to the file, and one that does not fit is refused beside it', async () => {
  const row = page.locator('li.setting').filter({ hasText: 'theater.score_threshold' });
  await row.getByRole('textbox').fill('700');
  await row.getByRole('button', { name: 'Save' }).click();
  await row.getByRole('alert').waitFor();
  expect(project.read('tribunal.toml')).not.toContain('700');
  await row.getByRole('textbox').fill('7.5');
  await row.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => project.read('tribunal.toml')).toContain('score_threshold = 7.5');
  await row.getByText('from tribunal.toml').waitFor();
});

test('the keyboard help', async () => {
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await look(page, 'help');
  await page.keyboard.press('Escape');
});

test('what changed between two rounds, as text and side by side', async () => {
  await Stage.open(page, server, run);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.locator('.diff').getByText('Order for Saturday').waitFor();
  await look(page, 'diff', page.locator('.diff'));
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.frameLocator('.diff iframe >> nth=1').getByText('Order for Saturday').waitFor();
  await look(page, 'side-by-side');
});

test('evidence', async () => {
  const stage = await Stage.open(page, server, run);
  await stage.lane('critic').getByRole('button', { name: 'critic' }).click();
  const drawer = page.getByRole('dialog', { name: /^Evidence: critic/ });
  await drawer.getByText('Raw answer').click();
  await drawer.getByText('"must_fix"').waitFor();
  await look(page, 'evidence');
  await page.keyboard.press('Escape');
});

test('a replay with its transcript', async () => {
  await Stage.open(page, server, run);
  await page.getByText('Transcript', { exact: true }).click();
  await page.getByRole('slider', { name: 'Moment' }).fill('12');
  await page.locator('ol.transcript li.ahead').first().waitFor();
  await look(page, 'replay');
});

test('a joust', async () => {
  const project = aProject();
  joust(project);
  const server = await serve(project);
  const tab = await visit(server);
  const run = await server.begin();
  await server.closed(run);
  await Stage.open(tab, server, run);
  await tab.locator('.strip button').filter({ hasText: 'Round 1' }).click();
  await tab.getByRole('heading', { name: 'Rulings' }).waitFor();
  await look(tab, 'joust', tab.locator('.lanes'));
});

test('a desk', async () => {
  const project = aProject('calculator');
  await desk(project);
  await project.tribunal('desk', 'run', 'calculator');
  const server = await serve(project);
  const [row] = await server.runs();
  const tab = await visit(server);
  await Stage.open(tab, server, row?.run ?? '');
  await tab.getByRole('heading', { name: 'Receipts' }).waitFor();
  await look(tab, 'desk');
});

test('who is not signed in, and what is not there', async () => {
  await page.goto(`${server.address}/#/nowhere`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await look(page, 'missing');
  await page.context().clearCookies();
  await page.goto(server.address);
  await page.reload();
  await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
  await look(page, 'locked');
});
