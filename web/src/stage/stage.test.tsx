import { screen, waitFor, within } from '@solidjs/testing-library';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import type { Frame, RunRow } from '../api/types';
import { closed, digest, finding, framed, scene, turnEnded, turnStarted } from '../reducer/sample-cues.testing';
import { desk, joust, review, theater } from '../reducer/samples.testing';
import { forecast, lane, overruled, setUpStage, settled, stage, text } from './stage.testing';

setUpStage();
const user = userEvent.setup();

describe('how it stands', () => {
  const ended = (outcome: Parameters<typeof closed>[0]) => framed([closed(outcome, 'why_it_ended')]);
  test.each<[string, Frame[], Partial<RunRow>, string, string]>([
    ['no frame yet', [], {}, 'Not started', 'calm'],
    ['queued', [], { isQueued: true }, 'Queued', 'calm'],
    ['running', theater().slice(0, 9), {}, 'Running', 'live'],
    ['nobody drives it', theater().slice(0, 9), { isDriven: false }, 'Stopped', 'calm'],
    ['waiting for a person', theater().slice(0, 9), { waitingFor: ['brand'] }, 'Waiting for brand', 'warn'],
    ['shipped', theater(), {}, 'Shipped', 'good'],
    ['converged', ended('converged'), {}, 'Converged', 'good'],
    ['below threshold', ended('below_threshold'), {}, 'Below threshold', 'warn'],
    ['needs a person', ended('needs_human'), {}, 'Needs a person', 'warn'],
    ['blocked', ended('blocked'), {}, 'Blocked', 'bad'],
    ['timed out', ended('timed_out'), {}, 'Timed out', 'warn'],
    ['over budget', ended('over_budget'), {}, 'Over budget', 'warn'],
    ['interrupted', ended('interrupted'), {}, 'Interrupted', 'calm'],
    ['degraded', ended('degraded'), {}, 'Degraded', 'warn'],
    ['failed', ended('failed'), {}, 'Failed', 'bad'],
    ['single pass', ended('legacy'), {}, 'Single pass', 'calm'],
  ])('%s: a word, a tone and a shape', (_, frames, row, word, tone) => {
    stage(frames, row);
    expect(text('.badge')).toBe(word);
    expect(document.querySelector(`.badge.${tone} svg.${tone} path`)?.getAttribute('d')).toBeTruthy();
  });

  test('a lost connection and a degraded panel are said in words', async () => {
    const { setConnection } = stage([
      ...theater().slice(0, 9),
      ...framed([{ type: 'degraded', reason: 'malformed_block', adapter: 'codex' }]),
    ]);
    expect(await screen.findByText(/Degraded: the answer was malformed \(codex\)/)).toBeTruthy();
    setConnection({ kind: 'reconnecting' });
    expect(await screen.findByText(/reconnecting/)).toBeTruthy();
  });

  test('nothing shipped is said', async () => {
    stage(framed([closed('interrupted', 'by a person')]));
    expect(await screen.findByText('Nothing to ship.')).toBeTruthy();
  });

  test('a review that converged misses nothing', async () => {
    stage(framed([closed('converged', 'all reviewers agree')]), { loop: 'review' });
    expect(await screen.findByText('all reviewers agree')).toBeTruthy();
    expect(screen.queryByText('Nothing to ship.')).toBeNull();
  });

  test('what was wanted is said, and all of it when it is opened', async () => {
    stage(theater());
    const brief = await screen.findByText('A page about tea');
    await user.click(brief);
    expect(await screen.findByText(/^text of .* <b>not markup<\/b>$/, { selector: '.brief pre' })).toBeTruthy();
  });

  test('a round that a fallback hands over has not shipped', async () => {
    const end = { type: 'round_end', round: 1, composite: 6.2, mustFix: 2, decision: 'ship', reason: 'no round is left' } as const;
    const handed = closed('below_threshold', 'no round is left', { round: 1, composite: 6.2, content: digest('d1'), format: 'html', summary: null });
    const { container } = stage([...theater().slice(0, 3), ...framed([end, handed])]);
    expect(text('.verdict strong')).toBe('Below threshold');
    await waitFor(() => expect(container.querySelector('.strip svg.warn')).toBeTruthy());
    expect(container.querySelector('.strip svg.good')).toBeNull();
  });

  test('a person’s seat is placed while the run waits, not in a replay', async () => {
    const { container } = stage(theater().slice(0, 9), { waitingFor: ['brand'] });
    expect(container.textContent).toMatch('seat of brand');
    await settled();
    await user.click(screen.getByRole('button', { name: 'Previous round' }));
    expect(container.textContent).not.toMatch('seat of brand');
  });
});

