// What a reader sees after the page, or the server, began anew.
import { expect, test } from 'vitest';
import { COMPOSITES, cueRound, seats, stream, theater } from './support/bakery';
import { expected, told } from './support/compare';
import { house } from './support/house';
import type { Server } from './support/server';
import { Stage } from './support/stage';

const { project: aProject, serve, visit } = house();
/** What a browser says of a server that is away. */
const AWAY = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;

/** Every cue of the log is a line of the page, once, in order. */
async function sameAsLog(stage: Stage, server: Server, run: string): Promise<void> {
  const cues = await server.cues(run);
  expect(cues.length).toBeGreaterThan(5);
  await expect.poll(async () => told(await stage.transcript(), cues)).toEqual(expected(cues));
}

test('a reload in the middle loses nothing and doubles nothing', async () => {
  const project = aProject();
  theater(project, 'single', 'play');
  project.play('play', { perform: stream() });
  const server = await serve(project);
  const page = await visit(server);
  const run = await server.begin();
  const stage = await Stage.open(page, server, run);

  for (const cue of ['designer.1', 'critic.1', 'critic.1.hierarchy']) {
    project.cue('play', cue);
    // It goes on while the page is away.
    await page.reload();
    await stage.settled();
  }
  await stage.lane('critic').getByText('The button is 2.0:1 on its ground.').waitFor();
  expect(await stage.lane('critic').locator('.dims li').count()).toBe(2);
  await sameAsLog(stage, server, run);

  cueRound(project, 'play', 1);
  cueRound(project, 'play', 2);
  await page.reload();
  await stage.settled();
  project.cue('play', 'ship');
  await expect.poll(() => stage.badge.textContent()).toBe('Shipped');
  await sameAsLog(stage, server, run);
});

test('a server that was killed: the page comes back by itself, and separate seats go on', async () => {
  const project = aProject();
  theater(project, 'seats', 'play');
  project.play('play', seats());
  const first = await serve(project);
  const page = await visit(first, { may: AWAY });
  const run = await first.begin();
  const stage = await Stage.open(page, first, run);
  const said = await stage.listen();
  cueRound(project, 'play', 1);
  await expect.poll(() => stage.round.textContent()).toContain('Round 2');

  await first.kill();
  await page.getByText('Connection lost, reconnecting.').waitFor();
  const second = await serve(project, first.port);
  await page.getByText('Connection lost, reconnecting.').waitFor({ state: 'detached' });
  expect(second.token, 'the browser is still signed in').toBe(first.token);
  cueRound(project, 'play', 2);
  await expect.poll(() => stage.badge.textContent()).toBe('Shipped');
  await sameAsLog(stage, second, run);
  const ends = (await second.cues(run)).filter((cue) => cue.type === 'round_end');
  expect(ends.map(({ round, composite }) => `${round} ${composite}`), 'round 1 was not judged again').toEqual([
    `1 ${COMPOSITES[0]}`,
    `2 ${COMPOSITES[1]}`,
  ]);
  expect((await said()).at(-1)).toBe(`Shipped. Round 2, ${COMPOSITES[1]}`);
});

test('a server that was killed: one stream cannot go on and is closed with what it had', async () => {
  const project = aProject();
  theater(project, 'single', 'play');
  project.play('play', { perform: stream() });
  const first = await serve(project);
  const page = await visit(first, { may: AWAY });
  const run = await first.begin();
  const stage = await Stage.open(page, first, run);
  cueRound(project, 'play', 1);
  project.cue('play', 'designer.2');
  await expect.poll(() => stage.round.textContent()).toContain('Round 2');

  await first.kill();
  await page.getByText('Connection lost, reconnecting.').waitFor();
  const second = await serve(project, first.port);
  await expect.poll(() => stage.badge.textContent()).toBe('Interrupted');
  const cues = await second.cues(run);
  expect(cues.find((cue) => cue.type === 'interrupted')).toMatchObject({ bestRound: 1, recovery: 'daemon_restart' });
  await sameAsLog(stage, second, run);
});
