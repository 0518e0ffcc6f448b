// What stands behind a claim: the prompt that was sent, the answer as it came, what the engine ran.

import '../styles/dialog.css';
import '../styles/drawer.css';
import { createMemo, createSignal, For, onMount, Show } from 'solid-js';
import type { Receipt } from '../api/types';
import { t } from '../i18n';
import { count, money } from '../i18n/format';
import { laneOf, roundOf } from '../reducer/rounds';
import type { Turn } from '../reducer/state';
import { Mark } from './Mark';
import type { View } from './view';
import { taskName } from './names';
import { lasting, readable, roleName, roundName } from './words';

/** A seat's turns in a round, or the round's receipts alone. */
export interface EvidenceOf {
  readonly round: number;
  readonly role: string | null;
}

export function Evidence(props: { readonly view: View; readonly of: EvidenceOf; readonly onClose: () => void }) {
  const { given, state } = props.view;
  let dialog: HTMLDialogElement | undefined;
  onMount(() => dialog?.showModal());
  const round = createMemo(() => roundOf(state(), props.of.round));
  const turns = () => (props.of.role === null ? [] : (laneOf(round(), props.of.role)?.turns ?? []));
  const receipts = () => round()?.receipts.flatMap((set) => set.receipts) ?? [];
  const title = () => [props.of.role && roleName(props.of.role), roundName(given.run.loop, props.of.round)].filter(Boolean).join(', ');
  return (
    <dialog
      class="drawer"
      ref={(element) => (dialog = element)}
      aria-label={t('stage.evidence', { of: title() })}
      onClose={() => props.onClose()}
      // A press on the dialog itself, not on what is in it, is one beside the drawer.
      onClick={(event) => event.target === event.currentTarget && dialog?.close()}
    >
      <header>
        <h2>{t('stage.evidence', { of: title() })}</h2>
        <button type="button" onClick={() => dialog?.close()}>
          {t('app.close')}
        </button>
      </header>
      <div>
        <For
          each={turns()}
          fallback={
            <Show when={receipts().length === 0}>
              <p class="nothing">{t('stage.noEvidence')}</p>
            </Show>
          }
        >
          {(turn) => <TurnEvidence turn={turn} blob={given.blob} />}
        </For>
        <For each={receipts()}>{(receipt) => <ReceiptEvidence receipt={receipt} blob={given.blob} />}</For>
      </div>
    </dialog>
  );
}

function TurnEvidence(props: { readonly turn: Turn; readonly blob: (digest: string) => Promise<string> }) {
  const { start, end } = props.turn;
  return (
    <section class="proof-of">
      <h3>
        {taskName(start.task)} <small>{t('stage.attempt', { n: start.attempt })}</small>
      </h3>
      <p class="facts">
        <Show when={start.model}>{(model) => <span>{model()}</span>}</Show>
        <Show when={start.why}>{(why) => <span>{readable(why())}</span>}</Show>
        <Show when={end}>
          {(end) => (
            <>
              <span>{t('stage.tokensInOut', { in: count(end().inputTokens), out: count(end().outputTokens) })}</span>
              <Show when={end().cachedTokens}>
                {(cached) => <span>{t('stage.tokensCached', { n: count(cached()) })}</span>}
              </Show>
              <span>{end().copied ? t('stage.fromLedger') : money(end().usdMicros ?? 0)}</span>
              <span>{lasting(end().elapsedMs)}</span>
            </>
          )}
        </Show>
      </p>
      <Show when={end?.error}>
        {(error) => (
          <p class="wrong">
            {error().message}
            <Show when={error().hint}>{(hint) => <small>{t('stage.hint', { hint: hint() })}</small>}</Show>
          </p>
        )}
      </Show>
      <Blob label={t('stage.rawAnswer')} digest={end?.raw ?? null} blob={props.blob} />
      <Blob label={t('stage.prompt')} digest={start.prompt} blob={props.blob} />
    </section>
  );
}

function ReceiptEvidence(props: { readonly receipt: Receipt; readonly blob: (digest: string) => Promise<string> }) {
  const { receipt } = props;
  return (
    <section class="proof-of">
      <h3>
        <Mark tone={receipt.passed ? 'good' : 'bad'} shape={receipt.passed ? 'check' : 'cross'} />
        {receipt.check} <small>{t(receipt.passed ? 'stage.passed' : 'stage.notPassed')}</small>
      </h3>
      <pre class="argv">{receipt.line}</pre>
      <p class="facts">
        <span>{receipt.exit === null ? t('stage.noExit') : t('stage.exit', { code: String(receipt.exit) })}</span>
        <Show when={receipt.testsPassed !== null || receipt.testsFailed !== null}>
          <span>
            {t('stage.counts', {
              passed: receipt.testsPassed ?? 0,
              failed: receipt.testsFailed ?? 0,
              skipped: receipt.testsSkipped ?? 0,
            })}
          </span>
        </Show>
        <span>{lasting(receipt.elapsedMs)}</span>
        <Show when={receipt.failure}>{(failure) => <span>{readable(failure())}</span>}</Show>
      </p>
      <Show when={receipt.tail}>
        <pre>{receipt.tail}</pre>
      </Show>
      {/* Of runs from before outputs were kept there is the digest: it tells whether another one is the same. */}
      <Show
        when={receipt.kept}
        fallback={
          <p class="facts">
            <span>
              {t('stage.output')} <code title={receipt.output}>{receipt.output.slice(0, 12)}</code>
            </span>
          </p>
        }
      >
        <Blob label={t('stage.output')} digest={receipt.output} blob={props.blob} />
      </Show>
    </section>
  );
}

/** A text that is fetched when it is opened, and shown as text whatever is in it. */
function Blob(props: {
  readonly label: string;
  readonly digest: string | null;
  readonly blob: (digest: string) => Promise<string>;
}) {
  const [text, setText] = createSignal<string | null>(null);
  const [error, setError] = createSignal('');
  const load = async (digest: string): Promise<void> => {
    setError('');
    try {
      setText(await props.blob(digest));
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <Show when={props.digest}>
      {(digest) => (
        <details onToggle={(event) => event.currentTarget.open && text() === null && void load(digest())}>
          <summary>
            {props.label} <code title={digest()}>{digest().slice(0, 12)}</code>
          </summary>
          <Show when={error()} fallback={<pre>{text() ?? t('app.loading')}</pre>}>
            <p class="wrong">{error()}</p>
          </Show>
        </details>
      )}
    </Show>
  );
}
