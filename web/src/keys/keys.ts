/** What a key does. `detail` and `lanes` are the browser's own doing; they are listed for the reader. */
export type Command = 'help' | 'search' | 'previous' | 'next' | 'play' | 'interrupt' | 'detail' | 'lanes';

interface Binding {
  readonly command: Command;
  readonly where: 'anywhere' | 'stage';
}

/** Every key of the page, as `KeyboardEvent.key` has it: what listens and what the help shows are read from here. */
export const KEYS: ReadonlyMap<string, Binding> = new Map<string, Binding>([
  ['?', { command: 'help', where: 'anywhere' }],
  ['/', { command: 'search', where: 'anywhere' }],
  ['[', { command: 'previous', where: 'stage' }],
  [']', { command: 'next', where: 'stage' }],
  [' ', { command: 'play', where: 'stage' }],
  ['Tab', { command: 'lanes', where: 'stage' }],
  ['Enter', { command: 'detail', where: 'stage' }],
  ['Escape', { command: 'interrupt', where: 'stage' }],
]);
