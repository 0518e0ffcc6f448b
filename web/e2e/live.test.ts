// A run as it happens, in both ways of seating a panel.
import { expect, test } from 'vitest';
import { COMPOSITES, JUDGES, cueRound, seats, stream, theater } from './support/bakery';
import { house } from './support/house';
import { Stage } from './support/stage';

const { project: aProject, serve, visit } = house();
const words = (text: string | null): string => (text ?? '').replace(/\s+/g, ' ').trim();

test('one panel in one stream: every fact is seen as soon as it is said', async () => {
  const project = aProject();
  theater(project, 'single', 'play');
  project.play('play', { perform: stream() });
  const server = await serve(project);
  const page = await visit(server);
  const stage = await Stage.open(page, server, await server.begin());
  const said = await stage.listen();
  const critic = stage.lane('critic');

  project.cue('play', 'designer.1');
  await page.frameLocator('iframe').getByText('Bread that was flour last night').waitFor();
  await expect.poll(() => critic.textContent()).toContain('Waiting');

  project.cue('play', 'critic.1');
  await critic.getByText('Speaking').waitFor();
  await critic.getByText('The price is seen before the bread.').waitFor();
  expect(await critic.locator('.dims li').count()).toBe(1);
  project.cue('play', 'critic.1.hierarchy');
  await critic.getByText('The button is 2.0:1 on its ground.').waitFor();
  expect(await critic.locator('.dims i').nth(1).evaluate((bar) => bar.style.width)).toBe('40%');
  expect(await critic.locator('.demands li').count(), 'not before it is said').toBe(0);
  project.cue('play', 'critic.1.contrast');
  project.cue('play', 'critic.1.rhythm');
  await critic.getByText('Must fix: Raise the contrast').waitFor();
  await expect.poll(() => critic.locator('.lane-score').textContent()).toBe('6.4');
  expect(words(await stage.score.textContent()), 'no score before a round has ended').toBe('– of 10');
  expect(await said()).toEqual([]);

  cueRound(project, 'play', 1);
  await expect.poll(said).toEqual([`Round 1, ${COMPOSITES[0]}, Continues, 3 must-fixes open`]);
  await expect.poll(async () => words(await stage.score.textContent())).toBe(`${COMPOSITES[0]} of 10`);

  cueRound(project, 'play', 2);
  await expect.poll(said).toHaveLength(2);
  project.cue('play', 'ship');
  await expect.poll(() => stage.badge.textContent()).toBe('Shipped');
  await expect.poll(said).toEqual([
    `Round 1, ${COMPOSITES[0]}, Continues, 3 must-fixes open`,
    `Round 2, ${COMPOSITES[1]}, Ships, 0 must-fixes open`,
    `Shipped. Round 2, ${COMPOSITES[1]}`,
  ]);
  expect(await page.locator('.outcome').textContent()).toBe('The button can be read, and the keyboard can be seen.');
  await page.frameLocator('iframe').getByText('Order for Saturday').waitFor();
});

test('separate seats: lanes fill as each one answers, and the list follows', async () => {
  const project = aProject();
  theater(project, 'seats', 'play');
  project.play('play', seats());
  const server = await serve(project);
  const [page, list] = await Promise.all([visit(server), visit(server)]);
  await list.getByText('No runs yet').waitFor();
  const run = await server.begin();
  const stage = await Stage.open(page, server, run);
  const said = await stage.listen();
  const row = list.locator('li.run');
  await row.getByText('Running').waitFor();

  project.cue('play', 'designer.1');
  for (const judge of JUDGES) await stage.lane(judge).getByText('Speaking').waitFor();
  project.cue('play', 'copy.1');
  await expect.poll(() => stage.lane('copy').locator('.lane-score').textContent()).toBe('7.4');
  expect(await stage.lane('brand').locator('.lane-score').textContent()).toBe('Speaking');
  cueRound(project, 'play', 1);
  await expect.poll(said).toEqual([`Round 1, ${COMPOSITES[0]}, Continues, 4 must-fixes open`]);
  // One of them is our own: what the house measures of the page in every round.
  await expect.poll(() => page.locator('.findings li').count()).toBe(4);
  await expect.poll(() => stage.round.textContent()).toContain('Round 2');

  cueRound(project, 'play', 2);
  await expect.poll(() => stage.badge.textContent()).toBe('Shipped');
  await page.getByRole('button', { name: 'All 4' }).click();
  expect(await page.locator('.findings li.settled .fixed').allTextContents()).toEqual(Array(4).fill('fixed in 2'));
  await row.getByText('Shipped').waitFor();
  await expect.poll(() => row.textContent()).toContain(`Score ${COMPOSITES[1]}`);
});
