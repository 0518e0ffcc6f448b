// The round that is looked at: its verdict above, its seats below.

import { createMemo, For, Show } from 'solid-js';
import { t } from '../i18n';
import { laneOf } from '../reducer/rounds';
import type { Round as RoundState, Seat, State } from '../reducer/state';
import { Lane } from './Lane';
import type { View } from './view';
import { decisionName, readable, roundName, scoreOr } from './words';

export function Round(props: { readonly view: View; readonly round: RoundState }) {
  const { given, state, tally, prove } = props.view;
  const end = () => props.round.end;
  const of = () => state().gate?.maxRounds ?? state().scene?.maxRounds;
  const isLast = () => state().rounds.at(-1) === props.round;
  // Keyed by the role, a string, so that a lane keeps its place and focus while what it holds changes.
  const roles = createMemo(
    () =>
      state().seats
        .filter(({ role }) => laneOf(props.round, role) || (isLast() && !end() && isCast(state(), role)))
        .map(({ role }) => role),
    [],
    { equals: (a, b) => a.join() === b.join() },
  );
  const seat = (role: string): Seat => state().seats.find((seat) => seat.role === role) ?? { role, agent: null, model: null };
  return (
    <section class="round">
      <header class="divider">
        <h2>
          {roundName(given.run.loop, props.round.number)}
          <Show when={props.round.number > 0 && of()}>{(max) => <small> {t('stage.of', { limit: max() })}</small>}</Show>
        </h2>
        <Show when={end()} fallback={<p class="verdict">{t(state().phase.kind === 'running' ? 'stage.underWay' : 'stage.unfinished')}</p>}>
          {(end) => (
            <p class="verdict">
              <Show when={end().composite !== null}>
                <b>{scoreOr(end().composite, given.run.loop)}</b>
              </Show>
              <Show when={end().mustFix !== null}>
                <span>{t('stage.mustFixes', { n: end().mustFix ?? 0 })}</span>
              </Show>
              <strong>{decisionName(end().decision)}</strong>
              <span class="reason">{readable(end().reason ?? '')}</span>
            </p>
          )}
        </Show>
      </header>
      <div class="lanes">
        <For each={roles()}>
          {(role) => <Lane seat={seat(role)} lane={laneOf(props.round, role)} scale={tally().scale} onDetail={() => prove(props.round.number, role)} />}
        </For>
      </div>
    </section>
  );
}

/** Seats of the scene are shown before they speak; the engine's own only when they did. */
function isCast(state: State, role: string): boolean {
  return role !== 'desk' && role !== 'lint' && role !== 'measure' && state.seats.some((seat) => seat.role === role);
}
