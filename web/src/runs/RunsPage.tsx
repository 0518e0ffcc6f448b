import { createEffect, createSignal, For, onCleanup, onMount, Show, type JSX } from 'solid-js';
import type { Client } from '../api/client';
import { connect, type Connection } from '../api/connection';
import { isLockedOut } from '../api/http';
import { pages } from '../api/pages';
import { t } from '../i18n';
import { report } from '../shell/notices';
import { page } from '../shell/page';
import { amend, route, runsHref } from '../shell/route';
import { Filters } from './Filters';
import { createRunList } from './list';
import { filterOf, isFiltered, type Filter } from './match';
import { Row } from './Row';
import './runs.css';

const StartRun = page(() => import('./StartRun'));

/** How often “3 minutes ago” is told anew. */
const CLOCK_MS = 20_000;

export default function RunsPage(props: { client: Client }): JSX.Element {
  const server = pages(props.client);
  const list = createRunList({ runs: server.runs, run: props.client.run }, report);
  const [connection, setConnection] = createSignal<Connection>({ kind: 'connecting' });
  const [now, setNow] = createSignal(Date.now());
  const [isStarting, setStarting] = createSignal(false);

  const filter = (): Filter => {
    const at = route();
    return filterOf(at.page === 'runs' ? at.query : {});
  };
  createEffect(() => void list.show(filter()));

  onMount(() => {
    document.title = `${t('runs.title')} · ${t('app.title')}`;
    const clock = setInterval(() => setNow(Date.now()), CLOCK_MS);
    const stop = connect({
      // The ids of the project's stream are of no use after a break: the list is read anew instead.
      url: () => server.eventsUrl(),
      onFrames: (frames) => list.touch(new Set(frames.map(({ runId }) => runId))),
      onChange: (next) => {
        const was = connection().kind;
        setConnection(next);
        if (next.kind === 'live' && was === 'reconnecting') void list.reload();
      },
      probe: () => server.runs({ limit: 1 }),
      isRefused: isLockedOut,
    });
    onCleanup(() => {
      clearInterval(clock);
      stop();
      list.stop();
    });
  });

  return (
    <div class="runs">
      <div class="runs-head">
        <h1>{t('runs.title')}</h1>
        <Show when={connection().kind === 'reconnecting'}>
          <span class="pill warn">
            <span aria-hidden="true">!</span>
            {t('runs.stale')}
          </span>
        </Show>
        <button type="button" class="primary" onClick={() => setStarting(true)}>
          {t('start.open')}
        </button>
      </div>
      <Filters filter={filter()} onChange={(next) => amend(runsHref({ ...next }))} />
      <Show when={list.isLoaded()} fallback={<p class="loading">{t('app.loading')}</p>}>
        <Show when={list.rows.length > 0} fallback={<Nothing isFiltered={isFiltered(filter())} />}>
          <ul class="run-list">
            <For each={list.rows}>{(row) => <Row row={row} now={now()} />}</For>
          </ul>
        </Show>
        <Show when={list.hasMore()}>
          <button type="button" class="runs-more" onClick={() => void list.more()}>
            {t('runs.more')}
          </button>
        </Show>
      </Show>
      <Show when={isStarting()}>
        <StartRun start={server.start} onClose={() => setStarting(false)} />
      </Show>
    </div>
  );
}

function Nothing(props: { isFiltered: boolean }): JSX.Element {
  return (
    <div class="plain">
      <Show
        when={props.isFiltered}
        fallback={
          <>
            <h2>{t('runs.empty.title')}</h2>
            <p>{t('runs.empty.text')}</p>
          </>
        }
      >
        <h2>{t('runs.none.title')}</h2>
        <p>
          <a href={runsHref()}>{t('runs.none.clear')}</a>
        </p>
      </Show>
    </div>
  );
}
