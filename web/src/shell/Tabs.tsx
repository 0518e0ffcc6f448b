import { For, type JSX } from 'solid-js';
import './tabs.css';

/** A few views of one thing. A group of pressed buttons, since the views replace one another in place. */
export function Tabs<T extends string>(props: {
  label: string;
  names: readonly T[];
  chosen: T;
  text: (name: T) => string;
  onChoose: (name: T) => void;
}): JSX.Element {
  return (
    <div class="tabs" role="group" aria-label={props.label}>
      <For each={props.names}>
        {(name) => (
          <button type="button" aria-pressed={props.chosen === name} onClick={() => props.onChoose(name)}>
            {props.text(name)}
          </button>
        )}
      </For>
    </div>
  );
}