describe('score and figures', () => {
  test.each<[string, Frame[], Partial<RunRow>, string]>([
    ['before a round is closed', theater().slice(0, 9), {}, '– of 10'],
    ['our composite', theater(), {}, '8.62 of 10'],
    ['stories of a desk', desk(), { loop: 'desk' }, '1 of 2 stories verified'],
    ['open must-fixes of a review', review(), { loop: 'review' }, '1 must-fix open'],
    ['the aggregate of a joust', joust(), { loop: 'joust', threshold: null, scale: null }, '0.71 of 1'],
  ])('%s', (_, frames, row, shown) => {
    stage(frames, row);
    expect(text('.score-now')).toBe(shown);
  });

  test('the threshold is a mark on the bar', () => {
    stage(theater());
    const gate = document.querySelector<HTMLElement>('.gate')!;
    expect([gate.style.left, gate.textContent]).toEqual(['80%', 'Ships at 8']);
    expect(parseFloat(document.querySelector<HTMLElement>('.score .track.reached i')?.style.width ?? '')).toBeCloseTo(
      86.2,
    );
  });

  test('cost, tokens and time with their limits', () => {
    stage(theater());
    expect(text('.figures')).toBe('Cost$0.0252 of $2.00Tokens7,200 of 500KTime0:41 of 10:00');
  });
});

describe('lanes', () => {
  test('dimensions with bars and notes, must-fixes, score, agent and model', () => {
    stage(theater().slice(0, 15));
    const critic = lane('critic');
    expect(critic.textContent).toMatch(/hierarchy.*7.*Clear first read\..*contrast.*4.*CTA 3\.9:1/);
    expect([...critic.querySelectorAll<HTMLElement>('.dims i')].map((bar) => bar.style.width)).toEqual(['70%', '40%']);
    expect(critic.textContent).toMatch('Must fix: Raise the contrast of the call to action.');
    expect(critic.textContent).toMatch('judge · small-1');
    expect(critic.querySelector('.lane-score')?.textContent).toBe('6.4');
  });

  test('who speaks now and who waits', () => {
    stage(theater().slice(0, 9));
    expect(lane('critic').textContent).toContain('Speaking');
    expect(lane('a11y').textContent).toContain('Waiting');
  });

  test('what a turn says before it ends, and nothing of it afterwards', async () => {
    const opened = { type: 'round_opened', round: 1 } as const;
    const begun = framed([scene('review', ['creator', 'reviewer']), opened, turnStarted(1, 1, 'creator', 'draft')]);
    const { setAll } = stage(begun, { loop: 'review' });
    const say = (frame: object) => dispatchEvent(new MessageEvent('live', { data: JSON.stringify(frame) }));
    await waitFor(() => {
      say({ turn: 2, role: 'reviewer', text: 'another turn' });
      say({ turn: 1, role: 'creator', text: 'Once <b>upon</b>' });
      expect(lane('creator').textContent).toContain('Once <b>upon</b>');
    });
    expect(document.body.textContent).not.toContain('another turn');
    say({ turn: 1, role: 'creator', text: ' a time' });
    expect(lane('creator').textContent).toContain('upon</b> a time');
    say({ turn: 1, role: 'creator', tool: 'Bash' });
    expect(lane('creator').querySelector('.saying code')?.textContent).toBe('Bash');
    setAll([...begun, ...framed([turnEnded(1, 1, 'creator')])]);
    expect(lane('creator').querySelector('.saying')).toBeNull();
  });

  test('a claim that a measurement overruled is marked, in its seat and round alone', async () => {
    const claim = { rule: 'contradicted', claimed: '10', dim: 'contrast', counts: 4, why: 'contrast was measured: 4, not 10' };
    overruled.mockResolvedValueOnce([
      { round: 1, role: 'critic', ...claim },
      { round: 2, role: 'a11y', ...claim, rule: 'waived' },
    ]);
    stage(theater().slice(0, 15));
    await screen.findByText('Overruled: contrast was claimed to be 10. Measured: 4, and that counts.');
    expect(lane('critic').textContent).toContain('Overruled');
    expect(screen.getAllByText(/^Overruled/)).toHaveLength(1);
  });

  test('a lane keeps its element while it fills', () => {
    const { setAll } = stage(theater().slice(0, 8));
    const before = lane('critic');
    setAll(theater().slice(0, 11));
    expect(lane('critic')).toBe(before);
    expect(before.textContent).toContain('contrast');
  });

  test('who spoke first stands first, the engine behind the others', () => {
    const opened = { type: 'round_opened', round: 1 } as const;
    const calls = [turnStarted(1, 1, 'desk', 'survey'), turnStarted(2, 1, 'worker', 'work')];
    stage(framed([scene('desk', ['desk', 'verifier', 'worker']), opened, ...calls]), { loop: 'desk' });
    const names = [...document.querySelectorAll('.lane h3')].map((name) => name.textContent);
    expect(names).toEqual(['worker', 'verifier', 'desk']);
  });

  test('failed attempts with their hint', async () => {
    stage(review(), { loop: 'review' });
    await waitFor(() =>
      expect(lane('reviewer').textContent).toContain('no JSON object in the answerHint: raise max_retries'),
    );
    expect(lane('reviewer').textContent).toContain('review2 calls0:12$0.0084');
    expect(lane('reviewer').textContent).toContain('changes requested');
  });
});

