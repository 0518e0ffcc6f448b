/** The box a sparkline is drawn in, in its own units. */
export const WIDTH = 96;
export const HEIGHT = 28;
const PAD = 3;

export interface Spark {
  /** One line for every stretch of rounds without a gap. */
  readonly lines: readonly string[];
  readonly last: { readonly x: number; readonly y: number } | undefined;
  /** How high the threshold is. */
  readonly threshold: number | undefined;
}

/** Draws composites against the scale: the highest value seen when the loop has none. */
export function spark(composites: readonly (number | null)[], threshold: number | null, scale: number | null): Spark {
  const scores = composites.filter((score) => score !== null);
  const top = Math.max(scale ?? 0, threshold ?? 0, ...scores) || 1;
  const y = (score: number): number => rounded(HEIGHT - PAD - (Math.max(0, score) / top) * (HEIGHT - 2 * PAD));
  const x = (i: number): number =>
    rounded(composites.length < 2 ? WIDTH / 2 : PAD + (i / (composites.length - 1)) * (WIDTH - 2 * PAD));

  const lines: string[] = [];
  let line: string[] = [];
  let last: Spark['last'];
  composites.forEach((score, i) => {
    if (score === null) {
      if (line.length > 1) lines.push(line.join(' '));
      line = [];
      return;
    }
    last = { x: x(i), y: y(score) };
    line.push(`${last.x},${last.y}`);
  });
  if (line.length > 1) lines.push(line.join(' '));
  return { lines, last, threshold: threshold === null ? undefined : y(threshold) };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
