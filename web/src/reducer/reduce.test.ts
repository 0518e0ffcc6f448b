import { describe, expect, test } from 'vitest';
import type { Frame, FrameType } from '../api/types';
import { reduce } from './reduce';
import { laneOf, roundOf } from './rounds';
import { closed, draft, finding, framed, scene, turnEnded, turnStarted } from './sample-cues.testing';
import { desk, joust, long, review, theater } from './samples.testing';
import { initial, type State } from './state';

const fold = (frames: readonly Frame[]): State => frames.reduce(reduce, initial());

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

test.each([
  ['passed', { composite: 8, mustFix: 0, decision: 'ship' }, 'ship'],
  ['handed over by a fallback', { composite: 7.9, mustFix: 0, decision: 'ship' }, 'below_threshold'],
  ['with an open must-fix', { composite: 9, mustFix: 1, decision: 'ship' }, 'below_threshold'],
  ['not the last', { composite: 5, mustFix: 2, decision: 'continue' }, 'continue'],
  ['the last', { round: 3, composite: 5, mustFix: 2, decision: 'continue' }, 'below_threshold'],
] as const)('what follows a round: %s', (_, end, expected) => {
  const state = fold([...theater().slice(0, 2), ...framed([{ type: 'round_end', round: 1, reason: '', ...end }])]);
  expect(state.rounds.at(-1)?.end?.decision).toBe(expected);
});

const judge = [turnStarted(1, 1, 'critic', 'judge'), { type: 'panelist_open', round: 1, role: 'critic' }] as const;

