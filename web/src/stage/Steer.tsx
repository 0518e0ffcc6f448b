// A person's word to the seats, and what was said before.

import { createSignal, For, Show } from 'solid-js';
import { t } from '../i18n';
import type { State } from '../reducer/state';
import { createAsked } from './asked';

export function Steer(props: {
  readonly state: State;
  readonly canSteer: boolean;
  readonly steer: (text: string) => Promise<void>;
}) {
  const [text, setText] = createSignal('');
  let box: HTMLTextAreaElement | undefined;
  const asked = createAsked();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    // The words stay in the box until the server has them.
    if (!text().trim()) return;
    if (await asked.ask(() => props.steer(text().trim()))) setText('');
    // The button was switched off meanwhile and has lost the focus.
    box?.focus();
  };
  return (
    <Show when={props.canSteer || props.state.interventions.length > 0}>
      <section class="panel steer">
        <h2>{t('stage.people')}</h2>
        <ul>
          <For each={props.state.interventions}>
            {(intervention) => (
              <li>
                <b>{intervention.by}</b> {t(`stage.act.${intervention.act}`)}
                <Show when={intervention.text}>{(words) => <q dir="auto">{words()}</q>}</Show>
              </li>
            )}
          </For>
        </ul>
        <Show when={props.canSteer}>
          <form onSubmit={(event) => void submit(event)}>
            <label>
              <span>{t('stage.steer.label')}</span>
              <textarea
                rows="2"
                dir="auto"
                ref={(element) => (box = element)}
                value={text()} onInput={(event) => setText(event.currentTarget.value)}
              />
            </label>
            <button type="submit" disabled={asked.isBusy() || !text().trim()}>
              {t('stage.steer')}
            </button>
            <Show when={asked.error()}>{(error) => <p class="wrong">{error()}</p>}</Show>
          </form>
        </Show>
      </section>
    </Show>
  );
}
