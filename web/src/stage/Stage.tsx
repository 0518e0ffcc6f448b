// A run on stage: live while it runs, the same at any earlier moment.
//
// What a running stage shows first is in the page's first file. The second one follows at once; what is
// behind a press or another loop's comes when it is asked for.

import { createMemo, createSignal, onMount, Show } from 'solid-js';
import '../styles/stage.css';
import { t } from '../i18n';
import { roundOf } from '../reducer/rounds';
import { createMoment } from '../replay/moment';
import type { Playback } from '../replay/playback';
import type { Asking } from './Acts';
import type { EvidenceOf } from './Evidence';
import { Header } from './Header';
import { later } from './later';
import type { StageProps } from './props';
import { Round } from './Round';
import { Score, tally } from './Score';
import { standing } from './standing';
import type { View } from './view';
import { share } from './words';

const second = () => import('./second');
const Acts = later(async () => (await second()).Acts);
const Side = later(async () => (await second()).Side);
const News = later(async () => (await second()).News);
const Notices = later(async () => (await second()).Notices);
const Proof = later(async () => (await import('./Proof')).Proof);
const Evidence = later(async () => (await import('./Evidence')).Evidence);
const Small = later(async () => (await second()).Small);
const Strip = later(async () => (await second()).Strip);
const Transcript = later(async () => (await second()).Transcript);
const Replay = later(async () => (await second()).Replay);

export function Stage(props: StageProps) {
  const moment = createMoment(() => props.frames());
  const { state, isLive } = moment;
  const [picked, setPicked] = createSignal<number | null>(null);
  const [isSmall, setSmall] = createSignal(false);
  const [asking, setAsking] = createSignal<Asking>(null);
  const [evidence, setEvidence] = createSignal<EvidenceOf | null>(null);
  let playback: Playback | undefined;

  const stands = createMemo(() => standing(state().phase, props.run, isLive()));
  const score = createMemo(() => tally(state(), props.run));
  // The latest round is followed until somebody picks one; one that is not there yet falls back to it.
  const round = createMemo(() => {
    const number = picked();
    return (number === null ? undefined : roundOf(state(), number)) ?? state().rounds.at(-1);
  });
  // Where the threshold stands in every bar of a score; nothing where there is none.
  const gate = () => (state().gate ? share(score().threshold, score().scale) : undefined);
  const pick = (number: number): void => {
    setPicked(number === state().rounds.at(-1)?.number ? null : number);
  };
  const step = (by: number): void => {
    const now = round();
    const next = now && state().rounds[state().rounds.indexOf(now) + by];
    if (next) pick(next.number);
  };
  const view: View = {
    given: props,
    moment,
    state,
    round,
    tally: score,
    pick,
    prove: (round, role) => setEvidence({ round, role }),
  };

  onMount(() =>
    props.bind({
      previous: () => step(-1),
      next: () => step(1),
      play: () => playback?.playOrPause(),
      interrupt: () => props.run.actions.includes('interrupt') && setAsking('interrupt'),
    }),
  );

  return (
    <Show when={!isSmall()} fallback={<Small view={view} standing={stands()} onExpand={() => setSmall(false)} />}>
      <div class="stage" style={{ '--gate': gate() }}>
        <Header run={props.run} state={state()} standing={stands()} isLive={isLive()}>
          <Acts view={view} asking={asking()} onAsk={setAsking} />
          <button type="button" aria-expanded="true" onClick={() => setSmall(true)}>
            {t('stage.collapse')}
          </button>
        </Header>
        <News view={view} />
        <Notices view={view} />
        <div class="measure">
          <Score state={state()} tally={score()} />
          <Strip view={view} />
        </div>
        <Show when={isLive() && props.run.waitingFor.length > 0}>
          <props.seat waitingFor={props.run.waitingFor} />
        </Show>
        <div class="boards">
          <div class="board">
            <Show
              when={round()}
              fallback={<p class="nothing curtain">{t(props.run.isQueued ? 'stage.queuedText' : 'stage.emptyText')}</p>}
            >
              {(round) => (
                <>
                  <Round view={view} round={round()} />
                  <Show when={round().rulings.length + round().receipts.length + state().stories.length > 0}>
                    <Proof view={view} round={round()} />
                  </Show>
                </>
              )}
            </Show>
          </div>
          <div class="board">
            <Side view={view} />
          </div>
        </div>
        <Show when={props.frames().length > 0}>
          <Transcript view={view} />
          <Replay view={view} onReady={(ready) => (playback = ready)} />
        </Show>
        <Show when={evidence()}>{(of) => <Evidence view={view} of={of()} onClose={() => setEvidence(null)} />}</Show>
      </div>
    </Show>
  );
}
