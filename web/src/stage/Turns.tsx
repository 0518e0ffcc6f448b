// How a seat came to what it says: calls that failed, attempts, time and money.

import { For, Show } from 'solid-js';
import { t } from '../i18n';
import { money } from '../i18n/format';
import type { Turn } from '../reducer/state';
import { Mark } from './Mark';
import { lasting, readable } from './words';

export function Turns(props: { readonly turns: readonly Turn[] }) {
  return (
    <>
      <ul class="demands">
        <For each={props.turns.flatMap((turn) => turn.end?.error ?? [])}>
          {(error) => (
            <li>
              <Mark tone="bad" shape="cross" />
              <p>
                {error.message}
                <Show when={error.hint}>{(hint) => <small>{t('stage.hint', { hint: hint() })}</small>}</Show>
              </p>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.turns.at(-1)}>
        {(turn) => (
          <footer>
            <span>{readable(turn().start.task)}</span>
            <span>{props.turns.length > 1 && t('stage.attempts', { n: props.turns.length })}</span>
            <Show when={turn().end}>
              {(end) => (
                <>
                  <span>{lasting(end().elapsedMs)}</span>
                  <span>{end().copied ? t('stage.fromLedger') : money(end().usdMicros ?? 0)}</span>
                </>
              )}
            </Show>
          </footer>
        )}
      </Show>
    </>
  );
}
