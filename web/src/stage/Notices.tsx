// What a reader must know before anything else: a lost connection, a panel that was skipped, how it ended.

import { Show } from 'solid-js';
import { t } from '../i18n';
import { worksOnFiles } from '../loops';
import { Mark } from './Mark';
import type { View } from './view';
import { readable } from './words';

export function Notices(props: { readonly view: View }) {
  const { given, state } = props.view;
  const ended = () => {
    const { phase } = state();
    return phase.kind === 'ended' ? phase : undefined;
  };
  return (
    <>
      <Show when={given.connection().kind === 'reconnecting'}>
        <p class="banner calm">
          <Mark tone="calm" shape="ring" />
          {t('stage.reconnecting')}
        </p>
      </Show>
      <Show when={state().degraded}>
        {(degraded) => (
          <p class="banner warn">
            <Mark tone="warn" shape="triangle" />
            {t('stage.degraded', { reason: readable(degraded().reason), adapter: degraded().adapter })}
          </p>
        )}
      </Show>
      <Show when={ended()}>
        {(end) => (
          <p class="outcome">
            {end().ship?.summary ?? readable(end().reason)}
            {/* A tree of files is there already. */}
            <Show when={!end().ship && !worksOnFiles(given.run.loop)}>
              <small>{t('stage.nothingShipped')}</small>
            </Show>
          </p>
        )}
      </Show>
    </>
  );
}
