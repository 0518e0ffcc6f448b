// What a reader must know before anything else: a lost connection, a panel that was skipped, how it ended.

import { Show } from 'solid-js';
import { t } from '../i18n';
import type { State } from '../reducer/state';
import { Mark } from './Mark';
import type { Connection } from './props';
import { readable } from './words';

export function Notices(props: { readonly state: State; readonly connection: Connection }) {
  const ended = () => {
    const { phase } = props.state;
    return phase.kind === 'ended' ? phase : undefined;
  };
  return (
    <>
      <Show when={props.connection.kind === 'reconnecting'}>
        <p class="banner calm">
          <Mark tone="calm" shape="ring" />
          {t('stage.reconnecting')}
        </p>
      </Show>
      <Show when={props.state.degraded}>
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
            <Show when={!end().ship}> {t('stage.nothingShipped')}</Show>
          </p>
        )}
      </Show>
    </>
  );
}
