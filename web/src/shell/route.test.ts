import { expect, test } from 'vitest';
import { parseRoute, runHref, runsHref } from './route';

test.each([
  ['', { page: 'runs', query: {} }],
  ['#/', { page: 'runs', query: {} }],
  ['#/?text=a+b&status=shipped', { page: 'runs', query: { text: 'a b', status: 'shipped' } }],
  ['#/runs/019a', { page: 'run', run: '019a' }],
  ['#/runs/a%2Fb', { page: 'run', run: 'a/b' }],
  ['#/runs/%E0%A4%A', { page: 'missing' }],
  ['#/runs/a/b', { page: 'missing' }],
  ['#/settings', { page: 'settings' }],
  ['#/settings/x', { page: 'missing' }],
  ['#/elsewhere', { page: 'missing' }],
])('%s', (hash, expected) => {
  expect(parseRoute(hash)).toEqual(expected);
});

test('an address that is built is read back', () => {
  expect(parseRoute(runHref('a/b?c#d'))).toEqual({ page: 'run', run: 'a/b?c#d' });
  expect(parseRoute(runsHref({ text: 'ä&=', status: '', loop: 'desk' }))).toEqual({ page: 'runs', query: { text: 'ä&=', loop: 'desk' } });
});
