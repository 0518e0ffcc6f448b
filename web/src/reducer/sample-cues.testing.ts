// Cues as the server tells them, for tests.

import type { Frame, FrameOf, FrameType } from '../api/types';

export type Cue = { [T in FrameType]: Omit<FrameOf<T>, 'runId' | 'time' | 'seq'> }[FrameType];

const START = Date.UTC(2026, 4, 1, 9, 0, 0);

/** Cues with the run, a time (one a second unless told otherwise) and a number each. */
export function framed(cues: readonly Cue[], everyMs = 1000): Frame[] {
  return cues.map((cue, at) => ({
    ...cue,
    runId: 'r1',
    seq: at + 1,
    time: new Date(START + at * everyMs).toISOString(),
  }));
}

export const digest = (letter: string): string => letter.repeat(64);

const LIMITS = { usdMicros: 2_000_000, tokens: 500_000, wallMs: 600_000 };

export const scene = (loop: FrameOf<'scene'>['loop'], seats: readonly string[]): Cue => ({
  type: 'scene',
  loop,
  subject: loop === 'desk' ? 'checkout-retries' : 'landing.html',
  brief: digest('b'),
  seats: seats.map((seat, at) => ({ seat, agent: at ? 'judge' : 'writer', model: at ? 'small-1' : 'large-2' })),
  maxRounds: 3,
  limits: LIMITS,
  forkOf: null,
});

export const turnStarted = (turn: number, round: number, role: string, task: string): Cue => ({
  type: 'turn_started',
  turn,
  round,
  role,
  task,
  attempt: 1,
  model: 'small-1',
  why: null,
  prompt: digest('a'),
});

export const turnEnded = (
  turn: number,
  round: number,
  role: string,
  more: Partial<FrameOf<'turn_ended'>> = {},
): Cue => ({
  type: 'turn_ended',
  turn,
  round,
  role,
  task: 'judge',
  said: 'verdict',
  summary: null,
  word: null,
  error: null,
  raw: digest('c'),
  inputTokens: 900,
  outputTokens: 300,
  cachedTokens: 0,
  usdMicros: 4200,
  elapsedMs: 6400,
  copied: null,
  spentTokens: turn * 1200,
  spentUsdMicros: turn * 4200,
  ...more,
});

export const finding = (
  id: string,
  round: number,
  state: FrameOf<'finding'>['state'],
  more: Partial<FrameOf<'finding'>> = {},
): Cue => ({
  type: 'finding',
  id,
  role: 'critic',
  raised: 1,
  round,
  severity: 'must_fix',
  text: 'Call to action fails AA: 3.9:1 on the hero.',
  code: null,
  target: null,
  state,
  ...more,
});

export const draft = (turn: number, round: number, role: string): Cue => ({
  type: 'draft',
  round,
  role,
  turn,
  draft: `d${turn}`,
  content: digest('d'),
  format: 'html',
});

export function judged(
  turn: number,
  round: number,
  role: string,
  score: number,
  dims: [string, number, string][],
  mustFixes: string[],
): Cue[] {
  return [
    turnStarted(turn, round, role, 'judge'),
    { type: 'panelist_open', round, role },
    ...dims.map(([dimName, dimScore, dimNote]): Cue => ({
      type: 'panelist_dim',
      round,
      role,
      dimName,
      dimScore,
      dimNote,
    })),
    ...mustFixes.map((text): Cue => ({ type: 'panelist_must_fix', round, role, text })),
    { type: 'panelist_close', round, role, score },
    turnEnded(turn, round, role),
  ];
}

export function closed(
  outcome: FrameOf<'run_closed'>['outcome'],
  reason: string,
  ship: FrameOf<'run_closed'>['ship'] = null,
): Cue {
  return { type: 'run_closed', outcome, status: outcome, reason, ship };
}
