import { afterEach, expect, test } from 'vitest';
import { listen, type Handlers } from './listen';

afterEach(() => document.body.replaceChildren());

function press(key: string, at: string, init: KeyboardEventInit = {}): { called: string[]; isTaken: boolean } {
  document.body.innerHTML = at;
  const called: string[] = [];
  const handlers: Handlers = {
    help: () => called.push('help'),
    search: () => called.push('search'),
    previous: () => called.push('previous'),
    next: () => called.push('next'),
    play: () => called.push('play'),
    interrupt: () => called.push('interrupt'),
  };
  const stop = listen(() => handlers);
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
  (document.querySelector('[id=at]') ?? document.body).dispatchEvent(event);
  stop();
  return { called, isTaken: event.defaultPrevented };
}

test.each([
  ['anywhere', '?', '', {}, ['help']],
  ['on the page', ']', '<p id="at"></p>', {}, ['next']],
  ['while typing', ']', '<textarea id="at"></textarea>', {}, []],
  ['in a choice', '/', '<select id="at"></select>', {}, []],
  ['space on the page', ' ', '<p id="at"></p>', {}, ['play']],
  ['space on a button presses it', ' ', '<button id="at"></button>', {}, []],
  ['Esc on a button interrupts', 'Escape', '<button id="at"></button>', {}, ['interrupt']],
  ['Esc closes a dialog first', 'Escape', '<dialog open><button id="at"></button></dialog>', {}, []],
  ['behind an open dialog', ']', '<dialog open></dialog><p id="at"></p>', {}, []],
  ['the browser’s own shortcut', '/', '', { ctrlKey: true }, []],
  ['with AltGr, as some keyboards write it', '[', '<p id="at"></p>', { ctrlKey: true, altKey: true, modifierAltGraph: true }, ['previous']],
  ['the same keys without AltGr', '[', '<p id="at"></p>', { ctrlKey: true, altKey: true }, []],
  ['while an input method composes', '[', '', { isComposing: true }, []],
])('%s', (_, key, at, init, expected) => {
  const { called, isTaken } = press(key, at, init);
  expect(called).toEqual(expected);
  expect(isTaken).toBe(expected.length > 0);
});

test('a key without a handler keeps its own meaning', () => {
  expect(press('Enter', '').isTaken).toBe(false);
});
