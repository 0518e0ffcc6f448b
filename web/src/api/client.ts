import { get, getJson, send } from './http';
import { parseFrames } from './frames';
import type { Accepted, Frame, RunRow, Session } from './types';

export const session = (): Promise<Session> => getJson('/api/session');

/** What a stage asks of the server, one method a route; `pages.ts` has what the pages around it ask. */
export function client(project: string) {
  const base = `/api/projects/${encodeURIComponent(project)}`;
  const of = (run: string, rest = ''): string => `${base}/runs/${encodeURIComponent(run)}${rest}`;
  const ask = (run: string, what: string, body: object = {}): Promise<Accepted> => send('POST', of(run, `/${what}`), body);

  return {
    base,
    of,
    ask,
    run: (run: string): Promise<RunRow> => getJson(of(run)),
    cues: async (run: string): Promise<Frame[]> => parseFrames(await (await get(of(run, '/cues'))).text()),
    /** Where the live frames come from. */
    eventsUrl: (run: string, after: string | undefined): string =>
      `${base}/events?run=${encodeURIComponent(run)}${after === undefined ? '' : `&after=${after}`}`,
    previewUrl: (run: string, round: number): string => of(run, `/rounds/${round}/preview`),
    blob: async (run: string, digest: string): Promise<string> => (await get(of(run, `/blobs/${digest}`))).text(),
    rerun: (artifact: string): Promise<Accepted> =>
      send('POST', `${base}/artifacts/${encodeURIComponent(artifact)}/critique/rerun`, { brief: null }),
  };
}

export type Client = ReturnType<typeof client>;
