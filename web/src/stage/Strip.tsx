// The rounds side by side: where the score went, and the way to any of them.

import { For, Show } from 'solid-js';
import type { Loop } from '../api/types';
import { t } from '../i18n';
import { roundOf } from '../reducer/rounds';
import type { State } from '../reducer/state';
import { Mark } from './Mark';
import { hasReached, type Tally } from './Score';
import { decisionName, roundName, scoreOr, share } from './words';

export function Strip(props: {
  readonly state: State;
  readonly loop: Loop;
  readonly tally: Tally;
  readonly selected: number | null;
  readonly onSelect: (round: number) => void;
}) {
  const shipped = (): number | undefined => (props.state.phase.kind === 'ended' ? props.state.phase.ship?.round : undefined);
  return (
    <nav class="strip" aria-label={t('stage.rounds')}>
      <ol>
        <For each={props.state.rounds.map((round) => round.number)}>
          {(number) => {
            const end = () => roundOf(props.state, number)?.end;
            const isUnderWay = () => props.state.phase.kind === 'running' && !end() && props.state.rounds.at(-1)?.number === number;
            return (
              <li classList={{ reached: hasReached(end()?.composite, props.tally) }}>
                <button
                  type="button"
                  aria-current={props.selected === number ? 'true' : undefined}
                  title={end() ? `${decisionName(end()?.decision ?? null)}. ${end()?.reason ?? ''}` : t('stage.underWay')}
                  onClick={() => props.onSelect(number)}
                >
                  <Show when={!props.tally.isCount}>
                    <span class="column" aria-hidden="true">
                      <i style={{ height: share(end()?.composite, props.tally.scale) }} />
                    </span>
                  </Show>
                  <span>{roundName(props.loop, number)}</span>
                  <b>
                    <Show when={isUnderWay()}>
                      <Mark tone="live" shape="dot" />
                    </Show>
                    <Show when={shipped() === number}>
                      <Mark tone="good" shape="check" />
                    </Show>
                    <Show when={end()}>
                      {(end) => <>{end().composite === null ? decisionName(end().decision) : scoreOr(end().composite, props.loop)}</>}
                    </Show>
                  </b>
                </button>
              </li>
            );
          }}
        </For>
      </ol>
    </nav>
  );
}