// One row for every type of cue: what came before, the cue, and what the state then says.
const cues: {
  [T in FrameType]: [before: Parameters<typeof framed>[0], says: (state: State) => unknown, expected: unknown];
} = {
  scene: [
    [scene('theater', ['designer', 'critic'])],
    (s) => s.seats.map((seat) => `${seat.role}=${seat.agent}`),
    ['designer=writer', 'critic=judge'],
  ],
  run_started: [
    [
      scene('theater', ['designer']),
      { type: 'run_started', protocolVersion: 1, cast: ['designer', 'brand'], maxRounds: 2, threshold: 7, scale: 10 },
    ],
    (s) => [s.gate, s.seats.map((seat) => `${seat.role}=${seat.agent}`)],
    [{ threshold: 7, scale: 10, maxRounds: 2 }, ['designer=writer', 'brand=null']],
  ],
  round_opened: [
    [
      { type: 'round_opened', round: 2 },
      { type: 'round_opened', round: 1 },
    ],
    (s) => s.rounds.map((r) => r.number),
    [1, 2],
  ],
  panelist_open: [[{ type: 'panelist_open', round: 1, role: 'critic' }], (s) => lane(s)?.isSpeaking, true],
  panelist_dim: [
    [...judge, { type: 'panelist_dim', round: 1, role: 'critic', dimName: 'contrast', dimScore: 4, dimNote: '3.9:1' }],
    (s) => lane(s)?.dims.map((dim) => [dim.dimName, dim.dimScore, dim.dimNote]),
    [['contrast', 4, '3.9:1']],
  ],
  panelist_must_fix: [
    [...judge, { type: 'panelist_must_fix', round: 1, role: 'critic', text: 'x' }],
    (s) => lane(s)?.mustFixes,
    ['x'],
  ],
  panelist_close: [
    [...judge, { type: 'panelist_close', round: 1, role: 'critic', score: 6.4 }],
    (s) => [lane(s)?.score, lane(s)?.isSpeaking],
    [6.4, false],
  ],
  turn_started: [
    [turnStarted(1, 1, 'critic', 'judge')],
    (s) => [lane(s)?.isSpeaking, lane(s)?.turns.length, lane(s)?.turns[0]?.end],
    [true, 1, null],
  ],
  turn_ended: [
    [turnStarted(1, 1, 'critic', 'judge'), turnEnded(1, 1, 'critic')],
    (s) => [lane(s)?.isSpeaking, lane(s)?.turns[0]?.end?.said, s.spent],
    [false, 'verdict', { tokens: 1200, usdMicros: 4200 }],
  ],
  parked: [
    [
      turnStarted(1, 1, 'critic', 'judge'),
      { type: 'parked', turn: 1, round: 1, role: 'critic', agent: 'claude', until: '2026-11-18T16:00:00.000Z', why: 'no', takenBy: null },
    ],
    (s) => [lane(s)?.turns[0]?.parked?.until, lane(s)?.turns[0]?.end],
    ['2026-11-18T16:00:00.000Z', null],
  ],
  draft: [
    [{ type: 'draft', round: 1, role: 'designer', turn: 1, draft: 'd1', content: 'c', format: 'html' }],
    (s) => roundOf(s, 1)?.draft?.content,
    'c',
  ],
  finding: [
    [
      finding('f1', 1, 'open'),
      finding('f2', 1, 'open'),
      finding('f1', 2, 'fixed'),
      finding('f1', 3, 'reopened'),
      finding('f1', 3, 'reopened', { text: 'new words' }),
    ],
    (s) => s.findings.map((f) => [f.id, f.text.slice(0, 9), f.life.map((step) => `${step.state} in ${step.round}`)]),
    [
      ['f1', 'new words', ['open in 1', 'fixed in 2', 'reopened in 3']],
      ['f2', 'Call to a', ['open in 1']],
    ],
  ],
  ruled: [
    [{ type: 'ruled', turn: 2, round: 1, role: 'skeptic', accepted: false, score: null, reasons: ['MUST: x'] }],
    (s) => roundOf(s, 1)?.rulings.map((ruling) => ruling.reasons),
    [['MUST: x']],
  ],
  receipts: [[{ type: 'receipts', round: 1, tree: 't', receipts: [] }], (s) => roundOf(s, 1)?.receipts.length, 1],
  stories: [
    [{ type: 'stories', stories: [{ id: 'US-001', title: 't', verifiedIn: 1 }] }],
    (s) => s.stories.map((story) => story.verifiedIn),
    [1],
  ],
  round_end: [
    [{ type: 'round_end', round: 1, composite: 6.2, mustFix: 2, decision: 'continue', reason: 'below 8' }],
    (s) => roundOf(s, 1)?.end,
    { composite: 6.2, mustFix: 2, decision: 'continue', reason: 'below 8' },
  ],
  round_closed: [
    [{ type: 'round_closed', round: 1, outcome: 'converged', reason: 'ok', composite: null, mustFix: 0 }],
    (s) => roundOf(s, 1)?.end,
    { composite: null, mustFix: 0, decision: 'converged', reason: 'ok' },
  ],
  ship: [
    [
      {
        type: 'ship',
        round: 2,
        composite: 8.6,
        status: 'shipped',
        artifactRef: { projectId: 'p', artifactId: 'a' },
        summary: 'done',
      },
    ],
    (s) => s.phase,
    {
      kind: 'ended',
      outcome: 'shipped',
      reason: 'done',
      ship: expect.objectContaining({ round: 2, composite: 8.6, summary: 'done' }),
    },
  ],
  degraded: [
    [{ type: 'degraded', reason: 'malformed_block', adapter: 'x' }],
    (s) => [s.degraded, s.phase.kind],
    [{ reason: 'malformed_block', adapter: 'x' }, 'running'],
  ],
  interrupted: [
    [...judge, { type: 'interrupted', bestRound: null, composite: null, recovery: 'daemon_restart' }],
    (s) => [s.phase, lane(s)?.isSpeaking],
    [{ kind: 'ended', outcome: 'interrupted', reason: 'daemon_restart', ship: null }, false],
  ],
  failed: [
    [...judge, { type: 'failed', cause: 'cli_exit_nonzero' }],
    (s) => s.phase,
    { kind: 'ended', outcome: 'failed', reason: 'cli_exit_nonzero', ship: null },
  ],
  parser_warning: [
    [{ type: 'parser_warning', kind: 'unknown_tag', position: 7 }],
    (s) => s.warnings,
    [{ kind: 'unknown_tag', position: 7 }],
  ],
  person: [
    [{ type: 'person', by: 'kim', act: 'steered', text: 'shorter' }],
    (s) => s.interventions.map((act) => [act.by, act.act, act.text]),
    [['kim', 'steered', 'shorter']],
  ],
  resumed: [
    [closed('interrupted', 'by a person'), { type: 'resumed' }],
    (s) => s.phase,
    { kind: 'running', resumed: true },
  ],
  run_closed: [
    [
      closed('needs_human', 'iteration_limit', {
        round: 2,
        composite: null,
        content: 'c',
        format: 'plain',
        summary: null,
      }),
    ],
    (s) => s.phase,
    {
      kind: 'ended',
      outcome: 'needs_human',
      reason: 'iteration_limit',
      ship: expect.objectContaining({ round: 2, composite: null, summary: null }),
    },
  ],
};

const lane = (state: State) => laneOf(roundOf(state, 1), 'critic');

