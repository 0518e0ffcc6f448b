import { expect, test } from 'vitest';
import { words as de } from './de';
import { words as en } from './en';
import { bestLocale } from './index';
import { words as ja } from './ja';
import { words as ko } from './ko';
import { words as dePages } from './pages/de';
import { words as enPages } from './pages/en';
import { words as jaPages } from './pages/ja';
import { words as koPages } from './pages/ko';
import { words as zhCNPages } from './pages/zh-CN';
import { words as zhTWPages } from './pages/zh-TW';
import { fill } from './words';
import { words as zhCN } from './zh-CN';
import { words as zhTW } from './zh-TW';

const source: Record<string, string> = { ...en, ...enPages };
const LOCALES: [string, Record<string, string>][] = [
  ['de', { ...de, ...dePages }],
  ['ja', { ...ja, ...jaPages }],
  ['ko', { ...ko, ...koPages }],
  ['zh-CN', { ...zhCN, ...zhCNPages }],
  ['zh-TW', { ...zhTW, ...zhTWPages }],
];
/** Words that are the same in a language, not forgotten ones. */
const SAME = /^(app\.title|loop\.|stage\.)/;

const names = (text: string): string[] => [...text.matchAll(/\{(\w+)/g)].flatMap(([, name]) => name ?? []).sort();

test('no key is in both parts of a locale', () => {
  expect(Object.keys(en).filter((key) => key in enPages)).toEqual([]);
});

test.each(LOCALES)('%s has exactly the keys of English', (_, words) => {
  expect(Object.keys(words).sort()).toEqual(Object.keys(source).sort());
});

test.each(LOCALES)('%s fills in what English fills in', (_, words) => {
  const wrong = Object.keys(source).filter((key) => String(names(words[key] ?? '')) !== String(names(source[key] ?? '')));
  expect(wrong).toEqual([]);
});

test.each(LOCALES)('%s is translated', (_, words) => {
  const same = Object.keys(source).filter((key) => words[key] === source[key] && !SAME.test(key));
  // A few words are shared by languages; a file that was forgotten shares all.
  expect(same.length).toBeLessThan(Object.keys(source).length / 20);
});

test.each([
  ['plain', 'Runs', {}, 'en', 'Runs'],
  ['a name', 'Hello {who}', { who: 'you' }, 'en', 'Hello you'],
  ['one', '{n:# round|# rounds}', { n: 1 }, 'en', '1 round'],
  ['many', '{n:# round|# rounds}', { n: 3 }, 'en', '3 rounds'],
  ['none', '{n:# round|# rounds}', { n: 0 }, 'en', '0 rounds'],
  ['numbers are written as the locale does', '{n} Token', { n: 12345 }, 'de', '12.345 Token'],
  ['one form for all', '{n:#ラウンド}', { n: 1 }, 'ja', '1ラウンド'],
  ['data is not a template', '{a} {b}', { a: '{b}', b: 'x' }, 'en', '{b} x'],
  ['what is not given stays', '{a}', {}, 'en', '{a}'],
])('fill: %s', (_, text, params, locale, expected) => {
  expect(fill(text, params, locale)).toBe(expected);
});

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'ja'], 'ja'],
  [['fr'], 'en'],
  [[], 'en'],
  [['zh'], 'zh-CN'],
  [['zh-SG'], 'zh-CN'],
  [['zh-HK'], 'zh-TW'],
  [['zh-Hant'], 'zh-TW'],
  [['en-GB', 'de'], 'en'],
])('a browser that prefers %j reads %s', (preferred, expected) => {
  expect(bestLocale(preferred)).toBe(expected);
});
