// The work itself, in a frame that may do nothing.

import { createMemo, createSignal, Show, type Component } from 'solid-js';
import type { Loop } from '../api/types';
import { t } from '../i18n';
import type { State } from '../reducer/state';
import type { DiffSlotProps } from './props';
import { rested } from './rested';
import { roundName } from './words';

/** While somebody scrubs, the frame waits for them to stop. */
const REST_MS = 200;

export function Preview(props: {
  readonly state: State;
  readonly loop: Loop;
  readonly round: number;
  readonly address: (round: number) => string;
  readonly diff: Component<DiffSlotProps>;
}) {
  const [isComparing, setComparing] = createSignal(false);
  const drafted = () => props.state.rounds.filter((round) => round.draft);
  // A round without a draft of its own shows the one it judged: the latest before it.
  const shown = () => drafted().findLast((round) => round.number <= props.round);
  // By content: a joust rewrites its draft within a round, and the frame does not notice.
  const work = createMemo(shown, undefined, {
    equals: (a, b) => a?.number === b?.number && a?.draft?.content === b?.draft?.content,
  });
  const framed = rested(work, REST_MS);
  const before = () => drafted().findLast((round) => round.number < props.round) ?? drafted()[0];
  return (
    <section class="panel preview">
      <header>
        <h2>{t('stage.work')}</h2>
        <Show when={drafted().length > 1}>
          <button type="button" aria-pressed={isComparing()} onClick={() => setComparing(!isComparing())}>
            {t('stage.compare')}
          </button>
        </Show>
      </header>
      <Show
        when={!isComparing()}
        fallback={
          <props.diff
            rounds={drafted().map((round) => round.number)}
            from={before()?.number ?? props.round}
            to={shown()?.number ?? props.round}
          />
        }
      >
        <Show when={framed()} keyed fallback={<p class="nothing">{t('stage.noDraft')}</p>}>
          {(round) => (
            <iframe
              sandbox=""
              loading="lazy"
              referrerpolicy="no-referrer"
              title={roundName(props.loop, round.number)}
              src={props.address(round.number)}
            />
          )}
        </Show>
      </Show>
    </section>
  );
}
