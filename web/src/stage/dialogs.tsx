// The questions before something that cannot be taken back. Native dialogs: the browser keeps the focus
// inside, closes them on Esc and gives the focus back.

import '../styles/dialog.css';
import { createSignal, onMount, Show, type JSX } from 'solid-js';
import { t } from '../i18n';
import { createAsked, keepFocus } from './asked';
import type { StageActions } from './props';

interface DialogProps {
  readonly actions: StageActions;
  readonly onClose: () => void;
}

export function InterruptDialog(props: DialogProps) {
  return (
    <Question
      title={t('stage.interrupt.ask')}
      yes={t('stage.interrupt')}
      busy={t('stage.interrupting')}
      do={() => props.actions.interrupt()}
      onClose={props.onClose}
    >
      <p>{t('stage.interrupt.text')}</p>
    </Question>
  );
}

/** As many rounds more as the gate usually takes; the server has the last word. */
const USUAL_ROUNDS = 2;

export function ReopenDialog(props: DialogProps) {
  const [why, setWhy] = createSignal('');
  const [rounds, setRounds] = createSignal(USUAL_ROUNDS);
  return (
    <Question
      title={t('stage.reopen.ask')}
      yes={t('stage.reopen')}
      do={() => props.actions.reopen(why(), rounds())}
      onClose={props.onClose}
    >
      <label>
        {t('stage.reopen.why')}
        <textarea required rows="3" dir="auto" value={why()} onInput={(event) => setWhy(event.currentTarget.value)} />
      </label>
      <label>
        {t('stage.reopen.rounds')}
        <input
          type="number"
          required
          min="1"
          max="10"
          value={rounds()}
          onInput={(event) => setRounds(event.currentTarget.valueAsNumber)}
        />
      </label>
    </Question>
  );
}

function Question(props: {
  readonly title: string;
  readonly yes: string;
  /** The same while it is asked for. */
  readonly busy?: string;
  readonly do: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: JSX.Element;
}) {
  let dialog: HTMLDialogElement | undefined;
  onMount(() => dialog?.showModal());
  const asked = createAsked();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(await asked.ask(() => props.do()))) return;
    dialog?.close();
    keepFocus();
  };
  return (
    <dialog ref={(element) => (dialog = element)} aria-label={props.title} onClose={() => props.onClose()}>
      <form class="question" onSubmit={(event) => void submit(event)}>
        <h2>{props.title}</h2>
        {props.children}
        <Show when={asked.error()}>{(error) => <p class="wrong">{error()}</p>}</Show>
        <div class="acts">
          <button type="button" onClick={() => dialog?.close()}>
            {t('app.cancel')}
          </button>
          <button type="submit" class="primary" disabled={asked.isBusy()}>
            {asked.isBusy() ? (props.busy ?? props.yes) : props.yes}
          </button>
        </div>
      </form>
    </dialog>
  );
}
