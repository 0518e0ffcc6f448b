import { For, type JSX } from 'solid-js';
import { LOCALES, locale, setLocale, t, type Locale } from '../i18n';
import { report } from '../shell/notices';
import { store } from '../shell/stored';
import { setTheme, theme, THEMES } from '../shell/theme';

/** Each language in its own name, as its readers look for it. */
const NAMES: Record<Locale, string> = {
  en: 'English',
  de: 'Deutsch',
  ja: '日本語',
  ko: '한국어',
  'zh-CN': '简体中文',
  'zh-TW': '繁體中文',
};

/** How the page looks and speaks in this browser; the project is not changed by it. */
export function Appearance(): JSX.Element {
  const speak = (text: string): void => {
    const chosen = LOCALES.find((locale) => locale === text);
    if (!chosen) return;
    store('locale', chosen);
    setLocale(chosen).catch(report);
  };
  return (
    <section class="appearance" aria-labelledby="settings-page">
      <h2 id="settings-page">{t('settings.page')}</h2>
      <label>
        {t('theme.label')}
        <select value={theme()} onChange={(event) => setTheme(event.currentTarget.value)}>
          <For each={THEMES}>{(name) => <option value={name}>{t(`theme.${name}`)}</option>}</For>
        </select>
      </label>
      <label>
        {t('locale.label')}
        <select value={locale()} onChange={(event) => speak(event.currentTarget.value)}>
          <For each={LOCALES}>
            {(name) => (
              <option value={name} lang={name}>
                {NAMES[name]}
              </option>
            )}
          </For>
        </select>
      </label>
    </section>
  );
}
