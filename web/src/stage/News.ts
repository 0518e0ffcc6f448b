// What is said aloud: round ends and ships, nothing else, and only as they happen.

import { createEffect } from 'solid-js';
import type { Loop } from '../api/types';
import { t } from '../i18n';
import type { State } from '../reducer/state';
import { decisionName, roundName, scoreOr, standingName } from './words';
import { isStanding } from './standing';
import type { View } from './view';

/** The sentence for what the later state has over the earlier one, or nothing. */
function spoken(before: State, after: State, loop: Loop): string | null {
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

/**
 * Shows nothing; says what is new. What was loaded at first, what a replay shows and what one comes back
 * to from it are no news: the page has to have been live before and after.
 */
export function News(props: { readonly view: View }): null {
  const { given, moment, state } = props.view;
  createEffect<Heard | undefined>((before) => {
    const now = { state: state(), isOn: moment.isLive() && given.connection().kind === 'live' };
    const text = before?.isOn && now.isOn ? spoken(before.state, now.state, given.run.loop) : null;
    if (text) given.announce(text);
    return now;
  }, undefined);
  return null;
}

interface Heard {
  readonly state: State;
  readonly isOn: boolean;
}
