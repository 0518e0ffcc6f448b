// One seat in one round: who it is, whether it speaks, what it found.

import '../styles/lane.css';
import { For, Show } from 'solid-js';
import { t } from '../i18n';
import type { Lane as LaneState, Seat } from '../reducer/state';
import { later } from './later';
import { Mark } from './Mark';
import { readable, roleName, scoreOr, share } from './words';

const Turns = later(async () => (await import('./second')).Turns);

export function Lane(props: {
  readonly seat: Seat;
  readonly lane: LaneState | undefined;
  readonly scale: number;
  readonly onDetail: () => void;
}) {
  const turns = () => props.lane?.turns ?? [];
  const last = () => turns().at(-1);
  const answer = () => turns().findLast((turn) => turn.end && !turn.end.error)?.end;
  /** Where there is no score: what it is doing, or its verdict in a word. */
  const word = (): string => {
    if (!props.lane) return t('stage.waits');
    return props.lane.isSpeaking ? t('stage.speaks') : readable(answer()?.word ?? '');
  };
  return (
    <article
      class="lane"
      classList={{ speaking: props.lane?.isSpeaking ?? false, absent: !props.lane, drafts: answer()?.said === 'draft' }}
    >
      <header>
        <h3>
          <button
            type="button"
            class="name"
            onClick={() => props.onDetail()}
            disabled={turns().length === 0}
            aria-haspopup="dialog"
          >
            {roleName(props.seat.role)}
          </button>
        </h3>
        <p class="who">{[props.seat.agent, last()?.start.model ?? props.seat.model].filter(Boolean).join(' · ')}</p>
        <p class="lane-score">
          <Show when={typeof props.lane?.score === 'number'} fallback={<small>{word()}</small>}>
            {scoreOr(props.lane?.score)}
          </Show>
        </p>
      </header>
      <p class="summary">{answer()?.summary}</p>
      <ul class="dims">
        <For each={props.lane?.dims}>
          {(dim) => (
            <li>
              <span>{dim.dimName}</span>
              <span class="track" aria-hidden="true">
                <i style={{ width: share(dim.dimScore, props.scale) }} />
              </span>
              <b>{scoreOr(dim.dimScore)}</b>
              <p>{dim.dimNote}</p>
            </li>
          )}
        </For>
      </ul>
      <ul class="demands">
        <For each={props.lane?.mustFixes}>
          {(text) => (
            <li>
              <Mark tone="bad" shape="triangle" />
              <p>
                <span class="quiet">{t('stage.severity.must_fix')}: </span>
                {text}
              </p>
            </li>
          )}
        </For>
      </ul>
      <Turns turns={turns()} />
    </article>
  );
}
