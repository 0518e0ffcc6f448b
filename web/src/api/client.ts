import { withHalf } from './half';
import { getJson, getText } from './http';
import { parseFrames } from './frames';
import type { Frame, RunRow, Session } from './types';

export const session = (): Promise<Session> => getJson('/api/session');

/** What a stage reads, one method a route; `change.ts` has what it asks for, `pages.ts` what the pages around it do. */
export function client(project: string) {
  const base = `/api/projects/${encodeURIComponent(project)}`;
  const of = (run: string, rest = ''): string => `${base}/runs/${encodeURIComponent(run)}${rest}`;

  return {
    base,
    of,
    run: (run: string): Promise<RunRow> => getJson(of(run)),
    cues: async (run: string): Promise<Frame[]> => parseFrames(await getText(of(run, '/cues'))),
    /** Where the live frames come from. */
    eventsUrl: (run: string, after: string | undefined): string =>
      withHalf(`${base}/events?run=${encodeURIComponent(run)}${after === undefined ? '' : `&after=${after}`}`),
    previewUrl: (run: string, round: number): string => withHalf(of(run, `/rounds/${round}/preview`)),
    ask: <T>(run: string, what: string): Promise<T> => getJson(of(run, `/${what}`)),
    blob: (run: string, digest: string): Promise<string> => getText(of(run, `/blobs/${digest}`)),
  };
}

export type Client = ReturnType<typeof client>;
