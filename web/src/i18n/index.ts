import { createSignal } from 'solid-js';
import { fill, type Key, type PageWords, type Translate, type Words } from './words';

export type { Key, Translate } from './words';

export const LOCALES = ['en', 'de', 'ja', 'ko', 'zh-CN', 'zh-TW'] as const;
export type Locale = (typeof LOCALES)[number];

/** Each language in its own name, as its readers look for it. */
export const NAMES: Record<Locale, string> = {
  en: 'English',
  de: 'Deutsch',
  ja: '日本語',
  ko: '한국어',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
};

const WORDS: Record<Locale, () => Promise<Words>> = {
  en: async () => (await import('./en')).en,
  de: async () => (await import('./de')).de,
  ja: async () => (await import('./ja')).ja,
  ko: async () => (await import('./ko')).ko,
  'zh-CN': async () => (await import('./zh-CN')).zhCN,
  'zh-TW': async () => (await import('./zh-TW')).zhTW,
};

const PAGE_WORDS: Record<Locale, () => Promise<PageWords>> = {
  en: async () => (await import('./pages/en')).en,
  de: async () => (await import('./pages/de')).de,
  ja: async () => (await import('./pages/ja')).ja,
  ko: async () => (await import('./pages/ko')).ko,
  'zh-CN': async () => (await import('./pages/zh-CN')).zhCN,
  'zh-TW': async () => (await import('./pages/zh-TW')).zhTW,
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

/** Changes the language once all of its words are there, so that no text shows its key in between. */
export async function setLocale(locale: Locale): Promise<void> {
  const [words, pages] = await Promise.all([WORDS[locale](), hasPages ? PAGE_WORDS[locale]() : undefined]);
  setLanguage({ locale, words: { ...words, ...pages } });
  document.documentElement.lang = locale;
}

/** Fetches the words of the pages around the stage; asked for by whoever loads such a page. */
export async function loadPageWords(): Promise<void> {
  if (hasPages) return;
  hasPages = true;
  const pages = await PAGE_WORDS[locale()]();
  setLanguage(({ locale, words }) => ({ locale, words: { ...words, ...pages } }));
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
