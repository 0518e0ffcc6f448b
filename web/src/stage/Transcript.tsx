// Everything that was said, line by line. Only the lines in sight are in the document, so ten thousand
// of them cost no more than fifty.

import '../styles/transcript.css';
import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js';
import { t } from '../i18n';
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
  const { given, moment } = props.view;
  let box: HTMLOListElement | undefined;
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(400);
  onMount(() => {
    if (!box) return;
    const sized = new ResizeObserver(() => setHeight(box?.clientHeight ?? 0));
    sized.observe(box);
    onCleanup(() => sized.disconnect());
  });
  // Follows the moment shown, as long as the reader has not scrolled elsewhere.
  let follows = true;
  const target = (): number => Math.max(moment.at() * LINE_PX - height(), 0);
  createEffect(() => {
    const top = target();
    if (box && follows) box.scrollTop = top;
  });
  const scrolled = (element: HTMLOListElement): void => {
    setTop(element.scrollTop);
    follows = Math.abs(element.scrollTop - target()) < 2 * LINE_PX;
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
      <For each={visible()}>
        {(frame, at) => {
          const shown = createMemo(() => line(frame, given.run.loop));
          const number = () => first() + at() + 1;
          return (
            <li
              aria-setsize={given.frames().length}
              aria-posinset={number()}
              classList={{ divider: shown().isDivider, ahead: number() > moment.at() }}
            >
              <button type="button" tabindex="-1" title={t('stage.goTo')} onClick={() => moment.seek(number())}>
                <time>{frame.time.slice(11, 19)}</time>
              </button>
              <b>{shown().who}</b>
              <span title={shown().text}>{shown().text}</span>
            </li>
          );
        }}
      </For>
      <li
        class="pad"
        aria-hidden="true"
        style={{ height: `${Math.max(given.frames().length - first() - visible().length, 0) * LINE_PX}px` }}
      />
    </ol>
  );
}
