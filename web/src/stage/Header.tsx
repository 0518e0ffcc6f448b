// Who is on trial, how it stands, and what it has cost so far.

import { createSignal, onCleanup, type JSX } from 'solid-js';
import type { RunRow } from '../api/types';
import { t } from '../i18n';
import { count, money } from '../i18n/format';
import type { State } from '../reducer/state';
import { Mark } from './Mark';
import { MARKS, type Standing } from './standing';
import { lasting, ofLimit, standingName } from './words';

export function Header(props: {
  readonly run: RunRow;
  readonly state: State;
  readonly standing: Standing;
  readonly isLive: boolean;
  readonly children: JSX.Element;
}) {
  const limits = () => props.state.scene?.limits;
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), 1000);
  onCleanup(() => clearInterval(timer));
  /** Runs on by itself only while the run does: a replay shows the time that had passed by then. */
  const elapsed = (): number => {
    const { opened, latest, phase } = props.state;
    if (opened === null || latest === null) return 0;
    return (props.isLive && phase.kind === 'running' ? now() : Date.parse(latest)) - Date.parse(opened);
  };
  return (
    <header class="stage-head">
      <div>
        <div>
          <p class="eyebrow">{t(`loop.${props.run.loop}`)}</p>
          <h1>{props.run.subject}</h1>
        </div>
        <Badge standing={props.standing} waitingFor={props.run.waitingFor} />
      </div>
      <div class="wraps">
        <dl class="figures">
          <Figure
            name={t('stage.cost')}
            value={props.state.spent.usdMicros ?? 0}
            limit={limits()?.usdMicros}
            show={money}
          />
          <Figure name={t('stage.tokens')} value={props.state.spent.tokens} limit={limits()?.tokens} show={count} />
          <Figure name={t('stage.elapsed')} value={elapsed()} limit={limits()?.wallMs} show={lasting} />
        </dl>
        <div class="acts">{props.children}</div>
      </div>
    </header>
  );
}

export function Badge(props: { readonly standing: Standing; readonly waitingFor: readonly string[] }) {
  const mark = () => MARKS[props.standing];
  return (
    <p class={`badge ${mark()[0]}`}>
      <Mark tone={mark()[0]} shape={mark()[1]} />
      {standingName(props.standing, props.waitingFor)}
    </p>
  );
}

function Figure(props: {
  readonly name: string;
  readonly value: number;
  readonly limit: number | null | undefined;
  readonly show: (value: number) => string;
}) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.show(props.value)} <small>{ofLimit(props.limit, props.show)}</small>
      </dd>
    </div>
  );
}
