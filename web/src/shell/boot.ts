import { createSignal } from 'solid-js';
import { client, session as fetchSession, type Client } from '../api/client';
import { isLockedOut } from '../api/http';
import type { Session } from '../api/types';

/** What the page stands on: a server that knows us, or the reason why there is none. */
type Boot =
  | { readonly kind: 'starting' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'ready'; readonly session: Session; readonly client: Client };

const RETRY_MS = 2000;

const [boot, setBoot] = createSignal<Boot>({ kind: 'starting' });
export { boot };

/** Asks who we are, and goes on asking while the server is away. */
export async function start(): Promise<void> {
  try {
    const session = await fetchSession();
    setBoot({ kind: 'ready', session, client: client(session.project.id) });
  } catch {
    // A refusal is final: only the address with the token helps.
    if (isLockedOut()) return;
    setBoot({ kind: 'offline' });
    setTimeout(() => void start(), RETRY_MS);
  }
}
