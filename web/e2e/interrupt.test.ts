// A person has a word in a run, or stops it.
import { describe, expect, test } from 'vitest';
import { COMPOSITES, cueRound, seats, stream, theater } from './support/bakery';
import { house } from './support/house';
import { Stage } from './support/stage';

const { project: aProject, serve, visit } = house();

describe.each(['single', 'seats'] as const)('%s', (panel) => {
  test('Esc asks first: a no changes nothing, a yes stops it and keeps the complete round', async () => {
    const project = aProject();
    theater(project, panel, 'play');
    project.play('play', panel === 'single' ? { perform: stream() } : seats());
    const server = await serve(project);
    const page = await visit(server);
    const run = await server.begin();
    const stage = await Stage.open(page, server, run);
    cueRound(project, 'play', 1);
    project.cue('play', 'designer.2');
    await expect.poll(() => stage.round.textContent()).toContain('Round 2');

    const question = page.getByRole('dialog', { name: 'Interrupt this run?' });
    // A dialog that is closed is in the document for a moment more.
    const gone = (): Promise<void> => page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await gone();
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await gone();
    expect(await stage.badge.textContent()).toBe('Running');
    expect((await server.row(run)).status).toBe('running');

    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Interrupt' }).click();
    await expect.poll(() => stage.badge.textContent()).toBe('Interrupted');
    await page.locator('.steer').getByText('ada interrupted').waitFor();
    const cues = await server.cues(run);
    expect(cues.filter((cue) => cue.type === 'person').map(({ by, act }) => `${by} ${act}`)).toEqual(['ada interrupted']);
    expect(cues.find((cue) => cue.type === 'interrupted')).toMatchObject({ bestRound: 1, composite: Number(COMPOSITES[0]) });
    expect(cues.find((cue) => cue.type === 'ship')).toMatchObject({ round: 1, status: 'interrupted' });

    // What is over cannot be interrupted, and asking for it is nothing.
    await expect.poll(() => page.getByRole('button', { name: 'Interrupt' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await question.count()).toBe(0);
  });
});

test('a word to the seats is in the log with who said it, and the box is free again', async () => {
  const project = aProject();
  theater(project, 'seats', 'play');
  project.play('play', seats());
  const server = await serve(project);
  const page = await visit(server);
  const run = await server.begin();
  const stage = await Stage.open(page, server, run);
  cueRound(project, 'play', 1);
  await expect.poll(() => stage.round.textContent()).toContain('Round 2');
  const box = page.getByRole('textbox', { name: /^An instruction to every seat/ });
  await box.fill('No orange, please.');
  await page.getByRole('button', { name: 'Steer' }).click();
  await expect.poll(() => box.inputValue()).toBe('');
  cueRound(project, 'play', 2);
  await page.locator('.steer li').getByText('No orange, please.').waitFor();
  const said = (await server.cues(run)).filter((cue) => cue.type === 'person');
  expect(said.map(({ by, act, text }) => `${by} ${act}: ${text}`)).toEqual(['ada steered: No orange, please.']);
});
