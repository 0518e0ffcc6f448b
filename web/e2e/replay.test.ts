// A long run, once more: by time, by hand, by round.
import { expect, test } from 'vitest';
import type { Frame } from '../src/api/types';
import { theater } from './support/bakery';
import { house } from './support/house';
import { Stage } from './support/stage';

const { project: aProject, serve, visit } = house();

const MEBIBYTE = 1024 * 1024;
const JUDGES = ['critic', 'brand', 'a11y', 'copy'];
const DIMS = 300;
const ROUNDS = 3;
/** Whoever drags a slider sees it follow: a quarter of a second is where it no longer does, on a busy machine without a GPU. */
const SMOOTH_MS = 250;
/** A replay waits no longer than this between two frames. */
const LONGEST_PAUSE_MS = 2000;
/** So often it moves. */
const TICK_MS = 50;

const note = (round: number, judge: string, n: number): string =>
  `Round ${round}, ${judge}, remark ${n}: the gap between the lead and the table is wider than the measure asks for, and the caption below it hangs.`;

/** A panel that has very much to say: every judge remarks on hundreds of things in every round. */
function talkative(): string {
  const lines = ['<CRITIQUE_RUN version="1">'];
  for (let round = 1; round <= ROUNDS; round++) {
    lines.push(`@wait ${round}`);
    lines.push(`<ROUND n="${round}"><PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[<h1>Version ${round}</h1>]]></ARTIFACT></PANELIST>`);
    for (const judge of JUDGES) {
      lines.push(`<PANELIST role="${judge}" score="${5 + round}">`);
      for (let n = 1; n <= DIMS; n++) lines.push(`<DIM name="remark ${n}" score="${n % 11}">${note(round, judge, n)}</DIM>`);
      lines.push(round < ROUNDS ? `<MUST_FIX>Settle what ${judge} remarked.</MUST_FIX></PANELIST>` : '</PANELIST>');
    }
    lines.push(`<ROUND_END n="${round}" decision="${round < ROUNDS ? 'continue' : 'ship'}"></ROUND_END></ROUND>`);
  }
  return [...lines, `<SHIP round="${ROUNDS}" composite="8"><SUMMARY>Enough was said.</SUMMARY></SHIP></CRITIQUE_RUN>`].join('\n');
}

/** When each frame is due: as it happened, with long silences cut short. */
function due(frames: readonly Frame[]): number[] {
  let at = 0;
  return frames.map((frame, n) => {
    const before = frames[n - 1];
    if (before) at += Math.min(Math.max(Date.parse(frame.time) - Date.parse(before.time), 0), LONGEST_PAUSE_MS);
    return at;
  });
}

test('a transcript of a mebibyte is scrubbed, stepped and played', async () => {
  const project = aProject();
  theater(project, 'single', 'play', 'parser_max_block_bytes = 8388608\nper_round_timeout_ms = 600000\ntotal_timeout_ms = 600000');
  project.play('play', { perform: talkative() });
  const server = await serve(project);
  const run = await server.begin();
  for (let round = 1; round <= ROUNDS; round++) project.cue('play', String(round));
  expect((await server.closed(run)).status).toBe('shipped');
  const frames = await server.cues(run);
  expect(frames.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0)).toBeGreaterThan(MEBIBYTE);

  // Setting the page's clock below is also tried in the frames, where nothing may run.
  const page = await visit(server, { may: /^Blocked script execution in .*preview/ });
  const stage = await Stage.open(page, server, run);
  const slider = page.getByRole('slider', { name: 'Moment' });
  const moment = async (): Promise<number> => Number(await slider.inputValue());
  await expect.poll(moment).toBe(frames.length);

  const took = await slider.evaluate(async (slider: HTMLInputElement) => {
    const times: number[] = [];
    const total = Number(slider.max);
    // Dragged to the beginning and back again.
    for (let n = 0; n <= 120; n++) {
      slider.value = String(Math.round(total * Math.abs(1 - n / 60)));
      const began = performance.now();
      slider.dispatchEvent(new InputEvent('input', { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      times.push(performance.now() - began);
    }
    return times.sort((a, b) => a - b);
  });
  const p95 = took[Math.floor(took.length * 0.95)] ?? Infinity;
  console.info(`scrubbing ${frames.length} frames: median ${took[60]?.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`);
  expect(p95).toBeLessThan(SMOOTH_MS);
  // Any moment is the fold of the frames up to it.
  for (const part of [0.2, 0.55, 0.9]) {
    const at = Math.round(frames.length * part);
    await slider.fill(String(at));
    const shown = frames.slice(0, at).filter((frame) => frame.type === 'panelist_dim');
    const last = shown.at(-1);
    if (!last) throw new Error('nothing was said yet');
    const lane = shown.filter(({ round, role }) => round === last.round && role === last.role);
    await expect.poll(() => stage.lane(last.role).locator('.dims li').count()).toBe(lane.length);
    expect(await stage.lane(last.role).locator('.dims li').last().textContent()).toContain(last.dimNote);
    expect(await stage.badge.textContent(), 'as it stood then').toBe('Running');
  }

  // Round by round: of the moment by the buttons, of what is looked at by the keys.
  await page.getByRole('button', { name: 'Instant' }).click();
  await expect.poll(moment).toBe(frames.length);
  const rounds = async (): Promise<string> => (await stage.round.locator('h2').textContent())?.trim() ?? '';
  const walked: string[] = [];
  for (const key of ['[', '[', '[', ']', ']', ']']) {
    await page.keyboard.press(key);
    walked.push(await rounds());
  }
  expect(walked).toEqual(['Round 2 of 3', 'Round 1 of 3', 'Round 1 of 3', 'Round 2 of 3', 'Round 3 of 3', 'Round 3 of 3']);
  const opened = frames.flatMap((frame, at) => (frame.type === 'round_opened' ? [at + 1] : []));
  for (const mark of opened.toReversed()) {
    await page.getByRole('button', { name: 'Previous round' }).click();
    await expect.poll(moment).toBe(mark);
  }
  await page.getByRole('button', { name: 'Next round' }).click();
  await expect.poll(moment).toBe(opened[1]);

  // By the clock, at both speeds. The page's clock is ours here, so nothing depends on how fast this machine is.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const times = due(frames);
  // About a tenth of the whole, in the ticks of the player: at neither speed is it over by then.
  const ms = Math.ceil((times.at(-1) ?? 0) / 10 / TICK_MS) * TICK_MS;
  for (const speed of [1, 4]) {
    await slider.fill('0');
    await page.getByRole('button', { name: `${speed}×` }).click();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.clock.runFor(ms);
    await expect.poll(moment).toBe(times.filter((time) => time <= ms * speed).length);
    await page.getByRole('button', { name: 'Pause' }).click();
  }
});
