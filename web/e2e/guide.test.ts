// The guide shows what the tests saw.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { GUIDE, GUIDE_FOLDER } from './support/guide';
import { THEMES, WIDTHS } from './support/look';

const PAGE = join(GUIDE_FOLDER, '../../stage.md');
const MOST_BYTES = 1.5 * 1024 * 1024;

/** The names in `![…](images/stage/NAME.png)`. */
const named = [...readFileSync(PAGE, 'utf8').matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path = '']) => path);

test('every picture that the guide names is there and is made by the tests', () => {
  expect(named.length).toBeGreaterThan(0);
  for (const path of named) expect(existsSync(join(dirname(PAGE), path)), path).toBe(true);
  expect(named.map((path) => path.replace(/^images\/stage\/(.*)\.png$/, '$1')).sort()).toEqual([...GUIDE].sort());
  expect(readdirSync(GUIDE_FOLDER).sort()).toEqual(GUIDE.map((name) => `${name}.png`).sort());
});

test('every picture of the guide is one that some test looks at', () => {
  const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const text = sources.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n');
  for (const picture of GUIDE) {
    const [, name = '', width = '', theme = ''] = /^(.*)-(\d+)-(light|dark)$/.exec(picture) ?? [];
    expect(WIDTHS.map(String), picture).toContain(width);
    expect(THEMES, picture).toContain(theme);
    expect(text.includes(`, '${name}')`) || text.includes(`, '${name}', `) || text.includes(`['${name}', '`), picture).toBe(true);
  }
});

test('the pictures are small', () => {
  const bytes = readdirSync(GUIDE_FOLDER).reduce((sum, name) => sum + statSync(join(GUIDE_FOLDER, name)).size, 0);
  expect(bytes).toBeLessThan(MOST_BYTES);
});
