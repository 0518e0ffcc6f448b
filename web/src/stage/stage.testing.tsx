// A stage to look at in tests, with everything around it made up.

import { render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { beforeAll, beforeEach, vi } from 'vitest';
import type { ForecastLeft, Frame, Overruled, RunRow } from '../api/types';
import { loadPageWords, setLocale } from '../i18n';
import type { Connection, StageCommands, StageProps } from './props';
import { Stage } from './Stage';

export const ROW: RunRow = {
  run: 'r1',
  loop: 'theater',
  subject: 'landing.html',
  status: 'running',
  isDriven: true,
  isQueued: false,
  waitingFor: [],
  reason: null,
  rounds: 0,
  turns: 0,
  tokens: 0,
  usdMicros: 0,
  opened: '2026-05-01T09:00:00.000Z',
  closed: null,
  forkOf: null,
  composites: [],
  threshold: 8,
  scale: 10,
  score: null,
  artifact: 'a1',
  brief: 'A page about tea',
  seq: 0,
  actions: [],
};

export const actions = {
  interrupt: vi.fn(async () => {}),
  steer: vi.fn(async () => {}),
  resume: vi.fn(async () => {}),
  rerun: vi.fn(async () => {}),
  reopen: vi.fn(async () => {}),
  select: vi.fn(async () => {}),
};
export const announce = vi.fn();
export const forecast = vi.fn<() => Promise<ForecastLeft | null>>(async () => null);
export const overruled = vi.fn<() => Promise<Overruled[]>>(async () => []);
const ask = (what: string): Promise<never> => (what === 'forecast' ? forecast() : overruled()) as Promise<never>;
export const blob = vi.fn(async (of: string) => `text of ${of.slice(0, 3)} <b>not markup</b>`);

export function stage(frames: readonly Frame[], row: Partial<RunRow> = {}, more: Partial<StageProps> = {}) {
  const [all, setAll] = createSignal(frames, { equals: false });
  const [run, setRun] = createSignal<RunRow>({ ...ROW, ...row });
  const [connection, setConnection] = createSignal<Connection>({ kind: 'live' });
  let commands: StageCommands | undefined;
  const view = render(() => (
    <Stage
      run={run()}
      frames={all}
      connection={connection}
      actions={actions}
      preview={(round) => `/preview/${round}`}
      blob={blob}
      ask={ask}
      announce={announce}
      bind={(given) => (commands = given)}
      diff={(slot) => (
        <p>
          diff {slot.from} to {slot.to}
        </p>
      )}
      seat={(slot) => <p>seat of {slot.waitingFor.join()}</p>}
      {...more}
    />
  ));
  return { ...view, setAll, setRun, setConnection, commands: () => commands! };
}

/** The text at a selector, with white space as it is seen. */
export const text = (selector: string): string =>
  document.querySelector(selector)?.textContent?.replace(/\s+/g, ' ').trim() ?? '';
export const lane = (role: string): HTMLElement =>
  screen.getByRole('heading', { name: role === 'a11y' ? 'accessibility' : role, level: 3 }).closest('article')!;
/** Once the second file is there. */
export const settled = (): Promise<HTMLElement> => screen.findByRole('region', { name: 'Replay' });

/** To be called at the top of a test file. */
export function setUpStage(): void {
  beforeAll(async () => {
    completeDom();
    await setLocale('en');
    await loadPageWords();
    // Once, so that no test waits for it: on a busy machine the first fetch of the second file takes its time.
    await import('./second');
  });
  beforeEach(() => {
    vi.clearAllMocks();
  });
}

/** What jsdom does not have and the stage uses: modal dialogs and the observation of sizes. */
function completeDom(): void {
  HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
    this.open = false;
    this.dispatchEvent(new Event('close'));
  };
  globalThis.ResizeObserver ??= class {
    observe(): void {}
    unobserve(): void {}
    disconnect(): void {}
  };
}
