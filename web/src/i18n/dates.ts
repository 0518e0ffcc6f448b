import { locale } from './index';

export const moment = (time: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));

/** The time of day where the reader is, in the same width at every hour: 07:04:09. */
export const clock = (time: string): string => CLOCK.format(new Date(time));

// Made once: a long transcript is scrubbed at every frame of the screen.
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** How long ago, in the largest unit that fits: “3 minutes ago”. */
export const ago = (time: string, now: number): string => {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(-Math.floor(seconds / size), unit);
};
