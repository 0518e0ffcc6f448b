import { createEffect, createMemo, createSignal, on, onCleanup, onMount, Show, type JSX } from 'solid-js';
import type { Client } from '../api/client';
import { isLockedOut } from '../api/http';
import type { Session } from '../api/types';
import { t } from '../i18n';
import { stageCommands } from './commands';
import { boot } from './boot';
import { Header } from './Header';
import { announcement } from './notices';
import { page, Plain } from './page';
import { ProblemBar } from './ProblemBar';
import { go, route, runsHref, type Route } from './route';
import { RunPage } from './RunPage';

// The stage is part of the first file, so that a running one is seen without a second trip; the pages
// around it are fetched with their words when they are first shown.
const RunsPage = page(() => import('../runs/RunsPage'));
const SettingsPage = page(() => import('../settings/SettingsPage'));
const Help = page(() => import('./Help'));

export function App(): JSX.Element {
  let main: HTMLElement | undefined;
  const [isHelpOpen, setHelpOpen] = createSignal(false);

  /** The list has a search box of its own; elsewhere the key leads to it. */
  const search = (): void => {
    const box = document.querySelector<HTMLElement>('input[type=search]');
    if (box) box.focus();
    else go(runsHref());
  };
  // Another page is read from its beginning, by whoever reads it. A filter that is typed is no other page.
  const place = createMemo(() => JSON.stringify({ ...route(), query: undefined }));
  createEffect(on(place, () => main?.focus(), { defer: true }));

  onMount(() => {
    // Nobody presses a key before there is something to see.
    const listening = import('../keys/listen').then(({ listen }) =>
      listen(() => ({ help: () => setHelpOpen(true), search, ...stageCommands() })),
    );
    onCleanup(() => void listening.then((stop) => stop()));
  });

  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The hash is the route, so the jump is made by hand.
          event.preventDefault();
          main?.focus();
        }}
      >
        {t('app.skip')}
      </a>
      <Header onHelp={() => setHelpOpen(true)} />
      <main id="main" tabindex="-1" ref={(element) => (main = element)}>
        <Show when={!isLockedOut()} fallback={<Plain what="locked" />}>
          <Show when={ready()} fallback={<p class="loading">{t(isOffline() ? 'offline.title' : 'app.loading')}</p>}>
            {(ready) => <Page client={ready().client} session={ready().session} />}
          </Show>
        </Show>
      </main>
      <ProblemBar />
      <p class="quiet" role="status">
        {announcement()}
      </p>
      <Show when={isHelpOpen()}>
        <Help onClose={() => setHelpOpen(false)} />
      </Show>
    </>
  );
}

function ready() {
  const now = boot();
  return now.kind === 'ready' ? now : undefined;
}
const isOffline = (): boolean => boot().kind === 'offline';

function Page(props: { client: Client; session: Session }): JSX.Element {
  const run = () => {
    const now = route();
    return now.page === 'run' ? now.run : undefined;
  };
  const is = (page: Route['page']): boolean => route().page === page;
  return (
    <>
      {/* Keyed: another run is another page, with nothing left over from the one before. */}
      <Show when={run()} keyed>
        {(run) => <RunPage client={props.client} run={run} />}
      </Show>
      <Show when={is('runs')}>
        <RunsPage client={props.client} />
      </Show>
      <Show when={is('settings')}>
        <SettingsPage client={props.client} session={props.session} />
      </Show>
      <Show when={is('missing')}>
        <Plain what="missing" />
      </Show>
    </>
  );
}
