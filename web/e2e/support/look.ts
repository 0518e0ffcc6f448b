// Looking at a page the way its readers do: narrow and wide, light and dark, and with the rules for accessibility.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { GUIDE, GUIDE_FOLDER } from './guide';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
  // What an agent wrote is not ours to judge here, and no script may run in its frame.
  iframes: false,
  resultTypes: ['violations'],
};

export const WIDTHS = [375, 768, 1280] as const;
export const THEMES = ['light', 'dark'] as const;
const HEIGHT = { 375: 800, 768: 900, 1280: 860 } as const;
const SHOTS = join(import.meta.dirname, '../shots');

/**
 * At every width in both themes: a screenshot, nothing that sticks out sideways, and no violation of any rule. The
 * pictures that the guide shows are written where the guide looks for them when `UPDATE_SCREENSHOTS` is set; `at` is
 * what they are about.
 */
export async function look(page: Page, name: string, at?: Locator): Promise<void> {
  const wrong: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT[width] });
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      const picture = `${name}-${width}-${theme}`;
      // A dialog covers the window, not the page.
      await shoot(page, join(SHOTS, `${picture}.png`), (await page.locator('dialog[open]').count()) === 0);
      if (process.env.UPDATE_SCREENSHOTS && GUIDE.includes(picture)) {
        await at?.evaluate((element) => element.scrollIntoView({ block: 'center' }));
        await shoot(page, join(GUIDE_FOLDER, `${picture}.png`), false);
      }
      wrong.push(...(await violations(page)).map((violation) => `${picture}: ${violation}`));
      const tooWide = await overflow(page);
      if (tooWide) wrong.push(`${picture}: ${tooWide}`);
    }
  }
  expect(wrong).toEqual([]);
}

async function shoot(page: Page, path: string, fullPage: boolean): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, fullPage, animations: 'disabled' });
}

/** Every violation with the elements that it is about. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`window.axe || (${'() => {'}${AXE}${'}'})()`);
  const { violations } = await page.evaluate<AxeResults, RunOptions>((rules) => {
    if (!('axe' in window)) throw new Error('axe was not loaded');
    const axe = window.axe as { run(where: Document, rules: RunOptions): Promise<AxeResults> };
    return axe.run(document, rules);
  }, RULES);
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`);
}

/** What is wider than the window, if anything is. */
function overflow(page: Page): Promise<string> {
  return page.evaluate(() => {
    const root = document.scrollingElement;
    if (!root || root.scrollWidth <= root.clientWidth) return '';
    const out = [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > root.clientWidth + 1);
    return `sticks out sideways: ${out.slice(0, 5).map((element) => `${element.tagName}.${element.className}`).join(', ')}`;
  });
}
