import { createUniqueId, For, Match, Show, Switch, type JSX } from 'solid-js';
import { t } from '../i18n';
import type { Control } from './control';
import { humane } from './schema';

type Of<K extends Control['kind']> = Extract<Control, { kind: K }>;

/** One field, drawn by its kind; groups and lists draw theirs the same way. */
export function FormField(props: { control: Control }): JSX.Element {
  const as = <K extends Control['kind']>(kind: K): Of<K> | undefined => {
    const { control } = props;
    return isKind(control, kind) ? control : undefined;
  };
  return (
    <Switch>
      <Match when={as('typed')}>{(control) => <Typed control={control()} />}</Match>
      <Match when={as('flag')}>{(control) => <Flag control={control()} />}</Match>
      <Match when={as('list')}>{(control) => <List control={control()} />}</Match>
      <Match when={as('group')}>{(control) => <Group control={control()} />}</Match>
    </Switch>
  );
}

const isKind = <K extends Control['kind']>(control: Control, kind: K): control is Of<K> => control.kind === kind;

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
  const input = (): JSX.Element => {
    const common = {
      id,
      'aria-describedby': `${id}-about`,
      onInput: (event: { currentTarget: { value: string } }): void => type(event.currentTarget.value),
    };
    switch (field.kind) {
      case 'number':
        // Not type=number: its value is lost when the browser cannot read it, and the wheel changes it.
        return <input {...common} inputmode={field.isWhole ? 'numeric' : 'decimal'} size="6" value={text()} />;
      case 'choice':
        return (
          <select {...common} value={text()}>
            <option value="">{t('seat.unset')}</option>
            <For each={field.options}>{(option) => <option value={option.value}>{humane(String(option.value))}</option>}</For>
          </select>
        );
      default:
        return <textarea {...common} rows={field.name === 'content' ? 10 : 2} value={text()} />;
    }
  };
  return (
    <div class="field">
      <label for={id}>
        <Label control={props.control} />
      </label>
      <About id={`${id}-about`} text={field.about} />
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
