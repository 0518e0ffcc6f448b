// The list of runs: found by typing, told apart by what was wanted.
import { expect, test } from 'vitest';
import { cueRound, seats, theater } from './support/bakery';
import { house } from './support/house';
import type { Project } from './support/project';
import type { Server } from './support/server';
import { until } from './support/wait';

const { project: aProject, serve, visit } = house();

async function someRuns(): Promise<{ project: Project; server: Server; runs: string[] }> {
  const project = aProject();
  theater(project, 'seats', 'play', 'max_concurrent_runs = 1');
  project.play('play', seats());
  const server = await serve(project);
  const runs = [await server.begin('A headline for the night market'), await server.begin('A headline for the day market')];
  return { project, server, runs };
}

test('whoever types into the search keeps typing, and so does whoever chose a filter', async () => {
  const { server } = await someRuns();
  const page = await visit(server);
  await expect.poll(() => page.locator('li.run').count()).toBe(2);
  const box = page.getByRole('searchbox');
  await box.focus();
  await page.keyboard.type('p');
  // The pause after which the filter goes into the address and the list is read anew.
  await expect.poll(() => page.url()).toContain('text=p');
  await page.keyboard.type('lay');
  await expect.poll(() => page.url()).toContain('text=play');
  expect(await box.inputValue()).toBe('play');
  expect(await box.evaluate((box) => document.activeElement === box)).toBe(true);
  const status = page.getByLabel('Status');
  await status.focus();
  await status.selectOption('running');
  await expect.poll(() => page.url()).toContain('status=running');
  expect(await status.evaluate((status) => document.activeElement === status)).toBe(true);
});

test('runs of one page are told apart by their briefs, and a stage says what was wanted', async () => {
  const { server, runs } = await someRuns();
  const page = await visit(server);
  await page.locator('li.run', { hasText: 'A headline for the night market' }).waitFor();
  await page.locator('li.run', { hasText: 'A headline for the day market' }).waitFor();
  await page.goto(`${server.address}/#/runs/${runs[0]}`);
  const brief = page.locator('.brief');
  await brief.getByText('A headline for the night market').waitFor();
  await brief.locator('summary').click();
  await expect.poll(() => brief.locator('pre').textContent()).toBe('A headline for the night market');
});

test('a run that nobody drives is stopped, in one word', async () => {
  const { project, server, runs } = await someRuns();
  cueRound(project, 'play', 1);
  await until('round 1 is over', async () => (await server.row(runs[0] ?? '')).composites.length === 1);
  await server.kill();
  const again = await serve(project, 0, '--no-resume');
  const page = await visit(again);
  const row = page.locator('li.run', { hasText: 'night market' });
  await expect.poll(() => row.locator('.badge').textContent()).toBe('Stopped');
  expect((await row.textContent())?.match(/Running|Stopped/g)).toEqual(['Stopped']);
});
