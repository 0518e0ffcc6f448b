import { For, onCleanup, type JSX } from 'solid-js';
import { t } from '../i18n';
import { LOOPS } from './loops';
import type { Filter } from './match';
import { STATUSES } from './status';

/** A pause in typing that is taken for the end of it. */
const TYPING_MS = 200;

export function Filters(props: { filter: Filter; onChange: (filter: Filter) => void }): JSX.Element {
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const typed = (text: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => props.onChange({ ...props.filter, text }), TYPING_MS);
  };

  return (
    <form role="search" class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        {t('runs.search')}
        <input
          type="search"
          placeholder={t('runs.search.hint')}
          value={props.filter.text}
          onInput={(event) => typed(event.currentTarget.value)}
        />
      </label>
      <label>
        {t('runs.status')}
        <select
          value={props.filter.status}
          onChange={(event) => props.onChange({ ...props.filter, status: event.currentTarget.value })}
        >
          <option value="">{t('runs.any')}</option>
          <For each={STATUSES}>{(status) => <option value={status}>{t(`status.${status}`)}</option>}</For>
        </select>
      </label>
      <label>
        {t('runs.loop')}
        <select
          value={props.filter.loop}
          onChange={(event) => props.onChange({ ...props.filter, loop: event.currentTarget.value })}
        >
          <option value="">{t('runs.any')}</option>
          <For each={LOOPS}>{(loop) => <option value={loop}>{t(`loop.${loop}`)}</option>}</For>
        </select>
      </label>
    </form>
  );
}
