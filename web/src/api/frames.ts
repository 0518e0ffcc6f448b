import type { Frame, FrameType } from './types';

/**
 * Every watch event there is. The record makes the compiler complain when the schema gains or loses one, since
 * `EventSource` delivers named events only to who asked for that name.
 */
const KNOWN: Record<FrameType, true> = {
  run_started: true,
  panelist_open: true,
  panelist_dim: true,
  panelist_must_fix: true,
  panelist_close: true,
  round_end: true,
  ship: true,
  degraded: true,
  interrupted: true,
  failed: true,
  parser_warning: true,
  scene: true,
  round_opened: true,
  turn_started: true,
  turn_ended: true,
  parked: true,
  draft: true,
  finding: true,
  ruled: true,
  receipts: true,
  stories: true,
  round_closed: true,
  person: true,
  resumed: true,
  run_closed: true,
};

export const FRAME_TYPES: readonly string[] = Object.keys(KNOWN);

/** Whether this is a frame we know. A newer server may send others; they are passed over, not guessed at. */
function isFrame(value: unknown): value is Frame {
  const type = (value as Partial<Frame> | null)?.type;
  return !!type && type in KNOWN;
}

/** One frame, or nothing when it is not one. */
export function parseFrame(line: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFrame(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The frames of an NDJSON text, in order. */
export function parseFrames(text: string): Frame[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : (parseFrame(line) ?? [])));
}

/**
 * Whether the frame with this id comes after the last one seen. `7.1` and `7.2` are parts of entry 7 and
 * `7` is its last cue; anything else is an opaque id, which is new unless it is the same.
 */
export function isAfter(id: string, last: string | null): boolean {
  if (last === null) return true;
  const [seq, part] = position(id);
  const [lastSeq, lastPart] = position(last);
  return Number.isNaN(seq + lastSeq) ? id !== last : seq > lastSeq || (seq === lastSeq && part > lastPart);
}

function position(id: string): [seq: number, part: number] {
  const [seq, part = Infinity] = id.split('.').map(Number);
  return [seq ?? NaN, part];
}
