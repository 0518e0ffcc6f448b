import { createSignal } from 'solid-js';
import { half } from './half';
import { Problem, problemOf } from './problem';

/** Whether the server no longer knows us: its session is over or was never begun. */
const [isLockedOut, setLockedOut] = createSignal(false);
export { isLockedOut };

export const getText = async (path: string): Promise<string> => (await ask(path, {})).text();

export const getJson = async <T>(path: string, init: RequestInit = {}): Promise<T> => (await ask(path, init)).json();

/** Asks the server; whatever is not a good answer is thrown as a problem. */
export async function ask(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, 'X-Tribunal-Key': half() };
  const response = await fetch(path, { ...init, headers }).catch((thrown: unknown) => {
    if (init.signal?.aborted) throw thrown;
    throw new Problem(0, 'offline', 'the server cannot be reached');
  });
  if (response.status === 401) setLockedOut(true);
  if (response.ok) return response;
  throw problemOf(response.status, await response.json().catch(() => null));
}
