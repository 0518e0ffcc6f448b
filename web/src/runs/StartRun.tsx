import { createSignal, Show, type JSX } from 'solid-js';
import type { Pages } from '../api/pages';
import { asProblem, type Problem } from '../api/problem';
import { t } from '../i18n';
import { Dialog } from '../shell/Dialog';
import { go, runHref } from '../shell/route';

/** Starts what the configuration describes; every field narrows it and may stay empty. */
export default function StartRun(props: { start: Pages['start']; onClose: () => void }): JSX.Element {
  const [brief, setBrief] = createSignal('');
  const [assets, setAssets] = createSignal('');
  const [source, setSource] = createSignal('');
  const [isSending, setSending] = createSignal(false);
  const [problem, setProblem] = createSignal<Problem | undefined>();

  const start = async (): Promise<void> => {
    setSending(true);
    setProblem(undefined);
    try {
      const names = assets().split(/[\s,]+/).filter((name) => name !== '');
      const { runs } = await props.start(brief().trim() || null, names, source().trim() || null);
      props.onClose();
      // Several assets are several runs: those are better seen in the list, which shows them as they begin.
      if (runs.length === 1 && runs[0]) go(runHref(runs[0]));
    } catch (thrown) {
      setProblem(asProblem(thrown));
    } finally {
      setSending(false);
    }
  };

  return (
    <Dialog title={t('start.title')} onClose={props.onClose}>
      <form
        class="start"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <label>
          {t('start.brief')}
          <textarea rows="4" dir="auto" aria-describedby="start-brief" onInput={(event) => setBrief(event.currentTarget.value)} />
        </label>
        <small id="start-brief">{t('start.brief.hint')}</small>
        <label>
          {t('start.source')}
          <input aria-describedby="start-source" spellcheck={false} onInput={(event) => setSource(event.currentTarget.value)} />
        </label>
        <small id="start-source">{t('start.source.hint')}</small>
        <label>
          {t('start.assets')}
          <input aria-describedby="start-assets" spellcheck={false} onInput={(event) => setAssets(event.currentTarget.value)} />
        </label>
        <small id="start-assets">{t('start.assets.hint')}</small>
        <Show when={problem()}>
          {(problem) => (
            <p class="misfit" role="alert">
              {problem().message} <small>{problem().hint}</small>
            </p>
          )}
        </Show>
        <div class="start-actions">
          <button type="button" onClick={() => props.onClose()}>
            {t('app.cancel')}
          </button>
          <button type="submit" class="primary" disabled={isSending()}>
            {t(isSending() ? 'start.sending' : 'start.send')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
