// What is said is true, and in the reader's own words.
import { expect, test } from 'vitest';
import { JUDGES, cueRound, draft, seats, theater } from './support/bakery';
import { house } from './support/house';
import { review } from './support/loops';
import { Stage } from './support/stage';

const { project: aProject, serve, visit } = house();

test('a round that a fallback hands over is below the threshold, wherever it is told', async () => {
  const project = aProject();
  theater(project, 'seats', 'play', 'max_rounds = 1');
  project.play('play', seats());
  cueRound(project, 'play', 1);
  const server = await serve(project);
  const run = await server.begin();
  expect((await server.closed(run)).status).toBe('below_threshold');
  const page = await visit(server);
  const stage = await Stage.open(page, server, run);
  await expect.poll(() => page.locator('.verdict strong').textContent()).toBe('Below threshold');
  expect(await page.locator('.strip svg.good').count()).toBe(0);
  const said = (await stage.transcript()).map(({ text }) => text);
  expect(said.filter((text) => /Ships ·|· Ships|Continues/.test(text))).toEqual([]);
});

test('a review that converged misses nothing', async () => {
  const project = aProject();
  review(project, 'actor');
  const server = await serve(project);
  const run = await server.begin();
  expect((await server.closed(run)).status).toBe('converged');
  const page = await visit(server);
  const stage = await Stage.open(page, server, run);
  await expect.poll(() => stage.badge.textContent()).toBe('Converged');
  await page.locator('.outcome').waitFor();
  expect(await page.getByText('Nothing to ship.').count()).toBe(0);
  // What was fixed is no alarm any more.
  await page.getByRole('button', { name: /^All/ }).click();
  const fixed = page.locator('.findings li.settled').first();
  await fixed.waitFor();
  expect(await fixed.locator('svg.bad').count()).toBe(0);
});

test('a run that there cannot be is not waited for', async () => {
  const project = aProject();
  theater(project, 'seats', 'play');
  const server = await serve(project);
  const page = await visit(server, { may: /40[04]/ });
  for (const name of ['nonsense', '01a2f5c0-0000-7000-8000-000000000000']) {
    await page.goto(`${server.address}/#/runs/${name}`);
    await page.getByRole('heading', { name: 'Run not found' }).waitFor();
    await page.goto(`${server.address}/#/`);
  }
});

test('times are those of the reader’s own clock', async () => {
  const project = aProject();
  theater(project, 'seats', 'play');
  project.play('play', seats());
  const server = await serve(project);
  const run = await server.begin();
  const page = await visit(server, { timezoneId: 'Asia/Kathmandu' });
  const stage = await Stage.open(page, server, run);
  const [first] = await stage.transcript();
  const [frame] = await server.cues(run);
  const there = new Date(frame?.time ?? '').toLocaleTimeString('en-GB', { timeZone: 'Asia/Kathmandu' });
  expect(first?.time.trim()).toBe(there);
});

test('seats, tasks and reasons are in the reader’s language', async () => {
  const project = aProject();
  theater(project, 'single', 'play');
  project.play('play', { perform: '<CRITIQUE_RUN version="1"><ROUND n="1"></PANELIST>', plain: JSON.stringify({ artifact: { mime: 'text/html', content: draft(1) } }) });
  const server = await serve(project);
  const run = await server.begin();
  await server.closed(run);
  const page = await visit(server, { locale: 'de-DE' });
  await page.goto(`${server.address}/#/runs/${run}`);
  await page.locator('.banner').getByText('die Antwort war fehlerhaft aufgebaut').waitFor();
  await page.locator('.lane h3').getByText('Gremium').or(page.locator('.lane h3').getByText('Design')).first().waitFor();
});

test('a claim that a measurement overruled is marked as such', async () => {
  const project = aProject();
  theater(project, 'seats', 'play', 'max_rounds = 1');
  const claim = { score: 9.5, dims: [{ name: 'contrast', score: 10, note: 'Every text can be read.' }], must_fix: [] };
  project.play('play', { ...seats(), 'a11y.1': JSON.stringify(claim) });
  for (const role of ['designer', ...JUDGES]) project.cue('play', `${role}.1`);
  const server = await serve(project);
  const run = await server.begin();
  await server.closed(run);
  const page = await visit(server);
  const stage = await Stage.open(page, server, run);
  await stage.lane('a11y').getByText(/^Overruled: contrast was claimed to be 10\. Measured: \d.*, and that counts\.$/).waitFor();
  const said = (await stage.transcript()).map(({ text }) => text);
  expect(said).toContain('A claim was overruled by a measurement');
  expect(said.filter((text) => text.includes('at byte 0'))).toEqual([]);
});
