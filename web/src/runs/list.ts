import { batch, createSignal } from 'solid-js';
import { createStore, produce, reconcile } from 'solid-js/store';
import type { Client } from '../api/client';
import type { Pages } from '../api/pages';
import type { RunRow } from '../api/types';
import { matches, type Filter } from './match';

const PAGE = 30;
/** Rows are asked for one by one up to here; when more have changed, the first page is cheaper. */
const MAX_SINGLE = 12;
const SETTLE_MS = 250;

/** The list as it is shown: pages of rows, kept current by the names of the runs that changed. */
export function createRunList(server: Pick<Client, 'run'> & Pick<Pages, 'runs'>, onProblem: (thrown: unknown) => void) {
  const [rows, setRows] = createStore<RunRow[]>([]);
  const [next, setNext] = createSignal<string | null>(null);
  const [isLoaded, setLoaded] = createSignal(false);
  const changed = new Set<string>();
  let filter: Filter = { text: '', status: '', loop: '' };
  let asked = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const fetchPage = async (after?: string): Promise<void> => {
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    try {
      const page = await server.runs({ ...filter, limit: PAGE, ...(after && { after }) }, signal);
      batch(() => {
        setRows(reconcile(after ? [...rows, ...page.runs] : page.runs, { key: 'run' }));
        setNext(page.next);
        setLoaded(true);
      });
    } catch (thrown) {
      if (!signal.aborted) onProblem(thrown);
    }
  };

  const put = (row: RunRow): void => {
    const at = rows.findIndex(({ run }) => run === row.run);
    if (at >= 0) setRows(at, reconcile(row));
    else if (matches(row, filter)) setRows(produce((all) => void all.unshift(row)));
  };

  const refresh = async (): Promise<void> => {
    timer = undefined;
    const runs = [...changed];
    changed.clear();
    if (runs.length > MAX_SINGLE) return fetchPage();
    // A row that cannot be had now is asked for again with its next cue.
    const fresh = await Promise.allSettled(runs.map((run) => server.run(run)));
    batch(() => fresh.forEach((one) => one.status === 'fulfilled' && put(one.value)));
  };

  return {
    rows,
    isLoaded,
    hasMore: () => next() !== null,
    show: (now: Filter): Promise<void> => {
      filter = now;
      return fetchPage();
    },
    reload: (): Promise<void> => fetchPage(),
    more: (): Promise<void> => fetchPage(next() ?? undefined),
    /** Says that these runs have moved; their rows follow in a moment, however much they move. */
    touch: (runs: Iterable<string>): void => {
      for (const run of runs) changed.add(run);
      if (changed.size > 0) timer ??= setTimeout(() => void refresh(), SETTLE_MS);
    },
    stop: (): void => {
      asked.abort();
      clearTimeout(timer);
    },
  };
}
