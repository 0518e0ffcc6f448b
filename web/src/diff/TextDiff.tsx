import { createSignal, For, Show, type JSX } from 'solid-js';
import type { DiffLine } from '../api/types';
import { t } from '../i18n';
import { hunks, tally, type Hunk } from './hunks';

const SIGNS: Record<DiffLine['kind'], string> = { same: ' ', added: '+', removed: '−' };

export function TextDiff(props: { lines: readonly DiffLine[] }): JSX.Element {
  const counts = () => tally(props.lines);
  return (
    <Show when={counts().added + counts().removed > 0} fallback={<p class="diff-note">{t('diff.same')}</p>}>
      <p class="diff-note">{t('diff.summary', counts())}</p>
      {/* Focusable, because long lines make it scroll. */}
      <div class="diff-text" role="region" tabindex="0" aria-label={t('diff.text')}>
        <For each={hunks(props.lines)}>{(hunk) => <Stretch hunk={hunk} />}</For>
      </div>
    </Show>
  );
}

function Stretch(props: { hunk: Hunk }): JSX.Element {
  const [isOpen, setOpen] = createSignal(!props.hunk.isGap);
  return (
    <Show
      when={isOpen()}
      fallback={
        <button type="button" class="diff-gap" onClick={() => setOpen(true)}>
          <span aria-hidden="true">⋯</span> {t('diff.skipped', { count: props.hunk.lines.length })}
        </button>
      }
    >
      <For each={props.hunk.lines}>{(line) => <Line line={line} />}</For>
    </Show>
  );
}

function Line(props: { line: DiffLine }): JSX.Element {
  const { kind, text, from, to } = props.line;
  return (
    <div class={`diff-line ${kind}`}>
      <span class="diff-number">{from}</span>
      <span class="diff-number">{to}</span>
      <span aria-hidden="true">{SIGNS[kind]}</span>
      <code>
        <Show when={kind !== 'same'}>
          <span class="quiet">{t(kind === 'added' ? 'diff.added' : 'diff.removed')}: </span>
        </Show>
        {text}
      </code>
    </div>
  );
}
