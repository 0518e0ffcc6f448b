// Serves the built page and two made-up runs: one that is about to begin, one long and over.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ASSETS = fileURLToPath(new URL('../../crates/server/assets/', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

const row = (run, status) => ({
  run, loop: 'theater', subject: run, status, isDriven: status === 'running', isQueued: false, waitingFor: [], reason: null,
  rounds: 1, turns: 4, tokens: 18_400, usdMicros: 62_300, opened: '2026-05-01T09:00:00.000Z',
  closed: status === 'running' ? null : '2026-05-01T12:00:00.000Z', composites: [], threshold: 8, scale: 10, score: null,
  artifact: null, seq: 1, actions: [],
});

/** Listens until `close`; `tell` sends frames to whoever reads the run that begins. */
export async function serve(longRun) {
  const readers = new Set();
  let arrived = () => {};
  const past = { begins: '', long: longRun.map((frame) => `${JSON.stringify(frame)}\n`).join('') };
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url, 'http://bench');
    const send = (type, body, status = 200) => {
      res.writeHead(status, { 'content-type': type });
      res.end(body);
    };
    const [, run, what] = /^\/api\/projects\/p\/runs\/([^/]+)(?:\/(.+))?$/.exec(pathname) ?? [];
    if (pathname === '/api/session') return send('application/json', JSON.stringify({ project: { id: 'p', name: 'bench', workspace: '/' }, version: '0' }));
    if (pathname === '/api/projects/p/events') {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      if (searchParams.get('run') !== 'begins') return;
      readers.add(res);
      req.on('close', () => readers.delete(res));
      return arrived();
    }
    if (run in past && !what) return send('application/json', JSON.stringify(row(run, run === 'begins' ? 'running' : 'below_threshold')));
    if (run in past && what === 'cues') return send('application/x-ndjson', past[run]);
    if (run in past && what.endsWith('/preview')) return send('text/html', '<!doctype html><title>Draft</title><h1>Draft</h1>');
    if (pathname.startsWith('/api/')) return send('application/json', '{}', 404);
    const file = pathname === '/' ? 'index.html' : pathname.slice(1);
    try {
      send(TYPES[extname(file)] ?? 'text/plain', readFileSync(join(ASSETS, file)));
    } catch {
      send('text/plain', '', 404);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    bytes: Buffer.byteLength(past.long),
    reader: () => (readers.size > 0 ? Promise.resolve() : new Promise((resolve) => (arrived = resolve))),
    tell(frames) {
      const text = frames.map((frame) => `id: ${frame.seq}\nevent: critique.${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join('');
      for (const reader of readers) reader.write(text);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
