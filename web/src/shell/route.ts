import { createSignal } from 'solid-js';

/** Where the reader is. The address is a hash, so that any server of files can serve the page. */
export type Route =
  | { readonly page: 'runs'; readonly query: Readonly<Record<string, string>> }
  | { readonly page: 'run'; readonly run: string }
  | { readonly page: 'settings' }
  | { readonly page: 'missing' };

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const [first, second, ...rest] = path.split('/').filter((part) => part !== '');
  if (first === undefined) return { page: 'runs', query: Object.fromEntries(new URLSearchParams(query)) };
  if (first === 'runs' && second !== undefined && rest.length === 0) {
    const run = decoded(second);
    return run === undefined ? { page: 'missing' } : { page: 'run', run };
  }
  if (first === 'settings' && second === undefined) return { page: 'settings' };
  return { page: 'missing' };
}

/** The address of a run. */
export const runHref = (run: string): string => `#/runs/${encodeURIComponent(run)}`;

/** The address of the list, with what it is filtered by. */
export function runsHref(query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return text ? `#/?${text}` : '#/';
}

/** A hand-typed address may hold a broken escape, which `decodeURIComponent` throws at. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

const [route, setRoute] = createSignal<Route>(parseRoute(location.hash));
addEventListener('hashchange', () => setRoute(parseRoute(location.hash)));
export { route };

export const go = (href: string): void => {
  location.hash = href;
};

/** Changes the address without a step in the history, as a filter does while it is typed. */
export const amend = (href: string): void => {
  history.replaceState(null, '', href);
  setRoute(parseRoute(location.hash));
};
