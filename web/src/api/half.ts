import { store, stored } from '../shell/stored';

// Our half of a session. The other one is a cookie that no script can read; browsers give it to every server of
// this machine, whatever its port, so it is worth nothing without this one, which belongs to our port alone.
const PARAMETER = 'key';
let known = '';

/** Takes our half out of the address, where the server put it in exchange for the token. */
export function keepHalf(): void {
  const query = new URLSearchParams(location.search);
  known = query.get(PARAMETER) ?? '';
  if (!known) return;
  store(PARAMETER, known);
  history.replaceState(null, '', location.pathname + location.hash);
}

/** Read every time: another tab may have signed in anew. */
export const half = (): string => stored(PARAMETER) ?? known;

/** An address for what can send no headers: a stream, a frame. */
export const withHalf = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}${PARAMETER}=${half()}`;
