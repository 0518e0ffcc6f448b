import type { Client } from './client';
import { send } from './send';
import type { Accepted, Action } from './types';

/** Asks something of a run; fetched when somebody first does. */
export const change = (client: Client, run: string, what: Action, body: object = {}): Promise<Accepted> =>
  send('POST', client.of(run, `/${what}`), body);

/** A new run with the old artifact as prior art. */
export const rerun = (client: Client, artifact: string): Promise<Accepted> =>
  send('POST', `${client.base}/artifacts/${encodeURIComponent(artifact)}/critique/rerun`, { brief: null });
