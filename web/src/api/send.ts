import { ask } from './http';
import { Problem } from './problem';

/** Waits before a write that did not reach the server is sent again, with the same key. */
const RETRIES_MS = [300, 1000];

/**
 * Sends a change. The key makes it safe to send again when no answer came back: the server does what
 * it says once, and answers the second time with what it answered the first.
 */
export async function send<T>(method: 'POST' | 'PUT', path: string, body: unknown): Promise<T> {
  const init = {
    method,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': uuid() },
    body: JSON.stringify(body),
  };
  for (const pause of RETRIES_MS) {
    try {
      return await (await ask(path, init)).json();
    } catch (thrown) {
      if (!(thrown instanceof Problem && thrown.status === 0)) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return (await ask(path, init)).json();
}

/** `crypto.randomUUID` exists only on https and localhost; a server on a LAN address is neither. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte, i) => {
    const marked = i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte;
    return marked.toString(16).padStart(2, '0');
  });
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
