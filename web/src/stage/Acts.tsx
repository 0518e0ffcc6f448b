// What a person may do to the run now, as the server allows it.

import { Show, type JSX } from 'solid-js';
import type { Action } from '../api/types';
import { t } from '../i18n';
import { createAsked, keepFocus } from './asked';
import { InterruptDialog, ReopenDialog } from './dialogs';
import type { View } from './view';
import { roundName } from './words';

export type Asking = 'interrupt' | 'reopen' | null;

export function Acts(props: {
  readonly view: View;
  readonly asking: Asking;
  readonly onAsk: (asking: Asking) => void;
}) {
  const { given } = props.view;
  const can = (action: Action): boolean => given.run.actions.includes(action);
  const done = (): void => props.onAsk(null);
  return (
    <>
      <Show when={can('resume')}>
        <Act class="primary" do={() => given.actions.resume()}>
          {t('stage.resume')}
        </Act>
      </Show>
      <Show when={can('rerun')}>
        <Act do={() => given.actions.rerun()}>{t('stage.rerun')}</Act>
      </Show>
      <Show when={can('select') && props.view.round()?.draft && props.view.round()}>
        {(round) => (
          <Act do={() => given.actions.select(round().number)}>
            {t('stage.select', { round: roundName(given.run.loop, round().number) })}
          </Act>
        )}
      </Show>
      <Show when={can('reopen')}>
        <button type="button" aria-haspopup="dialog" onClick={() => props.onAsk('reopen')}>
          {t('stage.reopen')}
        </button>
      </Show>
      <Show when={can('interrupt')}>
        <button type="button" aria-haspopup="dialog" onClick={() => props.onAsk('interrupt')}>
          {t('stage.interrupt')}
        </button>
      </Show>
      <Show when={props.asking === 'interrupt'}>
        <InterruptDialog actions={given.actions} onClose={done} />
      </Show>
      <Show when={props.asking === 'reopen'}>
        <ReopenDialog actions={given.actions} onClose={done} />
      </Show>
    </>
  );
}

/** A button that asks the server for something: busy until it answered, and it says what went wrong. */
function Act(props: { readonly class?: string; readonly do: () => Promise<void>; readonly children: JSX.Element }) {
  const asked = createAsked();
  const act = async (): Promise<void> => {
    await asked.ask(() => props.do());
    keepFocus();
  };
  return (
    <>
      <button
        type="button"
        class={props.class}
        disabled={asked.isBusy()}
        onClick={() => void act()}
      >
        {props.children}
      </button>
      <Show when={asked.error()}>{(error) => <p class="wrong">{error()}</p>}</Show>
    </>
  );
}
