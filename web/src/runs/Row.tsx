import { Show, type JSX } from 'solid-js';
import type { RunRow } from '../api/types';
import { t } from '../i18n';
import { ago, moment } from '../i18n/dates';
import { count, money, score } from '../i18n/format';
import { hasIterations } from '../loops';
import { runHref } from '../shell/route';
import { Badge } from '../stage/Header';
import { reasonName } from '../stage/names';
import { scoreOr } from '../stage/words';
import { Sparkline } from './Sparkline';
import { standingOf } from './status';

export function Row(props: { row: RunRow; now: number }): JSX.Element {
  const row = () => props.row;
  /** What was handed over is not of the last round, which the reason is about. */
  const isBest = () => row().score !== row().composites.at(-1);
  const rounds = () => t(hasIterations(row().loop) ? 'runs.iterations' : 'runs.rounds', { count: row().rounds });

  return (
    <li class="run">
      <Badge standing={standingOf(row())} waitingFor={row().waitingFor} />
      <div class="run-what">
        <a href={runHref(row().run)} dir="auto">{row().subject}</a>
        <p>
          {t(`loop.${row().loop}`)} · <time dateTime={row().opened} title={moment(row().opened)}>{ago(row().opened, props.now)}</time>
          <Show when={row().forkOf}>{(run) => <> · <a href={runHref(run())}>{t('runs.fork')}</a></>}</Show>
          <Show when={row().reason}>{(reason) => <> · <bdi>{reasonName(reason())}</bdi></>}</Show>
        </p>
        <Show when={row().brief}>{(brief) => <p class="run-brief" dir="auto">{brief()}</p>}</Show>
      </div>
      <div class="run-score">
        <Show when={row().composites.some((value) => value !== null)}>
          <Sparkline row={row()} />
        </Show>
        <Show when={row().score !== null}>
          <p>
            <strong>{t(isBest() ? 'runs.best' : 'runs.score', { score: scoreOr(row().score, row().loop) })}</strong>
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
