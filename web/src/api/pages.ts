import { change } from './change';
import type { Client } from './client';
import { withHalf } from './half';
import { getJson } from './http';
import { send } from './send';
import type { Accepted, Diff, Question, RunPage, Settings, Started } from './types';

export interface RunQuery {
  readonly text?: string;
  readonly status?: string;
  readonly loop?: string;
  readonly after?: string;
  readonly limit?: number;
}

/** What the pages around the stage ask of the server; fetched with them. */
export function pages(client: Client) {
  const { base, of } = client;
  return {
    runs: (query: RunQuery, signal?: AbortSignal): Promise<RunPage> => getJson(`${base}/runs${search({ ...query })}`, signal && { signal }),
    /** Where the live frames of the whole project come from. */
    eventsUrl: (): string => withHalf(`${base}/events`),
    /** Whoever writes a brief of their own wants it tried, also of what is decided. */
    start: (brief: string | null, assets: string[], source: string | null): Promise<Started> =>
      send('POST', `${base}/runs`, { brief, assets, source, again: brief !== null }),

    diff: (run: string, from: number, to: number): Promise<Diff> => getJson(of(run, `/diff${search({ from, to })}`)),
    questions: (run: string): Promise<Question[]> => getJson(of(run, '/questions')),
    answer: (run: string, turn: number, answer: unknown): Promise<Accepted> => change(client, run, 'answer', { turn, answer }),

    settings: (): Promise<Settings> => getJson(`${base}/settings`),
    set: (key: string, value: unknown): Promise<Settings> => send('PUT', `${base}/settings`, { key, value }),
  };
}

export type Pages = ReturnType<typeof pages>;

/** A query string of what is given; empty texts are left out. */
function search(params: Record<string, string | number | undefined>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== '') given.set(name, String(value));
  }
  const text = given.toString();
  return text && `?${text}`;
}
