/** What a key does. `detail` and `lanes` are the browser's own doing; they are listed for the reader. */
export type Command = 'help' | 'search' | 'previous' | 'next' | 'play' | 'interrupt' | 'detail' | 'lanes';

/** Every key of the page, as `KeyboardEvent.key` has it: what listens and what the help shows are read from here. */
export const KEYS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['?', 'help'],
  ['/', 'search'],
  ['[', 'previous'],
  [']', 'next'],
  [' ', 'play'],
  ['Tab', 'lanes'],
  ['Enter', 'detail'],
  ['Escape', 'interrupt'],
]);
