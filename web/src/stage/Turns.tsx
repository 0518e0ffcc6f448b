// How a seat came to what it says: calls that failed, what it says right now, and the time and money that all took.

import { createSignal, For, onCleanup, Show } from 'solid-js';
import type { FrameOf } from '../api/types';
import { t } from '../i18n';
import { money } from '../i18n/format';
import type { Turn } from '../reducer/state';
import { Live } from './Live';
import { Mark } from './Mark';
import { overruledIn } from './overruled';
import { taskName } from './names';
import { lasting, scoreOr } from './words';

export function Turns(props: { readonly turns: readonly Turn[] }) {
  const ends = () => props.turns.flatMap((turn) => turn.end ?? []);
  // What was copied from an earlier run has been paid there.
  const paid = () => sum(ends().map((end) => (end.copied ? 0 : (end.usdMicros ?? 0))));
  return (
    <>
      <ul class="demands overruled">
        <For each={overruledIn(props.turns)}>
          {(claim) => (
            <li>
              <Mark tone="warn" shape="diamond" />
              <p dir="auto">
                {claim.dim === null
                  ? t('stage.overruled.other', { claimed: claim.claimed, why: claim.why })
                  : t('stage.overruled.dim', { name: claim.dim, claimed: claim.claimed, counts: scoreOr(claim.counts) })}
              </p>
            </li>
          )}
        </For>
      </ul>
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
      <Show when={props.turns.findLast((turn) => !turn.end)?.parked} keyed>
        {(parked) => <Parked frame={parked} />}
      </Show>
      <Show when={props.turns.find((turn) => !turn.end)?.start.turn} keyed>
        {(turn) => <Live turn={turn} />}
      </Show>
      <Show when={props.turns.at(-1)}>
        {(turn) => (
          <footer>
            <span>{taskName(turn().start.task)}</span>
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

/** Who took a turn over, or how long its provider still takes no requests. */
function Parked(props: { readonly frame: FrameOf<'parked'> }) {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), 1000);
  onCleanup(() => clearInterval(timer));
  const left = () => Date.parse(props.frame.until) - now();
  return (
    <Show when={props.frame.takenBy ?? left() > 0}>
      <p class="quiet">
        {props.frame.takenBy
          ? t('stage.takenBy', { agent: props.frame.agent, other: props.frame.takenBy })
          : t('stage.parked', { agent: props.frame.agent, time: lasting(left()) })}
        <small> {props.frame.why}</small>
      </p>
    </Show>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
