// Readers who speak another language, who have no mouse, who do not like things to move.
import { expect, test } from 'vitest';
import { COMPOSITES, JUDGES, cueRound, seats, theater } from './support/bakery';
import { house } from './support/house';
import type { Project } from './support/project';
import type { Server } from './support/server';
import { seatName, Stage } from './support/stage';

const { project: aProject, serve, visit } = house();

/** A run whose first round is over and whose second is under way. */
async function underWay(): Promise<{ project: Project; server: Server; run: string }> {
  const project = aProject();
  theater(project, 'seats', 'play');
  project.play('play', seats());
  cueRound(project, 'play', 1);
  const server = await serve(project);
  return { project, server, run: await server.begin() };
}

test('six languages, chosen by the browser or by hand, and remembered', async () => {
  const { server, run } = await underWay();
  const page = await visit(server, { locale: 'ko-KR' });
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('ko');
  await page.goto(`${server.address}/#/settings`);
  const spoken = new Set<string>();
  for (const [locale, runs] of [
    ['en', 'Runs'],
    ['de', 'Läufe'],
    ['ja', '実行'],
    ['ko', '실행'],
    ['zh-CN', '运行'],
    ['zh-TW', '執行'],
  ] as const) {
    await page.locator('.appearance select').nth(1).selectOption(locale);
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(locale);
    await expect.poll(() => page.locator('header.top nav a').first().textContent()).toContain(runs);
    const heading = (await page.locator('h1').textContent()) ?? '';
    spoken.add(heading);
    expect(heading, locale).not.toMatch(/[{}]|settings\./);
  }
  expect(spoken.size).toBeGreaterThan(4);

  // The last one chosen holds on the stage and after a reload, and numbers are written its way.
  await page.locator('.appearance select').nth(1).selectOption('de');
  await page.goto(`${server.address}/#/runs/${run}`);
  await page.reload();
  await expect.poll(() => page.locator('.score-now').textContent()).toContain(COMPOSITES[0].replace('.', ','));
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  for (const text of await page.locator('body').allInnerTexts()) expect(text).not.toMatch(/stage\.[a-z]|\{[a-z]+[:}]/);
});

test('light or dark as the system has it, or by hand, and remembered', async () => {
  const { server } = await underWay();
  const page = await visit(server, { colorScheme: 'light' });
  await page.goto(`${server.address}/#/settings`);
  const scheme = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.locator('h1').waitFor();
  const light = await scheme();
  await page.getByLabel('Appearance').selectOption('dark');
  await expect.poll(scheme).not.toBe(light);
  const dark = await scheme();
  await page.reload();
  await page.locator('h1').waitFor();
  expect(await scheme()).toBe(dark);
  await page.getByLabel('Appearance').selectOption('auto');
  await expect.poll(scheme).toBe(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(scheme).toBe(dark);
});

test('the whole stage by the keyboard alone', async () => {
  const { server, run } = await underWay();
  const page = await visit(server);
  const stage = await Stage.open(page, server, run);
  await expect.poll(() => stage.round.textContent()).toContain('Round 2');
  await page.keyboard.press('[');
  await expect.poll(() => stage.round.textContent()).toContain('Round 1');

  // Tab reaches every lane in order, with a focus that is seen.
  const reached: string[] = [];
  for (let presses = 0; presses < 60 && reached.length < 5; presses++) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element?.matches('.lane .name')) return null;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      return { role: element.textContent ?? '', isSeen: (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none' };
    });
    if (!focus) continue;
    expect(focus.isSeen, `${focus.role} has the focus`).toBe(true);
    reached.push(focus.role);
  }
  expect(reached).toEqual(['designer', ...JUDGES].map(seatName));

  // Enter opens what stands behind the last one; Esc closes it, gives the focus back and does not ask to interrupt.
  await page.keyboard.press('Enter');
  const evidence = page.getByRole('dialog', { name: 'Evidence: copy, Round 1' });
  await evidence.waitFor();
  await page.keyboard.press('Escape');
  await evidence.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('copy');
  expect(await page.getByRole('dialog').count()).toBe(0);

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.waitForURL(/#\/$/);
  await page.getByRole('searchbox', { name: 'Search' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('play');
  await expect.poll(() => page.locator('li.run').count()).toBe(1);
  expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('play');
});

test('one live region, and it is polite', async () => {
  const { server, run } = await underWay();
  const page = await visit(server);
  const regions = (): Promise<string[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll('[aria-live], [role=status], [role=log], output')]
        .filter((element) => element.getAttribute('aria-live') !== 'off')
        .map((element) => `${element.tagName} ${element.getAttribute('role')}`),
    );
  for (const hash of ['#/', `#/runs/${run}`, '#/settings']) {
    await page.goto(`${server.address}/${hash}`);
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle').catch(() => undefined);
    expect(await regions(), hash).toEqual(['P status']);
  }
});

test.each([
  ['reduce', true],
  ['no-preference', false],
] as const)('motion: %s', async (reducedMotion, isStill) => {
  const { server, run } = await underWay();
  const page = await visit(server, { reducedMotion });
  const stage = await Stage.open(page, server, run);
  await stage.lane('designer').getByText('Speaking').waitFor();
  const longest = await page.evaluate(() => {
    const ms = (text: string): number => Math.max(...text.split(',').map((one) => parseFloat(one) * (one.includes('ms') ? 1 : 1000)));
    return Math.max(
      ...[...document.querySelectorAll('*')].flatMap((element) =>
        ['', '::before', '::after'].map((part) => {
          const style = getComputedStyle(element, part || null);
          return Math.max(style.animationName === 'none' ? 0 : ms(style.animationDuration), ms(style.transitionDuration));
        }),
      ),
    );
  });
  if (isStill) expect(longest, 'nothing moves').toBeLessThan(2);
  else expect(longest, 'who speaks is seen to').toBeGreaterThan(100);
});
