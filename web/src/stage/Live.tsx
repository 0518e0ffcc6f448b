// What a turn says before it ends. It is not in the log, so it is kept no longer than the turn is in flight.

import { createSignal, onCleanup, Show } from 'solid-js';

/** So much of it is shown: what was said last. */
const TAIL = 600;

interface LiveFrame {
  readonly turn: number;
  readonly text?: string;
  readonly tool?: string;
}

export function Live(props: { readonly turn: number }) {
  const [text, setText] = createSignal('');
  const [tool, setTool] = createSignal('');
  const heard = (event: Event): void => {
    const frame = JSON.parse((event as MessageEvent<string>).data) as LiveFrame;
    if (frame.turn !== props.turn) return;
    setTool(frame.tool ?? '');
    setText((before) => (before + (frame.text ?? '')).slice(-TAIL));
  };
  addEventListener('live', heard);
  onCleanup(() => removeEventListener('live', heard));
  return (
    <Show when={text() + tool()}>
      <p class="saying">
        <Show when={tool()} fallback={text()}>
          <code>{tool()}</code>
        </Show>
      </p>
    </Show>
  );
}
