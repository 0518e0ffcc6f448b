import { For, type JSX } from 'solid-js';
import { t } from '../i18n';
import { KEYS, type Command } from '../keys/keys';
import { Dialog } from './Dialog';
import './help.css';

/** What is printed on keys that have no sign of their own. */
const CAPS: Record<string, string> = { ' ': '␣', Tab: '⇥', Enter: '↵', Escape: 'Esc' };
const PLACES = ['anywhere', 'stage'] as const;
const placeOf = (command: Command) => (command === 'help' || command === 'search' ? 'anywhere' : 'stage');

/** Every key of the page, as the keyboard map has it. */
export default function Help(props: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title={t('keys.title')} onClose={props.onClose}>
      <For each={PLACES}>
        {(place) => (
          <>
            <h3 class="keys-place">{t(`keys.${place}`)}</h3>
            <dl class="keys">
              <For each={[...KEYS].filter(([, command]) => placeOf(command) === place)}>
                {([key, command]) => (
                  <div>
                    <dt>
                      <kbd>{CAPS[key] ?? key}</kbd>
                    </dt>
                    <dd>{t(`keys.${command}`)}</dd>
                  </div>
                )}
              </For>
            </dl>
          </>
        )}
      </For>
    </Dialog>
  );
}
