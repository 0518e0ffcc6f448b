// Measures the page and prints one JSON object; `cargo xtask bench web` reads it. CHROMIUM says where the browser is;
// without it only the reducer is measured.
import { build } from 'vite';
import { reducerTimes } from './reducer.mjs';

const entry = new URL('long-run.ts', import.meta.url).pathname;
const [{ output }] = [await build({ configFile: false, logLevel: 'error', build: { write: false, lib: { entry, formats: ['es'] } } })].flat();
const measured = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);

/** The value that so many in a hundred do not exceed. */
function percentile(values, percent) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)];
}
const spread = (values) => ({ p50: percentile(values, 50), p99: percentile(values, 99), most: percentile(values, 100) });

const result = { reducer: spread(reducerTimes(measured)), browser: null };
if (process.env.CHROMIUM) {
  const { inBrowser } = await import('./browser.mjs');
  const { serve } = await import('./server.mjs');
  const longRun = measured.longRun();
  const server = await serve(longRun);
  try {
    const { version, firstLane, frames, work } = await inBrowser(process.env.CHROMIUM, server, longRun);
    result.browser = { version, transcript: server.bytes, firstLane: spread(firstLane), frames: spread(frames), work: spread(work) };
  } finally {
    server.close();
  }
}
console.log(JSON.stringify(result));