describe('rounds', () => {
  test('the latest is followed, any other can be picked, and keys go from one to the other', async () => {
    const { commands, setAll } = stage(theater().slice(0, 25));
    const strip = within(await screen.findByRole('navigation', { name: 'Rounds' }));
    const head = () => text('.divider');
    expect(head()).toBe('Round 2 of 3Running');
    await user.click(strip.getByRole('button', { name: /Round 1/ }));
    expect(head()).toBe('Round 1 of 36.182 must-fixes openContinuesbelow 8, 2 must-fix open');
    commands().previous();
    expect(head()).toMatch(/^Round 1/);
    commands().next();
    expect(head()).toMatch(/^Round 2/);
    expect(strip.getByRole('button', { name: /Round 2/ }).getAttribute('aria-current')).toBe('true');
    setAll(theater());
    expect(head()).toBe('Round 2 of 38.620 must-fixes openShipsconverged');
  });

  test.each<[RunRow['loop'], Frame[], string]>([
    ['review', review(), 'Iteration 1'],
    ['desk', desk(), 'Iteration 1'],
    ['joust', joust(), 'Round 1'],
    ['theater', theater(), 'Round 2'],
  ])('%s has its own word', (loop, frames, word) => {
    stage(frames, { loop });
    expect(text('.divider h2')).toMatch(new RegExp(`^${word}\\b`));
  });
});

describe('the work', () => {
  test('is shown in a frame that may do nothing, and compared on demand', async () => {
    stage(theater());
    const frame = await screen.findByTitle('Round 2');
    expect([frame.getAttribute('sandbox'), frame.getAttribute('src')]).toEqual(['', '/preview/2']);
    await user.click(screen.getByRole('button', { name: 'Compare' }));
    expect(screen.getByText('diff 1 to 2')).toBeTruthy();
  });
});

describe('findings', () => {
  test('open ones or all, each with its life', async () => {
    const frames = [
      ...theater(),
      ...framed([
        finding('f1', 3, 'reopened'),
        finding('f3', 3, 'contested', { raised: 3, severity: 'should', text: 'Too blue.' }),
      ]),
    ];
    const { container } = stage(frames);
    const list = () =>
      [...container.querySelectorAll('.findings li')].map((item) => item.textContent?.replace(/\s+/g, ' ').trim());
    await waitFor(() =>
      expect(list()).toEqual([
        'Must fix: Call to action fails AA: 3.9:1 on the hero.criticraised in 1fixed in 2came back in 3',
      ]),
    );
    await user.click(screen.getByRole('button', { name: 'All 3' }));
    expect(list()[1]).toContain('fixed in 2');
    expect(list()[2]).toBe('Should: Too blue.criticraised in 3contested in 3');
  });
});

describe('how many faults are left', () => {
  const hidden = { expected: 0.74, least: 0, most: 3, nextFinds: 0.6, nextTokens: 5210, nextUsdMicros: 90_000 };

  test('is said below the findings, as a figure with its interval and price', async () => {
    forecast.mockResolvedValueOnce({ judges: 2, open: 1, hidden, tooFew: null });
    stage(theater());
    const told = await screen.findByText(/likely left/);
    expect(told.textContent).toBe(
      'About 0.7 faults are likely left that nobody found (90%: 0 to 3), besides 1 known one. ' +
        'Another round would find about 0.6 of them for 5,210 tokens, $0.09.',
    );
    expect(told.closest('section')?.querySelector('h2')?.textContent).toBe('Findings');
  });

  test('too few to say is never shown as a figure', async () => {
    forecast.mockResolvedValueOnce({ judges: 2, open: 0, hidden: null, tooFew: '1 fault found by 2 judges' });
    stage(theater());
    expect(await screen.findByText('Too few findings to say how many faults are left.')).toBeTruthy();
  });

  test.each<[string, () => Promise<null>]>([
    ['no judges to compare', async () => null],
    ['a server that is away', async () => Promise.reject(new Error('gone'))],
  ])('%s: nothing is said', async (_, answer) => {
    forecast.mockImplementationOnce(answer);
    stage(theater());
    await settled();
    expect(forecast).toHaveBeenCalledOnce();
    expect(document.querySelector('.forecast')).toBeNull();
  });

  test('it is not asked for before a round is over', async () => {
    stage(theater().slice(0, 9));
    await settled();
    expect(forecast).not.toHaveBeenCalled();
  });

  test('an earlier moment does not show the forecast of the end', async () => {
    forecast.mockResolvedValue({ judges: 2, open: 1, hidden, tooFew: null });
    stage(theater());
    expect(await screen.findByText(/likely left/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Previous round' }));
    expect(document.querySelector('.forecast')).toBeNull();
    forecast.mockResolvedValue(null);
  });
});
