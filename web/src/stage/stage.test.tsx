import { render, screen, waitFor, within } from '@solidjs/testing-library';
import userEvent from '@testing-library/user-event';
import { createSignal } from 'solid-js';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Frame, RunRow } from '../api/types';
import { loadPageWords, setLocale } from '../i18n';
import { closed, desk, digest, finding, framed, joust, long, review, theater } from '../reducer/samples';
import { completeDom } from './dom.testing';
import type { Connection, StageCommands, StageProps } from './props';
import { Stage } from './Stage';

const ROW: RunRow = {
  run: 'r1',
  loop: 'theater',
  subject: 'landing.html',
  status: 'running',
  isDriven: true,
  isQueued: false,
  waitingFor: [],
  reason: null,
  rounds: 0,
  turns: 0,
  tokens: 0,
  usdMicros: 0,
  opened: '2026-05-01T09:00:00.000Z',
  closed: null,
  composites: [],
  threshold: 8,
  scale: 10,
  score: null,
  artifact: 'a1',
  seq: 0,
  actions: [],
};

const actions = {
  interrupt: vi.fn(async () => {}),
  steer: vi.fn(async () => {}),
  resume: vi.fn(async () => {}),
  rerun: vi.fn(async () => {}),
  reopen: vi.fn(async () => {}),
  select: vi.fn(async () => {}),
};
const announce = vi.fn();
const blob = vi.fn(async (of: string) => `text of ${of.slice(0, 3)} <b>not markup</b>`);

function stage(frames: readonly Frame[], row: Partial<RunRow> = {}, more: Partial<StageProps> = {}) {
  const [all, setAll] = createSignal(frames, { equals: false });
  const [run, setRun] = createSignal<RunRow>({ ...ROW, ...row });
  const [connection, setConnection] = createSignal<Connection>({ kind: 'live' });
  let commands: StageCommands | undefined;
  const view = render(() => (
    <Stage
      run={run()}
      frames={all}
      connection={connection}
      actions={actions}
      preview={(round) => `/preview/${round}`}
      blob={blob}
      announce={announce}
      bind={(given) => (commands = given)}
      diff={(slot) => <p>diff {slot.from} to {slot.to}</p>}
      seat={(slot) => <p>seat of {slot.waitingFor.join()}</p>}
      {...more}
    />
  ));
  return { ...view, setAll, setRun, setConnection, commands: () => commands! };
}

const user = userEvent.setup();
const text = (selector: string): string => document.querySelector(selector)?.textContent?.replace(/\s+/g, ' ').trim() ?? '';
const lane = (role: string): HTMLElement => screen.getByRole('heading', { name: role, level: 3 }).closest('article')!;
const settled = () => screen.findByRole('region', { name: 'Replay' });

beforeAll(async () => {
  completeDom();
  await setLocale('en');
  await loadPageWords();
  // Once, so that no test waits for it: on a busy machine the first fetch of the second file takes its time.
  await import('./second');
});
beforeEach(() => vi.clearAllMocks());

describe('how it stands', () => {
  const ended = (outcome: Parameters<typeof closed>[0]) => framed([closed(outcome, 'why_it_ended')]);
  test.each<[string, Frame[], Partial<RunRow>, string, string]>([
    ['no frame yet', [], {}, 'Not begun', 'calm'],
    ['queued', [], { isQueued: true }, 'Queued', 'calm'],
    ['running', theater().slice(0, 9), {}, 'Running', 'live'],
    ['nobody drives it', theater().slice(0, 9), { isDriven: false }, 'Nobody is working on it', 'calm'],
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
    const { setConnection } = stage([...theater().slice(0, 9), ...framed([{ type: 'degraded', reason: 'malformed_block', adapter: 'codex' }])]);
    expect(await screen.findByText(/Degraded: malformed block \(codex\)/)).toBeTruthy();
    setConnection({ kind: 'reconnecting' });
    expect(await screen.findByText(/reconnecting/)).toBeTruthy();
  });

  test('nothing shipped is said', async () => {
    stage(framed([closed('interrupted', 'by a person')]));
    expect(await screen.findByText('Nothing was shipped.')).toBeTruthy();
  });

  test('a person’s seat is placed while the run waits, not in a replay', async () => {
    const { container } = stage(theater().slice(0, 9), { waitingFor: ['brand'] });
    expect(container.textContent).toMatch('seat of brand');
    await settled();
    await user.click(screen.getByRole('button', { name: 'To the round before' }));
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
    expect(parseFloat(document.querySelector<HTMLElement>('.score .track.reached i')?.style.width ?? '')).toBeCloseTo(86.2);
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
    expect(lane('critic').textContent).toContain('Speaks now');
    expect(lane('a11y').textContent).toContain('Waits');
  });

  test('a lane keeps its element while it fills', () => {
    const { setAll } = stage(theater().slice(0, 8));
    const before = lane('critic');
    setAll(theater().slice(0, 11));
    expect(lane('critic')).toBe(before);
    expect(before.textContent).toContain('contrast');
  });

  test('failed attempts with their hint', async () => {
    stage(review(), { loop: 'review' });
    await waitFor(() => expect(lane('reviewer').textContent).toContain('no JSON object in the answerHint: raise max_retries'));
    expect(lane('reviewer').textContent).toContain('2 attempts');
    expect(lane('reviewer').textContent).toContain('changes requested');
  });
});

