import type { words } from './en';
import type { words as pageWords } from './pages/en';

type Source = typeof words;
type PagesSource = typeof pageWords;

/** What a locale file must hold: every key of the English one, and no other. */
export type Words = Record<keyof Source, string>;
export type PageWords = Record<keyof PagesSource, string>;

export type Key = keyof Source | keyof PagesSource;
type Text<K extends Key> = (Source & PagesSource)[K];

/** The names in `{…}` of a text, so that a forgotten parameter does not compile. */
type Names<S> = S extends `${string}{${infer P}}${infer Rest}`
  ? (P extends `${infer N}:${string}` ? N : P) | Names<Rest>
  : never;
type Params<K extends Key> = [Names<Text<K>>] extends [never]
  ? []
  : [params: Record<Names<Text<K>>, string | number>];

/** The keys of texts without parameters. */
export type Plain = { [K in Key]: [Names<Text<K>>] extends [never] ? K : never }[Key];

/** A text of the page in the reader's language. */
export type Translate = <K extends Key>(key: K, ...params: Params<K>) => string;

type Values = Record<string, string | number>;

/**
 * Fills a text in. `{n}` is the value; `{n:# round|# rounds}` is the singular or the other form,
 * chosen by the locale, with `#` for the number. Our six locales know no third form.
 */
export function fill(text: string, params: Values | undefined, locale: string): string {
  return text.replace(/\{(\w+)(?::([^}]*))?\}/g, (whole, name: string, forms?: string) => {
    const value = params?.[name];
    if (value === undefined) return whole;
    const shown = typeof value === 'number' ? numbers(locale).format(value) : value;
    if (forms === undefined) return shown;
    const [one = '', other = one] = forms.split('|');
    // Those of our languages that tell one from many do so for 1 alone.
    const isOne = Number(value) === 1;
    return (isOne ? one : other).replace('#', shown);
  });
}

const made: Record<string, Intl.NumberFormat> = {};

/** How numbers are written; kept, as making one takes a hundred times as long as using it. */
export const numbers = (locale: string, options?: Intl.NumberFormatOptions): Intl.NumberFormat =>
  (made[locale + JSON.stringify(options)] ??= new Intl.NumberFormat(locale, options));
