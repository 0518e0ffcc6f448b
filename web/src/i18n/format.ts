import { locale } from './index';
import { numbers } from './words';

/** A score as the gate writes it: at most two decimals, none invented. */
export const score = (value: number): string =>
  numbers(locale(), { maximumFractionDigits: 2 }).format(value);

/** An estimate: one decimal, always. */
export const tenths = (value: number): string =>
  numbers(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value);

export const count = (value: number): string =>
  numbers(locale(), { notation: value < 10_000 ? 'standard' : 'compact' }).format(value);

/** Millionths of a dollar; small sums keep four decimals, as a turn often costs less than a cent. */
export const money = (usdMicros: number): string => {
  const usd = usdMicros / 1_000_000;
  const digits = usd !== 0 && usd < 1 ? 4 : 2;
  return numbers(locale(), {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: digits,
  }).format(usd);
};
