import type { Key } from '../i18n';

/** What a key does. `detail` and `lanes` are the browser's own doing; they are listed for the reader. */
export type Command = 'help' | 'search' | 'previous' | 'next' | 'play' | 'interrupt' | 'detail' | 'lanes';

interface Binding {
  /** As `KeyboardEvent.key` has it. */
  readonly key: string;
  readonly shown: string;
  readonly command: Command;
  readonly where: 'anywhere' | 'stage';
  readonly label: Extract<Key, `keys.${string}`>;
}

/** Every key of the page: what listens and what the help shows are both read from here. */
export const KEYS: readonly Binding[] = [
  { key: '?', shown: '?', command: 'help', where: 'anywhere', label: 'keys.help' },
  { key: '/', shown: '/', command: 'search', where: 'anywhere', label: 'keys.search' },
  { key: '[', shown: '[', command: 'previous', where: 'stage', label: 'keys.previous' },
  { key: ']', shown: ']', command: 'next', where: 'stage', label: 'keys.next' },
  { key: ' ', shown: '␣', command: 'play', where: 'stage', label: 'keys.play' },
  { key: 'Tab', shown: '⇥', command: 'lanes', where: 'stage', label: 'keys.lanes' },
  { key: 'Enter', shown: '↵', command: 'detail', where: 'stage', label: 'keys.detail' },
  { key: 'Escape', shown: 'Esc', command: 'interrupt', where: 'stage', label: 'keys.interrupt' },
];
