// The controls of a replay: the same stage, at another moment.

import '../styles/extras.css';
import { createMemo, For } from 'solid-js';
import type { Frame } from '../api/types';
import { t } from '../i18n';
import { roundMarks } from './clock';
import { SPEEDS, type Player } from './player';

export function Replay(props: { readonly player: Player; readonly frames: readonly Frame[]; readonly isRunning: boolean }) {
  const total = () => props.frames.length;
  const marks = createMemo(() => roundMarks(props.frames));
  return (
    <section class="replay" aria-label={t('stage.replay')}>
      <div class="buttons">
        <button type="button" aria-label={t('stage.stepBack')} title={t('stage.stepBack')} onClick={() => props.player.step(-1)}>
          <Icon d="M3 3h2v10H3zm10 0v10L6 8z" />
        </button>
        <button
          type="button"
          aria-label={t(props.player.isPlaying() ? 'stage.pause' : 'stage.play')}
          title={t(props.player.isPlaying() ? 'stage.pause' : 'stage.play')}
          onClick={() => props.player.playOrPause()}
        >
          <Icon d={props.player.isPlaying() ? 'M3 2h4v12H3zm6 0h4v12H9z' : 'M4 2v12l10-6z'} />
        </button>
        <button type="button" aria-label={t('stage.stepOn')} title={t('stage.stepOn')} onClick={() => props.player.step(1)}>
          <Icon d="M11 3h2v10h-2zM3 3v10l7-5z" />
        </button>
      </div>
      <div class="scrub">
        <input
          type="range"
          min="0"
          max={total()}
          value={props.player.at()}
          aria-label={t('stage.moment')}
          aria-valuetext={t('stage.momentOf', { n: props.player.at(), total: total() })}
          onInput={(event) => props.player.seek(event.currentTarget.valueAsNumber)}
        />
        <div class="marks" aria-hidden="true">
          <For each={marks()}>{(mark) => <i style={{ left: `${(mark / Math.max(total(), 1)) * 100}%` }} />}</For>
        </div>
      </div>
      <div class="choice">
        <For each={SPEEDS}>
          {(speed) => (
            <button type="button" aria-pressed={props.player.speed() === speed} onClick={() => props.player.setSpeed(speed)}>
              {speed}×
            </button>
          )}
        </For>
      </div>
      <button type="button" aria-pressed={props.player.isLive()} onClick={() => props.player.goLive()}>
        {t(props.isRunning ? 'stage.live' : 'stage.instant')}
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
