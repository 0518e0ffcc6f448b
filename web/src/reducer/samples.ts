// Runs as the server tells them, for tests. One of each loop, small enough to read.

import type { Frame, FrameOf, FrameType } from '../api/types';

type Cue = { [T in FrameType]: Omit<FrameOf<T>, 'runId' | 'time' | 'seq'> }[FrameType];

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

export const turnEnded = (turn: number, round: number, role: string, more: Partial<FrameOf<'turn_ended'>> = {}): Cue => ({
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

export const finding = (id: string, round: number, state: FrameOf<'finding'>['state'], more: Partial<FrameOf<'finding'>> = {}): Cue => ({
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

const draft = (turn: number, round: number, role: string): Cue => ({
  type: 'draft',
  round,
  role,
  turn,
  draft: `d${turn}`,
  content: digest('d'),
  format: 'html',
});

function judged(turn: number, round: number, role: string, score: number, dims: [string, number, string][], mustFixes: string[]): Cue[] {
  return [
    turnStarted(turn, round, role, 'judge'),
    { type: 'panelist_open', round, role },
    ...dims.map(([dimName, dimScore, dimNote]): Cue => ({ type: 'panelist_dim', round, role, dimName, dimScore, dimNote })),
    ...mustFixes.map((text): Cue => ({ type: 'panelist_must_fix', round, role, text })),
    { type: 'panelist_close', round, role, score },
    turnEnded(turn, round, role),
  ];
}

/** Two rounds: the first is sent back with must-fixes, the second ships. */
export function theater(): Frame[] {
  return framed([
    scene('theater', ['designer', 'critic', 'a11y']),
    { type: 'run_started', protocolVersion: 1, cast: ['designer', 'critic', 'a11y'], maxRounds: 3, threshold: 8, scale: 10 },
    { type: 'round_opened', round: 1 },
    turnStarted(1, 1, 'designer', 'draft'),
    turnEnded(1, 1, 'designer', { said: 'draft', task: 'draft' }),
    draft(1, 1, 'designer'),
    ...judged(2, 1, 'critic', 6.4, [['hierarchy', 7, 'Clear first read.'], ['contrast', 4, 'CTA 3.9:1, fails AA.']], ['Raise the contrast of the call to action.']),
    finding('f1', 1, 'open'),
    ...judged(3, 1, 'a11y', 5.8, [['focus', 3, 'No visible focus on cards.']], ['Give cards a visible focus.']),
    finding('f2', 1, 'open', { role: 'a11y', text: 'No visible focus on cards.', target: '.card' }),
    { type: 'round_end', round: 1, composite: 6.18, mustFix: 2, decision: 'continue', reason: 'below 8, 2 must-fix open' },
    { type: 'round_opened', round: 2 },
    turnStarted(4, 2, 'designer', 'draft'),
    turnEnded(4, 2, 'designer', { said: 'draft', task: 'draft' }),
    draft(4, 2, 'designer'),
    ...judged(5, 2, 'critic', 8.8, [['hierarchy', 9, 'Holds.'], ['contrast', 8.6, 'CTA 7.2:1.']], []),
    finding('f1', 2, 'fixed'),
    ...judged(6, 2, 'a11y', 8.4, [['focus', 8.4, 'Visible everywhere.']], []),
    finding('f2', 2, 'fixed', { role: 'a11y' }),
    { type: 'round_end', round: 2, composite: 8.62, mustFix: 0, decision: 'ship', reason: 'converged' },
    { type: 'ship', round: 2, composite: 8.62, status: 'shipped', artifactRef: { projectId: 'p', artifactId: 'a' }, summary: 'Contrast and focus fixed.' },
    closed('shipped', 'converged', { round: 2, composite: 8.62, content: digest('d'), format: 'html', summary: 'Contrast and focus fixed.' }),
  ]);
}

export function closed(outcome: FrameOf<'run_closed'>['outcome'], reason: string, ship: FrameOf<'run_closed'>['ship'] = null): Cue {
  return { type: 'run_closed', outcome, status: outcome, reason, ship };
}

/** A rewrite is sent back, its second attempt is taken. */
export function joust(): Frame[] {
  return framed([
    scene('joust', ['main', 'skeptic']),
    turnStarted(1, 0, 'main', 'bootstrap'),
    turnEnded(1, 0, 'main', { said: 'draft' }),
    { type: 'round_opened', round: 1 },
    turnStarted(2, 1, 'skeptic', 'rewrite'),
    turnEnded(2, 1, 'skeptic', { said: 'mutation', summary: 'Cut the second section.' }),
    { type: 'ruled', turn: 2, round: 1, role: 'skeptic', accepted: false, score: null, reasons: ['MUST: has a section Risks'] },
    turnStarted(3, 1, 'skeptic', 'rewrite'),
    turnEnded(3, 1, 'skeptic', { said: 'mutation' }),
    { type: 'ruled', turn: 3, round: 1, role: 'skeptic', accepted: true, score: 0.71, reasons: [] },
    draft(3, 1, 'skeptic'),
    { type: 'round_closed', round: 1, outcome: null, reason: null, composite: 0.71, mustFix: null },
  ]);
}

/** The worker claims, the engine runs the checks, one of two stories holds. */
export function desk(): Frame[] {
  const receipt = { purpose: 'test', elapsedMs: 2100, output: digest('e'), failure: null, testsSkipped: null };
  return framed([
    scene('desk', ['desk', 'worker', 'verifier']),
    { type: 'stories', stories: [{ id: 'US-001', title: 'Retry on 503', verifiedIn: null }, { id: 'US-002', title: 'Give up after five', verifiedIn: null }] },
    { type: 'round_opened', round: 1 },
    turnStarted(1, 1, 'worker', 'work'),
    turnEnded(1, 1, 'worker', { said: 'worked', word: 'verify' }),
    {
      type: 'receipts',
      round: 1,
      tree: digest('f'),
      receipts: [
        { ...receipt, check: 'unit', line: 'cargo test retry', exit: 0, passed: true, tail: 'ok. 12 passed', testsPassed: 12, testsFailed: 0 },
        { ...receipt, check: 'lint', line: 'cargo clippy', exit: 1, passed: false, tail: 'error: unused', testsPassed: null, testsFailed: null },
      ],
    },
    turnStarted(2, 1, 'verifier', 'verify'),
    turnEnded(2, 1, 'verifier', { said: 'inspected', word: 'fail' }),
    { type: 'stories', stories: [{ id: 'US-001', title: 'Retry on 503', verifiedIn: 1 }, { id: 'US-002', title: 'Give up after five', verifiedIn: null }] },
    { type: 'round_closed', round: 1, outcome: null, reason: 'US-002 is not verified', composite: 0.5, mustFix: null },
  ]);
}

/** An answer that does not parse is retried; the reviewer wants changes. */
export function review(): Frame[] {
  return framed([
    scene('review', ['creator', 'reviewer']),
    { type: 'round_opened', round: 1 },
    turnStarted(1, 1, 'creator', 'draft'),
    turnEnded(1, 1, 'creator', { said: 'draft', summary: 'A first slug.' }),
    turnStarted(2, 1, 'reviewer', 'review'),
    turnEnded(2, 1, 'reviewer', { said: 'nothing', error: { kind: 'parse', message: 'no JSON object in the answer', hint: 'raise max_retries' } }),
    turnStarted(3, 1, 'reviewer', 'review'),
    turnEnded(3, 1, 'reviewer', { word: 'changes_requested', summary: 'Too long.' }),
    finding('f1', 1, 'open', { role: 'reviewer', text: 'Longer than 60 characters.' }),
    { type: 'round_closed', round: 1, outcome: null, reason: 'changes requested', composite: null, mustFix: 1 },
  ]);
}

/** A transcript of about that many frames: rounds of many judges with many dimensions. */
export function long(frames: number): Frame[] {
  const roles = ['critic', 'brand', 'a11y', 'copy'];
  const cues: Cue[] = [scene('theater', ['designer', ...roles])];
  for (let round = 1, turn = 0; cues.length < frames; round += 1) {
    cues.push({ type: 'round_opened', round });
    for (const role of roles) {
      turn += 1;
      const dims = Array.from({ length: 20 }, (_, at): [string, number, string] => [`dim ${at}`, (at * 7 + round) % 10, `note ${at} of ${role}`]);
      cues.push(...judged(turn, round, role, 6 + (round % 4), dims, ['One thing.', 'Another thing.']));
      cues.push(finding(`f${round}-${role}`, round, 'open', { role, raised: round }));
    }
    cues.push({ type: 'round_end', round, composite: 6 + (round % 3), mustFix: 4, decision: 'continue', reason: 'below' });
  }
  return framed(cues.slice(0, frames), 120);
}
