// The controls of a replay: the same stage, at another moment.

import '../styles/replay.css';
import { createMemo, For, onMount, Show } from 'solid-js';
import { t } from '../i18n';
import type { View } from '../stage/view';
import { roundMarks } from './clock';
import { createPlayback, SPEEDS, type Playback } from './playback';

export function Replay(props: {
  readonly view: View;
  /** Hands out the playback, for the keyboard. */
  readonly onReady: (playback: Playback) => void;
}) {
  const { given, moment } = props.view;
  const playback = createPlayback(() => given.frames(), moment);
  onMount(() => props.onReady(playback));
  const total = () => given.frames().length;
  const marks = createMemo(() => roundMarks(given.frames()));
  return (
    <section class="replay" aria-label={t('stage.replay')}>
      <div class="buttons">
        <button
          type="button"
          aria-label={t('stage.stepBack')}
          title={t('stage.stepBack')}
          onClick={() => playback.step(-1)}
        >
          <Icon d="M3 3h2v10H3zm10 0v10L6 8z" />
        </button>
        <button
          type="button"
          aria-label={t(playback.isPlaying() ? 'stage.pause' : 'stage.play')}
          title={t(playback.isPlaying() ? 'stage.pause' : 'stage.play')}
          onClick={() => playback.playOrPause()}
        >
          <Icon d={playback.isPlaying() ? 'M3 2h4v12H3zm6 0h4v12H9z' : 'M4 2v12l10-6z'} />
        </button>
        <button type="button" aria-label={t('stage.stepOn')} title={t('stage.stepOn')} onClick={() => playback.step(1)}>
          <Icon d="M11 3h2v10h-2zM3 3v10l7-5z" />
        </button>
      </div>
      <div class="scrub">
        <input
          type="range"
          min="0"
          max={total()}
          value={moment.at()}
          aria-label={t('stage.moment')}
          aria-valuetext={t('stage.momentOf', { n: moment.at(), total: total() })}
          onInput={(event) => moment.seek(event.currentTarget.valueAsNumber)}
        />
        <div class="marks" aria-hidden="true">
          <For each={marks()}>{(mark) => <i style={{ left: `${(mark / Math.max(total(), 1)) * 100}%` }} />}</For>
        </div>
      </div>
      <div class="choice" role="group" aria-label={t('stage.speed')}>
        <For each={SPEEDS}>
          {(speed) => (
            <button type="button" aria-pressed={playback.speed() === speed} onClick={() => playback.setSpeed(speed)}>
              {speed}×
            </button>
          )}
        </For>
      </div>
      <Show when={!moment.isLive()}>
        <span class="past">{t('stage.past')}</span>
      </Show>
      <button type="button" aria-pressed={moment.isLive()} onClick={() => moment.goLive()}>
        {t(given.run.status === 'running' ? 'stage.live' : 'stage.instant')}
      </button>
    </section>
  );
}

function Icon(props: { readonly d: string }) {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={props.d} />
    </svg>
  );
}
