import { onMount, type JSX } from 'solid-js';
import { t } from '../i18n';

/** A modal dialog: the browser keeps the focus inside, closes it on Esc and gives the focus back. */
export function Dialog(props: { title: string; onClose: () => void; children: JSX.Element }): JSX.Element {
  let dialog: HTMLDialogElement | undefined;
  onMount(() => dialog?.showModal());
  return (
    <dialog ref={(element) => (dialog = element)} aria-labelledby="dialog-title" onClose={() => props.onClose()}>
      <div class="dialog-head">
        <h2 id="dialog-title">{props.title}</h2>
        <button type="button" aria-label={t('app.close')} onClick={() => dialog?.close()}>
          ✕
        </button>
      </div>
      {props.children}
    </dialog>
  );
}
