import { createMemo, createSignal, For, onMount, Show, type JSX } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { Client } from '../api/client';
import { pages } from '../api/pages';
import type { Session, Setting, Settings } from '../api/types';
import { t } from '../i18n';
import { report } from '../shell/notices';
import { Appearance } from './Appearance';
import { SettingRow } from './SettingRow';
import { sections } from './sections';
import './settings.css';

/** Every value of the configuration with where it came from; what may be changed here can be. */
export default function SettingsPage(props: { client: Client; session: Session }): JSX.Element {
  const server = pages(props.client);
  const [values, setValues] = createStore<Setting[]>([]);
  const [isLoaded, setLoaded] = createSignal(false);
  const [filter, setFilter] = createSignal('');
  const shown = createMemo(() => sections(values, filter()));

  // Matched by key: a row that is saved stays the row that has the focus.
  const take = (settings: Settings): void => {
    setValues(reconcile(settings.values, { key: 'key' }));
    setLoaded(true);
  };
  const save = async (key: string, value: unknown): Promise<void> => take(await server.set(key, value));
  onMount(() => {
    document.title = `${t('settings.title')} · ${t('app.title')}`;
    server.settings().then(take).catch(report);
  });
  const facts = () => [
    { name: t('settings.project'), value: props.session.project.name },
    { name: t('settings.workspace'), value: props.session.project.workspace },
    { name: t('settings.version'), value: props.session.version },
  ];

  return (
    <div class="settings">
      <h1>{t('settings.title')}</h1>
      <dl class="project">
        <For each={facts()}>
          {(fact) => (
            <div>
              <dt>{fact.name}</dt>
              <dd>{fact.value}</dd>
            </div>
          )}
        </For>
      </dl>
      <Appearance />
      <Show when={isLoaded()} fallback={<p class="loading">{t('app.loading')}</p>}>
        <h2>{t('settings.configuration')}</h2>
        <input
          type="search"
          aria-label={t('settings.filter')}
          placeholder={t('settings.filter')}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <For each={shown()}>
          {(section) => (
            <section aria-labelledby={`settings-${section.name}`}>
              <h3 id={`settings-${section.name}`}>
                <code>{section.name}</code>
              </h3>
              <ul>
                <For each={section.values}>{(setting) => <SettingRow setting={setting} save={save} />}</For>
              </ul>
            </section>
          )}
        </For>
      </Show>
    </div>
  );
}