describe('rounds', () => {
  test('the latest is followed, any other can be picked, and keys go from one to the other', async () => {
    const { commands, setAll } = stage(theater().slice(0, 25));
    const strip = within(await screen.findByRole('navigation', { name: 'Rounds' }));
    const head = () => text('.divider');
    expect(head()).toBe('Round 2 of 3Under way');
    await user.click(strip.getByRole('button', { name: /Round 1/ }));
    expect(head()).toBe('Round 1 of 36.182 must-fixes openGoes onbelow 8, 2 must-fix open');
    commands().previousRound();
    expect(head()).toMatch(/^Round 1/);
    commands().nextRound();
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
    expect(text('.divider h2')).toMatch(new RegExp(`^${word} `));
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
    const frames = [...theater(), ...framed([finding('f1', 3, 'reopened'), finding('f3', 3, 'contested', { raised: 3, severity: 'should', text: 'Too blue.' })])];
    const { container } = stage(frames);
    const list = () => [...container.querySelectorAll('.findings li')].map((item) => item.textContent?.replace(/\s+/g, ' ').trim());
    await waitFor(() => expect(list()).toEqual(['Must fix: Call to action fails AA: 3.9:1 on the hero.criticraised in 1fixed in 2came back in 3']));
    await user.click(screen.getByRole('button', { name: 'All 3' }));
    expect(list()[1]).toContain('fixed in 2');
    expect(list()[2]).toBe('Should: Too blue.criticraised in 3');
  });
});

