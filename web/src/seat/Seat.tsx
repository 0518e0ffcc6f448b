import { createEffect, For, on, onCleanup, type JSX } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { Client } from '../api/client';
import { withHalf } from '../api/half';
import { pages } from '../api/pages';
import type { Question } from '../api/types';
import { t } from '../i18n';
import { report } from '../shell/notices';
import { keepFocus } from '../stage/asked';
import type { SeatSlotProps } from '../stage/props';
import { roleName } from '../stage/words';
import { Answer } from './Answer';
import './seat.css';

/** What the run asks of people, each question with its form. */
export default function Seat(props: SeatSlotProps & { client: Client; run: string }): JSX.Element {
  const [questions, setQuestions] = createStore<Question[]>([]);

  const load = async (): Promise<void> => {
    // Matched by turn, so that a form somebody is filling in stays while others come and go.
    setQuestions(reconcile(await pages(props.client).questions(props.run), { key: 'turn' }));
  };
  createEffect(
    on(
      () => props.waitingFor.join(),
      () => void load().catch(report),
    ),
  );

  const send = async (question: Question, answer: unknown): Promise<void> => {
    await pages(props.client).answer(props.run, question.turn, answer);
    setQuestions(reconcile(questions.filter(({ turn }) => turn !== question.turn), { key: 'turn' }));
    // The form is gone, and with it what had the focus.
    keepFocus();
  };

  // Whoever is awaited may be in another tab: this one's name says so.
  const plain = document.title;
  createEffect(() => {
    const [first] = questions;
    document.title = first ? `(${questions.length}) ${t('seat.title', { role: roleName(first.role) })} · ${plain}` : plain;
  });
  onCleanup(() => (document.title = plain));

  return (
    <div class="seat">
      <For each={questions}>
        {(question) => (
          <Answer
            question={question}
            imageUrl={(digest) => withHalf(props.client.of(props.run, `/blobs/${digest}`))}
            send={(answer) => send(question, answer)}
          />
        )}
      </For>
    </div>
  );
}
