import { createEffect, createSignal, For, onCleanup, Show, type JSX } from 'solid-js';
import type { Client } from '../api/client';
import { pages } from '../api/pages';
import { asProblem, type Problem } from '../api/problem';
import type { DiffLine } from '../api/types';
import { t } from '../i18n';
import { Tabs } from '../shell/Tabs';
import type { DiffSlotProps } from '../stage/props';
import { TextDiff } from './TextDiff';
import './diff.css';

const VIEWS = ['text', 'preview'] as const;
type View = (typeof VIEWS)[number];

/** What changed between any two rounds, as text or as two pages beside each other. */
export default function Diff(props: DiffSlotProps & { client: Client; run: string }): JSX.Element {
  const [from, setFrom] = createSignal(props.from);
  const [to, setTo] = createSignal(props.to);
  const [view, setView] = createSignal<View>('text');
  const [lines, setLines] = createSignal<readonly DiffLine[]>();
  const [problem, setProblem] = createSignal<Problem>();

  createEffect(() => {
    // An answer that comes after another pair was chosen is of no interest.
    let isLatest = true;
    onCleanup(() => (isLatest = false));
    setProblem(undefined);
    pages(props.client)
      .diff(props.run, from(), to())
      .then(
        (diff) => isLatest && setLines(diff.lines),
        (thrown: unknown) => isLatest && setProblem(asProblem(thrown)),
      );
  });

  const Round = (choice: { label: string; value: number; onChange: (round: number) => void }): JSX.Element => (
    <label>
      {choice.label}
      <select value={choice.value} onChange={(event) => choice.onChange(Number(event.currentTarget.value))}>
        <For each={props.rounds}>{(round) => <option value={round}>{t('diff.round', { round })}</option>}</For>
      </select>
    </label>
  );

  return (
    <section class="diff" aria-labelledby="diff-title">
      <div class="diff-head">
        <h2 id="diff-title">{t('diff.title')}</h2>
        <Round label={t('diff.from')} value={from()} onChange={setFrom} />
        <Round label={t('diff.to')} value={to()} onChange={setTo} />
        <Tabs
          label={t('diff.view')}
          names={VIEWS}
          chosen={view()}
          text={(name) => t(`diff.${name}`)}
          onChoose={setView}
        />
      </div>
      <Show
        when={view() === 'preview'}
        fallback={
          <Show when={!problem()} fallback={<p role="alert">{problem()?.message}</p>}>
            <Show when={lines()} fallback={<p class="loading">{t('app.loading')}</p>}>
              {(lines) => <TextDiff lines={lines()} />}
            </Show>
          </Show>
        }
      >
        <div class="diff-frames">
          <For each={[from(), to()]}>
            {(round) => (
              <figure>
                <figcaption>{t('diff.round', { round })}</figcaption>
                {/* An empty sandbox: no script, no form, no link out, whatever an agent wrote. */}
                <iframe sandbox="" title={t('diff.frame', { round })} src={props.client.previewUrl(props.run, round)} />
              </figure>
            )}
          </For>
        </div>
      </Show>
    </section>
  );
}
