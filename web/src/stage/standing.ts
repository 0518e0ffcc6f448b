// How a run stands, in one word with a tone and a shape: colour is never the only signal.

import type { Outcome, RunRow } from '../api/types';
import type { Phase } from '../reducer/state';

export type Standing = Outcome | 'empty' | 'running' | 'queued' | 'waiting' | 'paused';
export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'live';
export type ShapeName = 'dot' | 'ring' | 'check' | 'cross' | 'triangle' | 'square' | 'diamond';

export const MARKS: Readonly<Record<Standing, readonly [Tone, ShapeName]>> = {
  empty: ['calm', 'ring'],
  queued: ['calm', 'ring'],
  paused: ['calm', 'square'],
  running: ['live', 'dot'],
  waiting: ['warn', 'diamond'],
  shipped: ['good', 'check'],
  converged: ['good', 'check'],
  below_threshold: ['warn', 'triangle'],
  needs_human: ['warn', 'diamond'],
  blocked: ['bad', 'cross'],
  timed_out: ['warn', 'triangle'],
  over_budget: ['warn', 'triangle'],
  interrupted: ['calm', 'square'],
  degraded: ['warn', 'triangle'],
  failed: ['bad', 'cross'],
  legacy: ['calm', 'ring'],
};

/** Whether a word is one of ours; a newer server may know outcomes that we do not. */
export function isStanding(word: string): word is Standing {
  return Object.hasOwn(MARKS, word);
}

/** How a run stands that has not ended: what only the server knows comes before `otherwise`. */
export function goingOn(run: RunRow, otherwise: Standing = run.isDriven ? 'running' : 'paused'): Standing {
  if (run.isQueued) return 'queued';
  return run.waitingFor.length > 0 ? 'waiting' : otherwise;
}

/**
 * How the run stands at the moment shown. What only the server knows now (queued, waiting for a person,
 * driven by nobody) counts while the latest moment is shown: in a replay it would be about another time.
 */
export function standing(phase: Phase, run: RunRow, isLive: boolean): Standing {
  if (phase.kind === 'ended') return isStanding(phase.outcome) ? phase.outcome : 'legacy';
  if (!isLive) return phase.kind;
  return goingOn(run, phase.kind === 'empty' ? 'empty' : undefined);
}
