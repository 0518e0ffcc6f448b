import { KEYS, type Command } from './keys';

export type Handlers = Partial<Record<Command, () => void>>;

/** Where a key already means something: text being written, a choice being made. */
const TYPING = 'input, select, textarea, [contenteditable]';
/** What the space bar presses by itself. */
const PRESSABLE = 'button, a, summary, iframe, [role=slider]';

/** Keyboards on which `[` is written with AltGr say that Ctrl and Alt are held, too. */
const hasModifier = (event: KeyboardEvent): boolean =>
  event.metaKey || (!event.getModifierState('AltGraph') && (event.ctrlKey || event.altKey));

/** What a key press asks for, or nothing when it belongs to the element that has the focus. */
function commandOf(event: KeyboardEvent): Command | undefined {
  if (event.defaultPrevented || event.isComposing || hasModifier(event)) return undefined;
  const command = KEYS.get(event.key);
  const at = event.target;
  if (!command || !(at instanceof Element)) return command;
  if (at.closest(TYPING) || document.querySelector('dialog[open]')) return undefined;
  return command === 'play' && at.closest(PRESSABLE) ? undefined : command;
}

/** Calls the handlers for keys until it is told to stop; a key without a handler keeps its own meaning. */
export function listen(handlers: () => Handlers): () => void {
  const pressed = (event: KeyboardEvent): void => {
    const command = commandOf(event);
    const handler = command && handlers()[command];
    if (!handler) return;
    event.preventDefault();
    handler();
  };
  addEventListener('keydown', pressed);
  return () => removeEventListener('keydown', pressed);
}
