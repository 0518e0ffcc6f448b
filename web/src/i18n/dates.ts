import { locale } from './index';

export const moment = (time: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));

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
