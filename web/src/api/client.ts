import { get, getJson, send } from './http';
import { parseFrames } from './frames';
import type { Accepted, Diff, Frame, Question, RunPage, RunRow, Session, Settings, Started } from './types';

export interface RunQuery {
  text?: string;
  status?: string;
  loop?: string;
  after?: string;
  limit?: number;
}

/** What is asked of the server, one method a route. */
export type Client = ReturnType<typeof client>;

export const session = (): Promise<Session> => getJson('/api/session');

export function client(project: string) {
  const base = `/api/projects/${encodeURIComponent(project)}`;
  const of = (run: string, rest = ''): string => `${base}/runs/${encodeURIComponent(run)}${rest}`;
  const ask = (run: string, what: string, body: object = {}): Promise<Accepted> => send('POST', of(run, `/${what}`), body);

  return {
    runs: (query: RunQuery, signal?: AbortSignal): Promise<RunPage> =>
      getJson(`${base}/runs${search({ ...query })}`, signal),
    run: (run: string): Promise<RunRow> => getJson(of(run)),
    cues: async (run: string): Promise<Frame[]> => parseFrames(await (await get(of(run, '/cues'))).text()),
    /** Where the live frames come from; without a run, those of the whole project. */
    eventsUrl: (run?: string, after?: string): string => `${base}/events${search({ run, after })}`,

    artifact: async (run: string, round: number): Promise<string> => (await get(of(run, `/rounds/${round}/artifact`))).text(),
    previewUrl: (run: string, round: number | 'shipped'): string => of(run, `/rounds/${round}/preview`),
    blob: async (run: string, digest: string): Promise<string> => (await get(of(run, `/blobs/${digest}`))).text(),
    diff: (run: string, from: number, to: number): Promise<Diff> => getJson(of(run, `/diff${search({ from, to })}`)),

    questions: (run: string): Promise<Question[]> => getJson(of(run, '/questions')),
    answer: (run: string, turn: number, answer: unknown): Promise<Accepted> => ask(run, 'answer', { turn, answer }),
    steer: (run: string, text: string): Promise<Accepted> => ask(run, 'steer', { text }),
    interrupt: (run: string): Promise<Accepted> => ask(run, 'interrupt'),
    resume: (run: string): Promise<Accepted> => ask(run, 'resume'),
    reopen: (run: string, why: string, rounds: number): Promise<Accepted> => ask(run, 'reopen', { why, rounds }),
    select: (run: string, round: number): Promise<Accepted> => ask(run, 'select', { round }),
    rerun: (artifact: string, brief: string | null): Promise<Accepted> =>
      send('POST', `${base}/artifacts/${encodeURIComponent(artifact)}/critique/rerun`, { brief }),
    start: (brief: string | null, assets: string[], source: string | null): Promise<Started> =>
      send('POST', `${base}/runs`, { brief, assets, source }),

    settings: (): Promise<Settings> => getJson(`${base}/settings`),
    set: (key: string, value: unknown): Promise<Settings> => send('PUT', `${base}/settings`, { key, value }),
  };
}

/** A query string of what is given; empty texts are left out. */
function search(params: Record<string, string | number | undefined>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== '') given.set(name, String(value));
  }
  const text = given.toString();
  return text && `?${text}`;
}
