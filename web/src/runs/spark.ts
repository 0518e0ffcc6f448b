/** The box a sparkline is drawn in, in its own units. */
export const WIDTH = 96;
export const HEIGHT = 28;
const PAD = 4;
/** The least part of the scale that fills the height: small steps must not look like leaps. */
const MIN_SPAN = 0.25;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Spark {
  /** One line for every stretch of rounds without a gap. */
  readonly lines: readonly string[];
  /** The rounds that stand alone, and the last one. */
  readonly dots: readonly Point[];
  /** How high the threshold is. */
  readonly threshold: number | undefined;
}

/** Draws composites and what is needed, as large as they differ. */
export function spark(composites: readonly (number | null)[], threshold: number | null, scale: number | null): Spark {
  const values = [...composites, threshold].filter((value) => value !== null);
  const high = Math.max(...values);
  const low = Math.min(...values, high - (scale ?? high) * MIN_SPAN);
  const y = (value: number): number => rounded(HEIGHT - PAD - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * PAD));
  const x = (i: number): number =>
    rounded(composites.length < 2 ? WIDTH / 2 : PAD + (i / (composites.length - 1)) * (WIDTH - 2 * PAD));

  const stretches: Point[][] = [[]];
  composites.forEach((value, i) => {
    if (value === null) stretches.push([]);
    else stretches.at(-1)?.push({ x: x(i), y: y(value) });
  });
  const last = stretches.flat().at(-1);
  return {
    lines: stretches.filter(({ length }) => length > 1).map((points) => points.map(({ x, y }) => `${x},${y}`).join(' ')),
    dots: stretches.flatMap((points) => points.filter((point) => points.length === 1 || point === last)),
    threshold: threshold === null ? undefined : y(threshold),
  };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
