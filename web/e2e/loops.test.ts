// The other loops on the same stage, in their own words.
import { expect, test } from 'vitest';
import { house } from './support/house';
import { desk, joust, review } from './support/loops';
import { Stage } from './support/stage';

const { project: aProject, serve, visit } = house();
const words = (text: string | null): string => (text ?? '').replace(/\s+/g, ' ').trim();

test('a review counts iterations and open must-fixes, and converges', async () => {
  const project = aProject();
  review(project, 'actor');
  const server = await serve(project);
  const page = await visit(server);
  const stage = await Stage.open(page, server, await server.begin());
  await expect.poll(() => stage.badge.textContent()).toBe('Converged');
  expect(words(await stage.score.textContent())).toBe('0 must-fixes open');
  expect(await page.locator('.stage-head .eyebrow').textContent()).toBe('Review');
  expect(await page.locator('.strip button').allTextContents()).toEqual([expect.stringContaining('Iteration 1'), expect.stringContaining('Iteration 2')]);
  await page.keyboard.press('[');
  expect(words(await stage.round.textContent())).toContain('Iteration 1');
  expect(await stage.lane('reviewer').textContent()).toContain('changes requested');
});

test('a joust sends drafts back and accepts them, with the reason', async () => {
  const project = aProject();
  joust(project);
  const server = await serve(project);
  const page = await visit(server);
  const run = await server.begin();
  const stage = await Stage.open(page, server, run);
  const { status } = await server.closed(run);
  await expect.poll(async () => (await stage.badge.textContent())?.toLowerCase().replaceAll(' ', '_')).toBe(status);
  expect(await page.locator('.stage-head .eyebrow').textContent()).toBe('Joust');
  const names = async (): Promise<string[]> => (await page.locator('.strip button').allTextContents()).map(words);
  await expect.poll(names).toEqual([expect.stringContaining('Round 1')]);
  const rulings = page.locator('.proof').filter({ has: page.getByRole('heading', { name: 'Rulings' }) }).locator('li');
  await expect.poll(async () => (await rulings.allTextContents()).map(words)).toEqual([
    expect.stringMatching(/^main accepted/),
    expect.stringMatching(/^skeptic sent back.*not in May/),
    expect.stringMatching(/^skeptic accepted/),
    expect.stringMatching(/^main accepted/),
  ]);
});

test('a desk shows stories and what the engine itself ran', async () => {
  const project = aProject('calculator');
  await desk(project);
  const ran = await project.tribunal('desk', 'run', 'calculator');
  expect(ran.code, ran.stderr).toBe(0);
  const server = await serve(project);
  const [row] = await server.runs();
  if (!row) throw new Error('no run');
  const page = await visit(server);
  await page.getByRole('link', { name: row.subject, exact: true }).click();
  const stage = await Stage.open(page, server, row.run);
  expect(await page.locator('.stage-head .eyebrow').textContent()).toBe('Desk');
  await page.getByRole('heading', { name: 'Receipts' }).waitFor();
  const stories = await page.locator('.proof li').filter({ hasText: 'Verified, Iteration' }).count();
  expect(stories).toBeGreaterThan(0);
  expect(words(await stage.score.textContent())).toBe(`${stories} of ${stories} stories verified`);
  await page.locator('.proof').getByRole('button', { name: /Verified, Iteration/ }).first().click();
  const evidence = page.getByRole('dialog', { name: /^Evidence: Iteration/ });
  await evidence.getByText('exit 0').first().waitFor();
  await evidence.getByText('ok 1 - adds').first().waitFor();
  expect(await stage.round.textContent(), 'how many there will be nobody knows').not.toContain('of 1');
  expect(await page.getByText('Nothing to ship.').count()).toBe(0);
  expect(await page.locator('iframe').count(), 'a desk works on files, not on one page').toBe(0);
});
