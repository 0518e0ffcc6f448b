import { onMount, type JSX } from 'solid-js';
import { t } from '../i18n';
import '../styles/dialog.css';

/** A modal dialog: the browser keeps the focus inside, closes it on Esc and gives the focus back. */
export function Dialog(props: { title: string; onClose: () => void; children: JSX.Element }): JSX.Element {
  let dialog: HTMLDialogElement | undefined;
  let title: HTMLElement | undefined;
  onMount(() => {
    dialog?.showModal();
    // To what the dialog is for: its first field, or its title where it is only read. Nobody opens one to close it.
    (dialog?.querySelector<HTMLElement>('input, textarea, select') ?? title)?.focus();
  });
  return (
    <dialog ref={(element) => (dialog = element)} aria-labelledby="dialog-title" onClose={() => props.onClose()}>
      <div class="dialog-head">
        <h2 id="dialog-title" tabindex="-1" ref={(element) => (title = element)}>
          {props.title}
        </h2>
        <button type="button" aria-label={t('app.close')} onClick={() => dialog?.close()}>
          ✕
        </button>
      </div>
      {props.children}
    </dialog>
  );
}
