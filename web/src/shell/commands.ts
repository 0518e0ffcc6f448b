import { createSignal } from 'solid-js';
import type { Handlers } from '../keys/listen';
import type { StageCommands } from '../stage/props';

const [bound, setBound] = createSignal<StageCommands | undefined>();

/** The stage that is shown says what the keys do to it; nothing when none is shown. */
export const bindStage = (commands: StageCommands | undefined): void => {
  setBound(() => commands);
};

export const stageCommands = (): Handlers => bound() ?? {};
