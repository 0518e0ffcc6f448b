// The round that is looked at: its verdict above, its seats below.

import { createMemo, For, Show } from 'solid-js';
import type { Loop } from '../api/types';
import { t } from '../i18n';
import { laneOf } from '../reducer/rounds';
import type { Round as RoundState, Seat, State } from '../reducer/state';
import { Lane } from './Lane';
import { decisionName, readable, roundName, scoreOr } from './words';

export function Round(props: {
  readonly state: State;
  readonly loop: Loop;
  readonly round: RoundState;
  readonly scale: number;
  readonly onDetail: (role: string) => void;
}) {
  const end = () => props.round.end;
  const of = () => props.state.gate?.maxRounds ?? props.state.scene?.maxRounds;
  const isLast = () => props.state.rounds.at(-1) === props.round;
  // Keyed by the role, a string, so that a lane keeps its place and focus while what it holds changes.
  const roles = createMemo(
    () =>
      props.state.seats
        .filter(({ role }) => laneOf(props.round, role) || (isLast() && !end() && isCast(props.state, role)))
        .map(({ role }) => role),
    [],
    { equals: (a, b) => a.join() === b.join() },
  );
  const seat = (role: string): Seat => props.state.seats.find((seat) => seat.role === role) ?? { role, agent: null, model: null };
  return (
    <section class="round">
      <header class="divider">
        <h2>
          {roundName(props.loop, props.round.number)}
          <Show when={props.round.number > 0 && of()}>{(max) => <small> {t('stage.of', { limit: max() })}</small>}</Show>
        </h2>
        <Show when={end()} fallback={<p class="verdict">{t(props.state.phase.kind === 'running' ? 'stage.underWay' : 'stage.unfinished')}</p>}>
          {(end) => (
            <p class="verdict">
              <Show when={end().composite !== null}>
                <b>{scoreOr(end().composite, props.loop)}</b>
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
          {(role) => <Lane seat={seat(role)} lane={laneOf(props.round, role)} scale={props.scale} onDetail={() => props.onDetail(role)} />}
        </For>
      </div>
    </section>
  );
}

/** Seats of the scene are shown before they speak; the engine's own only when they did. */
function isCast(state: State, role: string): boolean {
  return role !== 'desk' && role !== 'lint' && role !== 'measure' && state.seats.some((seat) => seat.role === role);
}
