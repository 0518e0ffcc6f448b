import { Show, type JSX } from 'solid-js';
import { t } from '../i18n';
import { dismiss, problem } from './notices';

/** What went wrong last, in the server's words, until it is dismissed. */
export function ProblemBar(): JSX.Element {
  return (
    <Show when={problem()}>
      {(problem) => (
        <div class="problem" role="alert">
          <p>
            <strong>{t('problem.title')}</strong> {problem().message}
            <Show when={problem().hint}>{(hint) => <small>{hint()}</small>}</Show>
          </p>
          <button type="button" onClick={() => dismiss()}>
            {t('app.close')}
          </button>
        </div>
      )}
    </Show>
  );
}
