// Where things are, for whoever has little room, paper, colours of their own or another direction of writing.
import { beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { theater } from './support/bakery';
import { house } from './support/house';
import type { Server } from './support/server';
import { Stage } from './support/stage';

const { project: aProject, serve, visit } = house('file');
const JUDGES = ['critic', 'brand', 'a11y', 'copy'];
const LONG = 'typographicalhierarchyofallheadingsandcaptions';
const ARABIC = 'العنوان لا يصف الصفحة.';
let server: Server;
let page: Page;
let run: string;

/** Ten rounds, one of whose dimensions has a very long name, and another one a note that is written from the right. */
function tenRounds(): string {
  const lines = ['<CRITIQUE_RUN version="1">'];
  for (let round = 1; round <= 10; round++) {
    lines.push(`<ROUND n="${round}"><PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<h1>Version ${round}</h1>]]></ARTIFACT></PANELIST>`);
    for (const judge of JUDGES) {
      lines.push(`<PANELIST role="${judge}" score="5"><DIM name="${LONG}" score="5">${ARABIC}</DIM><MUST_FIX>${judge} wants more.</MUST_FIX></PANELIST>`);
    }
    lines.push(`<ROUND_END n="${round}" decision="continue"></ROUND_END></ROUND>`);
  }
  return [...lines, '</CRITIQUE_RUN>'].join('\n');
}

beforeAll(async () => {
  const project = aProject();
  theater(project, 'single', 'play', 'max_rounds = 10');
  project.play('play', { perform: tenRounds() });
  server = await serve(project);
  run = await server.begin();
  await server.closed(run);
  page = await visit(server);
});

test.each([320, 375, 1280])('each of ten rounds can be pressed at %i pixels', async (width) => {
  await page.setViewportSize({ width, height: 800 });
  await Stage.open(page, server, run);
  const rounds = page.locator('.strip button');
  await expect.poll(() => rounds.count()).toBe(10);
  for (const box of await rounds.evaluateAll((all) => all.map((button) => button.getBoundingClientRect().toJSON() as DOMRect))) {
    expect(box.left).toBeGreaterThanOrEqual(0);
    expect(box.right).toBeLessThanOrEqual(width);
  }
});

test('the name of a dimension stays off its bar', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await Stage.open(page, server, run);
  const [name, bar] = await page.locator('.dims li').first().evaluate((row) => {
    const name = row.querySelector('span');
    const range = document.createRange();
    if (name) range.selectNodeContents(name);
    return [range.getBoundingClientRect().right, row.querySelector('.track')?.getBoundingClientRect().left ?? 0];
  });
  expect(name).toBeLessThanOrEqual(bar ?? 0);
});

test('on a phone the work comes before those who judge it', async () => {
  await page.setViewportSize({ width: 375, height: 800 });
  await Stage.open(page, server, run);
  const top = (selector: string): Promise<number> => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().top);
  await page.locator('.preview').waitFor();
  expect(await top('.preview')).toBeLessThan(await top('.lane'));
});

test('at 400 % the stage has the window, not the replay bar', async () => {
  await page.setViewportSize({ width: 320, height: 256 });
  await Stage.open(page, server, run);
  const [top, height] = await page.locator('.replay').evaluate((bar) => {
    scrollTo(0, 0);
    return [bar.getBoundingClientRect().top, innerHeight];
  });
  expect(top).toBeGreaterThan(height ?? 0);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('on paper there is nothing to press', async () => {
  await Stage.open(page, server, run);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.replay, .acts button, .top').filter({ visible: true }).count()).toBe(0);
  expect(await page.locator('.lane, .findings').filter({ visible: true }).count()).toBeGreaterThan(1);
  await page.screenshot({ path: `${import.meta.dirname}/shots/print.png`, fullPage: true });
  await page.emulateMedia({ media: null });
});

test('in colours of the reader’s own every bar is seen', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  await Stage.open(page, server, run);
  const [bar, ground] = await page.locator('.dims .track i').first().evaluate((bar) => [
    getComputedStyle(bar).backgroundColor,
    getComputedStyle(document.body).backgroundColor,
  ]);
  expect(bar).not.toBe(ground);
  expect(await page.locator('.track').first().evaluate((track) => getComputedStyle(track).borderTopWidth)).not.toBe('0px');
  await page.screenshot({ path: `${import.meta.dirname}/shots/forced-colors.png`, fullPage: true });
  await page.emulateMedia({ forcedColors: 'none' });
});

test('a note that is written from the right is read from the right', async () => {
  await Stage.open(page, server, run);
  const note = page.locator('.dims p').first();
  await note.getByText(ARABIC).waitFor();
  const [right, edge] = await note.evaluate((note) => {
    const range = document.createRange();
    range.selectNodeContents(note);
    return [range.getBoundingClientRect().right, note.getBoundingClientRect().right];
  });
  expect(Math.abs((right ?? 0) - (edge ?? 0))).toBeLessThan(2);
});

test('a dialog begins with what it is for', async () => {
  await page.goto(`${server.address}/#/`);
  await page.getByRole('button', { name: 'Start a run' }).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Keyboard shortcuts');
  await page.keyboard.press('Escape');
});
