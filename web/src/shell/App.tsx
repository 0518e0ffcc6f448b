import { createSignal, lazy, Match, onCleanup, onMount, Show, Suspense, Switch, type JSX } from 'solid-js';
import type { Client } from '../api/client';
import { isLockedOut } from '../api/http';
import type { Session } from '../api/types';
import { loadPageWords, t } from '../i18n';
import { listen } from '../keys/listen';
import { stageCommands } from './commands';
import { boot } from './boot';
import { Header } from './Header';
import { announcement } from './notices';
import { LockedOut, Missing, Offline } from './Plain';
import { ProblemBar } from './ProblemBar';
import { go, route, runsHref } from './route';

/** A page around the stage is fetched together with its words. */
async function withWords<T>(page: Promise<T>): Promise<T> {
  return (await Promise.all([page, loadPageWords()]))[0];
}

const RunPage = lazy(() => import('./RunPage'));
const RunsPage = lazy(() => withWords(import('../runs/RunsPage')));
const SettingsPage = lazy(() => withWords(import('../settings/SettingsPage')));
const Help = lazy(() => withWords(import('./Help')));

export function App(): JSX.Element {
  let main: HTMLElement | undefined;
  const [isHelpOpen, setHelpOpen] = createSignal(false);

  /** The list has a search box of its own; elsewhere the key leads to it. */
  const search = (): void => {
    const box = document.querySelector<HTMLElement>('input[type=search]');
    if (box) box.focus();
    else go(runsHref());
  };
  onMount(() => {
    onCleanup(listen(() => ({ help: () => setHelpOpen(true), search, ...stageCommands() })));
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
        <Suspense fallback={<p class="loading">{t('app.loading')}</p>}>
          <Switch fallback={<p class="loading">{t('app.loading')}</p>}>
            <Match when={isLockedOut()}>
              <LockedOut />
            </Match>
            <Match when={boot().kind === 'offline'}>
              <Offline />
            </Match>
            <Match when={ready()}>{(ready) => <Page client={ready().client} session={ready().session} />}</Match>
          </Switch>
        </Suspense>
      </main>
      <ProblemBar />
      <p class="quiet" role="status">
        {announcement()}
      </p>
      <Show when={isHelpOpen()}>
        <Suspense>
          <Help onClose={() => setHelpOpen(false)} />
        </Suspense>
      </Show>
    </>
  );
}

function ready() {
  const now = boot();
  return now.kind === 'ready' ? now : undefined;
}

function Page(props: { client: Client; session: Session }): JSX.Element {
  const run = () => {
    const now = route();
    return now.page === 'run' ? now.run : undefined;
  };
  return (
    <Switch fallback={<Missing what="page" />}>
      {/* Keyed: another run is another page, with nothing left over from the one before. */}
      <Match when={run()} keyed>
        {(run) => <RunPage client={props.client} run={run} />}
      </Match>
      <Match when={route().page === 'runs'}>
        <RunsPage client={props.client} />
      </Match>
      <Match when={route().page === 'settings'}>
        <SettingsPage client={props.client} session={props.session} />
      </Match>
    </Switch>
  );
}
