// The score against what it must reach. The number is the engine's, whatever a panel claimed.

import { Show } from 'solid-js';
import type { RunRow } from '../api/types';
import { t } from '../i18n';
import { score } from '../i18n/format';
import { isOpen } from '../reducer/findings';
import type { State } from '../reducer/state';
import { scoreOr, share } from './words';

export interface Tally {
  /** Of the last round that was closed at the moment shown. */
  readonly composite: number | null;
  readonly threshold: number | null;
  readonly scale: number;
  /** A review has no score: what counts is how many must-fixes are open. */
  readonly isCount: boolean;
}

/** What the score stands against: the theater's gate, a desk's stories (all of them), or nothing. */
export function tally(state: State, run: RunRow): Tally {
  return {
    composite: state.rounds.findLast((round) => typeof round.end?.composite === 'number')?.end?.composite ?? null,
    threshold: state.gate?.threshold ?? run.threshold ?? (run.loop === 'desk' ? 1 : null),
    scale: state.gate?.scale ?? run.scale ?? 1,
    isCount: run.loop === 'review',
  };
}

/** Whether a composite is good enough by itself; open must-fixes are another matter. */
export function hasReached(composite: number | null | undefined, { threshold }: Tally): boolean {
  return typeof composite === 'number' && threshold !== null && composite >= threshold;
}

export function Score(props: { readonly state: State; readonly tally: Tally }) {
  const stories = () => props.state.stories;
  const mustFixes = () => props.state.findings.filter((finding) => finding.severity === 'must_fix' && isOpen(finding)).length;
  return (
    <section class="score" aria-label={t('stage.score')}>
      <p class="score-now">
        {/* Nested, because one `Switch` on the page would bring a fortieth of the budget with it. */}
        <Show
          when={props.tally.isCount}
          fallback={
            <Show
              when={stories().length}
              fallback={<><b>{scoreOr(props.tally.composite)}</b> <small>{t('stage.of', { limit: score(props.tally.scale) })}</small></>}
            >
              <b>{stories().filter((story) => story.verifiedIn !== null).length}</b>{' '}
              <small>{t('stage.ofStories', { n: stories().length })}</small>
            </Show>
          }
        >
          <b>{mustFixes()}</b> <small>{t('stage.mustFixesOpen', { n: mustFixes() })}</small>
        </Show>
      </p>
      <Show when={!props.tally.isCount}>
        <div class="track" classList={{ reached: hasReached(props.tally.composite, props.tally) }}>
          <i style={{ width: share(props.tally.composite, props.tally.scale) }} />
          <Show when={stories().length === 0 && props.tally.threshold}>
            {(threshold) => (
              <span class="gate" style={{ left: share(threshold(), props.tally.scale) }}>
                <span>{t('stage.shipsAt', { threshold: score(threshold()) })}</span>
              </span>
            )}
          </Show>
        </div>
      </Show>
    </section>
  );
}
