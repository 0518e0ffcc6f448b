import { screen, waitFor, within } from '@solidjs/testing-library';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { digest } from '../reducer/sample-cues.testing';
import { desk, joust, long, theater } from '../reducer/samples.testing';
import { actions, announce, blob, ROW, setUpStage, settled, stage, text } from './stage.testing';

setUpStage();
const user = userEvent.setup();

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
    const raw = drawer.getByText('Raw answer').closest('details')!;
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
    const output = within(drawer).getAllByText('Full output')[0]!.closest('details')!;
    output.open = true;
    output.dispatchEvent(new Event('toggle'));
    expect(await within(output).findByText(/^text of /)).toBeTruthy();
  });

  test('rulings: what was sent back, and why', async () => {
    stage(joust(), { loop: 'joust' });
    const rulings = (await screen.findByRole('heading', { name: 'Rulings' })).closest('section')!;
    expect([...rulings.querySelectorAll('li')].map((item) => item.textContent)).toEqual([
      'skeptic sent backMUST: has a section Risks',
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
    for (const name of ['Resume', 'Run again', 'Reopen', 'Select Round 2'])
      expect(screen.getByRole('button', { name })).toBeTruthy();
  });

  test('interrupting is asked first, by button or key', async () => {
    const { commands } = stage(theater().slice(0, 9), { actions: ['interrupt'] });
    commands().interrupt();
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
    commands().interrupt();
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

  test('whoever steered can go on typing', async () => {
    stage(theater().slice(0, 9), { actions: ['steer'] });
    const box = await screen.findByRole('textbox');
    await user.type(box, 'shorter');
    await user.click(screen.getByRole('button', { name: 'Steer' }));
    await waitFor(() => expect(document.activeElement).toBe(box));
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
    const place = lines[4]?.getAttribute('aria-posinset');
    expect(Number(place)).toBeGreaterThan(9_900);
    await user.click(within(lines[4]!).getByRole('button'));
    expect(screen.getByRole('slider')).toHaveProperty('value', place);
  });
});

describe('said aloud', () => {
  test('round ends and ships, as they happen and nothing else', async () => {
    const frames = theater();
    const { setAll } = stage(frames.slice(0, 3));
    await settled();
    for (let at = 4; at <= frames.length; at += 1) setAll(frames.slice(0, at));
    expect(announce.mock.calls.flat()).toEqual([
      'Round 1, 6.18, Continues, 2 must-fixes open',
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
    await user.click(screen.getByRole('button', { name: 'Previous round' }));
    await user.click(screen.getByRole('button', { name: 'Next round' }));
    expect(announce).not.toHaveBeenCalled();
  });
});
