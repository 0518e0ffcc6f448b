import type { DiffLine } from '../api/types';

/** Unchanged lines shown on each side of a change. */
const CONTEXT = 3;
/** A gap shorter than this is not worth a button. */
const MIN_GAP = 4;

export interface Hunk {
  /** A gap is folded until somebody opens it. */
  readonly isGap: boolean;
  readonly lines: readonly DiffLine[];
}

/** Splits a difference into what is read and the long unchanged stretches between. */
export function hunks(lines: readonly DiffLine[]): Hunk[] {
  const near = new Array<boolean>(lines.length).fill(false);
  lines.forEach((line, i) => {
    if (line.kind !== 'same') near.fill(true, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
  });

  const found: { isGap: boolean; lines: DiffLine[] }[] = [];
  lines.forEach((line, i) => {
    const isGap = !near[i];
    const last = found.at(-1);
    if (last?.isGap === isGap) last.lines.push(line);
    else found.push({ isGap, lines: [line] });
  });
  return found.map((hunk) => (hunk.lines.length < MIN_GAP ? { ...hunk, isGap: false } : hunk));
}

export function tally(lines: readonly DiffLine[]): { added: number; removed: number } {
  const of = (kind: DiffLine['kind']): number => lines.filter((line) => line.kind === kind).length;
  return { added: of('added'), removed: of('removed') };
}
