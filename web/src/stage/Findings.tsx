// What was found wrong and what became of it.

import { createMemo, createSignal, For, Show, type ParentProps } from 'solid-js';
import { t } from '../i18n';
import { isOpen } from '../reducer/findings';
import type { Finding, State } from '../reducer/state';
import { Mark } from './Mark';
import type { ShapeName, Tone } from './standing';
import { roleName } from './words';

const MARKS: Readonly<Record<Finding['severity'], readonly [Tone, ShapeName]>> = {
  must_fix: ['bad', 'triangle'],
  should: ['warn', 'diamond'],
  note: ['calm', 'ring'],
};

const SETTLED: Readonly<Partial<Record<Finding['state'], readonly [Tone, ShapeName]>>> = {
  fixed: ['good', 'check'],
  contested: ['calm', 'ring'],
};
/** A long desk run finds hundreds of things; this many are enough to begin with. */
const AT_FIRST = 60;

type FindingsProps = ParentProps<{
  readonly state: State;
  readonly onEvidence: (round: number, role: string) => void;
}>;

/** What is given inside of it stands below the list. */
export function Findings(props: FindingsProps) {
  const [all, setAll] = createSignal(false);
  const [limit, setLimit] = createSignal(AT_FIRST);
  // Its own memo, so that a frame about something else stops here.
  const findings = createMemo(() => props.state.findings);
  const byId = createMemo(() => new Map(findings().map((finding) => [finding.id, finding])));
  const open = createMemo(() => findings().filter(isOpen));
  const chosen = () => (all() ? findings() : open());
  // Keyed by the id, so that a finding whose state changes stays the same element.
  const ids = createMemo(() =>
    chosen()
      .slice(0, limit())
      .map((finding) => finding.id),
  );
  return (
    <section class="panel findings">
      <header>
        <h2>{t('stage.findings')}</h2>
        <div class="choice">
          <button type="button" aria-pressed={!all()} onClick={() => setAll(false)}>
            {t('stage.openOnes', { n: open().length })}
          </button>
          <button type="button" aria-pressed={all()} onClick={() => setAll(true)}>
            {t('stage.allOnes', { n: findings().length })}
          </button>
        </div>
      </header>
      {/* A list that scrolls must be in reach of the keyboard. */}
      <ul tabindex="0" aria-label={t('stage.findings')}>
        <For each={ids()} fallback={<li class="nothing">{t('stage.noFindings')}</li>}>
          {(id) => (
            <Show when={byId().get(id)}>{(finding) => <Item finding={finding()} onEvidence={props.onEvidence} />}</Show>
          )}
        </For>
        <Show when={chosen().length > limit()}>
          <li>
            <button type="button" class="link" onClick={() => setLimit(Infinity)}>
              {t('runs.more')}
            </button>
          </li>
        </Show>
      </ul>
      {props.children}
    </section>
  );
}

function Item(props: { readonly finding: Finding; readonly onEvidence: (round: number, role: string) => void }) {
  /** What was fixed is no alarm any more, and what is contested is nobody's order. */
  const mark = () => SETTLED[props.finding.state] ?? MARKS[props.finding.severity];
  return (
    <li classList={{ settled: !isOpen(props.finding) }}>
      <Mark tone={mark()[0]} shape={mark()[1]} />
      <div>
        <p dir="auto">
          <span class="quiet">{t(`stage.severity.${props.finding.severity}`)}: </span>
          {props.finding.text}
          <Show when={props.finding.target}>{(target) => <code> {target()}</code>}</Show>
        </p>
        <p class="life">
          <button
            type="button"
            class="link"
            aria-haspopup="dialog"
            onClick={() => props.onEvidence(props.finding.raised, props.finding.role)}
          >
            {roleName(props.finding.role)}
          </button>
          <span>{t('stage.life.raised', { n: props.finding.raised })}</span>
          <For each={props.finding.life.filter((step, at) => at > 0 || step.state !== 'open')}>
            {(step) => <span class={step.state}>{t(`stage.life.${step.state}`, { n: step.round })}</span>}
          </For>
        </p>
      </div>
    </li>
  );
}
