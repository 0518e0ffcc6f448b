import { createUniqueId, For, Show, type JSX } from 'solid-js';
import { t } from '../i18n';
import type { Control } from './control';
import { humane } from './schema';

type Of<K extends Control['kind']> = Extract<Control, { kind: K }>;

/** One field, drawn by its kind; groups and lists draw theirs the same way. */
export function FormField(props: { control: Control }): JSX.Element {
  // A control is of one kind for its whole life, so there is nothing to follow here.
  const { control } = props;
  switch (control.kind) {
    case 'typed':
      return <Typed control={control} />;
    case 'flag':
      return <Flag control={control} />;
    case 'list':
      return <List control={control} />;
    case 'group':
      return <Group control={control} />;
  }
}

function Label(props: { control: Control }): JSX.Element {
  return (
    <>
      {humane(props.control.field.name)}
      <Show when={!props.control.field.isRequired}>
        <small> {t('seat.optional')}</small>
      </Show>
    </>
  );
}

function Typed(props: { control: Of<'typed'> }): JSX.Element {
  const id = createUniqueId();
  const { field, text, type } = props.control;
  const about = `${id}-about`;
  const typed = (event: { currentTarget: { value: string } }): void => type(event.currentTarget.value);
  const input = (): JSX.Element => {
    switch (field.kind) {
      case 'number':
        // Not type=number: its value is lost when the browser cannot read it, and the wheel changes it.
        return (
          <input id={id} aria-describedby={about} inputmode={field.isWhole ? 'numeric' : 'decimal'} size="6" value={text()} onInput={typed} />
        );
      case 'choice':
        return (
          <select id={id} aria-describedby={about} value={text()} onInput={typed}>
            <option value="">{t('seat.unset')}</option>
            <For each={field.options}>{(option) => <option value={option.value}>{humane(String(option.value))}</option>}</For>
          </select>
        );
      default:
        return <textarea id={id} dir="auto" aria-describedby={about} rows={field.name === 'content' ? 10 : field.isRequired ? 3 : 1} value={text()} onInput={typed} />;
    }
  };
  return (
    <div class="field">
      <label for={id}>
        <Label control={props.control} />
      </label>
      <About id={about} text={field.about} />
      {input()}
    </div>
  );
}

function Flag(props: { control: Of<'flag'> }): JSX.Element {
  const { field, isOn, turn } = props.control;
  return (
    <div class="field">
      <label class="flag">
        <input type="checkbox" checked={isOn()} onChange={(event) => turn(event.currentTarget.checked)} />
        {humane(field.name)}
      </label>
      <About text={field.about} />
    </div>
  );
}

function List(props: { control: Of<'list'> }): JSX.Element {
  const name = () => humane(props.control.field.name);
  return (
    <fieldset class="field">
      <legend>
        <Label control={props.control} />
      </legend>
      <About text={props.control.field.about} />
      <For each={props.control.items()}>
        {(item, i) => (
          <div class="item">
            <FormField control={item} />
            <button
              type="button"
              aria-label={t('seat.remove', { name: name(), number: i() + 1 })}
              onClick={() => props.control.remove(item)}
            >
              ✕
            </button>
          </div>
        )}
      </For>
      <button type="button" onClick={() => props.control.add()}>
        + {t('seat.add', { name: name() })}
      </button>
    </fieldset>
  );
}

function Group(props: { control: Of<'group'> }): JSX.Element {
  return (
    <fieldset class="field group">
      <legend>
        <Label control={props.control} />
      </legend>
      <About text={props.control.field.about} />
      <For each={props.control.controls}>{(inner) => <FormField control={inner} />}</For>
    </fieldset>
  );
}

function About(props: { id?: string; text: string | null }): JSX.Element {
  return (
    <Show when={props.text}>
      {(text) => (
        <p class="about" id={props.id}>
          {text()}
        </p>
      )}
    </Show>
  );
}
