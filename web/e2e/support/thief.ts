// Somebody else's server on this machine: what reaches it was stolen, and its pages try to do things in our name.
import { createServer } from 'node:http';
import { once } from 'node:events';

export interface Thief {
  readonly port: number;
  /** The addresses that were asked for, besides its own pages. */
  readonly loot: string[];
  /** Serves a page. */
  page(path: string, html: string): void;
  close(): Promise<void>;
}

export async function thief(): Promise<Thief> {
  const loot: string[] = [];
  const pages = new Map<string, string>();
  const server = createServer((request, response) => {
    const html = pages.get(request.url ?? '');
    if (html === undefined) loot.push(request.url ?? '');
    response.writeHead(html === undefined ? 204 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(html);
  });
  // No address is given, so that it is found as 127.0.0.1 and as localhost, whatever that means here.
  server.listen(0);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    loot,
    page: (path, html) => void pages.set(path, html),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
