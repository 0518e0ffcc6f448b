// Made-up runs of every loop, some ended, one in the middle.

const START = Date.now() - 600_000;
const D = 'd'.repeat(64);

const row = (run, loop, subject, status, over = {}) => ({
  run, loop, subject, status,
  isDriven: status === 'running', isQueued: false, waitingFor: [], reason: null,
  rounds: 1, turns: 4, tokens: 18_400, usdMicros: 62_300,
  opened: new Date(START).toISOString(), closed: status === 'running' ? null : new Date(START + 300_000).toISOString(),
  composites: [], threshold: null, scale: null, score: null, artifact: null, seq: 1,
  actions: status === 'running' ? ['interrupt', 'steer'] : ['reopen', 'rerun'],
  ...over,
});

/** Numbers the cues of a run and gives them times. */
const frames = (run, cues) => cues.map((cue, i) => ({ ...cue, runId: run, seq: i + 1, time: new Date(START + i * 2500).toISOString() }));
const scene = (loop, subject, seats, maxRounds) => ({
  type: 'scene', loop, subject, brief: D, maxRounds, forkOf: null,
  seats: seats.map((seat) => ({ seat, agent: 'claude', model: 'opus' })),
  limits: { usdMicros: 2_000_000, tokens: 500_000, wallMs: 600_000 },
});

let turn = 0;
let spent = 0;
const took = (round, role, task, said, summary, word = null) => {
  turn += 1;
  spent += 21_000;
  return [
    { type: 'turn_started', turn, round, role, task, attempt: 1, model: 'opus', why: null, prompt: D },
    { type: 'turn_ended', turn, round, role, task, said, summary, word, error: null, raw: D, inputTokens: 4200, outputTokens: 800, cachedTokens: 1000, usdMicros: 21_000, elapsedMs: 9200, copied: null, spentTokens: turn * 5000, spentUsdMicros: spent },
  ];
};

