import { createResource, createSignal, For, Match, Show, Switch, type JSX } from 'solid-js';
import type { Client } from '../api/client';
import { asProblem } from '../api/problem';
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
  const [diff] = createResource(
    () => ({ from: from(), to: to() }),
    (pair) => props.client.diff(props.run, pair.from, pair.to),
  );

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
      <Switch>
        <Match when={view() === 'preview'}>
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
        </Match>
        <Match when={diff.error}>{(thrown) => <p role="alert">{asProblem(thrown()).message}</p>}</Match>
        <Match when={diff.latest}>{(diff) => <TextDiff lines={diff().lines} />}</Match>
      </Switch>
      <Show when={diff.loading && !diff.latest}>
        <p class="loading">{t('app.loading')}</p>
      </Show>
    </section>
  );
}
