import { createEffect, For, on, type JSX } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { Client } from '../api/client';
import { withHalf } from '../api/half';
import { pages } from '../api/pages';
import type { Question } from '../api/types';
import { report } from '../shell/notices';
import type { SeatSlotProps } from '../stage/props';
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
  };

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
