import { render, screen } from '@solidjs/testing-library';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import type { DiffLine } from '../api/types';
import { loadPageWords, setLocale } from '../i18n';
import { hunks, tally } from './hunks';
import { TextDiff } from './TextDiff';

/** `=5 -1 +2` is five unchanged lines, one removed, two added. */
function lines(script: string): DiffLine[] {
  const kinds: Record<string, DiffLine['kind']> = { '=': 'same', '-': 'removed', '+': 'added' };
  return script.split(' ').flatMap((part) =>
    Array.from({ length: Number(part.slice(1)) }, (_, i): DiffLine => ({ kind: kinds[part.charAt(0)] ?? 'same', text: `${part} ${i}`, from: i, to: i })),
  );
}

test.each([
  ['nothing changed', '=9', 'gap 9'],
  ['a change in the middle keeps its context', '=10 +1 =10', 'gap 7, lines 7, gap 7'],
  ['changes that are near stay together', '=10 -1 =6 +1 =10', 'gap 7, lines 14, gap 7'],
  ['a short gap is not folded', '=4 +1', 'lines 1, lines 4'],
  ['everything changed', '-3 +4', 'lines 7'],
])('hunks: %s', (_, script, expected) => {
  const found = hunks(lines(script)).map((hunk) => `${hunk.isGap ? 'gap' : 'lines'} ${hunk.lines.length}`);
  expect(found.join(', ')).toBe(expected);
});

test('what was added and removed is counted', () => {
  expect(tally(lines('=3 -2 +5'))).toEqual({ added: 5, removed: 2 });
});

beforeAll(async () => {
  await setLocale('en');
  await loadPageWords();
});

test('a gap opens where it stands, and a change is said in words, too', async () => {
  render(() => <TextDiff lines={lines('=10 +1')} />);
  expect(screen.queryByText('=10 0')).toBeNull();
  expect(screen.getByText('Added:')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: '7 unchanged lines' }));
  expect(screen.getByText('=10 0')).toBeTruthy();
});

test('equal rounds say so', () => {
  render(() => <TextDiff lines={lines('=2')} />);
  expect(screen.getByText('Both rounds have the same text.')).toBeTruthy();
});

test('what an agent wrote is text, never markup', () => {
  render(() => <TextDiff lines={[{ kind: 'added', text: '<img src=x onerror=alert(1)>', from: null, to: 1 }]} />);
  expect(screen.getByText(/<img src=x/)).toBeTruthy();
  expect(document.querySelector('img')).toBeNull();
});
