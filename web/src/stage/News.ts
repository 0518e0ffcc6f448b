// What is said aloud: round ends and ships, nothing else, and only as they happen.

import { createEffect, on } from 'solid-js';
import type { Loop } from '../api/types';
import { t } from '../i18n';
import type { State } from '../reducer/state';
import { decisionName, roundName, scoreOr, standingName } from './words';
import { isStanding } from './standing';
import type { View } from './view';

/** The sentence for what the later state has over the earlier one, or nothing. */
export function spoken(before: State, after: State, loop: Loop): string | null {
  const { phase } = after;
  if (phase.kind === 'ended' && before.phase.kind !== 'ended') {
    const how = isStanding(phase.outcome) ? standingName(phase.outcome, []) : phase.outcome;
    return phase.ship ? `${how}. ${roundName(loop, phase.ship.round)}, ${scoreOr(phase.ship.composite, loop)}` : how;
  }
  const ended = after.rounds.findLast((round) => round.end);
  if (!ended?.end || ended.number === before.rounds.findLast((round) => round.end)?.number) return null;
  const parts = [roundName(loop, ended.number), decisionName(ended.end.decision)];
  if (ended.end.composite !== null) parts.splice(1, 0, scoreOr(ended.end.composite, loop));
  if (ended.end.mustFix !== null) parts.push(t('stage.mustFixes', { n: ended.end.mustFix }));
  return parts.join(', ');
}

/** Shows nothing; says what is new. Neither what was loaded at first nor what a replay shows is news. */
export function News(props: { readonly view: View }): null {
  const { given, moment, state } = props.view;
  createEffect(
    on(state, (after, before) => {
      if (!before || !moment.isLive() || given.connection().kind !== 'live' || after.frames < before.frames) return;
      const text = spoken(before, after, given.run.loop);
      if (text) given.announce(text);
    }),
  );
  return null;
}
