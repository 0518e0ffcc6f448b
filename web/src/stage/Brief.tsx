// What was wanted: the beginning of it in sight, all of it behind a press.

import { createEffect, createSignal, on, onCleanup, Show } from 'solid-js';
import { t } from '../i18n';
import type { View } from './view';

export function Brief(props: { readonly view: View }) {
  const { given, state } = props.view;
  const [text, setText] = createSignal('');
  const [isOpen, setOpen] = createSignal(false);
  const digest = () => state().scene?.brief;
  const load = async (digest: string): Promise<void> => {
    let isStale = false;
    onCleanup(() => (isStale = true));
    // Without the whole of it there is its beginning, which the row has.
    const text = await given.blob(digest).catch(() => given.run.brief);
    if (!isStale) setText(text);
  };
  createEffect(on([digest, isOpen], ([digest, isOpen]) => digest && isOpen && void load(digest)));
  return (
    <Show when={given.run.brief}>
      {(begins) => (
        <details class="brief" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            <b>{t('start.brief')}</b> <span dir="auto">{begins()}</span>
          </summary>
          <pre dir="auto">{text() || t('app.loading')}</pre>
        </details>
      )}
    </Show>
  );
}
