// The score against what it must reach. The number is the engine's, whatever a panel claimed.

import { Show } from 'solid-js';
import type { RunRow } from '../api/types';
import { t } from '../i18n';
import { score } from '../i18n/format';
import { countsMustFixes } from '../loops';
import { isOpen } from '../reducer/findings';
import type { State } from '../reducer/state';
import { ofLimit, scoreOr, share } from './words';

export interface Tally {
  /** Of the last round that was closed at the moment shown. */
  readonly composite: number | null;
  readonly threshold: number | null;
  readonly scale: number;
  /** There is no score: what counts is how many must-fixes are open. */
  readonly isCount: boolean;
}

/** What the score stands against: the theater's gate, or the whole of its scale. */
export function tally(state: State, run: RunRow): Tally {
  return {
    composite: state.rounds.findLast((round) => typeof round.end?.composite === 'number')?.end?.composite ?? null,
    threshold: state.gate?.threshold ?? run.threshold,
    scale: state.gate?.scale ?? run.scale ?? 1,
    isCount: countsMustFixes(run.loop),
  };
}

/** Whether a composite is good enough by itself; open must-fixes are another matter. */
export function hasReached(composite: number | null | undefined, { threshold, scale }: Tally): boolean {
  return typeof composite === 'number' && composite >= (threshold ?? scale);
}

/** The one figure, and what it is of: open must-fixes, stories that hold, or points. */
function headline(state: State, { isCount, composite, scale }: Tally): readonly [figure: string, of: string] {
  const n = state.findings.filter((finding) => finding.severity === 'must_fix' && isOpen(finding)).length;
  if (isCount) return [String(n), t('stage.mustFixesOpen', { n })];
  const held = state.stories.filter((story) => story.verifiedIn !== null).length;
  if (state.stories.length > 0) return [String(held), t('stage.ofStories', { n: state.stories.length })];
  return [scoreOr(composite), ofLimit(scale, score)];
}

export function Score(props: { readonly state: State; readonly tally: Tally }) {
  const shown = () => headline(props.state, props.tally);
  return (
    <section class="score" aria-label={t('stage.score')}>
      <p class="score-now">
        <b>{shown()[0]}</b> <small>{shown()[1]}</small>
      </p>
      <Show when={!props.tally.isCount}>
        <div class="track" classList={{ reached: hasReached(props.tally.composite, props.tally) }}>
          <i style={{ width: share(props.tally.composite, props.tally.scale) }} />
          <Show when={props.tally.threshold}>
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
