import { createSignal, For, onCleanup, onMount, Show, type JSX } from 'solid-js';
import { asProblem, type Problem } from '../api/problem';
import type { Question } from '../api/types';
import { t } from '../i18n';
import { ago } from '../i18n/dates';
import { Tabs } from '../shell/Tabs';
import { roleName } from '../stage/words';
import { controlOf, pivotOf, valueOf, type Misfit } from './control';
import { FormField } from './FormField';
import { formOf, humane } from './schema';

const WAYS = ['form', 'raw'] as const;
const CLOCK_MS = 20_000;

/**
 * One question to a person. What was typed lives here and nowhere else, so a refusal by the server
 * loses nothing; only an accepted answer makes the question go away.
 */
export function Answer(props: {
  question: Question;
  /** Where an image is that is attached to the brief. */
  imageUrl: (digest: string) => string;
  send: (answer: unknown) => Promise<void>;
}): JSX.Element {
  const form = props.question.form == null ? undefined : controlOf(formOf(props.question.form));
  const pivot = form ? pivotOf(form) : undefined;
  const [way, setWay] = createSignal<(typeof WAYS)[number]>(form ? 'form' : 'raw');
  const [raw, setRaw] = createSignal('');
  const [isSending, setSending] = createSignal(false);
  const [misfits, setMisfits] = createSignal<readonly Misfit[]>([]);
  const [problem, setProblem] = createSignal<Problem | undefined>();
  const [now, setNow] = createSignal(Date.now());
  onMount(() => {
    const clock = setInterval(() => setNow(Date.now()), CLOCK_MS);
    onCleanup(() => clearInterval(clock));
  });

  const choose = (next: (typeof WAYS)[number]): void => {
    // The text starts as what the form holds; once somebody has written there, it is theirs.
    if (next === 'raw' && raw() === '' && form) setRaw(JSON.stringify(valueOf(form, []), null, 2));
    setWay(next);
  };

  const submit = async (): Promise<void> => {
    setProblem(undefined);
    const found: Misfit[] = [];
    const answer = way() === 'form' && form ? valueOf(form, found) : raw();
    setMisfits(found);
    if (found.length > 0) return;
    setSending(true);
    try {
      await props.send(answer);
    } catch (thrown) {
      setProblem(asProblem(thrown));
    } finally {
      setSending(false);
    }
  };

  const say = ({ why, field }: Misfit): string =>
    t(why === 'missing' ? 'seat.missing' : 'seat.number', { name: humane(field.name) });
  const parts = () => (form?.kind === 'group' ? form.controls.filter((control) => control !== pivot) : form ? [form] : []);

  return (
    <article class="answer">
      <div class="answer-head">
        <h2>{t('seat.title', { role: roleName(props.question.role) })}</h2>
        <Show when={props.question.since}>
          {(since) => <small>{t('seat.since', { when: ago(since(), now()) })}</small>}
        </Show>
        <Show when={form}>
          <Tabs label={t('seat.as')} names={WAYS} chosen={way()} text={(name) => t(`seat.${name}`)} onChoose={choose} />
        </Show>
      </div>
      <div class="answer-prompt" role="region" tabindex="0" aria-label={t('seat.prompt')}>
        <p>{props.question.asked}</p>
        <For each={props.question.sections}>
          {(section) => (
            <section>
              <h3>{section.title}</h3>
              <pre dir="auto">{section.text}</pre>
              <Show when={section.image}>
                {(digest) => (
                  <a href={props.imageUrl(digest())} target="_blank" rel="noreferrer">
                    <img src={props.imageUrl(digest())} alt={section.title} />
                  </a>
                )}
              </Show>
            </section>
          )}
        </For>
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Show
          when={way() === 'raw'}
          fallback={<For each={parts()}>{(control) => <FormField control={control} />}</For>}
        >
          <label class="field">
            {t('seat.answer')}
            <textarea rows="10" dir="auto" value={raw()} onInput={(event) => setRaw(event.currentTarget.value)} />
            <Show when={form}>
              <span class="about">{t('seat.raw.hint')}</span>
            </Show>
          </label>
        </Show>
        <div role="alert" class="misfits">
          <For each={misfits()}>{(misfit) => <p>{say(misfit)}</p>}</For>
          <Show when={problem()}>
            {(problem) => (
              <>
                <p>
                  <strong>{t('seat.misfit')}</strong> {problem().message}
                </p>
                <Show when={problem().hint}>{(hint) => <p>{hint()}</p>}</Show>
                <small>{t('seat.kept')}</small>
              </>
            )}
          </Show>
        </div>
        <div class="answer-send">
          <Show
            when={way() === 'form' && pivot?.field.kind === 'choice' && pivot.field.options}
            fallback={
              <button type="submit" class="primary" disabled={isSending()}>
                {t(isSending() ? 'seat.sending' : 'seat.send')}
              </button>
            }
          >
            {(options) => (
              <For each={options()}>
                {(option, i) => (
                  <button
                    type="submit"
                    classList={{ primary: i() === 0 }}
                    title={option.about ?? undefined}
                    disabled={isSending()}
                    onClick={() => pivot?.type(String(option.value))}
                  >
                    {humane(String(option.value))}
                  </button>
                )}
              </For>
            )}
          </Show>
        </div>
      </form>
    </article>
  );
}
