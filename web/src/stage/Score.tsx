// The score against what it must reach. The number is the engine's, whatever a panel claimed.

import { createMemo, Show } from 'solid-js';
import type { RunRow } from '../api/types';
import { t } from '../i18n';
import { score } from '../i18n/format';
import type { State } from '../reducer/state';
import { scoreOr } from './words';

export interface Tally {
  /** Of the last round that was closed at the moment shown. */
  readonly composite: number | null;
  readonly threshold: number | null;
  readonly scale: number;
}

/** What the score stands against: the theater's gate, a desk's stories (all of them), or nothing. */
export function tally(state: State, run: RunRow): Tally {
  const composite = state.rounds.findLast((round) => round.end !== null && round.end.composite !== null)?.end?.composite ?? null;
  const threshold = state.gate?.threshold ?? run.threshold ?? (run.loop === 'desk' ? 1 : null);
  return { composite, threshold, scale: state.gate?.scale ?? run.scale ?? 1 };
}

export function Score(props: { readonly state: State; readonly run: RunRow }) {
  const now = createMemo(() => tally(props.state, props.run));
  const stories = () => props.state.stories;
  const share = (value: number | null): number => Math.min((value ?? 0) / now().scale, 1);
  return (
    <section class="score" aria-label={t('stage.score')}>
      <p class="score-now">
        <Show
          when={stories().length}
          fallback={<><b>{scoreOr(now().composite)}</b> <small>{t('stage.of', { limit: score(now().scale) })}</small></>}
        >
          <b>{stories().filter((story) => story.verifiedIn !== null).length}</b>{' '}
          <small>{t('stage.ofStories', { n: stories().length })}</small>
        </Show>
      </p>
      <div class="track" classList={{ reached: now().composite !== null && share(now().composite) >= share(now().threshold ?? Infinity) }}>
        <i style={{ width: `${share(now().composite) * 100}%` }} />
        <Show when={stories().length === 0 && now().threshold}>
          {(threshold) => (
            <span class="gate" style={{ left: `${share(threshold()) * 100}%` }}>
              <span>{t('stage.shipsAt', { threshold: score(threshold()) })}</span>
            </span>
          )}
        </Show>
      </div>
    </section>
  );
}
