import { For, type JSX } from 'solid-js';
import { t } from '../i18n';
import { KEYS } from '../keys/keys';
import { Dialog } from './Dialog';
import './help.css';

const PLACES = ['anywhere', 'stage'] as const;

/** Every key of the page, as the keyboard map has it. */
export default function Help(props: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title={t('keys.title')} onClose={props.onClose}>
      <For each={PLACES}>
        {(place) => (
          <>
            <h3 class="keys-place">{t(`keys.${place}`)}</h3>
            <dl class="keys">
              <For each={KEYS.filter(({ where }) => where === place)}>
                {(binding) => (
                  <div>
                    <dt>
                      <kbd>{binding.shown}</kbd>
                    </dt>
                    <dd>{t(binding.label)}</dd>
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
