import { render, screen } from '@solidjs/testing-library';
import userEvent from '@testing-library/user-event';
import { beforeAll, expect, test, vi } from 'vitest';
import { Problem } from '../api/problem';
import type { Setting } from '../api/types';
import { loadPageWords, setLocale } from '../i18n';
import { readAs, sections, written } from './sections';
import { SettingRow } from './SettingRow';

beforeAll(async () => {
  await setLocale('en');
  await loadPageWords();
});

const setting = (over: Partial<Setting> = {}): Setting => ({
  key: 'theater.score_threshold',
  value: 8,
  source: 'tribunal.toml',
  editable: true,
  kind: 'number',
  choices: [],
  about: 'What a round has to reach.',
  ...over,
});

test('settings stand under the table they are in, and can be looked for', () => {
  const all = [setting(), setting({ key: 'limits.usd', about: 'Money' }), setting({ key: 'theater.max_rounds', about: 'Rounds' })];
  const outline = (filter: string): string[] => sections(all, filter).map(({ name, values }) => `${name} ${values.length}`);
  expect(outline('')).toEqual(['theater 2', 'limits 1']);
  expect(outline('MONEY')).toEqual(['limits 1']);
  expect(outline('nothing')).toEqual([]);
});

test.each([
  ['number', '8.5', 8.5],
  ['number', '8,5', 8.5],
  ['number', '', undefined],
  ['number', 'many', undefined],
  ['text', '8', '8'],
] as const)('a %s typed as “%s”', (kind, text, expected) => {
  expect(readAs(kind, text)).toBe(expected);
});

test('values are written as they are read', () => {
  expect([written('a'), written(8), written(null), written(['a'])]).toEqual(['a', '8', '', '["a"]']);
});

test('a number is saved as a number, once it has changed', async () => {
  const save = vi.fn(async () => undefined);
  render(() => <SettingRow setting={setting()} save={save} />);
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  await userEvent.clear(screen.getByRole('textbox'));
  await userEvent.type(screen.getByRole('textbox'), '9{Enter}');
  expect(save).toHaveBeenCalledWith('theater.score_threshold', 9);
});

test('a refusal is shown beside the field', async () => {
  const save = async (): Promise<void> => Promise.reject(new Problem(422, 'range', 'must be at most 10', 'the scale is 10'));
  render(() => <SettingRow setting={setting({ kind: 'choice', value: 'a', choices: ['a', 'b'] })} save={save} />);
  await userEvent.selectOptions(screen.getByRole('combobox'), 'b');
  expect((await screen.findByRole('alert')).textContent).toBe('must be at most 10 the scale is 10');
});

test('what is set elsewhere is shown, not edited', () => {
  render(() => <SettingRow setting={setting({ editable: false })} save={async () => undefined} />);
  expect(screen.queryByRole('textbox')).toBeNull();
  expect(screen.getByText('8')).toBeTruthy();
});
