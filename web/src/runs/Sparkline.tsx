import { For, Show, type JSX } from 'solid-js';
import type { RunRow } from '../api/types';
import { t } from '../i18n';
import { score } from '../i18n/format';
import { HEIGHT, spark, WIDTH } from './spark';

/** A run's scores, round by round, against what is needed. */
export function Sparkline(props: { row: RunRow }): JSX.Element {
  const drawn = () => spark(props.row.composites, props.row.threshold, props.row.scale);
  const label = () => {
    const { composites, threshold } = props.row;
    const scores = composites.map((value) => (value === null ? t('runs.spark.none') : score(value))).join(', ');
    return threshold === null
      ? t('runs.spark', { scores })
      : t('runs.spark.threshold', { scores, threshold: score(threshold) });
  };
  return (
    <svg class="spark" role="img" aria-label={label()} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT}>
      <Show when={drawn().threshold}>{(y) => <line class="spark-needed" x1="0" x2={WIDTH} y1={y()} y2={y()} />}</Show>
      <For each={drawn().lines}>{(points) => <polyline points={points} />}</For>
      <For each={drawn().dots}>{(at) => <circle cx={at.x} cy={at.y} r="2.5" />}</For>
    </svg>
  );
}
