import { createSignal } from 'solid-js';
import { fill, type Key, type PageWords, type Plain, type Translate, type Words } from './words';

export const LOCALES = ['en', 'de', 'ja', 'ko', 'zh-CN', 'zh-TW'] as const;
export type Locale = (typeof LOCALES)[number];

const WORDS: Record<Locale, () => Promise<{ words: Words }>> = {
  en: () => import('./en'),
  de: () => import('./de'),
  ja: () => import('./ja'),
  ko: () => import('./ko'),
  'zh-CN': () => import('./zh-CN'),
  'zh-TW': () => import('./zh-TW'),
};

const PAGE_WORDS: Record<Locale, () => Promise<{ words: PageWords }>> = {
  en: () => import('./pages/en'),
  de: () => import('./pages/de'),
  ja: () => import('./pages/ja'),
  ko: () => import('./pages/ko'),
  'zh-CN': () => import('./pages/zh-CN'),
  'zh-TW': () => import('./pages/zh-TW'),
};

const [language, setLanguage] = createSignal<{ locale: Locale; words: Partial<Record<Key, string>> }>({
  locale: 'en',
  words: {},
});
let hasPages = false;

export const locale = (): Locale => language().locale;

export const t: Translate = (key, ...params) => {
  const { locale, words } = language();
  return fill(words[key] ?? key, params[0], locale);
};

/** Whether there is a word for this; those of names that the log gives come with the pages'. */
export const hasWord = (key: string): key is Plain => key in language().words;

/** Changes the language once all of its words are there, so that no text shows its key in between. */
export async function setLocale(locale: Locale): Promise<void> {
  const [first, pages] = await Promise.all([WORDS[locale](), hasPages ? PAGE_WORDS[locale]() : undefined]);
  setLanguage({ locale, words: { ...first.words, ...pages?.words } });
  document.documentElement.lang = locale;
}

/** Fetches the words of the pages around the stage; asked for by whoever loads such a page. */
export async function loadPageWords(): Promise<void> {
  if (hasPages) return;
  hasPages = true;
  const pages = await PAGE_WORDS[locale()]();
  setLanguage(({ locale, words }) => ({ locale, words: { ...words, ...pages.words } }));
}

/** The best of our locales for what the browser prefers: `zh-Hant-HK` reads traditional characters. */
export function bestLocale(preferred: readonly string[]): Locale {
  for (const tag of preferred) {
    const { language, script, region } = new Intl.Locale(tag).maximize();
    if (language === 'zh') return script === 'Hant' || region === 'TW' ? 'zh-TW' : 'zh-CN';
    const found = LOCALES.find((locale) => locale === language);
    if (found) return found;
  }
  return 'en';
}
