import { Show, type JSX } from 'solid-js';
import type { RunRow } from '../api/types';
import { t } from '../i18n';
import { ago, moment } from '../i18n/dates';
import { count, money, score } from '../i18n/format';
import { hasIterations } from '../loops';
import { runHref } from '../shell/route';
import { readable, scoreOr } from '../stage/words';
import { Sparkline } from './Sparkline';
import { MARKS, statusOf, toneOf } from './status';

export function Row(props: { row: RunRow; now: number }): JSX.Element {
  const row = () => props.row;
  const rounds = () => t(hasIterations(row().loop) ? 'runs.iterations' : 'runs.rounds', { count: row().rounds });
  const isIdle = () => row().status === 'running' && !row().isDriven && !row().isQueued && row().waitingFor.length === 0;

  return (
    <li class="run">
      <span class={`pill ${toneOf(row())}`} classList={{ moving: row().isDriven }}>
        <span aria-hidden="true">{MARKS[toneOf(row())]}</span>
        {statusOf(row())}
      </span>
      <div class="run-what">
        <a href={runHref(row().run)}>{row().subject}</a>
        <p>
          {t(`loop.${row().loop}`)} · <time dateTime={row().opened} title={moment(row().opened)}>{ago(row().opened, props.now)}</time>
          <Show when={row().forkOf}>{(run) => <> · <a href={runHref(run())}>{t('runs.fork')}</a></>}</Show>
          <Show when={isIdle()}> · {t('runs.idle')}</Show>
          <Show when={row().reason}>{(reason) => <> · {readable(reason())}</>}</Show>
        </p>
      </div>
      <div class="run-score">
        <Show when={row().composites.some((value) => value !== null)}>
          <Sparkline row={row()} />
        </Show>
        <Show when={row().score !== null}>
          <p>
            <strong>{t('runs.score', { score: scoreOr(row().score, row().loop) })}</strong>
            <Show when={row().threshold}>{(needed) => <small>{t('runs.of', { threshold: score(needed()) })}</small>}</Show>
          </p>
        </Show>
      </div>
      <p class="run-spent">
        {rounds()}
        <small>
          {t('runs.tokens', { count: count(row().tokens) })} · {money(row().usdMicros)}
        </small>
      </p>
    </li>
  );
}
