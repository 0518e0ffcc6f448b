import { Show, type JSX } from 'solid-js';
import { t } from '../i18n';
import { runsHref } from './route';

const COMMAND = 'tribunal serve';

/** A page that has one thing to say: we are not signed in, or there is nothing here. */
export default function Plain(props: { what: 'locked' | 'missing' | 'missing.run' }): JSX.Element {
  return (
    <div class="plain">
      <Show
        when={props.what === 'locked'}
        fallback={
          <>
            <h1>{t(props.what === 'missing.run' ? 'missing.run' : 'missing.title')}</h1>
            <p>
              <a href={runsHref()}>{t('missing.back')}</a>
            </p>
          </>
        }
      >
        <h1>{t('locked.title')}</h1>
        <p>{t('locked.text', { command: COMMAND })}</p>
      </Show>
    </div>
  );
}
