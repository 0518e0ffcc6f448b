// What stands behind a round in the loops that have it: rulings, stories, receipts.

import { For, Show } from 'solid-js';
import type { FrameOf, Receipt } from '../api/types';
import { t } from '../i18n';
import type { Round } from '../reducer/state';
import { Mark } from './Mark';
import type { View } from './view';
import { readable, roleName, roundName, scoreOr } from './words';

export function Proof(props: { readonly view: View; readonly round: Round }) {
  const { given, state, prove } = props.view;
  return (
    <>
      <Show when={props.round.rulings.length > 0}>
        <section class="panel proof">
          <h2>{t('stage.rulings')}</h2>
          <ul>
            <For each={props.round.rulings}>
              {(ruling) => <Ruling ruling={ruling} onEvidence={() => prove(ruling.round, ruling.role)} />}
            </For>
          </ul>
        </section>
      </Show>
      <Show when={state().stories.length > 0}>
        <section class="panel proof">
          <h2>{t('stage.stories')}</h2>
          <ul>
            <For each={state().stories}>
              {(story) => (
                <li>
                  <Mark
                    tone={story.verifiedIn === null ? 'calm' : 'good'}
                    shape={story.verifiedIn === null ? 'ring' : 'check'}
                  />
                  <p>
                    <code>{story.id}</code> {story.title}
                  </p>
                  <Show when={story.verifiedIn !== null} fallback={<small>{t('stage.unverified')}</small>}>
                    <button
                      type="button"
                      class="link"
                      aria-haspopup="dialog"
                      onClick={() => prove(story.verifiedIn ?? 0, null)}
                    >
                      {t('stage.verifiedIn', { round: roundName(given.run.loop, story.verifiedIn ?? 0) })}
                    </button>
                  </Show>
                </li>
              )}
            </For>
          </ul>
        </section>
      </Show>
      <Show when={props.round.receipts.length > 0}>
        <section class="panel proof">
          <h2>{t('stage.receipts')}</h2>
          <ul>
            <For each={props.round.receipts.flatMap((set) => set.receipts)}>
              {(receipt) => <Check receipt={receipt} onEvidence={() => prove(props.round.number, null)} />}
            </For>
          </ul>
        </section>
      </Show>
    </>
  );
}

function Ruling(props: { readonly ruling: FrameOf<'ruled'>; readonly onEvidence: () => void }) {
  return (
    <li>
      <Mark tone={props.ruling.accepted ? 'good' : 'warn'} shape={props.ruling.accepted ? 'check' : 'triangle'} />
      <div>
        <p>
          <button type="button" class="link" aria-haspopup="dialog" onClick={() => props.onEvidence()}>
            {roleName(props.ruling.role)}
          </button>{' '}
          {t(props.ruling.accepted ? 'stage.accepted' : 'stage.sentBack')}
        </p>
        <For each={props.ruling.reasons}>{(reason) => <p class="reason">{readable(reason)}</p>}</For>
      </div>
      <b>{props.ruling.score !== null && scoreOr(props.ruling.score)}</b>
    </li>
  );
}

function Check(props: { readonly receipt: Receipt; readonly onEvidence: () => void }) {
  return (
    <li>
      <Mark tone={props.receipt.passed ? 'good' : 'bad'} shape={props.receipt.passed ? 'check' : 'cross'} />
      <p>
        <button type="button" class="link" aria-haspopup="dialog" onClick={() => props.onEvidence()}>
          {props.receipt.check}
        </button>{' '}
        <code>{props.receipt.line}</code>
      </p>
      <small>{t(props.receipt.passed ? 'stage.passed' : 'stage.notPassed')}</small>
    </li>
  );
}
