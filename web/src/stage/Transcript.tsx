// Everything that was said, line by line. Only the lines in sight are in the document, so ten thousand
// of them cost no more than fifty.

import '../styles/transcript.css';
import { createEffect, createMemo, createSignal, Index, onCleanup, onMount, Show } from 'solid-js';
import { t } from '../i18n';
import { clock } from '../i18n/dates';
import { line } from './lines';
import type { View } from './view';

/** As in the style sheet: lines are of one height, which makes the window a division. */
const LINE_PX = 28;
/** Lines kept beyond both edges, so that a quick scroll shows no gap. */
const MARGIN = 12;

export function Transcript(props: { readonly view: View }) {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <details class="panel" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('stage.transcript')}</summary>
      <Show when={isOpen()}>
        <Lines view={props.view} />
      </Show>
    </details>
  );
}

function Lines(props: { readonly view: View }) {
  const { given, moment, state } = props.view;
  let box: HTMLOListElement | undefined;
  const [height, setHeight] = createSignal(400);
  onMount(() => {
    if (!box) return;
    const sized = new ResizeObserver(() => setHeight(box?.clientHeight ?? 0));
    sized.observe(box);
    onCleanup(() => sized.disconnect());
  });
  // Where the reader has scrolled to. Nothing: the moment shown is followed.
  const [place, setPlace] = createSignal<number | null>(null);
  const target = createMemo(() => Math.max(moment.at() * LINE_PX - height(), 0));
  const top = createMemo(() => place() ?? target());
  // After the lines of the new place are there: the browser lays them out once.
  createEffect(() => {
    const top = target();
    if (box && place() === null) box.scrollTop = top;
  });
  const scrolled = ({ scrollTop }: HTMLOListElement): void => {
    setPlace(Math.abs(scrollTop - target()) < 2 * LINE_PX ? null : scrollTop);
  };
  const first = createMemo(() => Math.max(0, Math.floor(top() / LINE_PX) - MARGIN));
  const visible = createMemo(() => given.frames().slice(first(), Math.ceil((top() + height()) / LINE_PX) + MARGIN));
  return (
    <ol
      class="transcript"
      tabindex="0"
      aria-label={t('stage.transcript')}
      ref={(element) => (box = element)}
      onScroll={(event) => scrolled(event.currentTarget)}
    >
      <li class="pad" aria-hidden="true" style={{ height: `${first() * LINE_PX}px` }} />
      {/* By their place: a leap writes other words into the same lines, and makes none. */}
      <Index each={visible()}>
        {(frame, at) => {
          const shown = createMemo(() => line(frame(), given.run.loop, state().gate));
          const number = () => first() + at + 1;
          return (
            <li
              aria-setsize={given.frames().length}
              aria-posinset={number()}
              classList={{ divider: shown().isDivider, ahead: number() > moment.at() }}
            >
              <button type="button" tabindex="-1" title={t('stage.goTo')} onClick={() => moment.seek(number())}>
                <time dateTime={frame().time}>{clock(frame().time)}</time>
              </button>
              <b>{shown().who}</b>
              <span title={shown().text} dir="auto">{shown().text}</span>
            </li>
          );
        }}
      </Index>
      <li
        class="pad"
        aria-hidden="true"
        style={{ height: `${Math.max(given.frames().length - first() - visible().length, 0) * LINE_PX}px` }}
      />
    </ol>
  );
}