const CAST = ['designer', 'critic', 'brand', 'a11y', 'copy'];
const DIMS = { critic: ['hierarchy', 'contrast', 'rhythm'], brand: ['palette', 'tone'], a11y: ['contrast', 'focus', 'headings'], copy: ['voice', 'length'] };
function panel(round, base, fixes) {
  const start = took(round, 'designer', 'draft', 'draft', 'A hero, three proofs, one call to action.');
  const cues = [{ type: 'round_opened', round }, ...start, { type: 'draft', round, role: 'designer', turn, draft: `d${round}`, content: D, format: 'html' }];
  for (const role of CAST.slice(1)) {
    cues.push({ type: 'panelist_open', round, role });
    DIMS[role].forEach((dimName, i) => cues.push({ type: 'panelist_dim', round, role, dimName, dimScore: Math.min(10, base + i * 0.6), dimNote: `Measured ${dimName}: ${(3.9 + i).toFixed(1)}:1 on the call to action.` }));
    if (fixes > 0) cues.push({ type: 'panelist_must_fix', round, role, text: `${role}: raise the contrast of the button to 4.5:1.` });
    cues.push({ type: 'panelist_close', round, role, score: base + 0.5 });
  }
  cues.push({ type: 'round_end', round, composite: base + 0.5, mustFix: fixes, decision: fixes > 0 ? 'continue' : 'ship', reason: fixes > 0 ? 'below 8.0, four must-fixes open' : 'composite 8.6 reaches 8.0, nothing open' });
  return cues;
}
const theater = frames('t1', [
  scene('theater', 'Landing page for a tea delivery', CAST, 3),
  { type: 'run_started', protocolVersion: 1, cast: CAST, maxRounds: 3, threshold: 8, scale: 10 },
  ...panel(1, 5.7, 4),
  ...panel(2, 7.2, 4),
  ...panel(3, 8.1, 0),
  { type: 'ship', round: 3, composite: 8.6, status: 'shipped', artifactRef: { projectId: 'p', artifactId: 'a1' }, summary: 'A calm page with one clear call to action.' },
  { type: 'run_closed', outcome: 'shipped', status: 'shipped', reason: 'converged', ship: { round: 3, composite: 8.6, content: D, format: 'html', summary: 'A calm page with one clear call to action.' } },
]);
const finding = (id, round, state, severity, text) => ({ type: 'finding', id, role: 'reviewer', raised: 1, round, severity, text, code: 'length', target: 'before the kettle boils', state });
const review = frames('r1', [
  scene('review', 'description', ['creator', 'reviewer'], 3),
  { type: 'round_opened', round: 1 },
  ...took(1, 'creator', 'draft', 'draft', 'One paragraph, 62 words.'),
  { type: 'draft', round: 1, role: 'creator', turn, draft: 'c1', content: D, format: 'markdown' },
  ...took(1, 'reviewer', 'review', 'verdict', 'Too long, and one claim has no source.', 'changes_requested'),
  finding('f1', 1, 'open', 'must_fix', 'The second sentence claims a delivery time that the brief does not give.'),
  finding('f2', 1, 'open', 'should', 'Say “tea”, not “hot beverage”.'),
  { type: 'round_closed', round: 1, outcome: null, reason: 'changes requested', composite: null, mustFix: 1 },
  { type: 'round_opened', round: 2 },
  ...took(2, 'creator', 'draft', 'draft', 'Shorter, claim removed.'),
  { type: 'draft', round: 2, role: 'creator', turn, draft: 'c2', content: D, format: 'markdown' },
  finding('f1', 2, 'fixed', 'must_fix', 'The second sentence claims a delivery time that the brief does not give.'),
  { type: 'turn_started', turn: 99, round: 2, role: 'reviewer', task: 'review', attempt: 1, model: null, why: null, prompt: D },
]);
const receipt = (check, passed) => ({ check, purpose: 'test', line: `cargo test ${check}`, exit: passed ? 0 : 101, passed, failure: null, elapsedMs: 5400, output: D, kept: true, tail: passed ? 'ok. 41 passed' : 'panicked at 2 + 2', testsPassed: 41, testsFailed: passed ? 0 : 1, testsSkipped: 0 });
const desk = frames('k1', [
  scene('desk', 'Calculator that never divides by zero', ['desk', 'worker', 'verifier'], 8),
  { type: 'round_opened', round: 1 },
  ...took(1, 'worker', 'work', 'worked', 'Added the parser.'),
  { type: 'receipts', round: 1, tree: D, receipts: [receipt('parser', true), receipt('division', false)] },
  { type: 'stories', stories: [{ id: 's1', title: 'Parses sums', verifiedIn: 1 }, { id: 's2', title: 'Refuses to divide by zero', verifiedIn: null }] },
  { type: 'round_closed', round: 1, outcome: null, reason: 'one story open', composite: 0.5, mustFix: null },
  { type: 'run_closed', outcome: 'over_budget', status: 'failed', reason: 'spent 2.01 of 2.00 dollars', ship: null },
]);
const joust = frames('j1', [
  scene('joust', 'Release notes for 2.0', ['main', 'jouster', 'linter'], 4),
  { type: 'round_opened', round: 1 },
  ...took(1, 'jouster', 'mutate', 'mutation', 'Leads with what breaks.'),
  { type: 'draft', round: 1, role: 'jouster', turn, draft: 'm1', content: D, format: 'markdown' },
  { type: 'ruled', turn, round: 1, role: 'jouster', accepted: true, score: 0.82, reasons: ['covers every breaking change'] },
  { type: 'round_closed', round: 1, outcome: null, reason: 'accepted', composite: 0.82, mustFix: 0 },
  { type: 'run_closed', outcome: 'converged', status: 'shipped', reason: 'every item met', ship: { round: 1, composite: 0.82, content: D, format: 'markdown', summary: null } },
]);

const run = (row, all, shown = all.length) => ({ row: { ...row, seq: shown }, frames: all.slice(0, shown), later: all.slice(shown) });
export const runs = [
  run(row('t1', 'theater', 'Landing page for a tea delivery', 'running', { rounds: 2, composites: [6.2, 7.7], threshold: 8, scale: 10, score: 7.7, artifact: 'a1' }), theater, 45),
  run(row('r1', 'review', 'description', 'running', { waitingFor: ['reviewer'], rounds: 2, isDriven: false, actions: ['interrupt', 'steer', 'answer'] }), review),
  run(row('q1', 'theater', 'Pricing page', 'running', { isQueued: true, isDriven: false, rounds: 0, turns: 0, tokens: 0, usdMicros: 0 }), theater, 1),
  run(row('t2', 'theater', 'Checkout, dark variant with a very long title that has to wrap somewhere sensible', 'shipped', { rounds: 3, composites: [6.2, 7.7, 8.6], threshold: 8, scale: 10, score: 8.6, artifact: 'a2', reason: 'converged' }), frames('t2', theater)),
  run(row('j1', 'joust', 'Release notes for 2.0', 'converged', { rounds: 1, composites: [0.61, null, 0.82], score: 0.82, scale: 1 }), joust),
  run(row('k1', 'desk', 'Calculator that never divides by zero', 'over_budget', { rounds: 6, composites: [0, 0.25, 0.25, 0.5], scale: 1, score: 0.5, reason: 'spent 2.01 of 2.00 dollars' }), desk),
  run(row('f1', 'theater', 'About us', 'failed', { rounds: 0, reason: 'cli_exit_nonzero' }), frames('f1', [scene('theater', 'About us', CAST, 3), { type: 'failed', cause: 'cli_exit_nonzero' }])),
];
