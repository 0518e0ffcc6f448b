import { beforeAll, describe, expect, test } from 'vitest';
import type { Frame } from '../api/types';
import { loadPageWords, setLocale } from '../i18n';
import { closed, finding, framed } from '../reducer/sample-cues.testing';
import { desk, joust, review, theater } from '../reducer/samples.testing';
import { line } from './lines';
import { standing } from './standing';
import { decisionName, lasting, readable, roundName, scoreOr, share } from './words';

beforeAll(async () => {
  await setLocale('en');
  await loadPageWords();
});

test.each([
  [0, '0:00'],
  [-5, '0:00'],
  [7_900, '0:07'],
  [247_000, '4:07'],
  [3_750_000, '1:02:30'],
])('%i ms last %s', (ms, shown) => {
  expect(lasting(ms)).toBe(shown);
});

test.each([
  ['iteration_limit', 'iteration limit'],
  ['below 8, 2 must-fix open', 'below 8, 2 must-fix open'],
  ['US_001 fails', 'US_001 fails'],
  ['ok', 'ok'],
])('%s reads %s', (code, words) => {
  expect(readable(code)).toBe(words);
});

test('scores, shares and rounds', () => {
  expect([scoreOr(null), scoreOr(0), scoreOr(8.625), scoreOr(0.5, 'desk'), scoreOr(0.999, 'desk')]).toEqual([
    '–',
    '0',
    '8.63',
    '50%',
    '99%',
  ]);
  expect([share(null, 10), share(5, 10), share(12, 10), share(-1, 10)]).toEqual(['0%', '50%', '100%', '0%']);
  expect([roundName('joust', 0), roundName('desk', 2), roundName('theater', 2)]).toEqual([
    'Opening',
    'Iteration 2',
    'Round 2',
  ]);
  expect(['continue', null, 'ship', 'needs_human', 'odd_word'].map(decisionName)).toEqual([
    'Continues',
    'Continues',
    'Ships',
    'Needs a person',
    'odd word',
  ]);
});

test('an outcome that a newer server knows is not a crash', () => {
  const run = { isQueued: false, waitingFor: [], isDriven: true };
  expect(standing({ kind: 'ended', outcome: 'adjourned', reason: '', ship: null }, { ...row, ...run }, true)).toBe(
    'legacy',
  );
});

const row = {
  run: 'r',
  loop: 'theater',
  subject: 's',
  brief: '',
  status: 'running',
  isDriven: true,
  isQueued: false,
  waitingFor: [],
  reason: null,
  rounds: 0,
  turns: 0,
  tokens: 0,
  usdMicros: 0,
  opened: '',
  closed: null,
  forkOf: null,
  composites: [],
  threshold: null,
  scale: null,
  score: null,
  artifact: null,
  seq: 0,
  actions: [],
} satisfies Parameters<typeof standing>[1];

describe('lines of the transcript', () => {
  const lines = (frames: Frame[], loop: Parameters<typeof line>[1]): string[] =>
    frames.map((frame) => {
      const { who, text, isDivider } = line(frame, loop);
      return `${isDivider ? '— ' : ''}${who ? `${who}: ` : ''}${text}`;
    });

  test('theater', () => {
    expect(lines(theater().slice(0, 22), 'theater')).toMatchInlineSnapshot(`
      [
        "landing.html: designer, critic, accessibility",
        "Ships at 8",
        "— Round 1",
        "designer: draft · small-1",
        "designer: draft",
        "designer: draft d1",
        "critic: judge · small-1",
        "critic: Speaking",
        "critic: hierarchy 7: Clear first read.",
        "critic: contrast 4: CTA 3.9:1, fails AA.",
        "critic: Must fix: Raise the contrast of the call to action.",
        "critic: scores 6.4",
        "critic: verdict",
        "critic: Must fix, raised in 1: Call to action fails AA: 3.9:1 on the hero.",
        "accessibility: judge · small-1",
        "accessibility: Speaking",
        "accessibility: focus 3: No visible focus on cards.",
        "accessibility: Must fix: Give cards a visible focus.",
        "accessibility: scores 5.8",
        "accessibility: verdict",
        "accessibility: Must fix, raised in 1: No visible focus on cards.",
        "— Round 1 · 6.18 · 2 must-fixes open · Continues · below 8, 2 must-fix open",
      ]
    `);
  });
  test('joust, desk, review', () => {
    expect([
      ...lines(joust().slice(5, 12), 'joust'),
      ...lines(desk(), 'desk'),
      ...lines(review().slice(5, 10), 'review'),
    ]).toMatchInlineSnapshot(`
      [
        "skeptic: mutation · Cut the second section.",
        "skeptic: sent back · MUST: has a section Risks",
        "skeptic: rewrite · small-1",
        "skeptic: draft d3",
        "skeptic: mutation",
        "skeptic: accepted · 0.71",
        "— Round 1 · 0.71 · Continues",
        "checkout-retries: desk, worker, verifier",
        "0 of 2 stories verified",
        "— Iteration 1",
        "worker: work · small-1",
        "worker: worked · verify",
        "unit passed · lint failed",
        "verifier: verify · small-1",
        "verifier: inspected · fail",
        "1 of 2 stories verified",
        "— Iteration 1 · 50% · Continues · US-002 is not verified",
        "reviewer: no JSON object in the answer · raise max_retries",
        "reviewer: review · small-1",
        "reviewer: verdict · changes requested · Too long.",
        "reviewer: Must fix, raised in 1: Longer than 60 characters.",
        "— Iteration 1 · Continues · changes requested",
      ]
    `);
  });
  test('endings and interventions', () => {
    const frames = framed([
      { type: 'person', by: 'kim', act: 'steered', text: 'shorter' },
      finding('f1', 2, 'reopened'),
      { type: 'parser_warning', kind: 'unknown_tag', position: 12 },
      { type: 'parser_warning', kind: 'weak_debate', position: 0 },
      { type: 'parser_warning', kind: 'contradicted', position: 0 },
      { type: 'degraded', reason: 'malformed_block', adapter: 'codex' },
      { type: 'interrupted', bestRound: 1, composite: 6 },
      { type: 'failed', cause: 'cli_exit_nonzero' },
      closed('timed_out', 'total_time'),
      { type: 'resumed' },
    ]);
    expect(lines(frames, 'theater')).toMatchInlineSnapshot(`
      [
        "kim · steered · shorter",
        "critic: Must fix, came back in 2: Call to action fails AA: 3.9:1 on the hero.",
        "warning: unknown tag at byte 12",
        "warning: the judges did not disagree",
        "A claim was overruled by a measurement",
        "Degraded: the answer was malformed (codex). The work was made in a single pass, without the panel.",
        "Interrupted · Round 1",
        "Failed · the agent’s program failed",
        "— Timed out · total time",
        "The run continues",
      ]
    `);
  });
});
