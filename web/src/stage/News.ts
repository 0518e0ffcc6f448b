// What is said aloud: round ends and ships, nothing else, and only as they happen.

import { createEffect, on } from 'solid-js';
import type { Loop } from '../api/types';
import { t } from '../i18n';
import type { State } from '../reducer/state';
import { decisionName, roundName, scoreOr, standingName } from './words';
import { isStanding } from './standing';

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

interface NewsProps {
  readonly state: State;
  readonly loop: Loop;
  /** Off for what was loaded at first and for what a replay shows: neither is news. */
  readonly isOn: boolean;
  readonly say: (text: string) => void;
}

/** Shows nothing; says what is new. */
export function News(props: NewsProps): null {
  createEffect(
    on(
      () => props.state,
      (after, before) => {
        if (!before || !props.isOn || after.frames < before.frames) return;
        const text = spoken(before, after, props.loop);
        if (text) props.say(text);
      },
    ),
  );
  return null;
}
