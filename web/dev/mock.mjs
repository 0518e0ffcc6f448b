// A server of made-up runs, for looking at the page without an engine: `npm run build && node dev/mock.mjs`.
// Not shipped. PORT, TICK (ms between live cues) and LOCKED (a browser that is not signed in) change what it plays.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runs } from './runs.mjs';

const ASSETS = fileURLToPath(new URL('../../crates/server/assets/', import.meta.url));
const SCHEMA = fileURLToPath(new URL('../../docs/schemas/reviewer.json', import.meta.url));
const PORT = Number(process.env.PORT ?? 4747);
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
// What the real server sends, so that nothing works here that would not work there.
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";
const TICK_MS = Number(process.env.TICK ?? 900);

const byId = new Map(runs.map((run) => [run.row.run, run]));
const listeners = new Set();
setInterval(() => {
  for (const run of runs) {
    const next = run.later.shift();
    if (!next) continue;
    run.frames.push(next);
    for (const listener of listeners) listener(run, next);
  }
}, TICK_MS);

const json = (res, body, status = 200) => {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
};
const text = (res, body, type = 'text/plain') => {
  res.writeHead(200, { 'content-type': `${type}; charset=utf-8` });
  res.end(body);
};
const draft = (run, round) => Array.from({ length: 24 }, (_, i) => `Line ${i + 1} of ${run}${i % 9 === round ? `, changed in round ${round}` : ''}`);

function events(req, res, params) {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const wanted = params.get('run');
  const after = Number.parseInt(params.get('after') ?? '0', 10);
  const send = (run, frame) => {
    if (wanted && run.row.run !== wanted) return;
    res.write(`event: critique.${frame.type}\nid: ${frame.seq}\ndata: ${JSON.stringify(frame)}\n\n`);
  };
  if (wanted) for (const frame of byId.get(wanted)?.frames ?? []) if (frame.seq > after) send(byId.get(wanted), frame);
  res.write(':\n\n');
  listeners.add(send);
  req.on('close', () => listeners.delete(send));
}

function api(req, res, path, params) {
  if (process.env.LOCKED) return json(res, { error: { code: 'unauthorized', message: 'no token', hint: null } }, 401);
  if (path === '/api/session') return json(res, { project: { id: 'p', name: 'landing', workspace: '/home/ada/landing' }, version: '0.1.0' });
  const rest = path.replace(/^\/api\/projects\/p\//, '');
  if (rest === 'events') return events(req, res, params);
  if (rest === 'settings') return json(res, { values: settings });
  if (rest === 'runs') {
    const has = (name, value) => !params.get(name) || params.get(name) === value;
    const found = runs.map(({ row }) => row).filter((row) => has('status', row.status) && has('loop', row.loop) && row.subject.toLowerCase().includes((params.get('text') ?? '').toLowerCase()));
    return json(res, { runs: found, next: null });
  }
  const [, id, what, a, b] = /^runs\/([^/]+)(?:\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?)?$/.exec(rest) ?? [];
  const run = byId.get(id);
  if (!run) return json(res, { error: { code: 'unknown_run', message: `no run ${id}`, hint: null } }, 404);
  if (req.method === 'POST') {
    if (what === 'answer') return json(res, { error: { code: 'misfit', message: 'issues[0]: severity is missing', hint: 'Use error or warning.' } }, 422);
    return json(res, { runId: id, accepted: true }, 202);
  }
  if (!what) return json(res, run.row);
  if (what === 'cues') return text(res, run.frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''), 'application/x-ndjson');
  if (what === 'questions') return json(res, run.row.waitingFor.map((role) => ({ turn: 3, round: 2, role, task: 'review', prompt: `You are the ${role} of “${run.row.subject}”.\n\nJudge the candidate below against the brief.\n\n# Candidate\n\nTea that arrives before the kettle boils.`, form: JSON.parse(readFileSync(SCHEMA, 'utf8')), since: new Date(Date.now() - 200_000).toISOString() })));
  if (what === 'blobs') return text(res, `The text behind ${a}\n`);
  if (what === 'rounds' && b === 'preview') return text(res, `<!doctype html><title>Draft</title><h1>Tea, delivered</h1><p>Round ${a}. Fresh leaves at your door by seven.</p>`, 'text/html');
  if (what === 'diff') {
    const [from, to] = [Number(params.get('from')), Number(params.get('to'))];
    const lines = draft(id, to).flatMap((now, i) => {
      const was = draft(id, from)[i];
      if (was === now) return [{ kind: 'same', text: now, from: i + 1, to: i + 1 }];
      return [{ kind: 'removed', text: was, from: i + 1, to: null }, { kind: 'added', text: now, from: null, to: i + 1 }];
    });
    return json(res, { from, to, lines });
  }
  return json(res, { error: { code: 'unknown', message: `no ${rest}`, hint: null } }, 404);
}

const setting = (key, value, kind, about, over = {}) => ({ key, value, source: 'tribunal.toml', editable: true, kind, choices: [], about, ...over });
const settings = [
  setting('theater.enabled', true, 'bool', 'Whether the panel judges at all.', { source: 'default' }),
  setting('theater.score_threshold', 8, 'number', 'The composite a round has to reach.'),
  setting('theater.fallback_policy', 'ship_best', 'choice', 'What ships when the rounds are used up.', { choices: ['ship_best', 'ship_last', 'fail'] }),
  setting('theater.weights', { critic: 0.4, brand: 0.2, a11y: 0.2, copy: 0.2 }, 'other', 'How much each judge counts.', { editable: false }),
  setting('limits.usd', 2, 'number', 'Money a run may cost.', { source: 'TRIBUNAL_LIMITS_USD', editable: false }),
];

createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://mock');
  if (pathname.startsWith('/api/')) return api(req, res, pathname, searchParams);
  const file = join(ASSETS, pathname === '/' ? 'index.html' : pathname);
  if (!file.startsWith(ASSETS) || !existsSync(file)) return json(res, {}, 404);
  res.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain', 'content-security-policy': CSP });
  createReadStream(file).pipe(res);
}).listen(PORT, '127.0.0.1', () => console.error(`http://127.0.0.1:${PORT}/`));
