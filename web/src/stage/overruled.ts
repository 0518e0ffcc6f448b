// Claims of judges that a measurement overruled. The log's frames name the measured value; what was claimed is asked for.

import { createEffect, createSignal, onCleanup } from 'solid-js';
import type { Overruled } from '../api/types';
import type { Turn } from '../reducer/state';
import type { View } from './view';

/** What a person lets pass was not claimed wrongly. */
const WAIVED = 'waived';

const [claims, setClaims] = createSignal<readonly Overruled[]>([]);

const isJudged = ({ end }: Turn): boolean => end?.said === 'verdict' || end?.said === 'inspected';

/** Asks for them whenever there are more. */
export function followOverruled({ given, state }: View): void {
  let asked = 0;
  let isGone = false;
  createEffect(() => {
    const judged = state().rounds.flatMap(({ lanes }) => lanes.flatMap(({ turns }) => turns.filter(isJudged))).length;
    // An earlier moment needs no more than is there already.
    if (judged <= asked) return;
    asked = judged;
    // What cannot be had is left out: the transcript still says that a claim was overruled.
    given.ask<Overruled[]>('overruled').then((claims) => isGone || setClaims(claims), () => undefined);
  });
  onCleanup(() => {
    isGone = true;
    setClaims([]);
  });
}

/** Those of the seat whose turns these are, in their round. Only what was answered by the moment shown. */
export function overruledIn(turns: readonly Turn[]): readonly Overruled[] {
  const answered = turns.findLast((turn) => turn.end && !turn.end.error)?.start;
  return claims().filter(({ rule, round, role }) => rule !== WAIVED && round === answered?.round && role === answered.role);
}
