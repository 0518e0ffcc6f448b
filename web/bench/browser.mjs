// What a person sees, in Chromium: the first lane of a run that begins, and a long run that is scrubbed.
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const REPETITIONS = 20;
const STEPS = 600;
/** The second file is there by then, and the page is at rest. */
const REST_MS = 500;

/** Runs in the page, before its scripts: notes the first frame that comes, and when a lane is on the screen. */
function watchFirstLane() {
  const seen = (window.seen = { message: null, painted: null });
  const listen = EventTarget.prototype.addEventListener;
  EventSource.prototype.addEventListener = function (type, listener, ...rest) {
    const noted = (event) => {
      seen.message ??= performance.now();
      listener.call(this, event);
    };
    return listen.call(this, type, noted, ...rest);
  };
  const observer = new MutationObserver(() => {
    if (!document.querySelector('.lanes > *')) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      // A task that is posted while a picture is prepared comes after it.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => (seen.painted = performance.now());
      port2.postMessage(null);
    });
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** Runs in the page: moves through the run, a step a picture; sweeps first, then leaps. */
async function scrub(steps) {
  const input = document.querySelector('.replay input[type=range]');
  const total = Number(input.max);
  const frames = [];
  const work = [];
  const picture = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let before = await picture();
  for (let step = 0; step < steps; step += 1) {
    const share = step < steps / 2 ? step / (steps / 2) : (step * 0.618034) % 1;
    const begun = performance.now();
    input.value = String(Math.round(share * total));
    input.dispatchEvent(new Event('input', { bubbles: true }));
    // Reading a measure makes the browser lay out what has changed.
    void document.body.offsetHeight;
    work.push(performance.now() - begun);
    const now = await picture();
    frames.push(now - before);
    before = now;
  }
  return { frames, work };
}

export async function inBrowser(executablePath, server, longRun) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const firstLane = [];
    const opening = longRun.slice(0, 3).concat(longRun.find(({ type }) => type === 'panelist_open'));
    for (let repetition = 0; repetition <= REPETITIONS; repetition += 1) {
      const page = await browser.newPage();
      await page.addInitScript(watchFirstLane);
      await page.goto(`${server.url}#/runs/begins`);
      await server.reader();
      await sleep(REST_MS);
      server.tell(opening.map((frame, at) => ({ ...frame, runId: 'begins', seq: at + 1 })));
      const seen = await (await page.waitForFunction(() => window.seen.painted !== null && window.seen)).jsonValue();
      // The first one warms up.
      if (repetition > 0) firstLane.push(seen.painted - seen.message);
      await page.close();
    }
    const page = await browser.newPage();
    await page.goto(`${server.url}#/runs/long`);
    await page.waitForSelector('.replay input[type=range]');
    // The transcript is only drawn when it is open.
    await page.click('details.panel:has(+ .replay) summary, details.panel summary');
    await page.waitForSelector('.transcript li:not(.pad)');
    await page.evaluate(scrub, STEPS / 4);
    const scrubbed = await page.evaluate(scrub, STEPS);
    return { version: browser.version(), firstLane, ...scrubbed };
  } finally {
    await browser.close();
  }
}
