// The rounds side by side: where the score went, and the way to any of them.

import { For, Show } from 'solid-js';
import { t } from '../i18n';
import { roundOf } from '../reducer/rounds';
import { Mark } from './Mark';
import { hasReached } from './Score';
import { isStanding, MARKS, type Standing } from './standing';
import type { View } from './view';
import { decisionName, roundName, scoreOr, share } from './words';

export function Strip(props: { readonly view: View }) {
  const { given, state, tally } = props.view;
  /** The round that was handed over, marked by how the run ended: what a fallback ships has not passed. */
  const shipped = (): { round: number; mark: (typeof MARKS)[Standing] } | undefined => {
    const { phase } = state();
    if (phase.kind !== 'ended' || !phase.ship) return undefined;
    return { round: phase.ship.round, mark: MARKS[isStanding(phase.outcome) ? phase.outcome : 'legacy'] };
  };
  return (
    <nav class="strip" aria-label={t('stage.rounds')}>
      <ol>
        <For each={state().rounds.map((round) => round.number)}>
          {(number) => {
            const end = () => roundOf(state(), number)?.end;
            const isUnderWay = () =>
              state().phase.kind === 'running' && !end() && state().rounds.at(-1)?.number === number;
            return (
              <li classList={{ reached: hasReached(end()?.composite, tally()) }}>
                <button
                  type="button"
                  aria-current={props.view.round()?.number === number ? 'true' : undefined}
                  title={
                    end() ? `${decisionName(end()?.decision ?? null)}. ${end()?.reason ?? ''}` : t('stage.underWay')
                  }
                  onClick={() => props.view.pick(number)}
                >
                  <Show when={!tally().isCount}>
                    <span class="column" aria-hidden="true">
                      <i style={{ height: share(end()?.composite, tally().scale) }} />
                    </span>
                  </Show>
                  <span>{roundName(given.run.loop, number)}</span>
                  <b>
                    <Show when={isUnderWay()}>
                      <Mark tone="live" shape="dot" />
                    </Show>
                    <Show when={shipped()?.round === number && shipped()?.mark}>
                      {(mark) => <Mark tone={mark()[0]} shape={mark()[1]} />}
                    </Show>
                    <Show when={end()}>
                      {(end) => (
                        <>
                          {end().composite === null
                            ? decisionName(end().decision)
                            : scoreOr(end().composite, given.run.loop)}
                        </>
                      )}
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
