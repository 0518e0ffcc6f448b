// A theater of ten thousand frames, for measuring; with what measures it.

import type { Frame } from '../src/api/types';
import { closed, draft, finding, framed, judged, scene, turnEnded, turnStarted, type Cue } from '../src/reducer/sample-cues.testing';

export { reduce } from '../src/reducer/reduce';
export { initial } from '../src/reducer/state';

export const FRAMES = 10_000;
const JUDGES = ['critic', 'brand', 'a11y', 'copy'];
const DIMS = ['hierarchy', 'contrast', 'rhythm', 'palette', 'tone', 'focus', 'headings', 'length'];
const NOTE = 'Measured on the call to action below the fold, where the ground is a photograph and the ratio drops under 4.5:1.';

/** Rounds that are sent back again and again, with two new findings each; closed at the end. */
export function longRun(): Frame[] {
  const cues: Cue[] = [
    scene('theater', ['designer', ...JUDGES]),
    { type: 'run_started', protocolVersion: 1, cast: ['designer', ...JUDGES], maxRounds: 999, threshold: 8, scale: 10 },
  ];
  let turn = 0;
  for (let round = 1; cues.length < FRAMES - 1; round += 1) {
    turn += 1;
    cues.push(
      { type: 'round_opened', round },
      turnStarted(turn, round, 'designer', 'draft'),
      turnEnded(turn, round, 'designer', { said: 'draft', task: 'draft', summary: NOTE }),
      draft(turn, round, 'designer'),
    );
    for (const judge of JUDGES) {
      turn += 1;
      const dims = DIMS.map((dim): [string, number, string] => [dim, 5 + (round % 4), NOTE]);
      cues.push(...judged(turn, round, judge, 6, dims, [`${judge}: ${NOTE}`]));
    }
    cues.push(
      finding(`f${round}`, round, 'open', { raised: round }),
      finding(`g${round}`, round, 'open', { raised: round, text: NOTE }),
      finding(`f${round - 1}`, round, 'fixed', { raised: round - 1 }),
      { type: 'round_end', round, composite: 6, mustFix: 4, decision: 'continue', reason: 'below 8, 4 must-fix open' },
    );
  }
  return framed([...cues.slice(0, FRAMES - 1), closed('below_threshold', 'rounds exhausted')]);
}
