import { Show, type JSX } from 'solid-js';
import { t } from '../i18n';
import { boot } from './boot';
import { route, runsHref } from './route';

export function Header(props: { onHelp: () => void }): JSX.Element {
  const project = () => {
    const now = boot();
    return now.kind === 'ready' && now.session.project.name;
  };
  const current = (page: string) => (route().page === page ? 'page' : undefined);

  return (
    <header class="top">
      <a class="brand" href={runsHref()}>
        {t('app.title')}
        <Show when={project()}>{(name) => <span>{name()}</span>}</Show>
      </a>
      <nav aria-label={t('nav.label')}>
        <a href={runsHref()} aria-current={current('runs')}>
          {t('nav.runs')}
        </a>
        <a href="#/settings" aria-current={current('settings')}>
          {t('nav.settings')}
        </a>
      </nav>
      <button type="button" aria-label={t('nav.help')} title={t('nav.help')} onClick={() => props.onHelp()}>
        ?
      </button>
    </header>
  );
}
