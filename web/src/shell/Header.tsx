import { For, Show, type JSX } from 'solid-js';
import { LOCALES, locale, NAMES, setLocale, t } from '../i18n';
import { boot } from './boot';
import { report } from './notices';
import { route, runsHref } from './route';
import { store } from './stored';
import { setTheme, theme, THEMES } from './theme';

export function Header(props: { onHelp: () => void }): JSX.Element {
  const project = () => {
    const now = boot();
    return now.kind === 'ready' ? now.session.project.name : undefined;
  };
  const choose = (text: string): void => {
    const chosen = LOCALES.find((locale) => locale === text);
    if (!chosen) return;
    store('locale', chosen);
    setLocale(chosen).catch(report);
  };

  return (
    <header class="top">
      <a class="brand" href={runsHref()}>
        {t('app.title')}
        <Show when={project()}>{(name) => <span>{name()}</span>}</Show>
      </a>
      <nav aria-label={t('nav.label')}>
        <a href={runsHref()} aria-current={route().page === 'runs' ? 'page' : undefined}>
          {t('nav.runs')}
        </a>
        <a href="#/settings" aria-current={route().page === 'settings' ? 'page' : undefined}>
          {t('nav.settings')}
        </a>
      </nav>
      <select aria-label={t('theme.label')} value={theme()} onChange={(event) => setTheme(event.currentTarget.value)}>
        <For each={THEMES}>{(name) => <option value={name}>{t(`theme.${name}`)}</option>}</For>
      </select>
      <select aria-label={t('locale.label')} value={locale()} onChange={(event) => choose(event.currentTarget.value)}>
        <For each={LOCALES}>
          {(name) => (
            <option value={name} lang={name}>
              {NAMES[name]}
            </option>
          )}
        </For>
      </select>
      <button type="button" aria-label={t('nav.help')} title={t('nav.help')} onClick={() => props.onHelp()}>
        ?
      </button>
    </header>
  );
}
