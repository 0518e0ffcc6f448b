// How many faults are likely left that nobody found. The figures are the engine's.

import { createEffect, createSignal, onCleanup, Show } from 'solid-js';
import type { ForecastLeft } from '../api/types';
import { t } from '../i18n';
import { count, money, tenths } from '../i18n/format';
import type { View } from './view';

/** Of the run as it stands: an earlier moment had another forecast. */
export function Forecast(props: { readonly view: View }) {
  const { given, moment, state } = props.view;
  const [forecast, setForecast] = createSignal<ForecastLeft | null>(null);
  const judged = () => state().rounds.filter((round) => round.end).length;
  createEffect(() => {
    // Without a round that is over nothing is judged.
    let isStale = false;
    onCleanup(() => (isStale = true));
    const show = (answer: ForecastLeft | null) => isStale || setForecast(answer);
    const asked = moment.isLive() && judged() > 0 ? given.ask<ForecastLeft | null>('forecast') : Promise.resolve(null);
    // A forecast that cannot be had is left out: nothing else depends on it.
    asked.then(show, () => show(null));
  });
  return <Show when={forecast()}>{(of) => <p class="quiet forecast">{told(of())}</p>}</Show>;
}

function told({ hidden, open }: ForecastLeft): string {
  if (!hidden) return t('stage.forecast.tooFew');
  const { expected, least, most, nextFinds, nextTokens, nextUsdMicros } = hidden;
  return [
    t('stage.forecast.left', { left: tenths(expected), least, most, open }),
    t('stage.forecast.next', { finds: tenths(nextFinds), tokens: count(nextTokens), usd: money(nextUsdMicros) }),
  ].join(' ');
}
