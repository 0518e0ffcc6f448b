// Runs as the server tells them, for tests. One of each loop, small enough to read.

import type { Frame } from '../api/types';
import { closed, draft, digest, finding, framed, judged, scene, turnEnded, turnStarted, type Cue } from './sample-cues.testing';

/** Two rounds: the first is sent back with must-fixes, the second ships. */
export function theater(): Frame[] {
  return framed([
    scene('theater', ['designer', 'critic', 'a11y']),
    {
      type: 'run_started',
      protocolVersion: 1,
      cast: ['designer', 'critic', 'a11y'],
      maxRounds: 3,
      threshold: 8,
      scale: 10,
    },
    { type: 'round_opened', round: 1 },
    turnStarted(1, 1, 'designer', 'draft'),
    turnEnded(1, 1, 'designer', { said: 'draft', task: 'draft' }),
    draft(1, 1, 'designer'),
    ...judged(
      2,
      1,
      'critic',
      6.4,
      [
        ['hierarchy', 7, 'Clear first read.'],
        ['contrast', 4, 'CTA 3.9:1, fails AA.'],
      ],
      ['Raise the contrast of the call to action.'],
    ),
    finding('f1', 1, 'open'),
    ...judged(3, 1, 'a11y', 5.8, [['focus', 3, 'No visible focus on cards.']], ['Give cards a visible focus.']),
    finding('f2', 1, 'open', { role: 'a11y', text: 'No visible focus on cards.', target: '.card' }),
    {
      type: 'round_end',
      round: 1,
      composite: 6.18,
      mustFix: 2,
      decision: 'continue',
      reason: 'below 8, 2 must-fix open',
    },
    { type: 'round_opened', round: 2 },
    turnStarted(4, 2, 'designer', 'draft'),
    turnEnded(4, 2, 'designer', { said: 'draft', task: 'draft' }),
    draft(4, 2, 'designer'),
    ...judged(
      5,
      2,
      'critic',
      8.8,
      [
        ['hierarchy', 9, 'Holds.'],
        ['contrast', 8.6, 'CTA 7.2:1.'],
      ],
      [],
    ),
    finding('f1', 2, 'fixed'),
    ...judged(6, 2, 'a11y', 8.4, [['focus', 8.4, 'Visible everywhere.']], []),
    finding('f2', 2, 'fixed', { role: 'a11y' }),
    { type: 'round_end', round: 2, composite: 8.62, mustFix: 0, decision: 'ship', reason: 'converged' },
    {
      type: 'ship',
      round: 2,
      composite: 8.62,
      status: 'shipped',
      artifactRef: { projectId: 'p', artifactId: 'a' },
      summary: 'Contrast and focus fixed.',
    },
    closed('shipped', 'converged', {
      round: 2,
      composite: 8.62,
      content: digest('d'),
      format: 'html',
      summary: 'Contrast and focus fixed.',
    }),
  ]);
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
    {
      type: 'ruled',
      turn: 2,
      round: 1,
      role: 'skeptic',
      accepted: false,
      score: null,
      reasons: ['MUST: has a section Risks'],
    },
    turnStarted(3, 1, 'skeptic', 'rewrite'),
    draft(3, 1, 'skeptic'),
    turnEnded(3, 1, 'skeptic', { said: 'mutation' }),
    { type: 'ruled', turn: 3, round: 1, role: 'skeptic', accepted: true, score: 0.71, reasons: [] },
    { type: 'round_closed', round: 1, outcome: null, reason: null, composite: 0.71, mustFix: null },
  ]);
}

/** The worker claims, the engine runs the checks, one of two stories holds. */
export function desk(): Frame[] {
  const receipt = { purpose: 'test', elapsedMs: 2100, output: digest('e'), kept: true, failure: null, testsSkipped: null };
  return framed([
    scene('desk', ['desk', 'worker', 'verifier']),
    {
      type: 'stories',
      stories: [
        { id: 'US-001', title: 'Retry on 503', verifiedIn: null },
        { id: 'US-002', title: 'Give up after five', verifiedIn: null },
      ],
    },
    { type: 'round_opened', round: 1 },
    turnStarted(1, 1, 'worker', 'work'),
    turnEnded(1, 1, 'worker', { said: 'worked', word: 'verify' }),
    {
      type: 'receipts',
      round: 1,
      tree: digest('f'),
      receipts: [
        {
          ...receipt,
          check: 'unit',
          line: 'cargo test retry',
          exit: 0,
          passed: true,
          tail: 'ok. 12 passed',
          testsPassed: 12,
          testsFailed: 0,
        },
        {
          ...receipt,
          check: 'lint',
          line: 'cargo clippy',
          exit: 1,
          passed: false,
          tail: 'error: unused',
          testsPassed: null,
          testsFailed: null,
        },
      ],
    },
    turnStarted(2, 1, 'verifier', 'verify'),
    turnEnded(2, 1, 'verifier', { said: 'inspected', word: 'fail' }),
    {
      type: 'stories',
      stories: [
        { id: 'US-001', title: 'Retry on 503', verifiedIn: 1 },
        { id: 'US-002', title: 'Give up after five', verifiedIn: null },
      ],
    },
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
    turnEnded(2, 1, 'reviewer', {
      said: 'nothing',
      error: { kind: 'misfit', message: 'no JSON object in the answer', hint: 'raise max_retries' },
    }),
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
      const dims = Array.from({ length: 20 }, (_, at): [string, number, string] => [
        `dim ${at}`,
        (at * 7 + round) % 10,
        `note ${at} of ${role}`,
      ]);
      cues.push(...judged(turn, round, role, 6 + (round % 4), dims, ['One thing.', 'Another thing.']));
      cues.push(finding(`f${round}-${role}`, round, 'open', { role, raised: round }));
    }
    cues.push({
      type: 'round_end',
      round,
      composite: 6 + (round % 3),
      mustFix: 4,
      decision: 'continue',
      reason: 'below',
    });
  }
  return framed(cues.slice(0, frames), 120);
}
