// A person in a seat.
import { expect, test } from 'vitest';
import { house } from './support/house';
import { review } from './support/loops';
import { Stage } from './support/stage';

const { project: aProject, serve, visit } = house();

test('a review by a person: an answer that does not fit is kept, one that does goes on, until it converges', async () => {
  const project = aProject();
  review(project, 'person');
  const server = await serve(project);
  // The browser itself says that an answer was refused.
  const page = await visit(server, { may: /422/ });
  const run = await server.begin();
  const stage = await Stage.open(page, server, run);
  const seat = page.locator('article.answer');
  await seat.getByRole('heading', { name: 'Your turn: reviewer' }).waitFor();
  expect(await stage.badge.textContent()).toBe('Waiting for reviewer');
  expect(await seat.getByRole('region', { name: 'The question' }).textContent()).toContain('Bread is good. Listen now.');

  // Whoever is awaited sees it in the tab's name, and sees the work and what to press at once.
  await expect.poll(() => page.title()).toContain('Your turn: reviewer');
  for (const part of [seat.getByText('Bread is good. Listen now.').first(), seat.getByRole('button', { name: 'Changes requested' })]) {
    await seat.scrollIntoViewIfNeeded();
    expect(await part.evaluate((part) => part.getBoundingClientRect().bottom <= innerHeight)).toBe(true);
  }

  // As text, and not what was asked for.
  await seat.getByRole('button', { name: 'Text' }).click();
  const text = seat.getByRole('textbox', { name: 'Your answer' });
  await text.fill('It is too short, I think.');
  await seat.getByRole('button', { name: 'Send answer' }).click();
  await seat.getByRole('alert').getByText('The answer is not valid:').waitFor();
  expect(await text.inputValue(), 'nothing is lost').toBe('It is too short, I think.');
  expect((await server.cues(run)).filter((cue) => cue.type === 'turn_ended' && cue.role === 'reviewer')).toEqual([]);

  // By the form: what is missing is said before anything is sent, and what was written stays.
  await seat.getByRole('button', { name: 'Form' }).click();
  await seat.getByLabel('Summary').fill('It says nothing of the episode.');
  await seat.getByRole('button', { name: 'Add to “Issues”' }).click();
  await seat.getByLabel('Code').fill('guest');
  await seat.getByRole('button', { name: 'Changes requested' }).click();
  await seat.getByRole('alert').getByText('“Message” is missing.').waitFor();
  expect(await seat.getByLabel('Summary').inputValue()).toBe('It says nothing of the episode.');
  await seat.getByLabel('Message').fill('Name the guest.');
  await seat.getByLabel('Severity').selectOption({ label: 'Error' });
  await seat.getByRole('button', { name: 'Changes requested' }).click();

  await expect.poll(() => stage.round.textContent()).toContain('Iteration 2');
  await page.locator('.findings').getByText('Name the guest.').waitFor();
  await seat.getByText('nine days of patience').first().waitFor();
  await seat.getByRole('button', { name: 'Ok', exact: true }).click();
  await expect.poll(() => stage.badge.textContent()).toBe('Converged');
  await expect.poll(() => seat.count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.tagName), 'the focus is not lost').not.toBe('BODY');
  expect(await page.title()).not.toContain('Your turn');
  expect((await server.row(run)).status).toBe('converged');
});
