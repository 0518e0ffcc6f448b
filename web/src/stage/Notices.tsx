// What a reader must know before anything else: a lost connection, a panel that was skipped, how it ended.

import { Show } from 'solid-js';
import { t } from '../i18n';
import { worksOnFiles } from '../loops';
import { Brief } from './Brief';
import { Mark } from './Mark';
import { followOverruled } from './overruled';
import type { View } from './view';
import { reasonName } from './names';

/** Ends at which nothing is missing. */
const PASSED: ReadonlySet<string> = new Set(['shipped', 'converged', 'legacy']);

export function Notices(props: { readonly view: View }) {
  const { given, state } = props.view;
  followOverruled(props.view);
  const ended = () => {
    const { phase } = state();
    return phase.kind === 'ended' ? phase : undefined;
  };
  return (
    <>
      <Brief view={props.view} />
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
            {t('stage.degraded', { reason: reasonName(degraded().reason), adapter: degraded().adapter })}
          </p>
        )}
      </Show>
      <Show when={ended()}>
        {(end) => (
          <p class="outcome">
            <span dir="auto">{end().ship?.summary ?? reasonName(end().reason)}</span>
            {/* A tree of files is there already, and what passed is what was wanted. */}
            <Show when={!end().ship && !PASSED.has(end().outcome) && !worksOnFiles(given.run.loop)}>
              <small>{t('stage.nothingShipped')}</small>
            </Show>
          </p>
        )}
      </Show>
    </>
  );
}
