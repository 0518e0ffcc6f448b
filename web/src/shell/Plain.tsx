import type { JSX } from 'solid-js';
import { t } from '../i18n';
import { runsHref } from './route';

const COMMAND = 'tribunal serve';

/** A page that has one thing to say. */
function Plain(props: { title: string; children: JSX.Element }): JSX.Element {
  return (
    <div class="plain">
      <h1>{props.title}</h1>
      {props.children}
    </div>
  );
}

export function LockedOut(): JSX.Element {
  return (
    <Plain title={t('locked.title')}>
      <p>{t('locked.text', { command: COMMAND })}</p>
    </Plain>
  );
}

export function Offline(): JSX.Element {
  return (
    <Plain title={t('offline.title')}>
      <p>{t('offline.text', { command: COMMAND })}</p>
    </Plain>
  );
}

export function Missing(props: { what: 'page' | 'run' }): JSX.Element {
  return (
    <Plain title={t(props.what === 'run' ? 'missing.run' : 'missing.title')}>
      <p>
        <a href={runsHref()}>{t('missing.back')}</a>
      </p>
    </Plain>
  );
}