describe('evidence', () => {
  test('a lane opens the prompt and the raw answer, as text', async () => {
    stage(theater());
    await user.click(screen.getByRole('button', { name: 'critic' }));
    const drawer = within(await screen.findByRole('dialog', { name: 'Evidence: critic, Round 2' }));
    const prompt = drawer.getByText('Prompt').closest('details')!;
    expect(blob).not.toHaveBeenCalled();
    prompt.open = true;
    prompt.dispatchEvent(new Event('toggle'));
    expect(await drawer.findByText(/text of aaa <b>not markup<\/b>/)).toBeTruthy();
    expect(blob).toHaveBeenCalledExactlyOnceWith(digest('a'));
    await user.click(drawer.getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('a blob that cannot be had says so', async () => {
    stage(theater(), {}, { blob: async () => Promise.reject(new Error('no such blob')) });
    await user.click(screen.getByRole('button', { name: 'critic' }));
    const drawer = within(await screen.findByRole('dialog'));
    const raw = drawer.getByText('Answer as it came').closest('details')!;
    raw.open = true;
    raw.dispatchEvent(new Event('toggle'));
    expect(await drawer.findByText('no such blob')).toBeTruthy();
  });

  test('a verified story leads to its receipts: argv, exit, counts, output', async () => {
    stage(desk(), { loop: 'desk' });
    await user.click(await screen.findByRole('button', { name: 'Verified, Iteration 1' }));
    const drawer = await screen.findByRole('dialog', { name: 'Evidence: Iteration 1' });
    expect(drawer.textContent).toMatch(/unit passed.*cargo test retry.*exit 0.*12 passed, 0 failed, 0 skipped/);
    expect(drawer.textContent).toMatch(/lint failed.*cargo clippy.*exit 1.*error: unused/);
  });

  test('rulings: what was sent back, and why', async () => {
    stage(joust(), { loop: 'joust' });
    const rulings = (await screen.findByRole('heading', { name: 'Rulings' })).closest('section')!;
    expect([...rulings.querySelectorAll('li')].map((item) => item.textContent)).toEqual([
      'skeptic sent backMUST: has a section Risks–',
      'skeptic accepted0.71',
    ]);
  });
});

describe('what a person may do', () => {
  test('only what the server allows is offered', async () => {
    const { setRun } = stage(theater(), { actions: ['interrupt', 'steer'] });
    expect(await screen.findByRole('button', { name: 'Interrupt' })).toBeTruthy();
    setRun({ ...ROW, actions: ['resume', 'rerun', 'reopen', 'select'] });
    expect(screen.queryByRole('button', { name: 'Interrupt' })).toBeNull();
    for (const name of ['Resume', 'Run again', 'Reopen', 'Select Round 2']) expect(screen.getByRole('button', { name })).toBeTruthy();
  });

  test('interrupting is asked first, by button or key', async () => {
    const { commands } = stage(theater().slice(0, 9), { actions: ['interrupt'] });
    commands().askInterrupt();
    const asked = within(await screen.findByRole('dialog', { name: 'Interrupt this run?' }));
    await user.click(asked.getByRole('button', { name: 'Cancel' }));
    expect(actions.interrupt).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Interrupt' }));
    await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Interrupt' }));
    expect(actions.interrupt).toHaveBeenCalledOnce();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('a key cannot interrupt what the server would not', () => {
    const { commands } = stage(theater());
    commands().askInterrupt();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('one press tries again; a refusal is shown beside the button', async () => {
    actions.rerun.mockRejectedValueOnce(new Error('the queue is full'));
    stage(theater(), { actions: ['rerun'] });
    await user.click(await screen.findByRole('button', { name: 'Run again' }));
    expect(await screen.findByText('the queue is full')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Run again' }));
    await waitFor(() => expect(screen.queryByText('the queue is full')).toBeNull());
  });

  test('reopening needs a reason', async () => {
    stage(theater(), { actions: ['reopen'] });
    await user.click(await screen.findByRole('button', { name: 'Reopen' }));
    const asked = within(screen.getByRole('dialog'));
    await user.type(asked.getByRole('textbox'), 'wrong brief');
    await user.click(asked.getByRole('button', { name: 'Reopen' }));
    expect(actions.reopen).toHaveBeenCalledExactlyOnceWith('wrong brief', 2);
  });

  test('a steer that fails keeps its words', async () => {
    actions.steer.mockRejectedValueOnce(new Error('offline'));
    stage(theater(), { actions: ['steer'] });
    const box = await screen.findByRole('textbox');
    await user.type(box, ' shorter ');
    await user.click(screen.getByRole('button', { name: 'Steer' }));
    expect(await screen.findByText('offline')).toBeTruthy();
    expect(box).toHaveProperty('value', ' shorter ');
    await user.click(screen.getByRole('button', { name: 'Steer' }));
    await waitFor(() => expect(box).toHaveProperty('value', ''));
    expect(actions.steer).toHaveBeenLastCalledWith('shorter');
  });

  test('the stage can be a badge', async () => {
    stage(theater());
    await user.click(screen.getByRole('button', { name: 'Collapse' }));
    expect(text('.stage-small')).toBe('Shipped8.62landing.htmlShow the stage');
    await user.click(screen.getByRole('button', { name: 'Show the stage' }));
    expect(document.querySelector('.stage')).toBeTruthy();
  });
});

describe('replay', () => {
  test('the scrubber shows any moment with the same parts', async () => {
    stage(theater(), { status: 'shipped' });
    const scrubber = within(await settled()).getByRole('slider');
    const go = (at: number): void => {
      if (scrubber instanceof HTMLInputElement) scrubber.value = String(at);
      scrubber.dispatchEvent(new InputEvent('input', { bubbles: true }));
    };
    go(9);
    expect([text('.badge'), text('.score-now')]).toEqual(['Running', '– of 10']);
    expect(scrubber.getAttribute('aria-valuetext')).toBe(`line 9 of ${theater().length}`);
    go(22);
    expect(text('.score-now')).toBe('6.18 of 10');
    await user.click(screen.getByRole('button', { name: 'Instant' }));
    expect(text('.badge')).toBe('Shipped');
  });

  test('the transcript has few lines in the document however many there are, and leads to a moment', async () => {
    const frames = long(10_000);
    stage(frames);
    const transcript = (await screen.findByText('Transcript')).closest('details')!;
    transcript.open = true;
    transcript.dispatchEvent(new Event('toggle'));
    const list = await screen.findByRole('list', { name: 'Transcript' });
    const lines = within(list).getAllByRole('listitem');
    expect(lines.length).toBeLessThan(80);
    expect(lines[0]?.getAttribute('aria-setsize')).toBe('10000');
    await user.click(within(lines[4]!).getByRole('button'));
    expect(screen.getByRole('slider')).toHaveProperty('value', '5');
  });
});

describe('said aloud', () => {
  test('round ends and ships, as they happen and nothing else', async () => {
    const frames = theater();
    const { setAll } = stage(frames.slice(0, 3));
    await settled();
    for (let at = 4; at <= frames.length; at += 1) setAll(frames.slice(0, at));
    expect(announce.mock.calls.flat()).toEqual([
      'Round 1, 6.18, Goes on, 2 must-fixes open',
      'Round 2, 8.62, Ships, 0 must-fixes open',
      'Shipped. Round 2, 8.62',
    ]);
  });

  test('neither what is loaded nor what is replayed', async () => {
    const frames = theater();
    const { setAll, setConnection } = stage(frames.slice(0, 2));
    await settled();
    setConnection({ kind: 'connecting' });
    setAll(frames);
    setConnection({ kind: 'live' });
    await user.click(screen.getByRole('button', { name: 'To the round before' }));
    await user.click(screen.getByRole('button', { name: 'To the next round' }));
    expect(announce).not.toHaveBeenCalled();
  });
});
