// What goes over the wire: packed, not sent twice, and with a word for what was refused.
import { get } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { theater } from './support/bakery';
import { house } from './support/house';

const { project: aProject, serve, visit } = house();
const BUDGET = 18 * 1024;

/** As it comes, not unpacked. */
function raw(url: string, headers: Record<string, string>): Promise<{ status: number; headers: IncomingHttpHeaders; bytes: number }> {
  return new Promise((done, fail) => {
    get(url, { headers }, (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => (bytes += piece.length));
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, bytes }));
    }).on('error', fail);
  });
}

test('the first page is sent packed, within its budget, and not again', async () => {
  const project = aProject();
  theater(project, 'seats', 'play');
  const server = await serve(project);
  let sum = 0;
  for (const file of ['index.html', 'first.js', 'first.css', 'en.js']) {
    const address = `${server.address}/${file}`;
    const packed = await raw(address, { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding'], file).toBe('gzip');
    if (file !== 'index.html') sum += packed.bytes;
    const plain = await raw(address, {});
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.bytes).toBeGreaterThan(packed.bytes);
    const again = await raw(address, { 'if-none-match': String(packed.headers.etag) });
    expect([again.status, again.bytes], file).toEqual([304, 0]);
  }
  expect(sum).toBeLessThanOrEqual(BUDGET);
  // And a browser can read it.
  const page = await visit(server);
  await page.getByText('No runs yet').waitFor();
});

test('whoever asks in the wrong way is told so', async () => {
  const project = aProject();
  theater(project, 'seats', 'play');
  const server = await serve(project);
  for (const path of [server.at('runs'), '/api/session', '/']) {
    const answer = await server.ask(path, { method: 'DELETE' });
    expect(answer.status, path).toBe(405);
    expect(await answer.json()).toMatchObject({ status: 405, code: 'method' });
  }
});
