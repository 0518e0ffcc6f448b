import { parseFrame, FRAME_TYPES, isAfter } from './frames';
import type { Frame } from './types';

/** How the page hears of a run. Only `live` promises that what is shown is current. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'reconnecting'; readonly since: number }
  | { readonly kind: 'closed' };

/** Waits between attempts: quick at first, since a restarted server is back within a moment. */
const BACKOFF_MS = [250, 500, 1000, 2000, 5000];
/** Frames are handed on at most once per painted frame, so that catching up costs one update, not thousands. */
const BATCH_MS = 16;

interface Options {
  /** The address to read from, given the id of the last frame that is known. */
  url(after: string | undefined): string;
  after?: string | undefined;
  onFrames(frames: Frame[]): void;
  onChange(connection: Connection): void;
  /** Asked when a stream broke off: a refusal cannot be told from a dead server by the stream itself. */
  probe(): Promise<unknown>;
  isRefused(): boolean;
}

/**
 * Keeps a stream of frames open until it is told to stop. `EventSource` gives up for good when the
 * answer is not 200, as it is while a server restarts, so every reconnection is made here.
 */
export function connect(options: Options): () => void {
  let last = options.after ?? null;
  let state: Connection = { kind: 'connecting' };
  let source: EventSource | undefined;
  let attempt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let flush: ReturnType<typeof setTimeout> | undefined;
  let batch: Frame[] = [];

  const enter = (next: Connection): void => {
    state = next;
    options.onChange(next);
  };

  const handOn = (): void => {
    clearTimeout(flush);
    flush = undefined;
    if (batch.length === 0) return;
    const frames = batch;
    batch = [];
    options.onFrames(frames);
  };

  const heard = (event: MessageEvent<string>): void => {
    if (event.lastEventId !== '') {
      if (!isAfter(event.lastEventId, last)) return;
      last = event.lastEventId;
    }
    const frame = parseFrame(event.data);
    if (!frame) return;
    batch.push(frame);
    flush ??= setTimeout(handOn, BATCH_MS);
  };

  const open = (): void => {
    source = new EventSource(options.url(last ?? undefined));
    source.onopen = () => {
      attempt = 0;
      enter({ kind: 'live' });
    };
    source.onerror = lost;
    for (const type of FRAME_TYPES) source.addEventListener(`critique.${type}`, heard);
    // No frame of the run: whoever shows what a turn says before it ends takes it from here.
    source.addEventListener('critique.live', (said) =>
      dispatchEvent(new MessageEvent('live', said as unknown as MessageEventInit)),
    );
  };

  const lost = (): void => {
    source?.close();
    if (state.kind !== 'reconnecting') enter({ kind: 'reconnecting', since: Date.now() });
    const pause = BACKOFF_MS[Math.min(attempt++, BACKOFF_MS.length - 1)];
    retry = setTimeout(() => void again(), pause);
  };

  const again = async (): Promise<void> => {
    await options.probe().catch(() => undefined);
    if (state.kind === 'closed') return;
    if (options.isRefused()) stop();
    else open();
  };

  const stop = (): void => {
    source?.close();
    clearTimeout(retry);
    handOn();
    if (state.kind !== 'closed') enter({ kind: 'closed' });
  };

  options.onChange(state);
  open();
  return stop;
}
