// How a seat came to what it says: calls that failed, what it says right now, and the time and money that all took.

import { For, Show } from 'solid-js';
import { t } from '../i18n';
import { money } from '../i18n/format';
import type { Turn } from '../reducer/state';
import { Live } from './Live';
import { Mark } from './Mark';
import { lasting, readable } from './words';

export function Turns(props: { readonly turns: readonly Turn[] }) {
  const ends = () => props.turns.flatMap((turn) => turn.end ?? []);
  // What was copied from an earlier run has been paid there.
  const paid = () => sum(ends().map((end) => (end.copied ? 0 : (end.usdMicros ?? 0))));
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
      <Show when={props.turns.find((turn) => !turn.end)?.start.turn} keyed>
        {(turn) => <Live turn={turn} />}
      </Show>
      <Show when={props.turns.at(-1)}>
        {(turn) => (
          <footer>
            <span>{readable(turn().start.task)}</span>
            <span>{props.turns.length > 1 && t('stage.calls', { n: props.turns.length })}</span>
            <Show when={ends().length > 0}>
              <span>{lasting(sum(ends().map((end) => end.elapsedMs)))}</span>
              <span>{ends().every((end) => end.copied) ? t('stage.fromLedger') : money(paid())}</span>
            </Show>
          </footer>
        )}
      </Show>
    </>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
