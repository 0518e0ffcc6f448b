// The round that is looked at: its verdict above, its seats below.

import { createMemo, For } from 'solid-js';
import { t } from '../i18n';
import { isEngineSeat, isOpenEnded } from '../loops';
import { laneOf } from '../reducer/rounds';
import type { Round as RoundState, Seat } from '../reducer/state';
import { Lane } from './Lane';
import type { View } from './view';
import { decisionName, ofLimit, readable, roundName, scoreOr } from './words';

export function Round(props: { readonly view: View; readonly round: RoundState }) {
  const { given, state, tally, prove } = props.view;
  const end = () => props.round.end;
  const max = () => state().gate?.maxRounds ?? (isOpenEnded(given.run.loop) ? null : state().scene?.maxRounds);
  const isRunning = () => state().phase.kind === 'running';
  // Who has not spoken waits while the round is under way; when the run is over, nobody does.
  const isOpen = () => isRunning() && !end() && state().rounds.at(-1) === props.round;
  const awaited = () => state().seats.filter(({ role }) => isOpen() && !isEngineSeat(role));
  // Who spoke first stands first, the engine's own seats behind the others; those are not awaited, either. Keyed by the role, a string, so that a lane keeps its focus while what it holds changes.
  const roles = createMemo(
    () =>
      [...new Set([...props.round.lanes, ...awaited()].map(({ role }) => role))].sort(
        (a, b) => Number(isEngineSeat(a)) - Number(isEngineSeat(b)),
      ),
    [],
    { equals: (a, b) => a.join() === b.join() },
  );
  const decision = (): string => {
    const closed = end();
    if (closed) return decisionName(closed.decision);
    return t(isRunning() ? 'stage.underWay' : 'stage.unfinished');
  };
  const seat = (role: string): Seat =>
    state().seats.find((seat) => seat.role === role) ?? { role, agent: null, model: null };
  return (
    <section class="round">
      <header class="divider">
        <h2>
          {roundName(given.run.loop, props.round.number)}{' '}
          <small>{props.round.number > 0 && ofLimit(max(), String)}</small>
        </h2>
        <p class="verdict">
          <b>{typeof end()?.composite === 'number' && scoreOr(end()?.composite, given.run.loop)}</b>
          <span>{typeof end()?.mustFix === 'number' && t('stage.mustFixes', { n: end()?.mustFix ?? 0 })}</span>
          <strong>{decision()}</strong>
          <span class="reason">{readable(end()?.reason ?? '')}</span>
        </p>
      </header>
      <div class="lanes">
        <For each={roles()}>
          {(role) => (
            <Lane
              seat={seat(role)}
              lane={laneOf(props.round, role)}
              scale={tally().scale}
              onDetail={() => prove(props.round.number, role)}
            />
          )}
        </For>
      </div>
    </section>
  );
}