describe('a frame of each type', () => {
  test.each(Object.entries(cues))('%s', (_, [before, says, expected]) => {
    expect(says(fold(framed(before)))).toEqual(expected);
  });

  test('that is not known moves the clock only', () => {
    const before = fold(theater().slice(0, 5));
    const odd = JSON.parse(JSON.stringify({ ...theater()[5], type: 'curtain_call', time: '2026-05-01T10:00:00.000Z' }));
    expect(reduce(before, odd)).toEqual({ ...before, frames: 6, latest: '2026-05-01T10:00:00.000Z' });
  });
});

describe('phases', () => {
  test.each([
    ['nothing yet', [], 'empty'],
    ['the first frame', [scene('review', [])], 'running'],
    ['closed', [scene('review', []), closed('converged', '')], 'ended'],
    ['goes on', [closed('failed', ''), { type: 'resumed' } as const], 'running'],
  ])('%s', (_, cues, kind) => {
    expect(fold(framed(cues)).phase.kind).toBe(kind);
  });

  test('the last word on how the theater ended is run_closed', () => {
    const frames = framed([{ type: 'interrupted', bestRound: 1, composite: 6 }, closed('timed_out', 'total time')]);
    expect(fold(frames).phase).toMatchObject({ outcome: 'timed_out', ship: null });
  });
});

describe('whole runs', () => {
  const shown = (state: State): string[] =>
    state.rounds.map((round) => {
      const lanes = round.lanes.map(
        (lane) => `${lane.role} ${lane.score ?? '-'} !${lane.mustFixes.length} ×${lane.turns.length}`,
      );
      return `${round.number}: ${lanes.join(', ')} → ${round.end?.composite ?? '-'} ${round.end?.reason ?? ''}`.trim();
    });

  test.each([
    [
      'theater',
      theater(),
      [
        '1: designer - !0 ×1, critic 6.4 !1 ×1, a11y 5.8 !1 ×1 → 6.18 below 8, 2 must-fix open',
        '2: designer - !0 ×1, critic 8.8 !0 ×1, a11y 8.4 !0 ×1 → 8.62 converged',
      ],
    ],
    ['joust', joust(), ['0: main - !0 ×1 → -', '1: skeptic - !0 ×2 → 0.71']],
    ['desk', desk(), ['1: worker - !0 ×1, verifier - !0 ×1 → 0.5 US-002 is not verified']],
    ['review', review(), ['1: creator - !0 ×1, reviewer - !0 ×2 → - changes requested']],
  ])('%s', (_, frames, expected) => {
    expect(shown(fold(frames))).toEqual(expected);
  });

  test.each([
    ['theater', theater()],
    ['joust', joust()],
    ['desk', desk()],
    ['review', review()],
  ])('%s: no state is ever changed', (_, frames) => {
    expect(() =>
      frozen(frames).reduce((state, frame) => frozen(reduce(state, frame)), frozen(initial())),
    ).not.toThrow();
  });

  test('what a frame does not touch is shared', () => {
    const frames = theater();
    const open = frames.findIndex((frame) => frame.type === 'round_opened' && frame.round === 2);
    const before = fold(frames.slice(0, open));
    const after = frames.slice(open, open + 6).reduce(reduce, before);
    expect(after.rounds[0]).toBe(before.rounds[0]);
    expect(after.findings).toBe(before.findings);
  });
});

test('a frame of a long run costs far less than 2 ms (p99)', () => {
  const frames = long(10_000);
  fold(frames);
  let state = initial();
  const took = frames.map((frame) => {
    const start = performance.now();
    state = reduce(state, frame);
    return performance.now() - start;
  });
  const p99 = took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Infinity;
  console.info(
    `reduce: p50 ${(took[5000] ?? 0).toFixed(4)} ms, p99 ${p99.toFixed(4)} ms, max ${(took.at(-1) ?? 0).toFixed(2)} ms over ${frames.length} frames`,
  );
  expect(p99).toBeLessThan(0.5);
});

test('a joust’s draft is the round’s once it is accepted, and not when it is sent back', () => {
  const ruled = (turn: number, accepted: boolean): Parameters<typeof framed>[0][number] => {
    return { type: 'ruled', turn, round: 1, role: 'skeptic', accepted, score: null, reasons: [] };
  };
  const all = framed([
    scene('joust', ['main', 'skeptic']),
    draft(1, 1, 'skeptic'),
    ruled(1, true),
    draft(2, 1, 'skeptic'),
    ruled(2, false),
    draft(3, 1, 'skeptic'),
    ruled(3, true),
  ]);
  const shown = all.map((_, at) => roundOf(fold(all.slice(0, at + 1)), 1)?.draft?.draft ?? null);
  expect(shown).toEqual([null, null, 'd1', 'd1', 'd1', 'd1', 'd3']);
});
