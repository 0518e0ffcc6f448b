import { createEffect, createSignal, createUniqueId, For, on, Show, type JSX } from 'solid-js';
import { asProblem } from '../api/problem';
import type { Setting } from '../api/types';
import { t } from '../i18n';
import { readAs, written } from './sections';

export function SettingRow(props: { setting: Setting; save: (key: string, value: unknown) => Promise<void> }): JSX.Element {
  const id = createUniqueId();
  const [text, setText] = createSignal(written(props.setting.value));
  const [error, setError] = createSignal('');
  createEffect(on(() => props.setting.value, (value) => setText(written(value)), { defer: true }));

  const save = async (value: unknown): Promise<void> => {
    setError('');
    try {
      await props.save(props.setting.key, value);
    } catch (thrown) {
      const { message, hint } = asProblem(thrown);
      setError(hint === null ? message : `${message} ${hint}`);
    }
  };
  const isChanged = () => text() !== written(props.setting.value);
  const value = () => readAs(props.setting.kind, text());

  const input = (): JSX.Element => {
    const { editable, kind, choices } = props.setting;
    if (!editable || kind === 'other') {
      return (
        // Not a live region, which it would be by itself: the page has one, and this is not news.
        <output id={id} aria-live="off" title={t('settings.fixed')}>
          {text()}
        </output>
      );
    }
    switch (kind) {
      case 'bool':
        return (
          <select id={id} value={text()} onChange={(event) => void save(event.currentTarget.value === 'true')}>
            <option value="true">{t('settings.on')}</option>
            <option value="false">{t('settings.off')}</option>
          </select>
        );
      case 'choice':
        return (
          <select id={id} value={text()} onChange={(event) => void save(event.currentTarget.value)}>
            <For each={choices}>{(choice) => <option value={choice}>{choice}</option>}</For>
          </select>
        );
      default:
        return (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void save(value());
            }}
          >
            <input
              id={id}
              value={text()}
              inputmode={kind === 'number' ? 'decimal' : 'text'}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <Show when={isChanged()}>
              <button type="submit" class="primary" disabled={value() === undefined}>
                {t('settings.save')}
              </button>
            </Show>
          </form>
        );
    }
  };

  return (
    <li class="setting">
      <div>
        <label for={id}>
          <code>{props.setting.key}</code>
        </label>
        <p>{props.setting.about}</p>
        <small>{t('settings.source', { source: props.setting.source })}</small>
        <Show when={error()}>
          <p class="setting-error" role="alert">
            {error()}
          </p>
        </Show>
      </div>
      {input()}
    </li>
  );
}
