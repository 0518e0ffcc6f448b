// A run on stage: live while it runs, the same at any earlier moment.

import { createMemo, createSignal, onMount, Show, Suspense } from 'solid-js';
import '../styles/stage.css';
import { t } from '../i18n';
import { createPlayer } from '../replay/player';
import { roundOf } from '../reducer/rounds';
import { Acts, type Asking } from './Acts';
import { announceNews } from './announce';
import type { EvidenceOf } from './Evidence';
import { Findings } from './Findings';
import { Badge, Header } from './Header';
import { later } from './later';
import { Mark } from './Mark';
import { Preview } from './Preview';
import type { StageProps } from './props';
import { Round } from './Round';
import { Score, tally } from './Score';
import { standing } from './standing';
import { Steer } from './Steer';
import { Strip } from './Strip';
import { readable, scoreOr, share } from './words';

const Evidence = later(async () => (await import('./Evidence')).Evidence);
const Proof = later(async () => (await import('./Proof')).Proof);
const Transcript = later(async () => (await import('./Transcript')).Transcript);
const Replay = later(async () => (await import('../replay/Replay')).Replay);

export function Stage(props: StageProps) {
  const player = createPlayer(() => props.frames());
  const state = player.state;
  const [picked, setPicked] = createSignal<number | null>(null);
  const [isSmall, setSmall] = createSignal(false);
  const [asking, setAsking] = createSignal<Asking>(null);
  const [evidence, setEvidence] = createSignal<EvidenceOf | null>(null);
  const [hasTranscript, setTranscript] = createSignal(false);

  const stands = createMemo(() => standing(state().phase, props.run, player.isLive()));
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
    const at = state().rounds.findIndex((other) => other === round());
    const next = state().rounds[at + by];
    if (next) pick(next.number);
  };
  const canProve = (): boolean => {
    const now = round();
    return now !== undefined && (now.rulings.length > 0 || now.receipts.length > 0 || state().stories.length > 0);
  };
  const ended = () => {
    const { phase } = state();
    return phase.kind === 'ended' ? phase : undefined;
  };

  announceNews(state, () => player.isLive() && props.connection().kind === 'live', () => props.run.loop, (text) => props.announce(text));
  onMount(() =>
    props.bind({
      previousRound: () => step(-1),
      nextRound: () => step(1),
      playOrPause: () => player.playOrPause(),
      askInterrupt: () => props.run.actions.includes('interrupt') && setAsking('interrupt'),
    }),
  );

  return (
    <Show
      when={!isSmall()}
      fallback={
        <div class="stage-small">
          <Badge standing={stands()} waitingFor={props.run.waitingFor} />
          <b>{scoreOr(score().composite, props.run.loop)}</b>
          <span>{props.run.subject}</span>
          <button type="button" aria-expanded="false" onClick={() => setSmall(false)}>{t('stage.expand')}</button>
        </div>
      }
    >
      <div class="stage" style={{ '--gate': gate() }}>
        <Header run={props.run} state={state()} standing={stands()} isLive={player.isLive()}>
          <Acts run={props.run} actions={props.actions} asking={asking()} onAsk={setAsking} />
          <button type="button" aria-expanded="true" onClick={() => setSmall(true)}>{t('stage.collapse')}</button>
        </Header>
        <Show when={props.connection().kind === 'reconnecting'}>
          <p class="banner calm"><Mark tone="calm" shape="ring" />{t('stage.reconnecting')}</p>
        </Show>
        <Show when={state().degraded}>
          {(degraded) => (
            <p class="banner warn">
              <Mark tone="warn" shape="triangle" />
              {t('stage.degraded', { reason: readable(degraded().reason), adapter: degraded().adapter })}
            </p>
          )}
        </Show>
        <Show when={ended()}>
          {(end) => (
            <p class="outcome">
              {end().ship?.summary ?? readable(end().reason)}
              <Show when={!end().ship}> {t('stage.nothingShipped')}</Show>
            </p>
          )}
        </Show>
        <div class="measure">
          <Score state={state()} tally={score()} />
          <Strip state={state()} loop={props.run.loop} tally={score()} selected={round()?.number ?? null} onSelect={pick} />
        </div>
        <Show when={player.isLive() && props.run.waitingFor.length > 0}>
          {/* Of its own, so that fetching the form does not blank the stage around it. */}
          <Suspense>
            <props.seat waitingFor={props.run.waitingFor} />
          </Suspense>
        </Show>
        <div class="boards">
          <div class="board">
            <Show when={round()} fallback={<p class="nothing curtain">{t(props.run.isQueued ? 'stage.queuedText' : 'stage.emptyText')}</p>}>
              {(round) => (
                <Round
                  state={state()}
                  loop={props.run.loop}
                  round={round()}
                  scale={score().scale}
                  canSelect={props.run.actions.includes('select')}
                  select={() => props.actions.select(round().number)}
                  onDetail={(role) => setEvidence({ round: round().number, role })}
                />
              )}
            </Show>
            <Show when={canProve() && round()}>
              {(round) => <Proof state={state()} round={round()} onEvidence={(number, role) => setEvidence({ round: number, role })} />}
            </Show>
          </div>
          <div class="board side">
            {/* A desk works on a tree of files, not on one page. */}
            <Show when={props.run.loop !== 'desk' && round()}>
              {(round) => (
                <Preview state={state()} loop={props.run.loop} round={round().number} address={props.preview} diff={props.diff} />
              )}
            </Show>
            <Findings state={state()} onEvidence={(number, role) => setEvidence({ round: number, role })} />
            <Steer state={state()} canSteer={props.run.actions.includes('steer')} steer={(text) => props.actions.steer(text)} />
          </div>
        </div>
        <details class="panel" onToggle={(event) => setTranscript(event.currentTarget.open)}>
          <summary>{t('stage.transcript')}</summary>
          <Show when={hasTranscript()}>
            <Transcript frames={props.frames()} at={player.at()} loop={props.run.loop} onSeek={player.seek} />
          </Show>
        </details>
        <Show when={props.frames().length > 1}>
          <Replay player={player} frames={props.frames()} isRunning={props.run.status === 'running'} />
        </Show>
        <Show when={evidence()}>
          {(of) => <Evidence state={state()} loop={props.run.loop} of={of()} blob={props.blob} onClose={() => setEvidence(null)} />}
        </Show>
      </div>
    </Show>
  );
}
